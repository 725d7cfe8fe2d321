"""Where tamp keeps what it fetched or made once for all: folders of the user's cache."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder(name: str, variable: str) -> Path:
    """The folder `tamp/NAME` in the user's cache, or the one that an environment variable names."""
    if chosen := os.environ.get(variable):
        return Path(chosen).expanduser()
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "tamp" / name
