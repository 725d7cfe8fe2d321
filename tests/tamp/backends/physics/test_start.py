"""A robot that is put inside something is refused before anything moves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tamp.backends.libero import tasks
from tamp.backends.physics.start import start_of
from tamp.errors import InputError
from tests.small_scene import ALL, written

BESIDE, IN_CABINET = "[-0.6, 0.0, 0.4]", "[0.2, -0.3, 0.4]"


@pytest.mark.parametrize("body", ["panda", "xarm6"])
def test_a_base_inside_a_fixture_is_the_files_fault(body: str, tmp_path: Path) -> None:
    scene = written(tmp_path, told=f'body = "{body}"\n') / "scene.toml"
    start_of(tasks.find(str(tmp_path)), 0, None, None)
    scene.write_text(scene.read_text().replace(BESIDE, IN_CABINET))
    with pytest.raises(InputError, match=rf"scene.toml:2: .*{body} cannot stand there: .* cm inside cabinet; valid: "):
        start_of(tasks.find(str(tmp_path)), 0, None, None)


def test_an_arm_at_its_posture_inside_a_wall_is_told(tmp_path: Path) -> None:
    wall = '<body name="wall" pos="-.2 0 .8"><geom type="box" size=".1 1 .4"/></body>'
    written(tmp_path, ALL + wall)
    with pytest.raises(InputError, match=r"^xarm7 cannot stand there: .* cm inside table_body; valid: "):
        start_of(tasks.find(str(tmp_path)), 0, None, "xarm7")
