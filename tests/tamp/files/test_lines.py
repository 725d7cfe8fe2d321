"""Lines are on disk whole, or not at all; one process writes them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tamp.errors import InputError
from tamp.files import lines
from tests.tamp.files.test_replacing import longest_file

HOLDS = """
import pathlib, sys, time
from tamp.files import lines
lines.lock(pathlib.Path(sys.argv[1]), "", "")
print(flush=True)
time.sleep(60)
"""


def test_half_a_line_is_never_followed_by_another(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_bytes(b"one\nha")
    assert lines.complete(file.read_bytes()) == b"one\n"
    lines.append(file, "two")
    assert file.read_bytes() == b"one\ntwo\n"
    with pytest.raises(OSError, match="File too large"), longest_file(10):
        lines.append(file, "three")
    assert file.read_bytes() == b"one\ntwo\n"


@pytest.mark.process
def test_a_lock_ends_with_its_process_however_it_ends(tmp_path: Path) -> None:
    file = tmp_path / ".lock"
    command = [sys.executable, "-c", HOLDS, str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline()
        with pytest.raises(InputError, match=f"^process {other.pid} is writing the folder; wait$"):
            lines.lock(file, "the folder", "wait")
        other.kill()
    os.close(lines.lock(file, "the folder", "wait"))
