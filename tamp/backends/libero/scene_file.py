"""Reads a `scene.toml`: one that names a BDDL or an MJCF file, or one that declares its things itself."""

from __future__ import annotations

from pathlib import Path

from tamp.backends.libero.bddl import read_bddl
from tamp.backends.libero.declared_things import read_declaration
from tamp.backends.libero.scene_description import DEFAULT_STEP_LIMIT, Task
from tamp.backends.mujoco.mjcf_scene import KEYS, file_beside, read_mjcf_scene
from tamp.errors import InputError
from tamp.files.toml_table import Table, read_placed

COMMON = ("instruction", "goal", "seed", "step_limit", "names")
OF_BDDL = ("bddl", "start")
DECLARED = ("table", "things")


def read_scene(path: Path) -> Task:
    """The scene in a file. InputError, with file and line, for whatever is wrong in it."""
    t = read_placed(path)
    t.only(*COMMON, *OF_BDDL, *DECLARED, *KEYS)
    _one_way(t)
    name = path.parent.name or path.parent.resolve().name
    needs_words = t.has("bddl") or t.has("instruction")
    instruction = t.text("instruction", "a sentence") if needs_words else ""
    bddl = _bddl(t, path) if t.has("bddl") else None
    mjcf = read_mjcf_scene(t, path.parent) if t.has("mjcf") else None
    names = {text: thing for thing, notes in mjcf.notes.items() for text in notes.names} if mjcf else {}
    unchecked = f"{name} has no goal: LIBERO knows no task in a scene that is declared"
    return Task(
        name,
        None if bddl is None else bddl.bddl,
        instruction,
        _whole(t, "step_limit", DEFAULT_STEP_LIMIT, 1),
        names=names | _symbols(t, "names"),
        start=_symbols(t, "start"),
        seed=_whole(t, "seed", 0, 0),
        goal=t.text("goal", 'a formula, as "(on mug_1 plate_1)"') if t.has("goal") else None,
        declared=None if bddl or mjcf else read_declaration(t),
        unchecked=unchecked if bddl is None else bddl.unchecked,
        mjcf=mjcf,
        file=t,
    )


WAYS = {"bddl": OF_BDDL, "mjcf": (*KEYS, "things"), "things": DECLARED}
"""What a scene is made of, with the keys that go with it."""
MOVED = "a file of the robot says where it stands: --body FILE, with --backend mujoco or pybullet (docs/bodies.md)"
"""How the robot is moved where the scene file cannot say it."""


def _one_way(t: Table) -> None:
    """InputError where a file names a BDDL or an MJCF file and says what is of another kind, or says nothing."""
    way = next((w for w in WAYS if t.has(w)), None)
    if way is None:
        raise t.wrong('no things in this scene; valid: tables such as [things.mug_1] with category = "porcelain_mug"')
    for other in dict.fromkeys(key for keys in WAYS.values() for key in keys):
        if t.has(other) and other not in WAYS[way]:
            of_robot = other in ("base", "yaw", "body")
            instead = MOVED if of_robot else "name a BDDL file, or an MJCF file, or declare the things here"
            raise t.wrong(f"{other!r} does not go with {way!r}: {instead}", other)


def _whole(t: Table, key: str, usual: int, least: int) -> int:
    if not t.has(key):
        return usual
    return t.whole(key, f"a whole number from {least}", least)


def _symbols(t: Table, key: str) -> dict[str, str]:
    if not t.has(key):
        return {}
    table = t.table(key, "a table of names and symbols")
    return {name: table.text(name, "a symbol") for name in table.values}


def _bddl(t: Table, path: Path) -> Task:
    found = file_beside(t, "bddl", path.parent, "*.bddl")
    try:
        return read_bddl(found)
    except InputError as e:
        raise t.wrong(str(e), "bddl") from e
