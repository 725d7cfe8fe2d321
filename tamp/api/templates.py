"""Beginnings of one's own: a domain folder, a skill or an observer in it, a scene. What is written runs as it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tamp.extension.starting import Begun

Kind = Literal["domain", "skill", "observer", "scene"]


def new(kind: Kind, name: str, folder: str | Path = ".") -> Begun:
    """Write a template into a folder: a domain or a scene makes one called `name` there, a skill or an observer goes
    into the domain that is there. Nothing that is there is overwritten.

    What was written and changed, and a goal to try. InputError for what is no name, or is taken, and for a folder that
    it cannot go into.
    """
    from tamp.extension import starting

    made = {
        "domain": starting.new_domain,
        "skill": starting.new_skill,
        "observer": starting.new_observer,
        "scene": starting.new_scene,
    }
    return made[kind](name, Path(folder))
