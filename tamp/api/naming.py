"""A scene as plain data, and what an instruction can call the things in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tamp.api import language

if TYPE_CHECKING:
    from tamp.api.scenes import LoadedScene, Seen
    from tamp.model.scene import SceneObject

PREPOSITIONS = {"interior": "inside", "surface": "on"}
"""How a place is meant that is called as its thing, by its kind."""


@dataclass(frozen=True)
class Names:
    """`phrases` with the symbols that each fits; what each symbol is `called` so that nothing else fits; and the places
    `beside` things, symbol to words."""

    phrases: Mapping[str, list[str]]
    called: Mapping[str, str]
    beside: Mapping[str, str]


def names_in(scene: LoadedScene, seen: Seen) -> Names:
    """The names of what is seen in a scene, sorted."""
    from tamp.perception import relative_places

    words = language.vocabulary(seen, scene)
    return Names(
        {phrase: list(symbols) for phrase, symbols in sorted(words.phrases.items())},
        {symbol: words.name[symbol] for symbol in sorted(seen.state.symbols)},
        {s: words.name_beside(s) for s in sorted(relative_places.symbols(words.things))},
    )


def described(scene: LoadedScene, seen: Seen) -> dict[str, Any]:
    """A scene as plain data: metres, quaternions w x y z, world frame, rounded to a tenth of a millimetre."""
    names = names_in(scene, seen)
    return {
        "scene": scene.name,
        "instruction": scene.instruction,
        "goal": scene.goal,
        "perception": "oracle",
        "objects": [_object(o) for o in seen.scene],
        "symbols": dict(sorted(seen.state.symbols.items())),
        "atoms": list(seen.facts),
        "names": names.phrases,
        "referring_expressions": names.called,
        "places_beside": names.beside,
    }


def _object(o: SceneObject) -> dict[str, Any]:
    from motion.poses import to_quat

    return {
        "name": o.name,
        "category": o.category,
        "movable": o.movable,
        "position": o.position.round(4),
        "quaternion": to_quat(o.T_world_object[:3, :3]).round(4),
        "extent": o.extent.round(4),
        "regions": [
            {
                "name": r.name,
                "kind": r.kind,
                "position": r.T_world_region[:3, 3].round(4),
                "half_extent": r.half_extent.round(4),
                "door": r.door,
            }
            for r in o.regions
        ],
    }


def called_alone(told: dict[str, Any]) -> dict[str, str]:
    """What each symbol is called. A place that is called as the thing it belongs to is meant by its preposition: a mug
    goes "inside the basket", and the basket itself elsewhere."""
    called: dict[str, str] = told["referring_expressions"]
    shared = {text for text, n in Counter(called.values()).items() if n > 1}
    where = {r["name"]: PREPOSITIONS[r["kind"]] for o in told["objects"] for r in o["regions"]}
    return {s: f"{where[s]} the {text}" if text in shared and s in where else text for s, text in called.items()}
