"""Records LIBERO's scenes: what cameras and encoders tell, and apart from it what is true.

At the start of a scene only, or all along an episode that is acted from the simulator's state, so that there are also
pictures of things in the hand, of open drawers, and of what was put somewhere.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from motion.poses import Array
from tamp.backends.libero.cameras import CAMERAS, SIZE, CameraNoise, Kind, take
from tamp.backends.libero.environment import ROBOT as ROBOT_NAME
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.libero.scene_description import Task
from tamp.errors import InputError
from tamp.model.backend import Observation
from tamp.model.bodies import world_of
from tamp.model.domain import Domain
from tamp.model.images import Image
from tamp.model.scene import SceneObject
from tamp.perception.observers import StateEstimator
from tamp.perception.predicates import held_in
from tamp.perception.recordings import MOST_THINGS, ROBOT, TrueMoment, TrueThing, Writer
from tamp.runs.episode import Settings
from tamp.runs.episode_runner import run_episode
from tamp.runs.versions import versions
from tamp.runs.worlds import InLibero


@dataclass(frozen=True)
class Order:
    """What is to be recorded. `every`: pictures are taken each so many control steps of an episode that reaches the
    task's own goal, or only at the start where it is None. `size` is height and width in pixels."""

    task: Task
    domain: Domain
    seed: int = 0
    init_state: int | None = None
    noise: Kind = "clean"
    size: tuple[int, int] = SIZE
    every: int | None = None

    @property
    def name(self) -> str:
        """The name of its folder."""
        state = f"seed{self.seed}" if self.init_state is None else f"state{self.init_state}"
        episode = "" if self.every is None else f"-each{self.every}"
        noise = "" if self.noise == "clean" else f"-{self.noise}"
        return f"{self.task.name.replace('/', '-')}-{state}{episode}{noise}"

    @property
    def content(self) -> str:
        """A digest of what the scene's files say: a scene that was edited is another one."""
        declared = dict(self.task.file.values) if self.task.file is not None else {}
        said = self.task.bddl.read_text() if self.task.bddl is not None else ""
        return hashlib.sha256((said + json.dumps(declared, sort_keys=True, default=str)).encode()).hexdigest()


@dataclass(frozen=True)
class RecordedScene:
    """What became of an order: how many moments with how many things, and, where an episode was acted, what it came
    to."""

    folder: Path
    moments: int
    things: int
    success: bool | None = None
    reason: str | None = None


def record(order: Order, folder: Path) -> RecordedScene:
    """Record into `folder`, which is made. InputError for a scene that cannot be built, or an episode without a goal
    of the scene's own."""
    if order.every is not None and not order.task.is_checked and order.task.goal is None:
        raise InputError(order.task.unchecked)
    environment = LiberoEnvironment(order.task, seed=order.seed, init_state=order.init_state, render=True)
    try:
        recorder = _Recorder(environment, order, folder)
        recorder.take()
        result = None
        if order.every is not None:
            environment.after.append(recorder.take)
            settings = Settings(order.domain, seed=order.seed, init_state=order.init_state)
            with tempfile.TemporaryDirectory() as log:
                result = run_episode(InLibero(environment), order.task, None, settings, Path(log), lambda line: None)
            environment.after.remove(recorder.take)
        recorder.writer.close()
    finally:
        environment.close()
    ended = (result.success, result.reason) if result else (None, None)
    return RecordedScene(folder, recorder.writer.moments, len(recorder.writer.things), *ended)


@dataclass(eq=False)
class _Recorder:
    environment: LiberoEnvironment
    order: Order
    folder: Path
    writer: Writer = field(init=False)
    _periods: int = 0

    def __post_init__(self) -> None:
        environment, order = self.environment, self.order
        robot = environment.robot_model()
        about = {
            "scene": order.task.name,
            "instruction": order.task.instruction,
            "init_state": order.init_state,
            "content": order.content,
            "seed": order.seed,
            "noise": order.noise,
            "size": order.size,
            "period": environment.period,
            "versions": versions(),
        }
        self._noise = CameraNoise(order.noise, np.random.default_rng(order.seed))
        self._oracle = OraclePerceiver(environment)
        scene = self._oracle.perceive()
        self._sight = StateEstimator(order.domain, {}, world_of(scene, robot))
        self._owners = Owners.of(environment)
        things = tuple(_thing(scene.object(name)) for name in self._owners.names)
        self.writer = Writer(self.folder, robot, about, things)

    def take(self) -> None:
        """Keep this control period, with pictures where they are due."""
        images: tuple[Image, ...] = ()
        every = self.order.every
        if self._periods == 0 or (every is not None and self._periods % every == 0):
            clean = take(self.environment, size=self.order.size)
            images = self._noise(clean)
            instances = {c: self._owners.instances(self.environment, c, self.order.size) for c in CAMERAS}
            self.writer.true(self._moment(instances), instances)
        self.writer.felt(Observation(self.environment.time, self.environment.observe(), images))
        self._periods += 1

    def _moment(self, instances: dict[str, Array]) -> TrueMoment:
        scene = self._oracle.perceive()
        state = self._sight.state(scene)
        objects = [scene.object(name) for name in self._owners.names]
        joints = {o.name: {_end(p.name, o): p.joint.value for p in o.parts if p.joint is not None} for o in objects}
        pixels = {
            camera: {o.name: int((numbers == i).sum()) for i, o in enumerate(objects, 1)}
            for camera, numbers in instances.items()
        }
        poses, atoms = {o.name: o.T_world_object for o in objects}, tuple(sorted(map(str, state.atoms)))
        return TrueMoment(scene.time, poses, joints, pixels, atoms, held_in(state))


@dataclass(frozen=True, eq=False)
class Owners:
    """Which thing each geom of a simulation belongs to: `names` of the things, and for each geom the number of its
    thing from 1 on, 0 without one, `ROBOT` for the robot's."""

    names: tuple[str, ...]
    numbers: Array

    @staticmethod
    def of(environment: LiberoEnvironment) -> Owners:
        """Those of an environment. InputError for more things than can be told apart."""
        model, names = environment.sim.model._model, tuple(environment.root_bodies())
        if len(names) > MOST_THINGS:
            raise InputError(f"{environment.task.name} has {len(names)} things; at most {MOST_THINGS} can be recorded")
        number = {"": 0, ROBOT_NAME: ROBOT} | {name: n for n, name in enumerate(names, 1)}
        bodies = np.array([number[owner] for owner in environment.owners()], dtype=np.uint8)
        return Owners(names, bodies[model.geom_bodyid])

    def instances(self, environment: LiberoEnvironment, camera: str, size: tuple[int, int]) -> Array:
        """The number (h, w) of what each pixel of a camera's picture shows, upright."""
        import mujoco

        height, width = size
        drawn_sites = environment.sim._render_context_offscreen.vopt.sitegroup
        before, drawn_sites[:] = drawn_sites.copy(), 0  # not seen in pictures, they would be here
        drawn = environment.sim.render(width=width, height=height, camera_name=camera, segmentation=True)
        drawn_sites[:] = before
        drawn = np.asarray(drawn)[::-1]
        kind, geom = drawn[..., 0], drawn[..., 1]
        known = (kind == int(mujoco.mjtObj.mjOBJ_GEOM)) & (geom >= 0)
        return np.where(known, self.numbers[np.where(known, geom, 0)], 0).astype(np.uint8)


def _thing(o: SceneObject) -> TrueThing:
    joints = {_end(p.name, o): str(p.kind) for p in o.parts if p.joint is not None}
    return TrueThing(o.name, o.category, o.movable, joints)


def _end(part: str, o: SceneObject) -> str:
    return part.removeprefix(o.name)
