"""A page beside a run: a process of its own, which ends with the run however that ends."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from cli.output import say

# without what lies in the working folder, which may have a folder called cli, too
COMMAND = [sys.executable, "-P", "-c", "import sys; from cli.main import main; sys.exit(main())", "view"]


@contextlib.contextmanager
def viewed(folder: Path, on: bool) -> Iterator[None]:
    """Serve a page of the run in `folder`, which may begin later, as long as this lasts, where that is wanted, `on`.
    Nobody waits for it: where it is, is told once it is there."""
    if not on:
        yield
        return
    options = [str(folder), "--wait", "--beside", "--page-port", "0", "--json"]
    viewer = subprocess.Popen(
        [*COMMAND, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    threading.Thread(target=_tell, args=(viewer,), name="where the page is", daemon=True).start()
    try:
        yield
    finally:
        assert viewer.stdin is not None
        viewer.stdin.close()


def _tell(viewer: subprocess.Popen[str]) -> None:
    assert viewer.stdout is not None
    with contextlib.suppress(ValueError, KeyError):  # it has said on standard error what is wrong
        say(f"tamp: it is shown at {json.loads(viewer.stdout.readline())['page']}")
