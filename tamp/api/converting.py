"""A scene of LIBERO as a folder of one's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tamp.api.sources import Say, silent
from tamp.errors import InputError
from tamp.files.replacing import replacing
from tamp.quiet import hush_simulator

if TYPE_CHECKING:
    from tamp.backends.libero.scene_conversion import Conversion


@dataclass(frozen=True)
class Converted:
    """What was written, of the scene called `name`: its `file`, and what the `conversion` has to say of it."""

    name: str
    file: Path
    conversion: Conversion


def convert(
    scene: str, *, init_state: int | None = None, seed: int | None = None, out: Path | None = None, say: Say = silent
) -> Converted:
    """Write a scene as a folder with a `scene.toml`: everything where it is, what is open and turned on, the
    instruction and the goal. The file is built and compared with what it was made from.

    `out` is the folder that is made, by default one here, named after the scene. InputError for a scene that there is
    not and a folder that holds something; Refusal of what does not come out the same.
    """
    from tamp.backends.libero import rendering

    rendering.prepare(video=False)
    with hush_simulator():
        from tamp.backends.libero import tasks
        from tamp.backends.libero.scene_conversion import convert as converted
        from tamp.pddl.domain_file import load

        task = tasks.find(scene)
        drawn = task.seed if seed is None else seed
        option, number = ("--seed", drawn) if init_state is None else ("--init-state", init_state)
        which = option.rpartition("-")[2]
        folder = _fresh(out or Path(f"{task.name.replace('/', '-')}-{which}{number}"))
        command = f"tamp scene convert {scene} {option} {number}"
        say(f"building {task.name}, and what is written of it")
        made = converted(task, drawn, init_state, load("tabletop"), f"Made by `{command}`.")
        file = folder / tasks.SCENE
        with replacing(file) as partial:
            folder.mkdir(parents=True, exist_ok=True)
            partial.write_text(made.text, encoding="utf-8")
    return Converted(task.name, file, made)


def _fresh(folder: Path) -> Path:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} is there already, and nothing is overwritten; valid: --out DIR, another folder")
    return folder
