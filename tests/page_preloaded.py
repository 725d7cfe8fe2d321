"""What the commands of pages import, imported once, in the process that they are forked from (tests/page_typing.py).

Two scenes are built as well: MuJoCo keeps what it made of their meshes, the robot's above all, and a child that builds
a scene of its own takes a third of the seconds. No domain is read: unified-planning would keep the engines that it
knows here, and a test that configures others could not.
"""

from __future__ import annotations

import gc
import importlib
import pkgutil

from unified_planning.environment import Environment

from tamp.backends.libero import rendering
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.tasks import find
from tamp.quiet import hush_simulator

ROOMS = ("motion", "tamp", "llm", "cli")
LATER = (
    "jsonschema",
    "libero.libero.envs",
    "openai",
    "toppra",
    "trimesh",
    "typer._adapters",
    "unified_planning.shortcuts",
)
"""What their modules, and typer, import when it is needed."""
SCENES = ("mug_in_drawer", "libero_goal/3")

rendering.prepare(video=False, may=True)
with hush_simulator():
    for name in LATER:
        importlib.import_module(name)
    for room in map(importlib.import_module, ROOMS):
        for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            importlib.import_module(module.name)
    for scene in SCENES:
        LiberoEnvironment(find(scene)).close()
Environment()  # which imports the engines
gc.collect()
gc.freeze()  # nor does a child look through all that again, which would make arms in real time late
