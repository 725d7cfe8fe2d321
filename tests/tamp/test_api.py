"""What `import tamp` promises: names and signatures; that the examples are true; that it is quick and quiet."""

from __future__ import annotations

import doctest
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from pathlib import Path

import pytest

import tamp
from llm.models.weights import DEFAULT
from llm.planner.skill_planner import NAME
from tamp.api.configs import DEFAULT_MODEL, LANGUAGE_PLANNER
from tamp.model.atoms import Atom

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).with_name("api.txt")
HEAVY = ("numpy", "mujoco", "pybullet", "robosuite", "libero", "unified_planning", "llama_cpp", "outlines", "llm")
FUNCTIONS = [name for name in tamp.__all__ if inspect.isfunction(getattr(tamp, name))]
IN_SCENES = {"execute", "ground", "load_scene", "make_agent", "perceive", "plan", "refine", "solve"}
"""Those whose examples begin with a simulator's scene."""


@pytest.fixture
def kitchenette() -> Iterator[tamp.LoadedScene]:
    with tamp.load_scene(ROOT / "docs" / "examples" / "kitchenette") as scene:
        yield scene


def _promise() -> str:
    """Each promised name, what a call takes, and what can be read from a result."""
    lines = []
    for name in tamp.__all__:
        named = getattr(tamp, name)
        if inspect.isfunction(named):
            lines.append(f"{name}{inspect.signature(named)}")
            continue
        if not inspect.isclass(named):
            lines.append(f"{name} = {named}")
            continue
        lines.append(f"class {name}({', '.join(b.__name__ for b in named.__bases__)})")
        read = [n for n in getattr(named, "__dataclass_fields__", ()) if not n.startswith("_")]
        own = {n: v for n, v in vars(named).items() if not n.startswith("_") and n not in read}
        lines += [f"    {n}" for n in sorted([*read, *(n for n, v in own.items() if isinstance(v, property))])]
        lines += [f"    {n}{inspect.signature(v)}" for n, v in sorted(own.items()) if inspect.isfunction(v)]
    return "".join(f"{line}\n" for line in lines).replace("pathlib._local.", "pathlib.")  # as Python 3.13 calls it


def test_what_is_promised_is_what_it_was() -> None:
    """A change here is a change of a promise: docs/library.md says what has to go with it, and CHANGELOG.md tells it.
    Then: PYTHONPATH=. python tests/tamp/test_api.py"""
    assert _promise() == GOLDEN.read_text()


def test_results_are_frozen_and_errors_are_one_family() -> None:
    classes = [named for name in tamp.__all__ if inspect.isclass(named := getattr(tamp, name))]
    results = [c for c in classes if not issubclass(c, tamp.TampError) and c not in (tamp.SceneAgent, tamp.Policy)]
    assert [c.__name__ for c in results if not (is_dataclass(c) and c.__dataclass_params__.frozen)] == []  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.episode) if n in IN_SCENES else n for n in FUNCTIONS]
)
def test_the_examples_of_a_docstring_are_true(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    options = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    found = doctest.DocTestFinder(recurse=False).find(getattr(tamp, name), name, globs={})
    assert found[0].examples, f"{name} shows no example"
    shown: list[str] = []
    assert doctest.DocTestRunner(optionflags=options).run(found[0], out=shown.append).failed == 0, "".join(shown)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_docstring_says_what_goes_in_comes_out_and_goes_wrong(name: str) -> None:
    named = getattr(tamp, name)
    text = inspect.getdoc(named) or ""
    parameters = list(inspect.signature(named).parameters)
    assert "Raises:" in text
    if len(parameters) > 1:
        assert [p for p in parameters if f"    {p}: " not in text] == []
        assert "Returns:" in text


@pytest.mark.process
def test_the_import_loads_nothing_heavy() -> None:
    code = f"import sys, tamp; tamp.TampError; dir(tamp); print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "[]\n"


DRAWING = """
from tamp.api.configs import SolveConfig
from tamp.api.solving import Person, prepare
prepare(SolveConfig(scene="breakfast", perception="camera", simulator="mujoco"), Person())
import mujoco
print(mujoco.GLContext.__module__)
"""


@pytest.mark.episode
@pytest.mark.process
def test_what_draws_is_chosen_before_mujoco_is_loaded() -> None:
    """Cameras in other physics draw in the process that was begun with: there is no display."""
    environment = {name: value for name, value in os.environ.items() if name not in ("MUJOCO_GL", "PYOPENGL_PLATFORM")}
    code = [sys.executable, "-c", DRAWING]
    done = subprocess.run(code, capture_output=True, text=True, check=False, cwd=ROOT, env=environment)
    assert done.stdout == "mujoco.osmesa\n", done.stderr


QUIET = """
import tamp
with tamp.load_scene("libero_goal/8", init_state=0, simulator="pybullet") as scene:
    scene.observe()
    assert tamp.plan(scene, "(holding akita_black_bowl_1)")
"""
QUIET_EPISODES = """
import tamp
held = {"goal": "(holding akita_black_bowl_1)", "scene": "libero_goal/8", "init_state": 0}
assert tamp.solve(**held, out="libero"), tamp.results("libero")
assert tamp.solve(**held, simulator="pybullet", out="bullet"), tamp.results("bullet")
"""


@pytest.mark.episode
@pytest.mark.process
@pytest.mark.parametrize(
    "script", [QUIET, pytest.param(QUIET_EPISODES, marks=pytest.mark.thorough)], ids=["scene", "run"]
)
def test_nothing_is_printed_that_nobody_asked_for(script: str, tmp_path: Path) -> None:
    """No banner, warning or build time of LIBERO, robosuite, gym or PyBullet; warnings of others are as they were."""
    code = [sys.executable, "-W", "default", "-c", script]
    here = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(code, capture_output=True, text=True, check=False, cwd=tmp_path, env=here)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done.stderr


def test_the_model_that_reads_is_the_one_that_is_fetched() -> None:
    assert (DEFAULT_MODEL, LANGUAGE_PLANNER) == (DEFAULT, NAME)


def test_a_name_that_there_is_not_is_none() -> None:
    with pytest.raises(AttributeError, match="plann"):
        tamp.plann  # noqa: B018


@pytest.mark.episode
def test_what_geometry_says_leads_to_another_plan(kitchenette: tamp.LoadedScene) -> None:
    """The loop of the toolkit by hand: a fact of geometry is enough for the planner to see that there is no way."""
    planned = tamp.plan(kitchenette, "(in can box_contain_region)")
    assert planned, planned.message
    fact = Atom("does-not-fit", ("can", "box_contain_region"))
    otherwise = tamp.plan(kitchenette, "(in can box_contain_region)", facts=[fact])
    assert (bool(otherwise), otherwise.status.value) == (False, "unsolvable")
    assert "never: (in can box_contain_region); never: (not (does-not-fit can box_contain_region))" in otherwise.message
    with pytest.raises(tamp.InputError, match="there is no plan"):
        tamp.refine(kitchenette, otherwise)


@pytest.mark.episode
def test_motions_that_do_not_fit_any_more_are_made_anew(kitchenette: tamp.LoadedScene, tmp_path: Path) -> None:
    motions = tamp.refine(kitchenette, tamp.plan(kitchenette, "(in can box_contain_region)"))
    first = tamp.execute(kitchenette, motions, out=tmp_path / "first")
    assert first and first.lasting and first.seconds["plan"] == 0.0, first
    back = tamp.execute(kitchenette, "(on can table)")
    assert back.executed == ("(take-out can box_contain_region)", "(place-on can table)"), back
    again = tamp.execute(kitchenette, motions)
    assert again and again.seconds["plan"] > 0.0, again
    (ending,) = tamp.results(tmp_path)
    assert (ending.verdict, ending.steps, ending.goal) == ("success", first.steps, first.goal[0])


@pytest.mark.episode
def test_an_agent_that_is_ended_says_how_far_it_came(kitchenette: tamp.LoadedScene) -> None:
    agent = tamp.make_agent(kitchenette, tamp.ground(kitchenette, goal=["(holding red_block)", "(hand-empty)"]))
    for _ in range(5):
        kitchenette.command(*(agent.tick(kitchenette.observe()) or pytest.fail("it is over too soon")))
    assert agent.outcome is None
    assert agent.doing.startswith("(pick red_block table) (moving, ")
    assert (agent.end().reached, agent.end().stage) == (False, "stopped")
    assert agent.tick(kitchenette.observe()) is None


@pytest.mark.episode
def test_what_does_not_go_together_is_an_input_error(kitchenette: tamp.LoadedScene) -> None:
    cases: dict[str, Callable[[], object]] = {
        "no simulator 'gazebo'; valid: libero, mujoco": lambda: tamp.load_scene("mug_in_drawer", simulator="gazebo"),  # type: ignore[arg-type]
        "is MJCF, which LIBERO": lambda: tamp.load_scene(ROOT / "docs/examples/kitchenette", simulator="libero"),
        "the robot of LIBERO's scenes": lambda: tamp.load_scene("mug_in_drawer", simulator="libero", body="xarm7"),
        "say what is to hold": lambda: tamp.ground(kitchenette),
        "no goal is given": lambda: tamp.ground(kitchenette, goal=[]),
        "untouched goes with": lambda: tamp.ground(kitchenette, "put it there", untouched=["can"]),
        "goal, column 5: no 'cup'": lambda: tamp.ground(kitchenette, goal="(in cup box_contain_region)"),
        "2 goals, one after": lambda: tamp.plan(
            kitchenette, tamp.ground(kitchenette, goal=["(holding can)", "(on can table)"])
        ),
        "did you mean 'fast-downward'": lambda: tamp.plan(kitchenette, "(holding can)", planner="fast-downwards"),
    }
    for message, call in cases.items():
        with pytest.raises(tamp.InputError, match=re.escape(message)):
            call()


if __name__ == "__main__":
    GOLDEN.write_text(_promise())
