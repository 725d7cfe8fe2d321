"""What is served of a run: the page, its changes, its pictures, and where orders go."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tamp.runs.episode_log import LOG
from tamp.runs.pages.layout import Layout
from tamp.view.hub import Hub
from tamp.view.serving import Offer
from tamp.view.state import View

SCRIPTS = ("common.js", "space.js", "view.js")


def offer(hub: Hub, layout: Layout, local: bool) -> Offer:
    """What is served of what a hub follows. Orders are taken on a page that only this machine, `local`, can see."""
    hub.extra = _further
    return Offer(
        hub=hub,
        page=lambda token: layout.page("view.html.j2", SCRIPTS, {"token": token}, live=True, title="tamp view"),
        order=lambda said: {},
        picture=lambda name: None,
    )


def _further(view: View, log: Path | None) -> dict[str, str]:
    name = "" if log is None else log.parent.name if log.name == LOG else log.name
    told: dict[str, Any] = {"name": name}
    return {key: json.dumps(value) for key, value in told.items()}
