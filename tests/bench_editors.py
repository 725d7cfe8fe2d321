"""`make bench-editors`: 60 faulty files in an editor: what it shows, and how soon, against `tamp check`.

pygls' client opens a sound file, replaces its text by the faulty one, and saves nothing; `tamp check` is given the same
text in a file, of plans `tamp validate`. Equal means: the same messages at the same places with the same severities.
Ten files are of the folders in `problems/faulty` that have no Python, fifty are spoilt by chance, seed 0: domains,
problems, plans and both tables. Then letters are typed one by one into the domains that tamp brings, in a list that is
wrong with them and in a comment, each timed from when it is sent to when the file's diagnostics are there.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Iterator
from itertools import chain, product
from pathlib import Path
from tempfile import TemporaryDirectory

from tamp.api.checking import check
from tamp.pddl.reading import locate
from tests.bench import Row
from tests.bench_folders import unpacked
from tests.editor import Editor, editing
from tests.forked import tamp
from tests.mutations import Plan
from tests.priority import in_real_time
from tests.walked_plans import problems, spoilt, walked

LISTS, COMMENTS = TYPING = "typing in a list", "typing in a comment"
LETTERS = "clear of all things"
FILES = {"domain.pddl": 14, "problem.pddl": 12, "made.plan": 12, "skills.toml": 6, "words.toml": 6}
"""How many of each are spoilt."""
DUE = dict.fromkeys((*FILES, "of others"), 1.0) | dict.fromkeys(TYPING, 0.5)
MILLISECONDS = 300.0
Found = set[tuple[str, int, int, str, str]]
"""File, line and column as the protocol counts them, severity, message."""


def bench(letters: int = 15, only: tuple[str, ...] = ("files", "typing")) -> Iterator[Row]:
    """A row a faulty file, and a row for each of so many `letters` a domain and place."""
    if "files" in only:
        with TemporaryDirectory() as folder, editing() as (editor, run):
            for line, file, text in chain(_of_others(Path(folder)), _spoilt(Path(folder), random.Random(0))):
                uri = run(editor.opened(file, file.read_text()))
                run(editor.typed(uri, 2, text))
                shown = _shown(editor)
                file.write_text(text)
                wanted = _wanted(file)
                detail = f"tamp: {sorted(wanted - shown)}; the editor: {sorted(shown - wanted)}"
                yield Row(line, shown == wanted, {"findings": len(wanted)}, detail, f"{file.parent.name}/{file.name}")
                run(editor.closed(uri))
                editor.shown.clear()
    if "typing" in only:
        with in_real_time(), editing() as (editor, run):
            for name in ("tabletop", "xarm", "kitchen", "continuous"):
                file, rng = locate(name), random.Random(name)
                text = file.read_text()
                uri = run(editor.opened(file, text))
                place = rng.choice([m.start() for m in re.finditer(r"(?<=\s)\((?=[a-z])", text)])
                for version, (n, line) in enumerate(product(range(1, letters + 1), TYPING), 2):
                    typed = f"({LETTERS[:n]}) " if line == LISTS else f"; {LETTERS[:n]}\n"
                    ms = 1000 * run(editor.typed(uri, version, text[:place] + typed + text[place:]))
                    yield Row(line, ms <= MILLISECONDS, {"ms": ms}, f"{name}: {ms:.0f} ms")
                run(editor.closed(uri))


def _of_others(folder: Path) -> Iterator[tuple[str, Path, str]]:
    """The faulty files of the folders without Python, on the disk without their text."""
    for part in ("develop", "measured"):
        for case in unpacked(part, folder):
            file = folder / part / case["folder"] / case["file"]
            if not any(file.parent.glob("*.py")):
                text = file.read_text()
                file.write_text("")
                yield "of others", file, text


def _spoilt(folder: Path, rng: random.Random) -> Iterator[tuple[str, Path, str]]:
    """Files of this repository, on the disk as they are, and with a mistake."""
    pairs = [(locate(domain), file) for domain, file in problems()]
    for name, many in FILES.items():
        fitting = [(d, p) for d, p in pairs if not name.endswith(".toml") or (d.parent / name).is_file()]
        for number in range(many):
            domain, problem = rng.choice(fitting)
            here = folder / f"{Path(name).stem}-{number:02}"
            here.mkdir()
            for file in (domain, *domain.parent.glob("*.toml")):
                shutil.copy(file, here / file.name)
            shutil.copy(problem, here / "problem.pddl")
            read, plan = walked(str(domain), problem, 8, rng)
            (here / "made.plan").write_text(_written(plan))
            sound = (here / name).read_text()
            if name.endswith(".plan"):
                yield name, here / name, _written(spoilt(plan, read, 1, rng)[0])
            else:
                yield name, here / name, next(text for text in _slips(sound, rng) if _is_faulty(here / name, text))
            (here / name).write_text(sound)


def _is_faulty(file: Path, text: str) -> bool:
    sound = file.read_text()
    file.write_text(text)
    try:
        problems = [file] if file.name == "problem.pddl" else []
        return any(Path(f.file) == file for f in check(file.with_name("domain.pddl"), problems).findings)
    finally:
        file.write_text(sound)


def _written(plan: Plan) -> str:
    return "".join(f"{act}\n" for act in plan) or "; none\n"


def _slips(text: str, rng: random.Random) -> Iterator[str]:
    """A text cut short, with a line too few or twice, without a character, or another one there; for ever."""
    lines = text.splitlines(keepends=True)
    while True:
        at, n = rng.randrange(len(text)), rng.randrange(len(lines))
        yield rng.choice((
            text[:at], "".join(lines[:n] + lines[n + 1 :]), "".join(lines[: n + 1] + lines[n:]),
            text[:at] + text[at + 1 :], text[:at] + rng.choice("x(){}[]=\"\U0001f34b") + text[at + 1 :],
        ))  # fmt: skip


def _shown(editor: Editor) -> Found:
    return {
        (name, d.range.start.line, d.range.start.character, str(d.severity and d.severity.name).lower(), d.message)
        for name, found in editor.shown.items()
        for d in found
    }


def _wanted(file: Path) -> Found:
    """What `tamp check` finds in a file's folder and in the file, and `tamp validate` in a plan."""
    domain, problem = file.with_name("domain.pddl"), file.with_name("problem.pddl")
    done = tamp("check", domain, *([problem] if file == problem else []), "--json")
    found = {
        (Path(f["file"]).name, f["line"] - 1, len(f["text"][: f["column"] - 1].encode("utf-16-le")) // 2, f["severity"],
         f["message"]) for f in json.loads(done.stdout)["findings"]
    }  # fmt: skip
    if file.suffix == ".plan":
        (plan,) = json.loads(tamp("validate", domain, problem, file, "--mend-seconds", 0, "--json").stdout)["plans"]
        failed = [plan | (plan["failed"] or {}), *plan["further"]] if plan["valid"] is False else []
        wrong = [(f["line"], f["message"]) if f.get("step") else (None, f"the goal {f['message']}") for f in failed]
        for message in plan.get("errors", ()):
            place = re.match(r":(\d+)(?::\d+)?: (.*)", message.removeprefix(str(file)), re.DOTALL)
            wrong.append((int(place[1]), place[2]) if place else (1, message))
        last = len(file.read_text().splitlines())
        found |= {(file.name, (line or last) - 1, 0, "error", message) for line, message in wrong}
    return found
