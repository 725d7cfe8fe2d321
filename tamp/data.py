"""Where the shipped domains and problems are: inside the installed package, or beside it in a checkout."""

from __future__ import annotations

from pathlib import Path


def data_dir(kind: str) -> Path:
    """Folder of shipped data; `kind` is `domains` or `problems`."""
    package = Path(__file__).parent
    shipped = package / "_shipped" / kind
    return shipped if shipped.is_dir() else package.parent / kind
