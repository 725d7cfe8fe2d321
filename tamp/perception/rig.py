"""The cameras, where they really are: pictures that can be trusted, with the poses that the robot in them tells.

Where a camera is was measured once. A little off is a matter of calibration, and taken out at the first look: of a
camera that sees the robot by that, of one in the hand by what others see, too. Somebody may have run into one since:
then the robot is not seen where its encoders have it, and what explains that is sought.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from motion.poses import Array, Numbers
from tamp.errors import Refusal
from tamp.model.images import Image
from tamp.perception.aligning import aligned
from tamp.perception.checks import ASTRAY, check, check_robot, check_together, seen_past_robot
from tamp.perception.clusters import Ground
from tamp.perception.looks import Look
from tamp.perception.object_model import Skin
from tamp.perception.registering import corrected, correction, sought
from tamp.perception.robot_mask import robot_pixels
from tamp.perception.steadying import steady

SUSPECT = 0.03
"""Share of the robot's pixels in which one sees past it from which on a camera may have been moved: up to 0.02 where it
is right; where it is a degree off mostly more."""


@dataclass(eq=False)
class Rig:
    """Cameras on and around a robot. `skins` are those of its bodies; the ones in `still` never move. `off` has the
    poses (4, 4) of cameras in the frame of where they are said to be."""

    skins: Mapping[str, Skin]
    still: Collection[str]
    off: dict[str, Array] = field(default_factory=dict)
    _doubt: Refusal | None = None
    """What is to be said of the last pictures if no camera was moved after all."""
    _new: dict[str, Array] = field(default_factory=dict)

    def looks(self, images: Sequence[Image], bodies: Mapping[str, Array]) -> list[Look]:
        """The pictures, steadied, from where they were taken, and where they show the robot. `bodies` has the poses
        (4, 4) of its bodies. InputError for what are no pictures, Refusal for such as cannot be trusted."""
        check(images)
        self._new, self._doubt = {}, None
        looks = [self._look(self._placed(image, bodies), bodies) for image in map(steady, images)]
        told = [look for look in looks if not self._untold(look)]
        return [self._by_others(look, told, bodies) if told and self._untold(look) else look for look in looks]

    def agree(self, looks: Sequence[Look], ground: Ground, p_world_base: Numbers) -> None:
        """Take the cameras to be where the last pictures had them, if they show the same things. Else Refusal: what
        speaks against one by itself, if anything does."""
        try:
            check_together(looks, ground, p_world_base)
        except Refusal as refusal:
            raise self._doubt or refusal from None
        self.off |= self._new

    def _look(self, image: Image, bodies: Mapping[str, Array]) -> Look:
        return Look.of(image, robot_pixels(image, bodies, self.skins))

    def _untold(self, look: Look) -> bool:
        """Whether where a camera is has not been found out, now or before."""
        return look.image.camera not in {**self.off, **self._new}

    def _by_others(self, look: Look, others: Sequence[Look], bodies: Mapping[str, Array]) -> Look:
        off = self._new[look.image.camera] = aligned(look, others)
        return look if np.array_equal(off, np.eye(4)) else self._look(corrected(look.image, off), bodies)

    def _placed(self, image: Image, bodies: Mapping[str, Array]) -> Image:
        """A picture from where the robot in it tells; as it is where that tells nothing."""
        before = self.off.get(image.camera)
        put = image if before is None else corrected(image, before)
        past = seen_past_robot(put, bodies, self.skins, self.still)
        if before is not None and past <= ASTRAY:
            return put
        off = (sought if past > SUSPECT else correction)(put, bodies, self.skins)
        again = put if off is None else corrected(put, off)
        left = past if off is None else seen_past_robot(again, bodies, self.skins, self.still)
        if left > past:
            off, again, left = np.eye(4), put, past
        try:
            check_robot(put, bodies, self.skins, self.still)
        except Refusal as refusal:
            if left > ASTRAY:
                raise
            self._doubt = refusal
        if off is not None:
            self._new[image.camera] = off if before is None else before @ off
        return again
