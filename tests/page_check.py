"""Whether what a page of the documentation shows is so: commands carried out, files parsed, programs run."""

from __future__ import annotations

import ast
import importlib
import json
import re
import shutil
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.bench import names
from tests.page_blocks import MARKS, ROOT, Block, Shown, blocks, commands, normal, says
from tests.page_typing import Terminal

GIVEN = ROOT / "tests" / "pages"
"""Folders of files that the commands of a block find (`in`)."""
DATA = ("toml", "json", "jsonl", "pddl", "yaml")
LATE = re.compile(r"\bC31\b|no answer to \w+ within ")
"""What an arm says when its targets, or its answers, come late: a busy machine brings that about (docs/xarm.md)."""
KINDS = ("executed", "slow", "checked", "not run")


@dataclass(frozen=True)
class Verdict:
    """What became of a block: one of KINDS, or `unmarked`; and what is wrong, empty where nothing is."""

    block: Block
    kind: str
    wrong: tuple[str, ...] = ()


def kind(block: Block) -> str:
    """What is done with a block. `unmarked` is a fault: nobody looks at it, and it does not say why."""
    marks = block.marks
    if "not run" in marks:
        return "not run"
    if marks.keys() & {"synopsis", "of", "file"} or block.language in (*DATA, "diff"):
        return "checked"
    if block.language == "commands" and all(c.command.startswith("make ") for c in commands(block)):
        return "checked"
    if block.language in {"commands", "python"}:
        return "slow" if "slow" in marks else "executed"
    return "unmarked"


def check_page(page: Path, slow: bool = False) -> list[Verdict]:
    """Everything on a page, in order, in a working directory of its own; without `slow` what is quick."""
    with TemporaryDirectory() as home:
        folder = Path(home) / "work"
        folder.mkdir()
        for name in ("docs", "problems", "domains", "tests"):
            (folder / name).symlink_to(ROOT / name)
        terminal = Terminal(folder, Path(home))
        try:
            return [Verdict(b, kind(b), tuple(_wrong(b, terminal, slow))) for b in blocks(page)]
        finally:
            terminal.close()


def _wrong(block: Block, terminal: Terminal, slow: bool) -> Iterator[str]:
    """What is wrong with a block."""
    for mark in block.marks.keys() - set(MARKS):
        yield f"no mark {mark!r}; valid: {', '.join(MARKS)}"
    what = kind(block)
    if what == "unmarked":
        yield "nobody looks at this block: name its language, or say why with <!-- not run: REASON --> before it"
    if block.language == "commands":
        yield from _unknown_targets(block)
    if "synopsis" in block.marks:
        yield from unknown(block.text)
    if "of" in block.marks and block.text not in (ROOT / block.marks["of"]).read_text():
        yield f"this is not in {block.marks['of']}"
    if "file" in block.marks:
        file = terminal.folder / block.marks["file"]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(block.text)
    yield from _unreadable(block)
    if block.language == "diff":
        yield from _changed(block, terminal)
    if what == "executed" or (what == "slow" and slow):
        yield from _carried_out(block, terminal)


def _carried_out(block: Block, terminal: Terminal) -> list[str]:
    """What is wrong with a program, or with commands: those in real time are typed again when the machine came late."""
    for _ in range(3 if "real time" in block.marks else 1):
        wrong = list((_run if block.language == "python" else _typed)(block, terminal))
        if not any(LATE.search(each) for each in wrong):
            break
    return wrong


def _unknown_targets(block: Block) -> Iterator[str]:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    targets |= {f"bench-{name}" for name in names()}
    for each in commands(block):
        words = each.command.split()
        if words[0] == "make" and words[1] not in targets:
            yield f"make has no target {words[1]}"


def unknown(text: str) -> Iterator[str]:
    """Commands and options of a synopsis that the command line does not have."""
    from typer.main import get_command

    from cli.main import app

    for line in re.findall(r"^tamp .*", text, re.MULTILINE):
        usage = re.split(r" {2,}", line)[0]
        commands: list[Any] = [get_command(app)]
        for word in re.findall(r"(?<![a-z-])(?:--)?[a-z][a-z-]+\b", usage.removeprefix("tamp")):
            subs = {name: sub for each in commands for name, sub in getattr(each, "commands", {}).items()}
            if word.startswith("--"):
                known = {o for each in [*commands, *subs.values()] for p in each.params for o in p.opts}
                if word not in known:
                    yield f"no option {word}: {line}"
            elif word in subs:
                commands = [*commands[1:], subs[word]] if len(commands) == 1 else [*commands, subs[word]]
            elif subs:
                yield f"no command {word}: {line}"


def _unreadable(block: Block) -> Iterator[str]:
    """Why data or a program cannot be read."""
    try:
        if block.language == "toml":
            tomllib.loads(block.text)
        elif block.language in {"json", "jsonl"}:
            whole = block.language == "json"
            for each in [block.text] if whole else block.text.splitlines():
                json.loads(each)
        elif block.language == "pddl":
            _parsed(block.text)
        elif block.language == "python":
            _imported(block.text)
    except Exception as error:
        yield f"{block.language}: {type(error).__name__}: {error}"


def _parsed(text: str) -> None:
    """PDDL, or parts of it: lists in parentheses; whole domains and problems by the parser that plans with them."""
    from tamp.files.source import Source
    from tamp.pddl.reading import parse
    from tamp.pddl.tree import tree

    parts = tree(Source("block", f"({text})")).parts
    whole = {part.parts[1].head: text[part.start - 1 : part.end - 1] for part in parts if part.head == "define"}
    if "domain" in whole:
        parse(Source("domain", whole["domain"]), Source("problem", whole["problem"]) if "problem" in whole else None)


def _imported(text: str) -> None:
    """Compile a program, and import what it imports."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            module = importlib.import_module(node.module)
            for alias in node.names:
                if not hasattr(module, alias.name):
                    importlib.import_module(f"{node.module}.{alias.name}")
        elif isinstance(node, ast.Import):
            for alias in node.names:
                importlib.import_module(alias.name)


def _run(block: Block, terminal: Terminal) -> Iterator[str]:
    """A program in a process of its own."""
    (terminal.folder / "block.py").write_text(block.text)
    done = terminal.type("python block.py", _folder(block, terminal))
    if done.code != 0:
        yield f"the program ends with {done.code}:\n{done.output}"


def _changed(block: Block, terminal: Terminal) -> Iterator[str]:
    """Change a file that is there as a block says, for the commands after it."""
    change = terminal.home / "change.diff"
    change.write_text(block.text)
    done = terminal.type(f"git apply --recount -p0 {change}", _folder(block, terminal))
    if done.code != 0:
        yield f"this change cannot be made: {done.output}"


def _typed(block: Block, terminal: Terminal) -> Iterator[str]:
    """The commands of a block, one after the other."""
    folder, given = _folder(block, terminal), commands(block)
    if any(each.command.endswith("&") for each in given):
        terminal.close()  # one arm at an address, one server at a port
    for each in given:
        if each.command.startswith("make "):
            continue
        done = terminal.type(each.command, folder)
        expected = int(block.marks.get("exit", 0)) if each is given[-1] else 0
        if not each.lines and done.code != expected:
            yield f"$ {each.command}\nends with {done.code}, not {expected}:\n{done.output}"
        elif each.lines and not _as_shown(each, done.output, block, terminal):
            yield f"$ {each.command}\nprints (exit {done.code}):\n{done.output}"
        elif each.lines and each is given[-1] and "exit" in block.marks and done.code != expected:
            yield f"$ {each.command}\nprints what is shown, and ends with {done.code}, not {expected}"


def _as_shown(each: Shown, output: str, block: Block, terminal: Terminal) -> bool:
    figures = "figures vary" not in block.marks
    places = {f"{_folder(block, terminal)}/": "", f"{terminal.folder}/": "", f"{ROOT}/": "", str(Path.home()): "~"}
    expected = normal("\n".join(each.lines), {}, figures).splitlines()
    return says(normal(output, places, figures), tuple(expected))


def _folder(block: Block, terminal: Terminal) -> Path:
    """Where a block's commands are typed."""
    name = block.marks.get("in")
    if name is None:
        return terminal.folder
    folder, given = terminal.folder / name, GIVEN / name
    if not all((folder / each.name).exists() for each in given.iterdir()):
        shutil.copytree(given, folder, dirs_exist_ok=True)  # a run may have made a folder of that name
    return folder
