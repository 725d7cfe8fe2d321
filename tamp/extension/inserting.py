"""Putting text into the files of a domain folder where it belongs, everything else to the byte."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from pathlib import Path

from tamp.errors import InputError
from tamp.files.source import Source, read
from tamp.pddl.tree import Node, tree

IMPORTS = {"np": "import numpy as np"}
"""What brings a name that templates use; all the others come from `tamp.extension`."""


def raw_text(path: Path) -> str:
    """What a file holds, with its own line ends. InputError when it cannot be read or is not UTF-8 text."""
    read(path)
    return path.read_bytes().decode("utf-8")


def in_domain(path: Path, predicates: Iterable[str], operators: Iterable[str]) -> str:
    """The text of a domain's file with more predicates and operators, whole lines, at the end of each. It must parse.

    InputError where there are no predicates yet.
    """
    source, raw = read(path), raw_text(path)
    top = tree(Source(str(path), source.text))
    section = next((n for n in top.parts if n.head == ":predicates"), None)
    if section is None:
        raise InputError(f"{path}: it has no (:predicates …) to add to; valid: a domain such as domains/tabletop")
    operator_text = "".join(f"\n{o.rstrip()}\n" for o in operators)
    if operator_text:
        source, raw = _before_end(source, raw, top, operator_text)
    _, raw = _before_end(source, raw, section, "".join(predicates))
    return raw


def _before_end(source: Source, raw: str, node: Node, added: str) -> tuple[Source, str]:
    """A text with whole lines added before the last parenthesis of a list, which keeps its place where it has a line
    of its own."""
    text, end = source.text, node.end - 1
    start = text.rfind("\n", 0, end) + 1
    if text[start:end].strip():
        at, added = end, f"\n{added}{'  ' if node.head == ':predicates' else ''}"
    else:
        at = start
    in_file, newline = source.in_raw(raw, at), "\r\n" if "\r\n" in raw else "\n"
    changed = raw[:in_file] + added.replace("\n", newline) + raw[in_file:]
    return Source(source.name, text[:at] + added + text[at:]), changed


def in_table(path: Path, operator: str, skill: str, note: str) -> str:
    """The text of a table of skills with one more operator, before its first `[table]`."""
    raw = raw_text(path)
    newline = "\r\n" if "\r\n" in raw else "\n"
    header = re.search(r"^[ \t]*\[", raw, re.MULTILINE)
    head = raw[: header.start()] if header else raw
    keys = list(re.finditer(r"^(?P<key>[A-Za-z0-9_\"'-]+[ \t]*)=[^\r\n]*", head, re.MULTILINE))
    width = len(keys[-1]["key"]) if keys else 0
    line = f'{operator:{max(width - 1, len(operator))}} = "{skill}"{f"  # {note}" if note else ""}'
    if not keys:
        return f"{line}{newline}{raw}" if header else f"{raw}{newline if raw.strip() else ''}{line}{newline}"
    at = keys[-1].end()
    return f"{raw[:at]}{newline}{line}{raw[at:]}"


def in_python(path: Path, head: str, names: Iterable[str], added: str) -> str:
    """The text of a module, begun with `head` where there is none, with `added` at its end and the `names` that it
    needs imported. InputError, with the line, for a module that is no Python, and for a name that it has already."""
    raw = raw_text(path) if path.is_file() else head
    newline = "\r\n" if "\r\n" in raw else "\n"
    try:
        module = ast.parse(raw.removeprefix("\ufeff"))
    except SyntaxError as error:
        raise InputError(f"{path}:{error.lineno or 1}: not Python: {error.msg}") from error
    had = _bound(module)
    for made in _bound(ast.parse(added)):
        if made in had:
            raise InputError(f"{path}:{had[made]}: there is a {made} already; valid: another name")
    rows = raw.replace("\r\n", "\n").split("\n")
    lacking = [n for n in names if n not in had]
    if lacking:
        at, first = _imports_end(module)
        rows[at:at] = ["", *_imports(lacking)] if first and at else _imports(lacking)
    while rows and not rows[-1].strip():
        rows.pop()
    return newline.join([*rows, "", "", *added.rstrip().splitlines(), ""])


def _bound(module: ast.Module) -> dict[str, int]:
    """The names that the lines of a module bind, and the lines."""
    found: dict[str, int] = {}
    for node in module.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(a.asname or a.name).partition(".")[0]: node.lineno for a in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            found[node.name] = node.lineno
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {t.id: node.lineno for t in targets if isinstance(t, ast.Name)}
    return found


def _imports_end(module: ast.Module) -> tuple[int, bool]:
    """After how many lines an import can be added, and whether it is the first one."""
    imports = [node for node in module.body if isinstance(node, ast.Import | ast.ImportFrom)]
    before = imports or (module.body[:1] if ast.get_docstring(module) is not None else [])
    return (before[-1].end_lineno or 0) if before else 0, not imports


def _imports(names: Iterable[str]) -> list[str]:
    others = sorted(n for n in names if n not in IMPORTS)
    return [
        *(IMPORTS[n] for n in names if n in IMPORTS),
        *([""] if others and any(n in IMPORTS for n in names) else []),
        *([f"from tamp.extension import {', '.join(others)}"] if others else []),
    ]
