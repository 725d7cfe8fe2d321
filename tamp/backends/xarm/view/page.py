"""The page: a scene in viser, which is imported when a page is made."""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import socket
from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from motion.poses import Array, pose, to_quat, turned_to
from tamp.backends.xarm.view.scene import FIELD, Block, Rod, Scene, parts, tool_pose
from tamp.backends.xarm.view.words import Seen
from tamp.errors import InputError

if TYPE_CHECKING:
    import trimesh
    import viser

TRACE, STEP, JUMP = 400, 0.003, 0.1
"""Points of the tool's way that are drawn, metres between two, and metres beyond which nobody saw what was between."""
SEEN_RADIUS = 0.015
SMALL = 0.85
"""Of letters, for what does not change."""
LIGHT, DARK, TOOL = (158, 168, 182), (62, 78, 98), (30, 34, 40)
"""The arm's parts in turn, and its tool."""
KEPT_OUT, ROOM, TABLE, WAY = (214, 69, 65), (70, 130, 200), (214, 205, 192), (25, 113, 194)
FRESH, GREY = (240, 120, 0), (110, 110, 110)


class Page:
    """A page that shows one scene. Its methods may be called from one thread."""

    def __init__(self, scene: Scene, host: str, port: int, title: str) -> None:
        """Serves the page at once; port 0 is any free one. InputError when the port is taken."""
        self._scene = scene
        self._server = _serving(host, port, title)
        self.address = f"http://{host}:{self._server.get_port()}"
        with self._server.atomic():
            _draw_world(self._server, scene)
            self._arm = self._server.scene.add_frame("/arm", show_axes=False, visible=False)
            self._parts = _draw_arm(self._server, scene)
            self._tool = self._server.scene.add_frame("/arm/tool point", axes_length=0.06, axes_radius=0.003)
        self._way = _Way(self._server)
        self._things: list[tuple[viser.IcosphereHandle, viser.LabelHandle]] = []
        self._words: dict[str, viser.GuiHtmlHandle] = {}

    def show_arm(self, q: Array) -> None:
        """Put the arm into a configuration (n,); before the first one it is not drawn."""
        T_base_tool = tool_pose(self._scene.arm, self._scene.T_flange_tool, q)
        with self._server.atomic():
            for handle, T in zip(self._parts, parts(self._scene.arm, q), strict=True):
                _put(handle, T)
            _put(self._tool, T_base_tool)
            self._arm.visible = True
            self._way.add(T_base_tool[:3, 3])

    def show_things(self, seen: tuple[Seen, ...]) -> None:
        """Show these detections and no others."""
        with self._server.atomic():
            while len(self._things) < len(seen):
                self._things.append(self._new_thing(len(self._things)))
            for i, (ball, label) in enumerate(self._things):
                ball.visible = label.visible = i < len(seen)
            for (ball, label), thing in zip(self._things, seen, strict=False):
                ball.position = tuple(thing.p_base)
                label.position = tuple(thing.p_base - np.array([0.0, 0.0, 1.5 * SEEN_RADIUS]))
                ball.color, ball.opacity = (GREY, 0.6) if thing.old else (FRESH, 1.0)
                label.text = str(thing)

    def say(self, folder: str, text: str) -> None:
        """HTML in a folder of the panel, in the place of what was there."""
        if folder not in self._words:
            with self._server.gui.add_folder(folder):
                self._words[folder] = self._server.gui.add_html(text)
        elif self._words[folder].content != text:
            self._words[folder].content = text

    def close(self) -> None:
        """Stop serving."""
        with contextlib.redirect_stdout(io.StringIO()):
            self._server.stop()

    def _new_thing(self, number: int) -> tuple[viser.IcosphereHandle, viser.LabelHandle]:
        ball = self._server.scene.add_icosphere(f"/seen/{number}/ball", SEEN_RADIUS, FRESH, subdivisions=2)
        label = self._server.scene.add_label(f"/seen/{number}/label", "", anchor="top-center")
        return ball, label


class _Way:
    """The way that the tool point went."""

    def __init__(self, server: viser.ViserServer) -> None:
        self._scene = server.scene
        self._points: deque[Array] = deque(maxlen=TRACE)
        self._line: viser.LineSegmentsHandle | None = None

    def add(self, p_base: Array) -> None:
        """The tool is at a point (3,)."""
        if self._points and np.linalg.norm(p_base - self._points[-1]) < STEP:
            return
        self._points.append(p_base.copy())
        points = np.array(self._points)
        pairs = np.stack([points[:-1], points[1:]], axis=1)
        pairs = pairs[np.linalg.norm(pairs[:, 1] - pairs[:, 0], axis=1) < JUMP]
        if not len(pairs):
            return
        if self._line is None:
            self._line = self._scene.add_line_segments("/way", pairs, WAY, thickness=2.0, thickness_units="screen")
        else:
            self._line.points = pairs.astype(np.float32)


def _serving(host: str, port: int, title: str) -> viser.ViserServer:
    import viser

    _bindable(host, port)
    with contextlib.redirect_stdout(io.StringIO()):  # it says where it is in its own way
        server = viser.ViserServer(host=host, port=port, label=title, verbose=False)
    if port and server.get_port() != port:  # it takes the next one
        server.stop()
        raise InputError(f"cannot serve the page at {host}:{port}: the port is in use; valid: another --page-port")
    # a page may ask for a tunnel to this machine through somebody else's
    server.request_share_url = _no_share  # type: ignore[method-assign]
    server.gui.configure_theme(show_share_button=False, show_logo=False, control_width="medium")
    return server


def _no_share(verbose: bool = True) -> None:
    """No tunnel."""


def _bindable(host: str, port: int) -> None:
    """InputError where nothing can listen: viser would try other ports for ever."""
    try:
        with socket.create_server((host, port)):
            pass
    except OSError as e:
        why = os.strerror(e.errno) if e.errno and e.errno > 0 else e
        valid = "another --page-port, or 127.0.0.1 for --page-host"
        raise InputError(f"cannot serve the page at {host}:{port}: {why}; valid: {valid}") from e


def _draw_world(server: viser.ViserServer, scene: Scene) -> None:
    """Light, the first view, and all that stands still."""
    server.scene.configure_default_lights(cast_shadow=True)
    server.scene.configure_environment_map("studio", environment_intensity=0.35)
    camera = server.initial_camera
    camera.position, camera.look_at, camera.fov = scene.eye, scene.middle, FIELD
    server.scene.add_frame("/base", axes_length=0.12, axes_radius=0.004)
    for i, block in enumerate(scene.blocks):
        _draw_block(server, _node(block.kind, i, block.name), block)
    if not any(block.kind == "table" for block in scene.blocks):
        server.scene.add_grid("/ground", 2.0, 2.0, cell_size=0.1, section_size=0.5)
    for i, mark in enumerate(scene.poses):
        _draw_mark(server, _node("pose", i, mark.name), mark.name, mark.T_base_mark)
    for i, mark in enumerate(scene.cameras):
        name = _node("camera", i, mark.name)
        _draw_mark(server, name, f"camera {mark.name}", mark.T_base_mark)
        server.scene.add_camera_frustum(f"{name}/eye", fov=0.8, aspect=4 / 3, scale=0.06, thickness=0.002)


def _draw_arm(server: viser.ViserServer, scene: Scene) -> list[viser.FrameHandle]:
    """The frames of the arm's parts, with their solids."""
    frames = [server.scene.add_frame(f"/arm/{i}", show_axes=False) for i in range(scene.arm.joints + 1)]
    for i, rod in enumerate(scene.rods):
        mesh = _mesh(rod)
        color = TOOL if rod.tool else (LIGHT, DARK)[rod.part % 2]
        server.scene.add_mesh_simple(f"/arm/{rod.part}/{i}", mesh.vertices, mesh.faces, color=color)
    return frames


def _node(kind: str, number: int, name: str) -> str:
    """A name of its own in the page's tree, where a stroke would begin a branch."""
    return f"/{kind}/{number} {name.replace('/', ' ')}"


def _draw_block(server: viser.ViserServer, name: str, block: Block) -> None:
    size, middle = block.high - block.low, (block.high + block.low) / 2
    match block.kind:
        case "workspace":
            edges = _edges(block.low, block.high)
            server.scene.add_line_segments(name, edges, ROOM, thickness=1.5, thickness_units="screen")
        case "keep_out":
            server.scene.add_box(name, KEPT_OUT, size, position=middle, opacity=0.35, side="double", cast_shadow=False)
            server.scene.add_label(f"{name}/name", block.name, anchor="center-center", font_screen_scale=SMALL)
        case "table":
            server.scene.add_box(name, TABLE, size, position=middle, cast_shadow=False)
            at = (*middle[:2], block.high[2] + 5e-4)
            server.scene.add_grid(f"{name} grid", size[0], size[1], cell_size=0.1, section_size=0.5, position=at)


def _draw_mark(server: viser.ViserServer, name: str, text: str, T: Array) -> None:
    handle = server.scene.add_frame(name, axes_length=0.06, axes_radius=0.003)
    _put(handle, T)
    server.scene.add_label(f"{name}/name", text, anchor="bottom-left", font_screen_scale=SMALL)


def _put(handle: viser.FrameHandle, T: Array) -> None:
    handle.position, handle.wxyz = tuple(T[:3, 3]), tuple(to_quat(T[:3, :3]))


def _mesh(rod: Rod) -> trimesh.Trimesh:
    import trimesh

    along = rod.q - rod.p
    length = float(np.linalg.norm(along))
    T_part_rod = pose((rod.p + rod.q) / 2, turned_to(along / length) if length > 1e-9 else None)
    return trimesh.creation.capsule(length, rod.radius, count=[16, 32], transform=T_part_rod)


def _edges(low: Array, high: Array) -> Array:
    """The twelve edges (12, 2, 3) of a box."""
    corners = np.array(list(itertools.product(*np.stack([low, high], axis=1))))
    pairs = [(a, a | bit) for bit in (1, 2, 4) for a in range(8) if not a & bit]
    return np.stack([corners[[a, b]] for a, b in pairs])
