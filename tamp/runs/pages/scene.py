"""The page of a scene: a picture of it, with what can be said of it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from tamp.runs.pages.layout import Layout


def scene_page(scene: Mapping[str, Any], called: Mapping[str, str], picture: bytes, layout: Layout) -> str:
    """The page of a `scene` as plain data; what each symbol is `called`, and a `picture`, a PNG."""
    shown = b64encode(picture).decode()
    return layout.page("scene.html.j2", (), {}, title=str(scene["scene"]), scene=scene, called=called, picture=shown)
