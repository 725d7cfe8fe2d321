"""What somebody who reads an instruction for a policy is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tamp.errors import InputError
from tamp.model.domain import Domain
from tamp.model.events import Journal
from tamp.model.goal import Goal
from tamp.model.images import Image, as_png
from tamp.model.scene import Scene
from tamp.model.state import WorldState
from tamp.perception.overlay import cut_out


@dataclass(frozen=True, eq=False)
class Instruction:
    """Words about a scene that was seen. `picture` is a PNG of it, empty without one; `crops` are PNGs of the things
    in it that no model explains; `names` are what somebody calls things, besides what they are."""

    text: str
    scene: Scene
    state: WorldState
    domain: Domain
    journal: Journal
    picture: bytes = b""
    names: Mapping[str, str] = field(default_factory=dict)
    crops: Mapping[str, bytes] = field(default_factory=dict)

    def shown(self, images: Sequence[Image]) -> Instruction:
        """The same with the first of the pictures that the scene was seen in, and what they show of unknown things."""
        unknown = [self.scene.object(name) for name in self.scene.unknown]
        crops = {o.name: as_png(c) for o in unknown if (c := cut_out(images, *o.bounds())) is not None}
        return replace(self, picture=as_png(images[0].colour) if images else b"", crops=crops)


Read = Callable[[Instruction], tuple[Goal, ...]]
"""Reads an instruction: the goals, to be reached one after the other. Refusal where the words come to none."""


def nobody_reads(said: Instruction) -> tuple[Goal, ...]:
    """For policies without a language model."""
    raise InputError("this policy reads no instructions: it has no language model")


def meant(names: Mapping[str, Sequence[str]], scene: Scene) -> dict[str, str]:
    """What somebody's words for things mean in a scene: only those that mean one thing there. Each has the category of
    the library that it means, and the region of one such thing, if it means that."""
    out = {}
    for word, (category, *region) in names.items():
        things = [o for o in scene if o.category == category]
        suffix = f"_{region[0]}" if region else ""
        known = {r.name for _, r in scene.regions()} | {o.name for o in scene}
        if len(things) == 1 and things[0].name + suffix in known:
            out[word] = things[0].name + suffix
    return out


def in_library_terms(names: Mapping[str, str], scene: Scene) -> dict[str, tuple[str, ...]]:
    """What the scene's author calls things, each with its category and region: nothing of where they are."""
    regions = {r.name: o for o, r in scene.regions()}
    things = {o.name: o for o in scene}
    out: dict[str, tuple[str, ...]] = {}
    for word, symbol in names.items():
        if (thing := things.get(symbol) or regions.get(symbol)) is not None:
            region = symbol.removeprefix(thing.name).lstrip("_")
            out[word] = (thing.category, region) if region else (thing.category,)
    return out
