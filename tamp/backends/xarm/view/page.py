"""What is served of an arm: the page of a run with an arm's parts in it, and no orders."""

from __future__ import annotations

from typing import Any

from tamp.runs.pages.layout import Layout
from tamp.view.board import Board
from tamp.view.serving import Offer

SCRIPTS = ("common.js", "labels.js", "space.js", "view.js", "arm.js")


def offer(board: Board) -> Offer:
    """What is served of an arm on a board."""
    layout, shown = Layout.of(), {"still": True, "frame": "base"}
    return Offer(
        board=board,
        page=layout.page("arm.html.j2", SCRIPTS, shown, live=True, title="tamp xarm view"),
        order=_refused,
        picture=lambda name: None,
    )


def _refused(said: Any) -> dict[str, Any]:
    return {"taken": False, "why": "this page only listens to an arm"}
