"""Skills in real physics: one action at a time, refined from what is seen and judged by what is seen after."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest

from motion import grasps
from motion.poses import Array, error
from motion.world import World
from tamp.agent.goal_executor import ATTEMPTS
from tamp.agent.trajectory_tracker import TrajectoryTracker
from tamp.backends.libero import tasks
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.model.atoms import GroundAction
from tamp.model.bodies import world_of
from tamp.model.motions import Grip, Move, Segment, timed
from tamp.model.scene import Scene
from tamp.model.situation import Situation
from tamp.pddl.domain_file import load
from tamp.pddl.planner import Plan
from tamp.perception.predicates import observe
from tamp.planning.refinement import Refined, SearchBudget, refine
from tamp.skills.base import Refinement, Tools
from tamp.skills.registry import bind

pytestmark = pytest.mark.episode
RESETS, ENOUGH = 20, 19
NEAR, ALIGNED = 0.01, 3.0
"""Metres and degrees from the planned grasp at the end of the approach."""
RISE = 0.03
STEPS = 300
"""Control steps that one action may take."""


@dataclass(eq=False)
class Lab:
    """One simulation, and what is refined with in it."""

    environment: LiberoEnvironment
    perceiver: OraclePerceiver = field(init=False)
    world: World = field(init=False)

    def __post_init__(self) -> None:
        self.perceiver = OraclePerceiver(self.environment)
        self.world = world_of(self.perceiver.perceive(), self.environment.robot_model())

    def held(self, scene: Scene) -> str | None:
        return next((a.args[0] for a in observe(scene, self.world).atoms if a.predicate == "holding"), None)

    def refine(self, action: GroundAction, seed: int = 0) -> Refinement:
        scene = self.perceiver.perceive()
        tools = Tools(self.world, np.random.default_rng(seed))
        start, budget = Situation(scene, self.held(scene)), SearchBudget.of(self.world, 60.0)
        found = refine(Plan((action,)), start, bind(load("tabletop")), tools, budget)
        assert isinstance(found, Refined), found
        return found.steps[0]

    def follow(self, *segments: Segment) -> int:
        """Execute; returns the control steps that it took."""
        timeline = timed([segments], self.world)
        execution = TrajectoryTracker(timeline, self.environment.observe().opening, self.environment.period)
        steps = 0
        while (command := execution.step(self.environment.observe())) is not None:
            self.environment.command(*command)
            steps += 1
            assert steps <= STEPS
        return steps

    def do(self, name: str, *args: str, attempts: int = 1) -> list[str | None]:
        """Look, refine and execute, as often as needed; what was missing of the postcondition each time."""
        missing: list[str | None] = []
        while len(missing) < attempts and None not in missing:
            self.follow(*self.refine(GroundAction(name, args), len(missing)).segments)
            scene = self.perceiver.perceive()
            missing.append(bind(load("tabletop"))[name].achieved(args, scene, self.held(scene)))
        return missing

    def joint(self, owner: str, kind: str) -> list[float]:
        parts = self.perceiver.perceive().object(owner).parts
        return [p.joint.value for p in parts if p.kind == kind and p.joint is not None]

    def holds(self, predicate: str, *args: str) -> bool:
        atoms = observe(self.perceiver.perceive(), self.world).atoms
        return any((a.predicate, a.args) == (predicate, args) for a in atoms)


@contextlib.contextmanager
def lab(scene: str, seed: int = 0, init_state: int | None = None) -> Iterator[Lab]:
    environment = LiberoEnvironment(tasks.find(scene), seed=seed, init_state=init_state)
    try:
        yield Lab(environment)
    finally:
        environment.close()


def task_of(suite: str, instruction: str) -> str:
    """The first task of a suite with this instruction."""
    return next(t.name for t in tasks.suite_tasks(suite) if t.instruction == instruction)


@dataclass(frozen=True)
class Picked:
    """One pick: how far from the planned grasp the approach ended (m, degrees), and what came of the lift."""

    seed: int
    off: float
    turned: float
    rise: float
    held: bool

    @property
    def approached(self) -> bool:
        return self.off < NEAR and self.turned < ALIGNED

    @property
    def lifted(self) -> bool:
        return self.held and self.rise > RISE


@pytest.fixture(scope="module")
def picks() -> list[Picked]:
    with lab("mug_in_drawer") as room:
        return [pick(room, seed) for seed in range(RESETS)]


def pick(room: Lab, seed: int) -> Picked:
    room.environment.reset(seed=seed)
    before = room.perceiver.perceive().object("mug_1").position[2]
    refinement = room.refine(GroundAction("pick", ("mug_1", "main_table")), seed)
    T_grasp = np.array(refinement.note["grasp"])
    approach, *rest = refinement.segments
    room.follow(approach)
    e = error(room.environment.observe().T_world_tool, reached_for(approach, T_grasp, room.world))
    room.follow(*rest)
    scene = room.perceiver.perceive()
    rise = float(scene.object("mug_1").position[2] - before)
    return Picked(
        seed,
        float(np.linalg.norm(e[:3])),
        float(np.degrees(np.linalg.norm(e[3:]))),
        rise,
        room.held(scene) == "mug_1",
    )


def reached_for(approach: Segment, T_grasp: Array, world: World) -> Array:
    """The planned grasp, with the fingers the way round that the approach has them."""
    assert isinstance(approach, Move)
    T_end = world.forward(approach.path[-1])
    return min((T_grasp, grasps.flipped(T_grasp)), key=lambda T: float(np.linalg.norm(error(T, T_end)[3:])))


def test_the_approach_ends_at_the_grasp(picks: list[Picked]) -> None:
    good = [p for p in picks if p.approached]
    assert len(good) >= ENOUGH, "\n".join(map(str, picks))


def test_the_grasp_holds_through_the_lift(picks: list[Picked]) -> None:
    good = [p for p in picks if p.lifted]
    assert len(good) >= ENOUGH, "\n".join(map(str, picks))


def test_a_drawer_is_opened_and_closed() -> None:
    drawer = "cabinet_1_top_region"
    with lab("mug_in_drawer", seed=2) as room:
        assert room.holds("closed", drawer)
        assert room.do("open-drawer", drawer) == [None] and room.holds("open", drawer)
        values = room.joint("cabinet_1", "drawer")
        assert sorted(abs(v) > 0.01 for v in values) == [False, False, True], values
        assert room.do("close-drawer", drawer) == [None] and room.holds("closed", drawer)


def test_a_drawer_whose_handle_leaves_no_room_for_a_square_grip_is_opened() -> None:
    """The palm fits neither upright between the table and the handle above, nor flat behind the bar."""
    drawer, bowl, top = "wooden_cabinet_1_bottom_region", "akita_black_bowl_1", "wooden_cabinet_1_top_side"
    with lab(task_of("libero_90", "open the bottom drawer of the cabinet"), init_state=0) as room:
        assert room.do("pick", bowl, "kitchen_table") == [None] and room.do("place-on", bowl, top) == [None]
        missing = room.do("open-drawer", drawer, attempts=ATTEMPTS)
        assert missing[-1] is None and room.holds("open", drawer), missing
        assert room.environment.check_success(), "LIBERO's own judgement"


DOOR = "microwave_1_heating_region"


def test_a_door_is_opened() -> None:
    """Pulled ajar by its handle and pushed on from inside: no grasp can be followed all the way."""
    with lab(task_of("libero_90", "open the microwave"), init_state=0) as room:
        assert room.holds("closed", DOOR)
        missing = room.do("open-door", DOOR, attempts=ATTEMPTS)
        assert missing[-1] is None and room.holds("open", DOOR), (missing, room.joint("microwave_1", "door"))
        assert room.environment.check_success(), "LIBERO's own judgement"


def test_a_door_left_ajar_is_opened_from_inside() -> None:
    with lab(task_of("libero_90", "open the microwave"), init_state=1) as room:
        segments = room.refine(GroundAction("open-door", (DOOR,))).segments
        let_go = max(i for i, s in enumerate(segments) if isinstance(s, Grip))
        room.follow(*segments[: let_go + 2])
        assert not room.holds("open", DOOR) and not room.holds("closed", DOOR)
        again = room.refine(GroundAction("open-door", (DOOR,))).segments
        assert not any(isinstance(s, Grip) for s in again), "a push only"
        room.follow(*again)
        assert room.holds("open", DOOR) and room.environment.check_success()


def test_a_door_is_closed() -> None:
    with lab(task_of("libero_90", "close the microwave"), init_state=0) as room:
        assert room.holds("open", DOOR)
        missing = room.do("close-door", DOOR, attempts=ATTEMPTS)
        assert missing[-1] is None and room.holds("closed", DOOR), (missing, room.joint("microwave_1", "door"))
        assert room.environment.check_success(), "LIBERO's own judgement"


@pytest.mark.parametrize(
    ("instruction", "action", "before", "after"),
    [
        ("turn on the stove", "turn-on", "turned-off", "turned-on"),
        ("turn off the stove", "turn-off", "turned-on", "turned-off"),
    ],
)
def test_a_knob_is_turned(instruction: str, action: str, before: str, after: str) -> None:
    """As often as an episode would try; the fingers may slip on a small knob."""
    stove = "flat_stove_1"
    with lab(task_of("libero_90", instruction), init_state=0) as room:
        assert room.holds(before, stove)
        missing = room.do(action, stove, attempts=ATTEMPTS)
        assert missing[-1] is None and room.holds(after, stove), (missing, room.joint(stove, "knob"))
        assert room.environment.check_success(), "LIBERO's own judgement"
