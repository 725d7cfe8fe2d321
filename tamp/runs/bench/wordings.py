"""Files of instructions in other words: for tasks of LIBERO, or that are to be refused.

["libero_goal/8"]
wordings = ["set the bowl down on the plate", "bowl on plate please"]

[[case]]
scene = "libero_goal/8"
instruction = "put the banana on the plate"
why = "absent"
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tamp.errors import InputError
from tamp.files.toml_table import read_toml


@dataclass(frozen=True)
class Wording:
    """An instruction for a task's scene. `refuse`: why there is no one goal for it; "" when it is the task's own."""

    suite: str
    task_id: int
    text: str
    refuse: str = ""


def load(path: Path) -> tuple[Wording, ...]:
    """The wordings of a file, in its order. InputError for a file that is none."""
    content = read_toml(path)
    cases = content.pop("case", [])
    found = [w for scene, table in content.items() for w in _of_task(path, scene, table)]
    found += [_case(path, table) for table in (cases if isinstance(cases, list) else [cases])]
    if not found:
        raise InputError(f'{path} holds no wording; valid: ["SUITE/TASK_ID"] wordings = […], or [[case]]')
    return tuple(found)


def _of_task(path: Path, scene: str, table: Any) -> list[Wording]:
    texts = table.get("wordings") if isinstance(table, dict) and set(table) == {"wordings"} else None
    if not isinstance(texts, list) or not all(isinstance(t, str) for t in texts):
        raise InputError(f'{path}: "{scene}" must have wordings = ["…", …] and nothing else')
    return [Wording(*_scene(path, scene), text) for text in texts]


def _case(path: Path, table: Any) -> Wording:
    keys = {"scene", "instruction", "why"}
    if not isinstance(table, dict) or set(table) != keys or not all(isinstance(v, str) and v for v in table.values()):
        raise InputError(f"{path}: a [[case]] must have scene, instruction and why as texts, and nothing else")
    return Wording(*_scene(path, table["scene"]), table["instruction"], table["why"])


def _scene(path: Path, name: str) -> tuple[str, int]:
    found = re.fullmatch(r"(\w+)/(\d+)", name)
    if not found:
        raise InputError(f'{path}: "{name}" is no task; valid: SUITE/TASK_ID such as "libero_goal/8"')
    return found[1], int(found[2])
