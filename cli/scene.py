"""`tamp scene`: which scenes there are, and what one of them holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from cli.output import emit_json, quiet_stdout, say
from tamp.api import arguments
from tamp.quiet import hush_simulator

if TYPE_CHECKING:
    from motion.robot import RobotDescription
    from tamp.backends.libero.environment import LiberoEnvironment
    from tamp.backends.libero.tasks import Task
    from tamp.model.domain import Domain
    from tamp.model.scene import Scene, SceneObject
    from tamp.model.state import WorldState

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


def show(scene: str, init_state: int | None, seed: int | None, domain: str, json_output: bool) -> int:
    """Print what perception sees in a scene, and what an instruction can name there."""
    from tamp.backends.libero import rendering

    rendering.prepare(video=False)
    with quiet_stdout() as out:
        with hush_simulator():
            from tamp.backends.libero import tasks

            task = tasks.find(scene)
        loaded = arguments.domain(domain)
        tasks.check_goal(task, loaded)
        say(f"tamp: building {task.name}")
        view = look(task, task.seed if seed is None else seed, init_state, domain=loaded)
        view.close()
        told = describe(task, view, loaded)
        if json_output:
            emit_json(told, out)
        else:
            _print(told, out)
    return 0


@dataclass(frozen=True, eq=False)
class View:
    """A scene that was built and looked at once; `environment` where it is one of LIBERO's."""

    environment: LiberoEnvironment | None
    scene: Scene
    state: WorldState

    def close(self) -> None:
        """Free the simulation."""
        if self.environment is not None:
            self.environment.close()


def look(
    task: Task, seed: int, init_state: int | None, render: bool = False, domain: Domain | None = None
) -> View:
    """Build a task's simulation and perceive it; the caller closes it.

    `render`: it can draw. The facts are those that the toolkit sees, and with a `domain` what its observers do.
    """
    with hush_simulator():
        from tamp.extension.loading import load_extension
        from tamp.model.bodies import world_of
        from tamp.perception.predicates import observe
        from tamp.perception.sight import Sight

        own = load_extension(domain) if domain is not None else None
        scene, robot, environment = _built(task, seed, init_state, render)
    world = world_of(scene, robot)
    if domain is None or own is None:
        return View(environment, scene, observe(scene, world))
    return View(environment, scene, Sight(domain, own.observers, world).state(scene))


def _built(
    task: Task, seed: int, init_state: int | None, render: bool
) -> tuple[Scene, RobotDescription, LiberoEnvironment | None]:
    """A task's scene as it is seen, its robot, and its simulation where it is one of LIBERO's."""
    if task.mjcf is not None:
        from tamp.backends.physics.start import start_of

        start = start_of(task, seed, init_state, None)
        return start.scene, start.robot, None
    from tamp.backends.libero.environment import LiberoEnvironment
    from tamp.backends.libero.oracle import OraclePerceiver

    environment = LiberoEnvironment(task, seed=seed, init_state=init_state, render=render)
    return OraclePerceiver(environment).perceive(), environment.robot_model(), environment


def describe(task: Task, view: View, domain: Domain) -> dict[str, Any]:
    """A scene as plain data: metres, quaternions w x y z, world frame, rounded to a tenth of a millimetre."""
    from llm.own_words import own_words
    from llm.phrases import vocabulary
    from tamp.perception import relative_places

    words = vocabulary(view.scene, view.state, task.names, own_words(domain))
    return {
        "scene": task.name,
        "instruction": task.instruction,
        "goal": task.goal,
        "perception": "oracle",
        "objects": [_object(o) for o in view.scene],
        "symbols": dict(sorted(view.state.symbols.items())),
        "atoms": sorted(str(a) for a in view.state.atoms),
        "names": {phrase: list(symbols) for phrase, symbols in sorted(words.phrases.items())},
        "referring_expressions": {symbol: words.name[symbol] for symbol in sorted(view.state.symbols)},
        "places_beside": {s: words.name_beside(s) for s in sorted(relative_places.symbols(words.things))},
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
    for symbol, kind in told["symbols"].items():
        own = told["referring_expressions"][symbol]
        others = sorted((p for p, fits in told["names"].items() if fits == [symbol] and p != own), key=len)
        out.write(f"  {symbol}  {kind}  {own}{'; ' if others else ''}{', '.join(others[:SHOWN])}\n")
    out.write("\nplaces beside things: the symbol in a goal, the words\n")
    out.writelines(f"  {symbol}  {words}\n" for symbol, words in told["places_beside"].items())
    out.write("\nfacts\n" + "".join(f"  {atom}\n" for atom in told["atoms"]))


def _numbers(values: Any) -> str:
    return " ".join(f"{v:.3f}" for v in values)
