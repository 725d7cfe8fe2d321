"""XML of robots and scenes: elements with their file and line, MuJoCo's errors there, and MJCF without files."""

from __future__ import annotations

import codecs
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.parsers import expat

import mujoco
import numpy as np

from motion.robot_parts import ModelError, numbers

DEEPEST = 400
"""Elements inside each other, at most: MuJoCo reads 500."""
DECLARATION = re.compile(r"<\?xml\b.*?\?>", re.DOTALL)
"""Left out: the text is decoded by then, and some files have it after a blank line."""
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
INCLUDE = "include"
LOADING = (INCLUDE, "model", "attach", "extension", "plugin")
"""Elements that load files or code."""


@dataclass(frozen=True, eq=False)
class Document:
    """The elements of a file, without comments and text, and where each is: `FILE:LINE`. Names keep their prefixes,
    declared or not."""

    file: Path | str
    root: ET.Element
    places: Mapping[ET.Element, str]

    def text(self) -> str:
        """The XML of the elements as they are now, the nth of them on line n."""
        for element in self.root.iter():
            element.text = "\n" if len(element) else None
            for child in element:
                child.tail = "\n" if child is not element[-1] else None
        return ET.tostring(self.root, encoding="unicode")

    def on_line(self, n: int) -> str:
        """Where the element on a line of `text` comes from."""
        return next((self.at(e) for i, e in enumerate(self.root.iter(), 1) if i == n), str(self.file))

    def of(self, name: str, *tags: str) -> str:
        """Where the first element of a name is, of some tags or any, or of a file of that name; else the file alone."""
        elements = [e for e in self.root.iter() if e.tag in tags or not tags]
        named = [e for e in elements if e.get("name") == name]
        filed = [e for e in elements if name in {Path(file).stem for _, file in files_of(e)}]
        return self.at((named + filed)[0]) if named or filed else str(self.file)

    def at(self, element: ET.Element) -> str:
        """Where an element is; the file alone for one that was not read."""
        return self.places.get(element, str(self.file))


def files_of(element: ET.Element) -> list[tuple[str, str]]:
    """The attributes of an element that name files, with their values."""
    return [(key, value) for key, value in element.attrib.items() if key.startswith("file")]


def read_xml(file: Path) -> Document:
    """The elements of a file. ModelError, with the line where there is one, for what cannot be read or is no XML."""
    try:
        data = file.read_bytes()
    except OSError as e:
        raise ModelError(f"cannot read {file}: {e.strerror}") from e
    encoding = "utf-16" if data.startswith(UTF_16) else "utf-8-sig"
    return parse_xml(data.decode(encoding, errors="replace"), file)


def parse_xml(text: str, file: Path | str) -> Document:
    """The elements of a text that messages call `file`. ModelError, with the line, for what is no XML."""
    builder, places, open_tags = ET.TreeBuilder(), dict[ET.Element, str](), list[str]()
    parser = expat.ParserCreate()

    def begin(tag: str, attributes: dict[str, str]) -> None:
        open_tags.append(tag)
        place = f"{file}:{parser.CurrentLineNumber}"
        if len(open_tags) > DEEPEST:
            raise ModelError(f"{place}: <{tag}> is inside {DEEPEST} elements; valid: fewer")
        places[builder.start(tag, attributes)] = place

    def end(tag: str) -> None:
        builder.end(open_tags.pop())

    parser.StartElementHandler, parser.EndElementHandler = begin, end
    try:
        parser.Parse(DECLARATION.sub(lambda found: "\n" * found[0].count("\n"), text, count=1), True)
    except expat.ExpatError as e:
        why = f"{expat.ErrorString(e.code)}, column {e.offset + 1}"
        raise ModelError(f"{file}:{e.lineno}: no XML: {why}") from e
    return Document(file, builder.close(), places)


def read_included(file: Path) -> Document:
    """The elements of an MJCF file and of the files that it includes, in their places. An include of a file that is not
    there, or includes this one, stays. ModelError as by `read_xml`."""
    return _included(file, file.parent, ())


def _included(file: Path, folder: Path, above: tuple[Path, ...]) -> Document:
    read = read_xml(file)
    places = dict(read.places)
    for parent in list(read.root.iter()):
        children = list[ET.Element]()
        for child in parent:
            name = child.get("file", "") if child.tag == INCLUDE else ""
            found = next((p for p in (file.parent / name, folder / name) if name and p.is_file()), None)
            if found is None or found in (file, *above):
                children.append(child)
            else:
                other = _included(found, folder, (file, *above))
                places |= other.places
                children += other.root
        parent[:] = children
    return Document(file, read.root, places)


PLACE = re.compile(r"\s*Element (?P<named>name )?'(?P<name>.*?)'(?:, id -?\d+)?(?:, line (?P<line>\d+))?\s*$")
UNPARSED = re.compile(r"Line number=(?P<line>\d+)")
OPENED = re.compile(r"Error opening file '([^']*)'")
PREFIX = re.compile(r"^(XML )?Error: (Schema violation: )?")


def mujoco_error(error: ValueError, document: Document, written: bool = False) -> str:
    """What MuJoCo says of a file, or of a document's `text` where that is what it was given (`written`), on one line
    with the file and line that are meant."""
    text = str(error)
    place = PLACE.search(text)
    name, line = (place["name"], int(place["line"] or 0)) if place else ("", 0)
    if not place and (unparsed := UNPARSED.search(text)):
        line = int(unparsed[1])
    if opened := OPENED.search(text):
        where = document.of(Path(opened[1]).stem)
        return f"{where}: no file {opened[1]}; valid: a file that is there (meshdir, texturedir)"
    if line:
        where = document.on_line(line) if written else f"{document.file}:{line}"
    elif place and not place["named"] and not written:
        return _parsed_again(error, document)
    else:
        where = document.of(name) if name else str(document.file)
    what = " ".join(PREFIX.sub("", PLACE.sub("", text)).split())
    about = "" if not name else f" (the element {name!r})" if place and place["named"] else f" (<{name}>)"
    return f"{where}: MuJoCo {mujoco.__version__} does not read it: {what}{about}"


def _parsed_again(error: ValueError, document: Document) -> str:
    """What MuJoCo says of an included file: it gives no line of it, but one of the whole text."""
    try:
        mujoco.MjSpec.from_string(document.text())
    except ValueError as e:
        if PLACE.sub("", str(e)) == PLACE.sub("", str(error)):
            error = e
    return mujoco_error(error, document, written=True)


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
