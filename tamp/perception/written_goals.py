"""Goals as somebody wrote them, about a scene that is seen."""

from __future__ import annotations

from collections.abc import Iterable

from tamp.model.domain import Domain
from tamp.model.goal import Goal, parse_goal
from tamp.model.scene import Scene
from tamp.model.state import WorldState
from tamp.perception import relative_places


def goals_in(
    scene: Scene, state: WorldState, domain: Domain, texts: Iterable[str], untouched: Iterable[str] = ()
) -> tuple[Goal, ...]:
    """The goals, one after the other, that PDDL `texts` say about a scene and the places beside its things; quantifiers
    are about the things alone. InputError with the column of what is wrong."""
    known, untouched = state.known_to(domain).symbols, tuple(untouched)
    symbols = known | relative_places.symbols(relative_places.things(scene))
    return tuple(parse_goal(t, domain, symbols, ranged=known, untouched=untouched) for t in texts)
