"""A LIBERO task in which everything has another name, in the same order: only pictures and encoders are left to tell
that it is the same."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tamp.backends.libero.scene_description import Task


@contextmanager
def permuted(task: Task) -> Iterator[tuple[Task, dict[str, str]]]:
    """The task with other names for its things, and for the places where they start; and these names."""
    assert task.bddl is not None
    text = task.bddl.read_text()
    blocks = re.findall(r"\(:(?:fixtures|objects)(.*?)\n  \)", text, re.DOTALL)
    ground = re.findall(r"\(:target (\w+)\)\s*\(:ranges", text)[0]
    things = [n for block in blocks for line in block.splitlines() for n in line.split(" - ")[0].split() if n != ground]
    names = {name: f"thing_{len(things) - n}" for n, name in enumerate(things)}
    starts = re.findall(rf"\b{ground}_(\w+)\b", text)
    places = {s: f"place_{n}" for n, s in enumerate(dict.fromkeys(starts))}
    places |= {f"{ground}_{s}": f"{ground}_{place}" for s, place in places.items()}

    def said(found: re.Match[str]) -> str:
        word = found[0]
        if word in places:
            return places[word]
        whole = next((n for n in names if word == n or word.startswith(f"{n}_")), None)
        return word if whole is None else names[whole] + word.removeprefix(whole)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / task.bddl.name
        path.write_text(re.sub(r"(?<![\w-])\w+(?!\w)", said, text))
        yield replace(task, bddl=path), names
