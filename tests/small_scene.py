"""A small MJCF scene: a table, two blocks, a cabinet with a drawer, a crate."""

from __future__ import annotations

from pathlib import Path

from tamp.backends.mujoco.mjcf_scene import MjcfScene, read_mjcf_scene
from tamp.files.toml_table import read_placed

WALLS = """
<geom type="box" size="{x} {y} .004" pos="0 0 .004"/>
<geom type="box" size=".004 {y} {z}" pos="{x} 0 {z}"/> <geom type="box" size=".004 {y} {z}" pos="-{x} 0 {z}"/>
<geom type="box" size="{x} .004 {z}" pos="0 {y} {z}"/> <geom type="box" size="{x} .004 {z}" pos="0 -{y} {z}"/>
"""
TABLE = '<geom type="plane" size="0 0 .1"/><geom type="box" size=".4 .5 .02" pos="0 0 .38"/>'
BLOCKS = """
<body name="block_1" pos="0 0 .42"><freejoint/><geom type="box" size=".02 .02 .02"/></body>
<body name="block_2" pos="0 .2 .42"><freejoint/><geom type="box" size=".02 .02 .02"/></body>
"""
JOINT = '<joint name="slides" type="slide" axis="1 0 0" range="-.2 0"/>'
CABINET = (
    '<body name="cabinet" pos=".2 -.3 .4"><geom type="box" size=".12 .12 .01" pos="0 0 .11"/>\n'
    f'<body name="cabinet_top_drawer" pos="0 0 .01">{{joint}}{WALLS.format(x=".1", y=".1", z=".03")}</body></body>'
)
CRATE = f'<body name="crate" pos=".1 .3 .4">{WALLS.format(x=".08", y=".06", z=".04")}</body>'
ALL = TABLE + BLOCKS + CABINET.format(joint=JOINT) + CRATE


def mjcf(world: str, more: str = "") -> str:
    """An MJCF file with a worldbody, and more beside that."""
    return f'<mujoco>\n<compiler angle="radian"/>\n{more}<worldbody>\n{world}\n</worldbody>\n</mujoco>\n'


def written(folder: Path, world: str = ALL, more: str = "", shown: str = "") -> Path:
    """A folder with a scene of an MJCF file, and what its scene.toml tells besides."""
    (folder / "scene.xml").write_text(mjcf(world, more))
    (folder / "scene.toml").write_text(f'mjcf = "scene.xml"\nbase = [-0.6, 0.0, 0.4]\n{shown}')
    return folder


def small_scene(folder: Path, world: str = ALL, more: str = "", shown: str = "") -> MjcfScene:
    """The same as it is read."""
    written(folder, world, more, shown)
    return read_mjcf_scene(read_placed(folder / "scene.toml"), folder)
