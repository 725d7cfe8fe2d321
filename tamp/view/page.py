"""What is served of a run: the page, its changes, its pictures, and where orders go."""

from __future__ import annotations

import json
from pathlib import Path
from shlex import quote
from typing import Any

from tamp.runs.episode_log import LOG
from tamp.runs.pages.layout import Layout
from tamp.view.hub import Hub
from tamp.view.orders import give
from tamp.view.sections import Life
from tamp.view.serving import Offer
from tamp.view.shots import NONE, Shots, picture
from tamp.view.state import View

SCRIPTS = ("common.js", "labels.js", "space.js", "view.js", "orders.js", "pictures.js")


def offer(hub: Hub, layout: Layout, local: bool) -> Offer:
    """What is served of what a hub follows. Orders are taken on a page that only this machine, `local`, can see."""

    shots = Shots()

    def further(view: View, log: Path | None) -> dict[str, str]:
        pictures = shots.index(log)
        orders = orders_of(view, hub.life, local, pictures=pictures != NONE)
        named = {"name": json.dumps(_name(log)), "report": json.dumps(_report(log))}
        return {**named, "orders": json.dumps(orders), "pictures": pictures}

    def order(said: Any) -> dict[str, Any]:
        return give(hub.view.listens if local and hub.life == "goes on" else None, said)

    hub.extra = further
    return Offer(
        board=hub.board,
        page=layout.page("view.html.j2", SCRIPTS, {}, live=True, title="tamp view"),
        order=order,
        picture=lambda name: picture(hub.log, name),
    )


def _name(log: Path | None) -> str:
    return "" if log is None else log.parent.name if log.name == LOG else log.name


def _report(log: Path | None) -> str:
    """The command that writes the page of a run that is over."""
    return "" if log is None else f"tamp report {quote(str(log.parent if log.name == LOG else log))} --html page.html"


def orders_of(view: View, life: Life, local: bool, pictures: bool = True) -> dict[str, Any]:
    """Whether orders are taken, and if not, why; once it is over, in one with that there are no `pictures`."""
    if view.ending is not None or life == "gone":
        why = f"It is over: no orders are taken any more{'' if pictures else ', and there are no pictures'}."
    elif not local:
        why = "Orders are given on a page that is served at 127.0.0.1 alone."
    elif view.listens is None:
        why = "No orders are taken: a session does that with tamp live --view, or --listen."
    else:
        return {"takes": True, "why": ""}
    return {"takes": False, "why": why}
