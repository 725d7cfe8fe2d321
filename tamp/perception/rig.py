"""The cameras, where they really are: pictures that can be trusted, with the poses that the robot in them tells.

Where a camera is was measured once. A little off is a matter of calibration, and taken out at the first look. Somebody
may have run into it since: then the robot is not seen where its encoders have it, and what explains that is sought.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from motion.poses import Array
from tamp.errors import Refusal
from tamp.perception.checks import ASTRAY, check, check_robot, seen_past_robot
from tamp.perception.images import Image
from tamp.perception.object_model import Skin
from tamp.perception.registering import corrected, correction, sought
from tamp.perception.steadying import steady

SUSPECT = 0.03
"""Share of the robot's pixels in which one sees past it from which on a camera may have been moved: up to 0.02 where it
is right; a degree, or half of one, is 0.03 and more."""


@dataclass(eq=False)
class Rig:
    """Cameras on and around a robot. `skins` are those of its bodies; the ones in `still` never move. `off` has the
    poses (4, 4) of cameras in the frame of where they are said to be."""

    skins: Mapping[str, Skin]
    still: Collection[str]
    off: dict[str, Array] = field(default_factory=dict)
    _new: dict[str, Array] = field(default_factory=dict)

    def placed(self, images: Sequence[Image], bodies: Mapping[str, Array]) -> list[Image]:
        """The pictures, steadied and from where they were taken. `bodies` has the poses (4, 4) of the robot's bodies.
        InputError for what are no pictures, Refusal for such as cannot be trusted."""
        check(images)
        self._new = {}
        return [self._placed(image, bodies) for image in map(steady, images)]

    @property
    def moved(self) -> bool:
        """Whether a camera is not where it was before, by the last pictures: what else they show has to agree."""
        return any(camera in self.off for camera in self._new)

    def believe(self) -> None:
        """Take the cameras to be where the last pictures had them."""
        self.off |= self._new

    def _placed(self, image: Image, bodies: Mapping[str, Array]) -> Image:
        before = self.off.get(image.camera)
        put = image if before is None else corrected(image, before)
        past = seen_past_robot(put, bodies, self.skins, self.still)
        if before is not None and past <= ASTRAY:
            return put
        off = sought(put, bodies, self.skins) if past > SUSPECT else correction(put, bodies, self.skins)
        again = corrected(put, off)
        try:
            check_robot(again, bodies, self.skins, self.still)
        except Refusal:
            check_robot(put, bodies, self.skins, self.still)
            off, again = np.eye(4), put
        self._new[image.camera] = off if before is None else before @ off
        return again
