"""What somebody who reads an instruction for a policy is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tamp.errors import InputError
from tamp.model.domain import Domain
from tamp.model.goal import Goal
from tamp.model.scene import Scene
from tamp.model.state import WorldState
from tamp.planning.search import Journal


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


Read = Callable[[Instruction], tuple[Goal, ...]]
"""Reads an instruction: the goals, to be reached one after the other. Refusal where the words come to none."""


def nobody_reads(said: Instruction) -> tuple[Goal, ...]:
    """For policies without a language model."""
    raise InputError("this policy reads no instructions: it has no language model")
