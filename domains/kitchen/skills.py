"""Motions of a kitchen: see docs/extending.md."""

import numpy as np

from tamp.extension import GuidedSkill, Hand, Spec, rotation_about

ABOVE = 0.01
"""Metres between the fingertips and what is wiped."""
REACH = 0.06
"""Metres to each side of its middle that a surface is wiped at most."""


class Wipe(GuidedSkill):
    """Back and forth over the middle of a surface, along its world x axis."""

    spec = Spec("wipe", ("surface",), segments=frozenset({"move", "grip"}), facts=frozenset({"obstructed"}))
    # Degrees by which the hand is turned, and leant: for what is too high or too far away for one that is upright.
    ways = tuple((turned, leant) for leant in (0, 20, -20, 40, -40) for turned in (0, 90))

    def guide(self, hand: Hand, surface: str) -> None:
        """Strokes from side to side."""
        R = hand.down(*np.radians(hand.way))
        low, high = hand.box(surface)
        middle, half = hand.middle(surface), np.minimum(0.25 * (high - low)[:2], REACH)
        height = hand.top(surface) + ABOVE
        strokes = np.linspace(-half[1], half[1], max(2, 1 + round(2 * half[1] / 0.035)))
        corners = []
        for n, y in enumerate(strokes):
            side = 1 if n % 2 else -1
            corners += [(side * half[0], y), (-side * half[0], y)]
        points = [np.array([middle[0] + x, middle[1] + y, height]) for x, y in corners]
        hand.close()
        hand.go(hand.at(points[0] + [0, 0, 0.08], R))
        hand.line(*(hand.at(p, R) for p in points), touching=[surface])
        hand.line(hand.at(points[-1] + [0, 0, 0.08], R), touching=[surface])


class Pour(GuidedSkill):
    """Tilts what is held over another item, and turns it back."""

    spec = Spec("pour", ("item", "item"), segments=frozenset({"move"}), facts=frozenset({"obstructed"}))
    ways = tuple(
        (tilt, side, height) for height in (0.06, 0.12) for tilt in (60, -60) for side in (0, 60, -60, 120, -120, 180)
    )

    def guide(self, hand: Hand, item: str, into: str) -> None:
        """Above it, tilted, and upright again."""
        if hand.held != item:
            hand.fail(f"{item} is not in the hand")
        tilt, side, height = hand.way
        T = hand.T_world_tool
        hanging = T[2, 3] - hand.box(item)[0][2]
        angle = np.radians(side)
        aside = 0.05 * np.array([np.cos(angle), np.sin(angle), 0.0])
        p = hand.middle(into) + aside
        p[2] = hand.top(into) + hanging + height
        axis = np.array([-np.sin(angle), np.cos(angle), 0.0])
        upright = hand.at(p, T[:3, :3])
        tilted = hand.at(p, rotation_about(axis, np.radians(tilt)) @ T[:3, :3])
        hand.go(upright)
        hand.line(tilted)
        hand.line(upright)


class Press(GuidedSkill):
    """Closed fingers go straight down on the middle of something's top, and up again."""

    spec = Spec("press", ("object",), facts=frozenset({"obstructed"}))
    # Degrees by which the hand is turned, and leant, with which it reaches further.
    ways = tuple((turned, leant) for leant in (0, -15, -30) for turned in (0, 90, 45, -45))

    def guide(self, hand: Hand, thing: str) -> None:
        """Down and up."""
        R = hand.down(*np.radians(hand.way))
        x, y, _ = hand.middle(thing)
        top = hand.top(thing)
        hand.close()
        hand.go(hand.at([x, y, top + 0.08], R))
        hand.line(hand.at([x, y, top + 0.005], R), touching=[thing])
        hand.line(hand.at([x, y, top + 0.08], R), touching=[thing])
