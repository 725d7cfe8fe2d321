"""`tamp scene`: which scenes there are, and what one of them holds."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import tamp
from cli.output import emit_json, say, writable, write_page
from tamp.quiet import hush_simulator, quiet_stdout

if TYPE_CHECKING:
    from tamp import LoadedScene, Seen
    from tamp.model.scene import SceneObject

PREPOSITIONS = {"interior": "inside", "surface": "on"}
"""How a place is meant that is called as its thing, by its kind."""
SHOWN = 4
"""Names of one thing that are printed, the shortest first."""


def list_scenes(everything: bool, json_output: bool) -> int:
    """Print the project's scenes, and the suites with the number of their tasks; those that lack files only of
    `everything`."""
    from tamp.backends.libero import rendering

    rendering.prepare(video=False)
    with quiet_stdout() as out, hush_simulator():
        from tamp.backends.libero import tasks

        own = [tasks.find(folder.name) for folder in tasks.own_scenes()]
        suites = [_suite(name) for name in tasks.suite_names()]
        known = suites if everything else [s for s in suites if s["usable"]]
        if json_output:
            scenes = [{"name": t.name, "instruction": t.instruction} for t in own]
            emit_json({"scenes": scenes, "suites": suites}, out)
            return 0
        for task in own:
            out.write(f"{task.name}  {task.instruction or task.goal or ''}\n")
        out.writelines(_suite_line(s) for s in known)
    if hidden := len(suites) - len(known):
        say(f"tamp: {hidden} suites that lack files are not shown; --all shows them")
    return 0


def _suite_line(s: dict[str, Any]) -> str:
    if not s["tasks"]:
        return f"{s['name']}  not usable: no tasks\n"
    lost = f"  not usable: {s['missing']} of {s['tasks']} BDDL files are missing" if s["missing"] else ""
    return f"{s['name']}/0 to {s['tasks'] - 1}{lost}\n"


def _suite(name: str) -> dict[str, Any]:
    """A suite's name, its tasks, and how many of them lack their BDDL file."""
    from tamp.backends.libero import tasks
    from tamp.errors import InputError

    n, missing = tasks.suite(name).n_tasks, 0
    for i in range(n):
        try:
            tasks.find(f"{name}/{i}")
        except InputError:
            missing += 1
    return {"name": name, "tasks": n, "missing": missing, "usable": 0 == missing < n}


def show(
    scene: str, init_state: int | None, seed: int | None, domain: str, json_output: bool, html: Path | None = None
) -> int:
    """Print what perception sees in a scene, and what an instruction can name there; with `html` write a page of it."""
    from cli.scene_page import page
    from tamp.backends.libero import rendering

    if html is not None:
        writable(html)
        rendering.prepare(video=False, pictures=True)
    with quiet_stdout() as out:
        with tamp.load_scene(
            scene,
            seed=seed,
            init_state=init_state,
            domain=domain,
            pictures=html is not None,
            say=lambda line: say(f"tamp: {line}"),
        ) as loaded:
            told = describe(loaded, tamp.perceive(loaded))
            if html is not None:
                write_page(html, page(told, words(told), loaded.picture()))
        if json_output:
            emit_json(told, out)
        else:
            _print(told, out)
    return 0


def describe(scene: LoadedScene, seen: Seen) -> dict[str, Any]:
    """A scene as plain data: metres, quaternions w x y z, world frame, rounded to a tenth of a millimetre."""
    from tamp.api.naming import names_in

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


def _print(told: dict[str, Any], out: TextIO) -> None:
    out.write(": ".join(filter(None, (told["scene"], told["instruction"]))) + "\n")
    out.write(f"goal {told['goal']}\n" if told["goal"] else "")
    out.write("\nobjects: name, category, position, extent (m)\n")
    for o in told["objects"]:
        out.write(f"  {o['name']}  {o['category']}  {_numbers(o['position'])}  {_numbers(o['extent'])}\n")
    out.write("\nsymbols: name, type, the phrase that means it alone; other names (--json has all)\n")
    called = words(told)
    for symbol, kind in told["symbols"].items():
        own = told["referring_expressions"][symbol]
        others = sorted((p for p, fits in told["names"].items() if fits == [symbol] and p != own), key=len)
        out.write(f"  {symbol}  {kind}  {called[symbol]}{'; ' if others else ''}{', '.join(others[:SHOWN])}\n")
    out.write("\nplaces beside things: the symbol in a goal, the words\n")
    out.writelines(f"  {symbol}  {words}\n" for symbol, words in told["places_beside"].items())
    out.write("\nfacts\n" + "".join(f"  {atom}\n" for atom in told["atoms"]))


def words(told: dict[str, Any]) -> dict[str, str]:
    """What each symbol is called. A place that is called as the thing it belongs to is meant by its preposition: a mug
    goes "inside the basket", and the basket itself elsewhere."""
    called: dict[str, str] = told["referring_expressions"]
    shared = {text for text, n in Counter(called.values()).items() if n > 1}
    where = {r["name"]: PREPOSITIONS[r["kind"]] for o in told["objects"] for r in o["regions"]}
    return {s: f"{where[s]} the {text}" if text in shared and s in where else text for s, text in called.items()}


def _numbers(values: Any) -> str:
    return " ".join(f"{v:.3f}" for v in values)
