"""Which scenes there are, what one of them holds, and what an instruction can call it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from tamp.api import language
from tamp.errors import InputError
from tamp.quiet import hush_simulator

if TYPE_CHECKING:
    from tamp.api.scenes import LoadedScene, Seen
    from tamp.backends.libero.scene_description import Task
    from tamp.model.scene import SceneObject

PREPOSITIONS = {"interior": "inside", "surface": "on"}
"""How a place is meant that is called as its thing, by its kind."""


def own_scenes() -> list[Task]:
    """The scenes under `problems/`, each with its `name`, `instruction` and `goal`."""
    from tamp.backends.libero import rendering

    rendering.prepare(video=False)
    with hush_simulator():
        from tamp.backends.libero import tasks

        return [tasks.find(folder.name) for folder in tasks.own_scenes()]


def suites() -> list[dict[str, Any]]:
    """The suites that the installed LIBERO registers, `NAME/0` to `NAME/N` being their tasks: how many these are, how
    many are `missing` their BDDL file, and whether all of them are `usable`."""
    from tamp.backends.libero import rendering

    rendering.prepare(video=False)
    with hush_simulator():
        from tamp.backends.libero import tasks

        found = []
        for name in tasks.suite_names():
            n, missing = tasks.suite(name).n_tasks, 0
            for i in range(n):
                try:
                    tasks.find(f"{name}/{i}")
                except InputError:
                    missing += 1
            found.append({"name": name, "tasks": n, "missing": missing, "usable": 0 == missing < n})
    return found


def described(scene: LoadedScene, seen: Seen) -> dict[str, Any]:
    """A scene as plain data: metres, quaternions w x y z, world frame, rounded to a tenth of a millimetre."""
    words = language.vocabulary(seen, scene)
    return {
        "scene": scene.name,
        "instruction": scene.instruction,
        "goal": scene.goal,
        "perception": "oracle",
        "objects": [_object(o) for o in seen.scene],
        "symbols": dict(sorted(seen.state.symbols.items())),
        "atoms": list(seen.facts),
        "names": {phrase: list(symbols) for phrase, symbols in sorted(words.phrases.items())},
        "referring_expressions": {symbol: words.name[symbol] for symbol in sorted(seen.state.symbols)},
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


def called_alone(described: dict[str, Any]) -> dict[str, str]:
    """What each symbol is called. A place that is called as the thing it belongs to is meant by its preposition: a mug
    goes "inside the basket", and the basket itself elsewhere."""
    called: dict[str, str] = described["referring_expressions"]
    shared = {text for text, n in Counter(called.values()).items() if n > 1}
    where = {r["name"]: PREPOSITIONS[r["kind"]] for o in described["objects"] for r in o["regions"]}
    return {s: f"{where[s]} the {text}" if text in shared and s in where else text for s, text in called.items()}
