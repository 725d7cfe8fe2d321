"""The object library as files: what is written is read, what is damaged is told with the command that helps."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from motion.poses import from_rpy
from motion.shapes import Shape
from tamp.errors import InputError
from tamp.model.scene import Joint, Part, Region, SceneObject
from tamp.perception.library import (
    Index,
    LibraryEntry,
    load,
    made_with,
    read,
    write,
    write_index,
)
from tamp.perception.object_model import ObjectModel, RobotSkin
from tests.solids import prism, rectangle, skin


def cabinet(name: str = "cabinet") -> ObjectModel:
    """A thing with all that a thing can have."""
    box = Shape("box", np.array([0.1, 0.05, 0.04]), from_rpy([0.1, 0.2, 0.3], [0.4, 0.5, 0.6]))
    joint = Joint("slide", np.array([0.0, -1.0, 0.0]), np.array([0.1, 0.0, 0.1]), (-0.16, 0.01), 0.0, -0.14, 0.005)
    parts = (
        Part(name, "body", np.eye(4), (box,)),
        Part(f"{name}_top", "drawer", from_rpy([0, 0, 0.1], [0.1, 0, 0]), (box, box), joint),
    )
    region = Region(f"{name}_inside", "interior", np.eye(4), np.array([0.1, 0.1, 0.05]), f"{name}_top", f"{name}_top")
    skins = {p.name: skin(*prism(rectangle(0.08, 0.04), 0.02), (200, 30, 90)) for p in parts}
    thing, names = SceneObject(name, name, False, parts, (region,)), ("cabinet", "chest")
    return ObjectModel(thing, skins, np.eye(3)[None], 2, np.array([0.01, 0.02]), names, "abc")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of two things, one of which was added, and a robot."""
    path = tmp_path_factory.mktemp("objects")
    write(path / "libero" / "cabinet.npz", LibraryEntry(cabinet(), made_with(), picture=b"PNG"))
    write(path / "added" / "mug.npz", LibraryEntry(cabinet("mug"), made_with(), ("in mm",)))
    write(
        path / "robots" / "panda.npz",
        LibraryEntry(RobotSkin({"link0": skin(*prism(rectangle(0.1, 0.1), 0.1))}, "x"), {}),
    )
    write_index(path, Index(("cabinet",), ("panda",), made_with(), {"corn": "it lacks corn.xml"}))
    return path


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(made, tmp_path / "objects")


def test_what_is_written_is_read(folder: Path) -> None:
    found, due = load(folder), cabinet()
    assert set(found) == {"cabinet", "mug"} and found.added == {"mug"} and found.stale == ""
    assert repr(found["cabinet"].thing) == repr(due.thing) and found["cabinet"].names == ("cabinet", "chest")
    assert [p.name for p in found["cabinet"].jointed] == ["cabinet_top"]
    mine, theirs = found["cabinet"].skins["cabinet_top"], due.skins["cabinet_top"]
    assert np.array_equal(mine.field.steps, theirs.field.steps) and mine.field.cell == theirs.field.cell
    assert np.array_equal(mine.colours, theirs.colours) and mine.area == theirs.area
    assert mine.points == pytest.approx(theirs.points, abs=1e-7)
    assert mine.normals == pytest.approx(theirs.normals, abs=1e-6)
    assert set(found.robots["panda"].skins) == {"link0"}
    assert read(folder / "added" / "mug.npz").remarks == ("in mm",)
    assert read(folder / "libero" / "cabinet.npz").picture == b"PNG"


@pytest.mark.parametrize("spoil", ["cut", "empty", "flipped", "text", "gone"])
@pytest.mark.parametrize("name", ["libero/cabinet.npz", "added/mug.npz", "robots/panda.npz", "index.json"])
def test_what_is_damaged_is_named_with_the_command_that_helps(folder: Path, spoil: str, name: str) -> None:
    path = folder / name
    content = bytearray(path.read_bytes())
    if spoil == "gone":
        path.unlink()
    else:
        content[len(content) // 2] ^= 0x55
        half = content[: len(content) // 2]
        path.write_bytes({"cut": half, "empty": b"", "flipped": content, "text": b"hello"}[spoil])
    if (name, spoil) == ("added/mug.npz", "gone"):
        assert set(load(folder)) == {"cabinet"}
        return
    if (name, spoil) == ("index.json", "flipped"):
        path.write_bytes(b"\xff" + bytes(content))
    helps = "tamp objects add DIR" if name.startswith("added") else "tamp objects build"
    with pytest.raises(InputError, match=helps) as error:
        load(folder)
    assert str(path) in str(error.value) or (name, spoil) == ("index.json", "gone")


def test_a_library_that_was_not_built_or_not_to_the_end(folder: Path) -> None:
    with pytest.raises(InputError, match=r"there is no object library in .*; build it with: tamp objects build"):
        load(folder / "nowhere")
    (folder / "index.json").unlink()
    with pytest.raises(InputError, match="is not complete; go on with: tamp objects build"):
        load(folder)


def test_a_stale_library_says_what_has_changed(folder: Path) -> None:
    write_index(folder, Index(("cabinet",), ("panda",), made_with() | {"mujoco": "1.0", "recipe": "old"}, {}))
    stale = load(folder).stale
    assert "mujoco 1.0 (now " in stale and "recipe old (now " in stale and "robosuite" not in stale
    assert "tamp objects build" in stale
