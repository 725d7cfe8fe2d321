"""Domain folders with Python of their own: what is loaded, what `tamp check` says of faults, and that nothing hangs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tamp.data import data_dir
from tamp.errors import InputError
from tamp.pddl.domain_file import load
from tamp.skills.folder_check import check
from tamp.skills.registry import bind, bound

pytestmark = pytest.mark.slow

KITCHEN = data_dir("domains") / "kitchen"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(KITCHEN, tmp_path / "mine", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "mine"


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def test_a_folder_brings_its_observers_and_skills(folder: Path) -> None:
    (folder / "shapes.py").write_text("NEAR = 0.02\n")
    edit(folder / "skills.py", "ABOVE = 0.01", "from .shapes import NEAR\n\nABOVE = NEAR")
    found = bound(load(str(folder)))
    assert sorted(found.observers) == ["poured", "pressed", "stacked", "wiped"]
    assert found.observers["poured"].tolerance == 0.9 and found.observers["poured"].keeps
    assert {found.skills[o].spec.name for o in ("wipe", "pour", "press", "stack")} == {"wipe", "pour", "press", "place"}


def test_an_edit_is_seen_by_the_next_load(folder: Path) -> None:
    assert bound(load(str(folder))).observers["stacked"].tolerance == 0.03
    edit(folder / "observers.py", "tolerance: float = 0.03", "tolerance: float = 0.0125")
    assert bound(load(str(folder))).observers["stacked"].tolerance == 0.0125


FAULTS = {
    "the last moment of none": (
        "observers.py", "    p = view.middle(into)", "    p = view.trail[-1].held", "bad-python", "IndexError"
    ),
    "degrees in the second way": (
        "skills.py", "hand.down(*np.radians(hand.way))", "hand.down(hand.way[0])", "bad-python", "yaw is 90"
    ),
    "never asked": (
        "observers.py", '@observes("stacked")', '@observes("stacked", needs=["joint"])', "bad-python", "is never asked"
    ),
    "milliseconds": (
        "skills.toml", 'press        = "press"', 'press = "press"\n[predicates.jams]\nbelieved = true\nage = 9e8',
        "bad-table", "up to 604800",
    ),
    "no Python": ("observers.py", "import numpy as np", "import numpy as", "bad-python", "SyntaxError"),
    "a module that is not there": ("skills.py", "import numpy as np", "import nunpy as np", "bad-python", "No module"),
    "a crash": ("observers.py", "region.half_extent[:2]", "region.half_extends[:2]", "bad-python", "half_extends"),
    "no end": ("observers.py", "    off = (view", "    while True: pass\n    off = (view", "bad-python", "2 s"),
    "no end while it is loaded": ("skills.py", "ABOVE = 0.01", "while True: pass", "bad-python", "5 s"),
    "no answer": ("observers.py", "return bool(np.mean(near) >= tolerance)", "return 0.5", "bad-python", "0.5"),
    "millimetres": ("observers.py", "tolerance: float = 0.03", "tolerance: float = 30", "bad-python", "30 m"),
    "degrees": ("observers.py", "tolerance: float = 0.9", "tolerance: float = 50", "bad-python", "50 rad"),
    "another predicate": ("observers.py", '@observes("wiped"', '@observes("wipd"', "bad-python", "mean 'wiped'"),
    "one of tamp's own": ("observers.py", '@observes("wiped"', '@observes("on"', "bad-python", "tamp sees 'on' itself"),
    "too many things": ("observers.py", "surface: str, tol", "surface: str, more: str, tol", "bad-python", "2 symbols"),
    "an unknown need": ("observers.py", 'needs=["region"]', 'needs=["regions"]', "bad-python", "valid: object, region"),
    "an unknown type": ("skills.py", '("surface",)', '("surfaces",)', "bad-skill", "takes 'surfaces'"),
    "an unknown segment": ("skills.py", '"move", "grip"', '"move", "grab"', "bad-skill", "segments have 'grab'"),
    "an unknown fact": ("skills.py", '{"obstructed"})', '{"blocked"})', "bad-skill", "facts have 'blocked'"),
    "a skill that crashes": ("skills.py", "strokes = ", "strokes = 1 / 0, ", "bad-python", "ZeroDivisionError"),
    "a skill of tamp's": ("skills.py", 'Spec("wipe"', 'Spec("pick"', "bad-skill", "one of tamp's own"),
    "no skill": ("skills.toml", '"wipe"', '"wpe"', "unknown-skill", "did you mean 'wipe'"),
    "what nobody sees": ("observers.py", '@observes("pressed", keeps=True)\n', "", "unseen-effect", "(pressed ?x)"),
    "what the skill does not do": (
        "domain.pddl", "(on ?o ?under)\n", "(holding ?under)\n", "unbrought-effect", "(holding ?under)"
    ),
    "no truth": (
        "skills.toml", 'press        = "press"', 'press = "press"\n[predicates.wiped]\nbelieved=1', "bad-table", "true"
    ),
}  # fmt: skip


OFTEN = ("no Python", "a crash", "no end", "millimetres", "a skill that crashes", "what the skill does not do")
"""Some of each file and of each way to fail."""


@pytest.mark.parametrize("fault", [pytest.param(f, marks=() if f in OFTEN else pytest.mark.thorough) for f in FAULTS])
def test_a_fault_is_found_with_its_file_and_line_before_anything_moves(fault: str, folder: Path) -> None:
    name, old, new, code, shown = FAULTS[fault]
    edit(folder / name, old, new)
    found = [f for f in check(folder).findings if f.code == code]
    assert found and shown in found[0].message, check(folder).findings
    assert Path(found[0].file).parent == folder and found[0].line > 0


def test_one_fault_is_told_once_with_its_line_however_the_folder_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(folder / "observers.py", 'needs=["region"]', 'needs=["regions"]')
    line = next(n for n, text in enumerate((folder / "observers.py").read_text().split("\n"), 1) if "regions" in text)
    monkeypatch.chdir(folder.parent)
    (found,) = check(Path(folder.name)).findings
    assert (found.file, found.line, found.code) == (f"{folder.name}/observers.py", line, "bad-python")


def test_what_does_not_run_is_no_fault_of_tamps(folder: Path) -> None:
    edit(folder / "skills.py", "ABOVE = 0.01", "ABOVE = 0.01 / 0")
    with pytest.raises(InputError, match=r"skills.py:7: .*ZeroDivisionError"):
        bind(load(str(folder)))


def test_what_is_seen_is_not_believed_besides(folder: Path) -> None:
    with (folder / "skills.toml").open("a") as table:
        table.write("\n[predicates.wiped]\nbelieved = true\n")
    with pytest.raises(InputError, match="not both"):
        bind(load(str(folder)))


def test_an_installed_package_gives_its_domain_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(KITCHEN, tmp_path / "my_lab" / "galley", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "my_lab" / "__init__.py").touch()
    (tmp_path / "my_lab" / "galley" / "__init__.py").touch()
    about = tmp_path / "my_lab-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: my-lab\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[tamp.domains]\ngalley = my_lab.galley\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = bound(load("galley"))
    assert found.domain.path == tmp_path / "my_lab" / "galley" / "domain.pddl"
    assert "wiped" in found.observers
    with pytest.raises(InputError, match="galley, kitchen"):
        load("gally")
