"""A page that is served while something goes on: of a run, or of an arm."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tamp.api.sources import Say, silent

if TYPE_CHECKING:
    from tamp.backends.xarm.workcell import Workcell
    from tamp.view.tail import Followed


@dataclass(frozen=True)
class RunPage:
    """A page of a run that can be served; made by `run_page`."""

    _shown: Followed

    @contextlib.contextmanager
    def served(self, host: str, port: int, ended: threading.Event) -> Iterator[str]:
        """Serve it as long as this lasts; yields its address. `ended` is set then. InputError for a port that is
        taken."""
        from tamp.runs.pages.layout import Layout
        from tamp.view.hub import Hub
        from tamp.view.page import offer
        from tamp.view.serving import PageServer, served

        hub = Hub(self._shown)
        local = host in ("127.0.0.1", "localhost")
        server = PageServer(offer(hub, Layout.of(), local), host, port)
        with served(server, hub.run, ended):
            yield server.address


def run_page(run: Path | None, wait: bool = False) -> RunPage:
    """The page of a run, by its folder or its log; by default of the newest one. InputError for what is no run; with
    `wait` it may begin later."""
    from tamp.view.tail import followed

    return RunPage(followed(run, wait))


@contextlib.contextmanager
def arm_page(
    cell: Workcell, address: str, host: str, port: int, ended: threading.Event, say: Say = silent
) -> Iterator[str]:
    """Serve a page of the arm at an address, its world and what is seen there, as long as this lasts; yields where the
    page is. It only listens: nothing is sent to the arm. `say` is told of wrong lines of its detector."""
    from tamp.backends.xarm.opening import detector_of
    from tamp.backends.xarm.view.listening import ArmReports
    from tamp.backends.xarm.view.page import offer
    from tamp.backends.xarm.view.source import ArmSource
    from tamp.view.serving import PageServer, served

    with contextlib.ExitStack() as opened:
        reports = ArmReports(address)
        opened.callback(reports.close)
        source = ArmSource(cell, address, reports, detector_of(cell, say, opened))
        server = PageServer(offer(source.board), host, port)
        with served(server, source.run, ended):
            yield server.address
