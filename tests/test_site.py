"""The documentation as a site (`make docs`): all pages are in it, links lead somewhere, nothing is from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import tamp
from tests.page_blocks import ROOT, pages

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as `make docs` builds it: a page outside of the nav, a link or an anchor to nothing is an error."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stderr
    return folder


def test_it_asks_for_nothing_over_a_network(site: Path) -> None:
    loaded = r"<(?:script|img|iframe|link)\b[^>]*?(?:src|href)=\"?((?:https?:)?//[^\"\s>]+)"
    found = {url for page in site.rglob("*.html") for url in re.findall(loaded, page.read_text())}
    assert found == set()
    links = r"url\(.?((?:https?:)?//[^)]+)"
    styles = [url for page in site.rglob("*.css") for url in re.findall(links, page.read_text())]
    assert styles == []


def test_it_has_every_promised_name(site: Path) -> None:
    text = (site / "reference" / "library.html").read_text()
    assert [name for name in tamp.__all__ if f'id="tamp.{name}"' not in text] == []


def test_it_can_be_searched(site: Path) -> None:
    assert "--untouched" in (site / "search" / "search_index.js").read_text()


def test_lists_are_lists(site: Path) -> None:
    """Python-Markdown takes a list without an empty line before it for more of the paragraph."""
    items = r"\n\s*(?:[-*]|\d+\.) [^\n]*"
    paragraphs = {
        page.name: re.findall(r"<p>(.*?)</p>", re.sub(r"<pre.*?</pre>", "", page.read_text(), flags=re.S), re.S)
        for page in site.rglob("*.html")
    }
    assert {name: found for name, each in paragraphs.items() if (found := re.findall(items, "\n".join(each)))} == {}


def test_links_to_elsewhere_have_the_form_of_one() -> None:
    links = {link for page in pages() for link in re.findall(r"\]\((http[^)\s]*)", page.read_text())}
    assert [link for link in links if not urlsplit(link).netloc or urlsplit(link).scheme != "https"] == []
