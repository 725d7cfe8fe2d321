"""A browser, and what is to be so of every page in it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
NO_CHROMIUM = "no Chromium: `make browser` as root installs it, else: sudo apt-get install chromium"
LEADS_NOWHERE = """() => {
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  const links = [...document.querySelectorAll("a[href^='#']")];
  return [...ids.filter((id, n) => ids.indexOf(id) !== n),
    ...links.filter((a) => !document.getElementById(a.hash.slice(1))).map(String)];
}"""
"""Ids that are there twice, links that lead nowhere."""

FOCUSED = """() => {
  const e = document.activeElement, all = [...document.querySelectorAll("*")];
  return [all.indexOf(e), getComputedStyle(e).outlineStyle !== "none" || e === document.body, e.outerHTML.slice(0, 80)];
}"""
"""What has the focus: its number, whether that is seen, and what it is."""
CONTROLS = """() => {
  const all = [...document.querySelectorAll("*")];
  const kinds = "a[href], button, input, select, summary, video, [tabindex='0']";
  const there = all.filter((e) => e.matches(kinds) && e.tabIndex >= 0 && e.checkVisibility());
  return there.map((e) => [all.indexOf(e), e.outerHTML.slice(0, 80)]);
}"""
"""What is to be reached by the Tab key."""


def until(there: Callable[[], T]) -> T:
    """What there is, once there is something: the pages' policy forbids playwright's own way to wait."""
    for _ in range(200):
        if found := there():
            return found
        time.sleep(0.05)
    raise AssertionError("it did not come")


def fits_and_reads(page: Any) -> None:
    """Every part shown: no wider than the screen, and axe finds nothing."""
    from axe_playwright_python.sync_playwright import Axe

    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    found = Axe().run(page).response["violations"]
    assert [(v["impact"], v["id"], [n["html"] for n in v["nodes"]]) for v in found] == []
    assert page.evaluate(LEADS_NOWHERE) == []


def is_walked_by_keys(page: Any) -> None:
    """The Tab key comes to every control, and shows where it is."""
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = false; })")
    page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")
    reached, rounds = set(), 0
    while rounds < 2:  # the first one begins where something was used last
        page.keyboard.press("Tab")
        number, shown, what = page.evaluate(FOCUSED)
        assert shown, what
        rounds += what.startswith("<body")
        reached.add(number)
    assert [what for number, what in page.evaluate(CONTROLS) if number not in reached] == []
