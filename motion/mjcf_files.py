"""MJCF that goes from one machine to another: its meshes go with it, and it may name no file where it comes to."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np

from motion.robot_parts import ModelError, numbers
from motion.xml_document import files_of, mujoco_error, parse_xml

LOADING = ("include", "model", "attach", "extension", "plugin")
"""Elements that load files or code."""


def embed_meshes(mjcf: str) -> str:
    """The same model with each mesh that it names as a file in it: MuJoCo makes the same of both. ModelError for a mesh
    that cannot be read."""
    document = parse_xml(mjcf, "MJCF")
    root = document.root
    folder = next((f for c in root.iter("compiler") if (f := c.get("meshdir", c.get("assetdir", "")))), "")
    for mesh in root.iter("mesh"):
        if named := mesh.attrib.pop("file", None):
            vertices, faces = _corners(Path(folder) / named)
            mesh.attrib.pop("content_type", None)
            mesh.attrib |= {"name": mesh.get("name", Path(named).stem), "vertex": numbers(vertices)}
            mesh.set("face", " ".join(map(str, faces.ravel().tolist())))
    return document.text()


def _corners(file: Path) -> tuple[np.ndarray, np.ndarray]:
    """The corners (n, 3) of a mesh in a file, those at one place once, in their order, and its faces (k, 3)."""
    import trimesh

    try:
        mesh = trimesh.load_mesh(file, process=False)
    except Exception as e:  # whatever its readers make of broken files
        raise ModelError(f"cannot read the mesh {file}: {e}") from e
    _, first, which = np.unique(mesh.vertices, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return np.asarray(mesh.vertices)[first[order]], np.argsort(order)[which.ravel()][mesh.faces]


def without_files(mjcf: str) -> str:
    """The text of a model that was sent, written anew, so that MuJoCo reads what was checked here. ModelError, with the
    line, for one that names files, loads plugins, or that MuJoCo does not compile; no file is looked for."""
    document = parse_xml(mjcf, "MJCF")
    if document.root.tag != "mujoco":
        raise ModelError(f"{document.at(document.root)}: the root is <{document.root.tag}>, not <mujoco>")
    for element in document.root.iter():
        named = ", ".join(key for key, _ in files_of(element))
        if named or element.tag in LOADING:
            what = f"<{element.tag}> has {named}" if named else f"there is <{element.tag}>"
            why = "a model that is sent names no files and loads no plugins; its meshes are in it, as vertex and face"
            raise ModelError(f"{document.at(element)}: {what}; {why}")
    text = document.text()
    try:
        mujoco.MjSpec.from_string(text).compile()
    except ValueError as e:
        raise ModelError(mujoco_error(e, document, written=True)) from e
    return text
