"""A file that is replaced is the old one or the new one, whole."""

from __future__ import annotations

import os
import resource
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tamp.errors import InputError, disk_error
from tamp.files.replacing import replace_file, replacing


@contextmanager
def longest_file(size: int) -> Iterator[None]:
    """A disk that takes no file of more bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("there", [True, False])
def test_a_full_disk_leaves_what_was_there_and_nothing_else(there: bool, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    if there:
        page.write_text("old")
    says = f"^cannot write {page}: File too large; make room$"
    with pytest.raises(InputError, match=says) as caught, longest_file(9):
        replace_file(page, "of more than nine", "; make room")
    assert disk_error(caught.value) is not None
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == ({"page.html": "old"} if there else {})


def test_an_interrupt_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("old")
    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "page.html") as partial:
        partial.write_text("half")
        raise KeyboardInterrupt
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"page.html": "old"}


def test_permissions_and_links_stay_and_a_device_is_written_to(tmp_path: Path) -> None:
    page, link, pipe = tmp_path / "page.html", tmp_path / "link.html", tmp_path / "pipe"
    page.write_text("old")
    page.chmod(0o640)
    link.symlink_to(page.name)
    replace_file(link, "new")
    assert link.is_symlink() and page.read_text() == "new" and stat.S_IMODE(page.stat().st_mode) == 0o640
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    replace_file(pipe, "new")
    assert os.read(reader, 9) == b"new" and pipe.is_fifo()
    os.close(reader)
