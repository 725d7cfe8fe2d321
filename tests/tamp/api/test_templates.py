"""What `tamp new` writes: it runs at once, leaves everything else as it was, and overwrites nothing."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

import pytest

from tamp.api.templates import new
from tamp.data import data_dir
from tamp.errors import InputError
from tamp.pddl.domain_file import load
from tamp.runs.cases import read_scene_case
from tamp.skills.folder_check import check
from tamp.skills.registry import bound

pytestmark = pytest.mark.slow

SHIPPED = data_dir("domains")
SMALL = """(define (domain small)
  (:requirements :strips :typing)
  (:types item surface)
  (:predicates (hand-empty) (on ?o - item ?s - surface) (shown ?o - item) (done)) ; all of them
  (:action show :parameters (?o - item ?s - surface) :precondition (on ?o ?s) :effect (and (shown ?o) (done)))) ; end
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A domain that is written in another way, with line ends of another system."""
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "domain.pddl").write_bytes(SMALL.replace("\n", "\r\n").encode())
    (folder / "skills.toml").write_text('"show"="pick"\n\n# what nobody looks at\n[predicates.done]\nbelieved = true\n')
    return folder


@pytest.fixture
def kitchen(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SHIPPED / "kitchen", tmp_path / "k", ignore=shutil.ignore_patterns("__pycache__")))


@pytest.mark.parametrize("name", ["mine", "my-own_2", "tap", "class"])
def test_a_new_domain_has_no_faults_and_does_all_that_tabletop_does(name: str, tmp_path: Path) -> None:
    begun = new("domain", name, tmp_path)
    assert not check(begun.folder).findings
    made, tabletop = bound(load(str(begun.folder))), load("tabletop")
    assert made.domain.name == name
    assert tabletop.operators.items() < made.domain.operators.items()
    assert made.skills.keys() - tabletop.skills.keys() == {"tap"} and list(made.observers) == ["tapped"]
    assert {p.relative_to(begun.folder).as_posix() for p in begun.written} == {
        "domain.pddl", "skills.toml", "skills.py", "observers.py", "tests/tap.toml"
    }  # fmt: skip


@pytest.mark.parametrize(
    "name", ["class", *(pytest.param(n, marks=pytest.mark.thorough) for n in ("rub", "dust-off", "a_b-c9"))]
)
def test_a_skill_and_an_observer_fit_into_a_domain_with_others(name: str, kitchen: Path) -> None:
    new("skill", name, kitchen)
    new("observer", f"{name}-seen", kitchen)
    assert not check(kitchen).findings
    made, before = bound(load(str(kitchen))), bound(load("kitchen"))
    assert made.skills.keys() - before.skills.keys() == {name, f"make-{name}-seen"}
    assert made.observers.keys() - before.observers.keys() == {f"{name}-done", f"{name}-seen"}
    for case, goal in ((name, f"({name}-done plate_1)"), (f"{name}-seen", f"({name}-seen mug_1)")):
        said = read_scene_case(kitchen / "tests" / f"{case}.toml")
        assert (said.goals, said.expect) == ((goal,), "reached")


def test_what_was_there_stays_line_by_line(kitchen: Path) -> None:
    files = ("domain.pddl", "skills.toml", "skills.py", "observers.py")
    before = {f: (kitchen / f).read_text().splitlines() for f in files}
    new("skill", "rub", kitchen)
    for file, lines in before.items():
        after = iter((kitchen / file).read_text().splitlines())
        assert all(line in after for line in lines), file  # in their order, with others between


def test_a_domain_that_is_written_in_another_way_is_added_to(small: Path) -> None:
    new("skill", "rub", small)
    text = (small / "domain.pddl").read_bytes().decode()
    assert text.count("\n") == text.count("\r\n") and text.endswith(") ; end\r\n") and " ; all of them\r\n" in text
    assert tomllib.loads((small / "skills.toml").read_text()) == {
        "show": "pick", "rub": "rub", "predicates": {"done": {"believed": True}}
    }  # fmt: skip
    assert [f.code for f in check(small).findings if "rub" in f.message] == []
    assert load(str(small)).operators.keys() == {"show", "rub"}


def test_a_predicate_that_nobody_sees_gets_an_observer_and_nothing_else(small: Path) -> None:
    before = (small / "domain.pddl").read_bytes()
    assert "unseen-effect" in [f.code for f in check(small).findings]
    begun = new("observer", "shown", small)
    assert [p.name for p in begun.written] == ["observers.py"] and begun.goal is None
    assert "unseen-effect" not in [f.code for f in check(small).findings]
    assert (small / "domain.pddl").read_bytes() == before


def test_imports_are_added_once_and_only_where_they_lack(small: Path) -> None:
    (small / "observers.py").write_text('"""Mine."""\n\nfrom __future__ import annotations\n\nNEAR = 0.1\n')
    new("observer", "shown", small)
    new("skill", "rub", small)
    text = (small / "observers.py").read_text()
    assert text.count("import numpy") == 1 and text.count("from tamp.extension import") == 1
    assert text.startswith('"""Mine."""\n\nfrom __future__ import annotations\n')
    assert bound(load(str(small))).observers.keys() == {"shown", "rub-done"}


TAKEN = {
    "a name of capitals": (lambda f: new("skill", "Rub", f), "no name; valid: a small letter"),
    "a digit first": (lambda f: new("domain", "2nd", f), "no name; valid: a small letter"),
    "a path": (lambda f: new("domain", "a/b", f), "no name; valid: a small letter"),
    "a word of PDDL": (lambda f: new("observer", "forall", f), "a word of PDDL's own"),
    "a skill of tamp's": (lambda f: new("skill", "place", f), "a skill of tamp's own"),
    "an operator": (lambda f: new("skill", "wipe", f), "has an operator 'wipe' already"),
    "a type": (lambda f: new("skill", "drawer", f), "has a type 'drawer' already"),
    "what tamp sees": (lambda f: new("observer", "on", f), "tamp sees 'on' itself"),
    "a class": (lambda f: new("skill", "w-ipe", f), ": there is a WIpe already"),
    "an observer": (lambda f: new("observer", "wiped", f), ": there is a wiped already"),
    "a folder": (lambda f: new("domain", "k", f.parent), "k is there already, and nothing is overwritten"),
    "a scene's folder": (lambda f: new("scene", "k", f.parent), "k is there already, and nothing is overwritten"),
    "no domain": (lambda f: new("skill", "rub", f.parent), "there is no domain.pddl in "),
}


@pytest.mark.parametrize("fault", TAKEN)
def test_what_cannot_be_is_refused_and_nothing_is_written(fault: str, kitchen: Path) -> None:
    skills = kitchen / "skills.py"
    skills.write_text(skills.read_text().replace("class Wipe(", "class WIpe("))
    before = {p: p.read_bytes() for p in sorted(kitchen.parent.rglob("*")) if p.is_file()}
    begin, shown = TAKEN[fault]
    with pytest.raises(InputError) as refused:
        begin(kitchen)
    assert shown in str(refused.value)
    assert {p: p.read_bytes() for p in sorted(kitchen.parent.rglob("*")) if p.is_file()} == before


def test_a_domain_that_the_template_does_not_suit_is_refused(small: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"small/domain\.pddl: the template needs the predicate clear"):
        new("observer", "lifted", small)
    shutil.copytree(SHIPPED / "xarm", tmp_path / "arm")
    with pytest.raises(InputError, match="is a domain for an arm"):
        new("skill", "rub", tmp_path / "arm")


def test_a_module_that_is_no_python_is_told_with_its_line(kitchen: Path) -> None:
    (kitchen / "skills.py").write_text("import numpy as np\nclass A(:\n")
    with pytest.raises(InputError, match=r"skills\.py:2: not Python"):
        new("skill", "rub", kitchen)
