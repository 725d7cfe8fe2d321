"""What is true of a recording, read back: for benches and tests that score what was perceived."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import Array
from tamp.errors import InputError
from tamp.perception.ground_truth import FOLDER, FORMAT, INDEX, TrueMoment, TrueThing, picture_name
from tamp.perception.object_model import ObjectModel
from tamp.perception.placing import PlacedModel
from tamp.perception.recordings import read_json, read_png


@dataclass(frozen=True, eq=False)
class Truth:
    """What is true of a recording."""

    folder: Path
    things: tuple[TrueThing, ...]
    moments: tuple[TrueMoment, ...]

    def mask(self, moment: int, camera: str, name: str) -> Array:
        """Where (h, w), true or false, a picture shows a thing."""
        number = 1 + [t.name for t in self.things].index(name)
        return np.asarray(self.instances(moment, camera) == number)

    def instances(self, moment: int, camera: str) -> Array:
        """The number (h, w) of what each pixel shows."""
        return read_png(self.folder / picture_name(moment, camera))


def most_pixels(moment: TrueMoment, name: str) -> int:
    """The most pixels that a camera has of a thing."""
    return max((seen.get(name, 0) for seen in moment.pixels.values()), default=0)


def placed(moment: TrueMoment, thing: TrueThing, model: ObjectModel) -> PlacedModel:
    """A thing as the model of its category, where it is."""
    own = {p.name.removeprefix(model.thing.name): p.name for p in model.jointed}
    joints = {own[end]: value for end, value in moment.joints.get(thing.name, {}).items() if end in own}
    return PlacedModel(model, moment.poses[thing.name], joints)


def read(recording: Path) -> Truth:
    """What is true of the recording in a folder. InputError where it is not there, or damaged."""
    folder = recording / FOLDER
    told = read_json(folder / INDEX, FORMAT).values
    try:
        moments = tuple(_moment(m) for m in told["moments"])
        return Truth(folder, tuple(TrueThing(**t) for t in told["things"]), moments)
    except (KeyError, TypeError, ValueError) as e:
        raise InputError(f"{folder / INDEX} is damaged ({type(e).__name__}: {e}); record it again") from e


def _moment(told: dict[str, Any]) -> TrueMoment:
    poses = {name: np.array(T, dtype=float) for name, T in told["poses"].items()}
    return TrueMoment(**{**told, "poses": poses, "atoms": tuple(told["atoms"])})
