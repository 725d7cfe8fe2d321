"""Visual servoing by other schemes than the product's, for comparison: eyes that follow the thing which the hand comes
near by its outline in the hand's picture alone.

`pixels`: the error of the outline's middle, in pixels, is made a motion across the picture (`error_pixel -> action`).
`moments`: image-based, with the interaction matrix of the outline's moments, which does not depend on where it is in
the picture (Tahri and Chaumette 2005): middle, area, and direction where it is long. Where the outline should be is
drawn from the model of the thing; where it is, from the depth near it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.ndimage import binary_closing

from motion.poses import Array, Numbers, pose, rotation_about
from motion.robot import RobotDescription
from tamp.agent import camera_perceiver
from tamp.agent.camera_perceiver import Observe as ToLook
from tamp.agent.camera_perceiver import PerceiverFactory
from tamp.model.backend import Observation
from tamp.model.scene import Perceiver, Scene
from tamp.perception.camera import CameraPerceiver
from tamp.perception.looks import Look
from tamp.perception.object_model import PlacedModel
from tamp.perception.tracking import AROUND, EXPLAINED

NEAR = 0.3
"""Metres between the tool and a thing up to which the hand comes near it."""
ABOVE = 0.004
"""Metres above the ground from which on points may be a thing's."""
FEWEST = 80
"""Pixels of an outline at least."""
LONG = 1.5
"""How much longer than wide an outline is whose direction counts."""
GAIN = 0.8
"""Share of an error that is corrected at a look."""


@dataclass(frozen=True)
class Outline:
    """The moments of a region in a picture: middle (2,) and variance along and across it in normalised coordinates,
    pixels in all, and its direction (rad)."""

    middle: Array
    along: float
    across: float
    area: int
    angle: float

    @staticmethod
    def of(mask: Numbers, K: Array) -> Outline | None:
        """Of a mask (h, w); None where it is too small."""
        v, u = np.nonzero(mask)
        if len(u) < FEWEST:
            return None
        xy = np.stack([(u - K[0, 2]) / K[0, 0], (v - K[1, 2]) / K[1, 1]])
        variances, axes = np.linalg.eigh(np.cov(xy))
        angle = float(np.arctan2(axes[1, 1], axes[0, 1]))
        return Outline(xy.mean(axis=1), float(variances[1]), float(variances[0]), len(u), angle)


Scheme = Callable[[Outline, Outline, float], tuple[Array, float]]
"""How a thing has moved by its outline as it should be and as it is, `Z` metres away: metres (3,) in the camera's
frame, and radians about the optical axis."""


def pixels(wanted: Outline, seen: Outline, Z: float) -> tuple[Array, float]:
    """By the middle alone."""
    return np.array([*(Z * (seen.middle - wanted.middle)), 0.0]), 0.0


def moments(wanted: Outline, seen: Outline, Z: float) -> tuple[Array, float]:
    """By all moments: the interaction matrix of (a x, a y, a), a = Z sqrt(area wanted / area seen), is minus the
    identity for translations."""
    a = Z * float(np.sqrt(wanted.area / seen.area))
    p = np.array([*(a * seen.middle - Z * wanted.middle), a - Z])
    turned = (seen.angle - wanted.angle + np.pi / 2) % np.pi - np.pi / 2
    return p, float(turned) if wanted.along > LONG**2 * wanted.across else 0.0


SCHEMES: dict[str, Scheme] = {"pixels": pixels, "moments": moments}


@dataclass(eq=False)
class ByOutline:
    """Eyes that follow what the hand comes near by a scheme, and all else as `inner` does."""

    inner: CameraPerceiver
    scheme: Scheme
    _followed: dict[str, PlacedModel] = field(default_factory=dict)

    def felt(self, observation: Observation) -> None:
        self.inner.felt(observation)

    def hidden(self, scene: Scene) -> Array:
        return self.inner.hidden(scene)

    def forget(self) -> None:
        self.inner.forget()

    def shows(self, points: Array) -> Numbers:
        return self.inner.shows(points)

    def reconsider(self, names: Iterable[str]) -> None:
        self.inner.reconsider(names)

    def perceive(self) -> Scene:
        """The scene now, with one thing where its outline has it."""
        before = {n: t.placed for n, t in self.inner.tracks.items()}
        scene = self.inner.perceive()
        name = self._approached(scene)
        if name is None or name not in before:
            self._followed = {}
            return scene
        placed = self._followed.get(name, before[name])
        assert self.inner._unseen is not None
        look = min(self.inner._unseen.looks, key=lambda seen: _away(seen, scene.robot.T_world_tool))
        moved = self._moved(placed, look, name)
        self._followed = {name: moved}
        objects = (moved.as_object(name) if o.name == name else o for o in scene)
        return replace(scene, objects=tuple(objects))

    def _approached(self, scene: Scene) -> str | None:
        """What the hand comes near, with nothing in it."""
        tool = scene.robot.T_world_tool[:3, 3]
        things = [(float(np.linalg.norm(o.position - tool)), o.name) for o in scene if o.name in self.inner.tracks]
        movable = [(d, n) for d, n in things if self.inner.tracks[n].movable and d < NEAR]
        return min(movable)[1] if movable and self.inner.hand.held is None else None

    def _moved(self, placed: PlacedModel, look: Look, name: str) -> PlacedModel:
        """A thing where its outline is."""
        image = look.image
        drawn, Z = _drawn(placed, look)
        wanted, seen = Outline.of(drawn, image.K), Outline.of(self._seen(placed, look, name), image.K)
        if wanted is None or seen is None:
            return placed
        p, angle = self.scheme(wanted, seen, Z)
        R_world_camera = image.T_world_camera[:3, :3]
        R = rotation_about(R_world_camera[:, 2], GAIN * angle)
        T = placed.T_world_object
        return replace(placed, T_world_object=pose(T[:3, 3] + R_world_camera @ (GAIN * p), R @ T[:3, :3]))

    def _seen(self, placed: PlacedModel, look: Look, name: str) -> Numbers:
        """Which pixels (h, w) may show it: near it, above the ground, not the robot's nor another thing's."""
        assert self.inner.ground is not None
        p = look.points.reshape(-1, 3).astype(float)
        mine = ~look.robot.ravel() & (p[:, 2] > self.inner.ground.height + ABOVE)
        mine[mine] = placed.distance(p[mine]) < AROUND
        for other, track in self.inner.tracks.items():
            if other != name and mine.any():
                mine[mine] = track.placed.distance(p[mine]) > EXPLAINED
        return mine.reshape(look.robot.shape)


def _drawn(placed: PlacedModel, look: Look) -> tuple[Numbers, float]:
    """Which pixels (h, w) show a thing if it is where it is placed, past the robot; and how far away (m) it is."""
    uv, z = look.image.project(placed.points())
    h, w = look.image.size
    u, v = np.rint(uv).astype(int).T
    there = (z > 0) & (u >= 0) & (u < w) & (v >= 0) & (v < h)
    mask = np.zeros((h, w), dtype=bool)
    mask[v[there], u[there]] = True
    return binary_closing(mask, iterations=4) & ~look.robot, float(np.median(z))


def _away(look: Look, T_world_tool: Array) -> float:
    return float(np.linalg.norm(look.image.T_world_camera[:3, 3] - T_world_tool[:3, 3]))


@dataclass(frozen=True)
class SchemedEyes:
    """Makes such eyes, in the process in which they are to see."""

    scheme: str

    def __call__(self) -> PerceiverFactory:
        """Eyes with the user's library."""
        inner = camera_perceiver.camera_perceivers()

        def made(look: ToLook, robot: RobotDescription) -> Perceiver:
            seeing = inner(look, robot)
            assert isinstance(seeing, CameraPerceiver)
            return ByOutline(seeing, SCHEMES[self.scheme])

        return made
