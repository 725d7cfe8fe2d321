"""Files of robots: lines of errors, prefixes, meshes without a name, what is no model; and MJCF that is sent."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from motion.robot_files import read_parts
from motion.robot_parts import ModelError
from motion.xml_document import embed_meshes, without_files
from tests.small_arm import ARM

MESHED = (
    '<mujoco><asset><mesh file="{}" scale="2 1 1"/></asset><worldbody><body name="b">{}</body></worldbody></mujoco>'
)
GEOM = '<geom type="mesh" mesh="lower"/>'
STL = "solid s\n{}endsolid s\n"
FACET = "facet normal 0 0 0\nouter loop\nvertex {}\nvertex {}\nvertex {}\nendloop\nendfacet\n"


def complaint(file: Path, text: str | None = None) -> str:
    if text is not None:
        file.write_text(text)
    with pytest.raises(ModelError) as e:
        read_parts(file)
    return str(e.value).replace(f"{file.parent}/", "")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            '<box size="0.04 0.04 0.2"/>',
            "<box/>",
            "11: MuJoCo 3.3.2 does not read it: required attribute missing: 'size'",
        ),
        ('"1"/><inertia', '"1"/><inertiae', "9: MuJoCo 3.3.2 does not read it: missing element: 'inertia'"),
        ('link="base"/>', 'link="bass"/>', "17: MuJoCo 3.3.2 does not read it: URDF joint parent or child missing"),
        ("</robot>", "", "22: no XML: no element found"),
        ("<link", "<xacro:link", "9: <xacro:link> is of a xacro"),
    ],
)
def test_an_error_in_a_urdf_has_the_line_of_the_file(tmp_path: Path, before: str, after: str, message: str) -> None:
    head = '<?xml version="1.0"?>\n<!-- Masses are\nfrom a scale,\nlengths from\na drawing. -->\n\n\n'
    seen = ARM.replace("<collision>", "<visual>\n\n</visual><collision>", 1)
    text = head + seen.replace(before, after, 1).replace("<xacro:link", "<xacro:link/><link", 1)
    assert complaint(tmp_path / "arm.urdf", text).startswith(f"arm.urdf:{message}")


def test_an_error_in_an_mjcf_has_the_file_and_the_line_that_it_includes(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.xml").write_text('<mujoco>\n<worldbody>\n\n<geom sise="1"/></worldbody></mujoco>')
    main = '<mujoco>\n<include file="parts/a.xml"/>\n<worldbody>\n<geom size="{}"/></worldbody></mujoco>'
    assert complaint(tmp_path / "m.xml", main.format(1)).startswith("parts/a.xml:4: MuJoCo 3.3.2 does not read it: ")
    (tmp_path / "parts" / "a.xml").write_text('<mujoco>\n<worldbody>\n<geom name="x"/></worldbody></mujoco>')
    assert complaint(tmp_path / "m.xml").startswith("parts/a.xml:3: MuJoCo 3.3.2 does not read it: size 0 must be")
    assert complaint(tmp_path / "m.xml", main.format("x")).startswith("m.xml:4: MuJoCo 3.3.2 does not read it: bad")
    (tmp_path / "parts" / "a.xml").write_text("<mujoco>\n<include")
    assert complaint(tmp_path / "m.xml").startswith("parts/a.xml:2: no XML: unclosed token")
    assert "'m.xml' already included" in complaint(tmp_path / "m.xml", '<mujoco>\n<include file="m.xml"/></mujoco>')


def test_ply_and_stl_as_text_collide_as_obj_does(tmp_path: Path) -> None:
    import trimesh

    solid = trimesh.creation.box([0.1, 0.2, 0.3])
    solid.export(tmp_path / "b.ply")
    (tmp_path / "b.stl").write_text(
        STL.format("".join(FACET.format(*(" ".join(map(str, v)) for v in t)) for t in solid.triangles.tolist()))
    )
    link = '<link name="b"><collision><geometry><mesh filename="{}"/></geometry></collision></link>'
    for name in ("b.ply", "b.stl"):
        (tmp_path / "r.urdf").write_text(f"<robot>{link.format(name)}</robot>")
        assert np.ptp(read_parts(tmp_path / "r.urdf")[0].corners(), axis=0) == pytest.approx([0.1, 0.2, 0.3])


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("arm.urdf.xacro", "<robot/>", "arm.urdf.xacro is a xacro, from which a URDF has to be made: `xacro in.urdf"),
        ("arm.sdf", "<sdf/>", "arm.sdf is SDF, Gazebo's format: use the robot's URDF or MJCF, or convert it"),
        ("arm.urdf", "\n<sdf/>", "arm.urdf:2: the root is <sdf>; valid: <robot> or <mujoco> (the file is SDF"),
        ("arm.xml", "<mujocoinclude/>", "arm.xml:1: the root is <mujocoinclude>; valid: <robot> or <mujoco> (the file"),
        ("arm.xml", "<a>" * 500 + "</a>" * 500, "arm.xml:1: <a> is inside 400 elements; valid: fewer"),
    ],
)
def test_what_is_no_model_says_what_it_is(tmp_path: Path, name: str, text: str, says: str) -> None:
    assert complaint(tmp_path / name, text).startswith(says)


def test_a_model_is_the_same_with_its_meshes_in_it(tmp_path: Path) -> None:
    import trimesh

    trimesh.creation.icosphere(radius=0.1, subdivisions=2).export(tmp_path / "lower.stl")
    text = MESHED.format(tmp_path / "lower.stl", GEOM)
    embedded = embed_meshes(text)
    assert str(tmp_path) not in embedded and without_files(embedded) == embedded
    one, other = (mujoco.MjModel.from_xml_string(t) for t in (text, embedded))
    for field in ("mesh_vert", "mesh_face", "geom_pos", "geom_quat", "body_mass", "body_inertia", "body_ipos"):
        assert np.array_equal(getattr(one, field), getattr(other, field)), field


SENT = [
    '<asset><mesh name="m" file="{}"/></asset>',
    '<asset><texture name="t" type="2d" file="{}"/></asset>',
    '<asset><texture name="t" type="cube" fileup="{}"/></asset>',
    '<asset><hfield name="h" size="1 1 1 1" file="{}"/></asset>',
    '<asset><model name="h" file="{}"/></asset>',
    '<deformable><skin name="s" file="{}"/></deformable>',
    '<include file="{}"/>',
    '<worldbody><body><flexcomp name="f" type="mesh" file="{}"/></body></worldbody>',
    '<extension><plugin plugin="{}"/></extension>',
    '<compiler meshdir="/"/><asset><mesh name="m" file="{}"/></asset>',
]


@pytest.mark.parametrize("part", SENT)
def test_a_model_that_is_sent_tells_nothing_of_files(part: str, tmp_path: Path) -> None:
    said = set()
    for file in (Path(__file__), Path("/etc/passwd"), tmp_path / "none.stl", Path("../none.stl")):
        with pytest.raises(ModelError) as e:
            without_files(f"<mujoco>\n{part.format(file)}</mujoco>")
        said.add(str(e.value))
    assert len(said) == 1
    assert said.pop().startswith("MJCF:2: ")


def test_what_is_checked_is_what_mujoco_gets() -> None:
    """MuJoCo's own reader ends a DOCTYPE at its first >, and would see an element in the text of an entity."""
    hidden = "<!DOCTYPE m [<!ENTITY a \"><asset><mesh file='/etc/passwd'/></asset>\">]>"
    assert "passwd" not in without_files(f"{hidden}<mujoco/>")
    with pytest.raises(ModelError, match=r"^MJCF:1: the root is <robot>, not <mujoco>"):
        without_files('<robot><link name="a"/></robot>')
    with pytest.raises(ModelError, match=r"^MJCF:3: MuJoCo 3.3.2 does not read it: .*'sise'"):
        without_files('<mujoco>\n<worldbody>\n<geom sise="1"/></worldbody></mujoco>')
