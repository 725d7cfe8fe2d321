"""A browser for the pages that commands serve and write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browsing import CHROMIUM, NO_CHROMIUM


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if not CHROMIUM:
        pytest.skip(NO_CHROMIUM)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens a page, from the disk or from its address; whatever it complains of or asks for elsewhere fails the
    test."""
    wrong: list[str] = []

    def open_(place: Path | str, width: int = 1000, scheme: str = "light") -> Any:
        address = place.as_uri() if isinstance(place, Path) else place
        own = "file:" if isinstance(place, Path) else address
        page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        page.on("console", lambda m: wrong.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: wrong.append(str(e)))
        page.on("dialog", lambda d: (wrong.append(f"markup was run: {d.message}"), d.dismiss()))
        page.on("request", lambda r: None if r.url.startswith(own) else wrong.append(f"asks for {r.url}"))
        page.goto(address)
        return page

    yield open_
    for context in browser.contexts:
        context.close()
    assert [text for text in wrong if "GL Driver Message" not in text] == []  # of drawing without a GPU
