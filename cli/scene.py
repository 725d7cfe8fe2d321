"""`tamp scene`: which scenes there are, and what one of them holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import tamp
from cli.output import emit_json, say
from tamp.quiet import quiet_stdout

if TYPE_CHECKING:
    from tamp.api.suites import Suite

SHOWN = 4
"""Names of one thing that are printed, the shortest first."""


def list_scenes(everything: bool, json_output: bool) -> int:
    """Print the project's scenes, and the suites with the number of their tasks; those that lack files only of
    `everything`."""
    from tamp.api import suites

    with quiet_stdout() as out:
        own, every = suites.own_scenes(), [_suite(s) for s in suites.suites()]
        known = every if everything else [s for s in every if s["usable"]]
        if json_output:
            scenes = [{"name": t.name, "instruction": t.instruction} for t in own]
            emit_json({"scenes": scenes, "suites": every}, out)
            return 0
        for task in own:
            out.write(f"{task.name}  {task.instruction or task.goal or ''}\n")
        out.writelines(_suite_line(s) for s in known)
    if hidden := len(every) - len(known):
        say(f"tamp: {hidden} suites that lack files are not shown; --all shows them")
    return 0


def _suite_line(s: dict[str, Any]) -> str:
    if not s["tasks"]:
        return f"{s['name']}  not usable: no tasks\n"
    lost = f"  not usable: {s['missing']} of {s['tasks']} BDDL files are missing" if s["missing"] else ""
    return f"{s['name']}/0 to {s['tasks'] - 1}{lost}\n"


def _suite(suite: Suite) -> dict[str, Any]:
    return {"name": suite.name, "tasks": suite.tasks, "missing": suite.missing, "usable": suite.usable}


def show(
    scene: str, init_state: int | None, seed: int | None, domain: str, json_output: bool, html: Path | None = None
) -> int:
    """Print what perception sees in a scene, and what an instruction can name there; with `html` write a page of it."""
    from tamp.api import naming, pages

    if html is not None:
        pages.writable(html)
        pages.drawable()
    with quiet_stdout() as out:
        with tamp.load_scene(
            scene,
            seed=seed,
            init_state=init_state,
            domain=domain,
            pictures=html is not None,
            say=lambda line: say(f"tamp: {line}"),
        ) as loaded:
            seen = tamp.perceive(loaded)
            told = naming.described(loaded, seen)
            if html is not None:
                pages.write_scene(html, loaded, seen)
                say(f"tamp: wrote {html}")
        if json_output:
            emit_json(told, out)
        else:
            _print(told, out)
    return 0


def _print(told: dict[str, Any], out: TextIO) -> None:
    from tamp.api import naming

    out.write(": ".join(filter(None, (told["scene"], told["instruction"]))) + "\n")
    out.write(f"goal {told['goal']}\n" if told["goal"] else "")
    out.write("\nobjects: name, category, position, extent (m)\n")
    for o in told["objects"]:
        out.write(f"  {o['name']}  {o['category']}  {_numbers(o['position'])}  {_numbers(o['extent'])}\n")
    out.write("\nsymbols: name, type, the phrase that means it alone; other names (--json has all)\n")
    called = naming.called_alone(told)
    for symbol, kind in told["symbols"].items():
        own = told["referring_expressions"][symbol]
        others = sorted((p for p, fits in told["names"].items() if fits == [symbol] and p != own), key=len)
        out.write(f"  {symbol}  {kind}  {called[symbol]}{'; ' if others else ''}{', '.join(others[:SHOWN])}\n")
    out.write("\nplaces beside things: the symbol in a goal, the words\n")
    out.writelines(f"  {symbol}  {words}\n" for symbol, words in told["places_beside"].items())
    out.write("\nfacts\n" + "".join(f"  {atom}\n" for atom in told["atoms"]))


def _numbers(values: Any) -> str:
    return " ".join(f"{v:.3f}" for v in values)
