"""Records of a bench that goes on where it was interrupted: lines of JSON, which one process writes at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tamp.errors import InputError
from tamp.files import lines


def resumed(path: Path) -> list[dict[str, Any]]:
    """What is there so far. The file is this process's until it ends; SystemExit where it is another's."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        lines.lock(path.with_name(f".{path.name}.lock"), str(path), "wait for it, or choose another --out")
    except InputError as e:
        raise SystemExit(str(e)) from e
    return read(path)


def read(path: Path) -> list[dict[str, Any]]:
    """What is there so far, without half a last line."""
    return [json.loads(line) for line in lines.complete(path.read_bytes()).splitlines()] if path.is_file() else []


def keep(path: Path, *records: Mapping[str, Any], default: Callable[[Any], Any] | None = None) -> None:
    """Append records, all of them or none."""
    lines.append(path, *(json.dumps(record, default=default) for record in records))
