"""Records an episode in LIBERO's simulator: what was observed before each action, and what was true."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from motion.poses import Array, to_quat
from tamp.backends.libero.cameras import CAMERAS
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.runs import episode_log
from tamp.runs.scene_recording import Owners

INDEX = "demo.json"
"""Is written last into the folder of an episode that is a demonstration."""
FELT = ("robot0_eef_pos", "robot0_eef_quat", "robot0_gripper_qpos", "robot0_joint_pos")
"""What robosuite observes of the robot: metres, a quaternion x y z w, metres of each finger, radians."""


@dataclass(frozen=True, eq=False)
class Demonstration:
    """An episode of T control periods: each has what was observed before its action.

    `images` and `masks` are by camera, (T, h, w, 3) and (T, h, w), rows from the bottom up as LIBERO's observations
    have them; a mask has the number of the thing that each pixel shows: of `things` from 1 on, 255 for the robot.
    `felt` is proprioception by robosuite's names, `actions` (T, 7) LIBERO's standard ones, `states` (T, n) MuJoCo's,
    flattened, `poses` (T, things, 7) x y z and a quaternion w x y z in the world. `steps` and `facts` are, for each
    period, the plan's step that is being carried out, "" before the first, and the facts that held when it began.
    `disturbed_at` is the period in which the world was disturbed on purpose, None where it was not.
    """

    task: str
    instruction: str
    seed: int
    period: float
    images: dict[str, Array]
    masks: dict[str, Array]
    felt: dict[str, Array]
    actions: Array
    states: Array
    things: tuple[str, ...]
    poses: Array
    steps: tuple[str, ...]
    facts: tuple[str, ...]
    disturbed_at: int | None
    model: str
    bddl: str


class DemoFormat(Protocol):
    """A format of demonstrations: each episode is written by itself, into its folder, by the process that ran it."""

    def write_episode(self, demo: Demonstration, folder: Path) -> None:
        """Write what `assemble` needs, `INDEX` last."""
        ...

    def assemble(self, folders: Sequence[Path], out: Path) -> None:
        """Make the data set in `out`, which is not there yet."""
        ...


@dataclass(eq=False)
class DemoRecorder:
    """Looks before each control period. `size` is height and width of pictures; `masks`: segmented ones, too."""

    environment: LiberoEnvironment
    size: int
    masks: bool
    _looks: list[dict[str, Any]] = field(default_factory=list)
    _actions: list[Array] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._owners = Owners.of(self.environment)
        self._look()

    def step(self) -> None:
        """Keep the action that was carried out, and look again."""
        self._actions.append(np.array(self.environment.last_action))
        self._look()

    def _look(self) -> None:
        """Nothing here changes the simulation, or the episode would be another one."""
        environment, size = self.environment, (self.size, self.size)
        seen = environment.domain._get_observations(force_update=True)
        draw = environment.sim.render
        self._looks.append(
            {
                **{name: np.array(seen[name]) for name in FELT},
                "images": {c: np.array(draw(width=self.size, height=self.size, camera_name=c)) for c in CAMERAS},
                "masks": {c: self._owners.instances(environment, c, size)[::-1] for c in CAMERAS if self.masks},
                "state": environment.sim.get_state().flatten(),
                "poses": [_seven(environment.pose_of(name)) for name in self._owners.names],
            }
        )

    def recorded(self, seed: int, log: Path, disturbed: dict[str, Any] | None) -> Demonstration:
        """What was recorded; what was being done at each moment is read from the episode's `log`."""
        environment, looks, n = self.environment, self._looks, len(self._actions)
        steps, facts = done_at(episode_log.read(log), n)
        task = environment.task
        return Demonstration(
            task=task.name,
            instruction=task.instruction,
            seed=seed,
            period=environment.period,
            images={c: np.stack([look["images"][c] for look in looks[:n]]) for c in CAMERAS},
            masks={c: np.stack([look["masks"][c] for look in looks[:n]]) for c in CAMERAS if self.masks},
            felt={name: np.stack([look[name] for look in looks[:n]]) for name in FELT},
            actions=np.stack(self._actions),
            states=np.stack([look["state"] for look in looks[:n]]),
            things=self._owners.names,
            poses=np.array([look["poses"] for look in looks[:n]]),
            steps=steps,
            facts=facts,
            disturbed_at=None if disturbed is None else int(disturbed["step"]),
            model=environment.sim.model.get_xml(),
            bddl="" if task.bddl is None else task.bddl.read_text(encoding="utf-8"),
        )


@contextmanager
def recorded(environment: LiberoEnvironment, size: int, masks: bool) -> Iterator[DemoRecorder]:
    """Record an environment that was just reset, while this lasts."""
    recorder = DemoRecorder(environment, size, masks)
    environment.after.append(recorder.step)
    try:
        yield recorder
    finally:
        environment.after.remove(recorder.step)


def _seven(T: Array) -> Array:
    return np.concatenate([T[:3, 3], to_quat(T[:3, :3])])


def done_at(events: Sequence[dict[str, Any]], n: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The action and the facts of each of `n` control periods, by the events of a log."""
    since, said = {"action": [0], "state": [0]}, {"action": [""], "state": [""]}
    period = 0
    for event in events:
        kind = event["event"]
        if kind == "command":
            period = int(event["step"])
        elif kind in since:
            since[kind].append(period)
            said[kind].append(event["action"] if kind == "action" else " ".join(event["atoms"]))

    def at(kind: str) -> tuple[str, ...]:
        return tuple(said[kind][bisect.bisect_right(since[kind], p) - 1] for p in range(n))

    return at("action"), at("state")
