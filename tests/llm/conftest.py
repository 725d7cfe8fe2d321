"""Hand-built scenes and stand-ins for the model, so that most tests need neither simulator nor weights."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from llm.models.language_model import Completion, Prompt, fits
from motion.poses import pose
from motion.shapes import Shape
from tamp.model.atoms import Atom
from tamp.model.scene import Joint, Part, Region, RobotState, Scene, SceneObject
from tamp.model.state import WorldState
from tamp.pddl.domain_file import load
from tamp.perception.predicates import symbols_of

ROBOT = RobotState(np.zeros(7), 0.08, np.eye(4))


def box(*half):
    return (Shape("box", np.array(half, dtype=float), np.eye(4)),)


def item(name, category, x, y, z=0.03, half=(0.04, 0.04, 0.03), regions=()):
    part = Part(name, "body", pose([x, y, z], np.eye(3)), box(*half))
    return SceneObject(name, category, True, (part,), tuple(regions))


def region(name, kind, x, y, z=0.1, half=(0.06, 0.06, 0.06), part="", door=None):
    return Region(name, kind, pose([x, y, z], np.eye(3)), np.array(half), part, door)


def table():
    part = Part("table_body", "body", np.eye(4), box(0.5, 0.6, 0.01))
    top = region("main_table", "surface", 0, 0, 0, (0.5, 0.6, 0.0))
    return SceneObject("table_body", "table", False, (part,), (top,))


def cabinet(name="wooden_cabinet_1", category="wooden_cabinet", x=0.0, y=-0.3, levels=("top", "middle", "bottom")):
    T = pose([x, y, 0.1], np.eye(3))
    slide = Joint("slide", np.array([0.0, 1.0, 0.0]), T[:3, 3], (0.0, 0.2), 0.0, 0.14, 0.0)
    drawers = [Part(f"{name}_cabinet_{q}", "drawer", T, box(0.1, 0.1, 0.03), slide) for q in levels]
    places = [
        region(f"{name}_{q}_region", "interior", x, y, part=d.name, door=d.name)
        for q, d in zip(levels, drawers, strict=True)
    ]
    top = region(f"{name}_top_side", "surface", x, y, 0.22, (0.1, 0.1, 0.0), name)
    return SceneObject(name, category, False, (Part(name, "body", T, box(0.1, 0.1, 0.1)), *drawers), (top, *places))


def stove(x=-0.3, y=0.3):
    name, T = "flat_stove_1", pose([x, y, 0.02], np.eye(3))
    turn = Joint("hinge", np.array([0.0, 0.0, 1.0]), T[:3, 3], (0.0, 2.0), 0.0, 0.5, 0.0)
    parts = (
        Part(name, "body", T, box(0.1, 0.1, 0.02)),
        Part(f"{name}_button", "knob", T, box(0.01, 0.01, 0.01), turn),
    )
    burner = region(f"{name}_cook_region", "surface", x, y, 0.04, (0.07, 0.07, 0.0), name)
    return SceneObject(name, "flat_stove", False, parts, (burner,))


def basket(x=0.2, y=0.4):
    inside = region("basket_1_contain_region", "interior", x, y, part="basket_1")
    return item("basket_1", "basket", x, y, half=(0.08, 0.08, 0.06), regions=[inside])


def scene_of(*things):
    return Scene((*things, table()), ROBOT)


def state_of(scene, *atoms):
    """A state with these atoms, written "(on bowl_1 plate_1)"; items named in none stand on the table."""
    shown = {Atom(p, tuple(args)) for p, *args in (a.strip("()").split() for a in atoms)}
    placed = {a.args[0] for a in shown if a.predicate in ("on", "in", "holding")}
    rest = {Atom("on", (o.name, "main_table")) for o in scene if o.movable and o.name not in placed}
    return WorldState(symbols_of(scene), frozenset(shown | rest | {Atom("hand-empty")}))


@pytest.fixture(scope="session")
def domain():
    return load("tabletop")


@pytest.fixture
def kitchen():
    """One bowl, plate, wine bottle, a cabinet with three shut drawers, a stove that is off."""
    scene = scene_of(
        item("akita_black_bowl_1", "akita_black_bowl", 0.0, 0.0),
        item("plate_1", "plate", 0.1, 0.3),
        item("wine_bottle_1", "wine_bottle", -0.2, 0.1),
        cabinet(),
        stove(),
    )
    shut = [f"(closed wooden_cabinet_1_{q}_region)" for q in ("top", "middle", "bottom")]
    return scene, state_of(scene, *shut, "(turned-off flat_stove_1)")


@pytest.fixture
def two_bowls():
    """Two black bowls: the first between plate and ramekin, the second next to the cookie box, far right."""
    scene = scene_of(
        item("akita_black_bowl_1", "akita_black_bowl", 0.0, 0.0),
        item("akita_black_bowl_2", "akita_black_bowl", 0.2, 0.5),
        item("plate_1", "plate", 0.2, 0.0),
        item("glazed_rim_porcelain_ramekin_1", "glazed_rim_porcelain_ramekin", -0.2, 0.0),
        item("cookies_1", "cookies", 0.2, 0.4, half=(0.02, 0.02, 0.02)),
    )
    return scene, state_of(scene)


@dataclass
class Scripted:
    """Says its answers one after another, as often as it is asked; fails the test where the grammar forbids one."""

    answers: str | tuple[str, ...]
    probability: float = 0.99
    name: str = "scripted"
    sees: bool = False
    taught: bool = True
    asked: list[Prompt] = field(default_factory=list)

    def complete(self, prompt, grammar):
        answers = (self.answers,) if isinstance(self.answers, str) else self.answers
        answer = answers[min(len(self.asked), len(answers) - 1)]
        self.asked.append(prompt)
        assert fits(answer, grammar), f"the grammar forbids {answer!r}"
        return Completion(answer, self.probability)


@pytest.fixture
def builders():
    """The scene builders, for tests that need a scene of their own."""
    return {
        "item": item,
        "cabinet": cabinet,
        "stove": stove,
        "basket": basket,
        "scene": scene_of,
        "state": state_of,
        "region": region,
    }


@pytest.fixture
def scripted():
    return Scripted
