"""TOML files that people write: skill tables, scenes, wordings, models."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from tamp.errors import InputError


def read_toml(path: Path) -> dict[str, Any]:
    """The table in a file. InputError, with line and column, when it cannot be read or is no TOML."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as e:
        raise InputError(f"cannot read {path}: {e.strerror}") from e
    except ValueError as e:  # tomllib's own, of the decoding, and of numbers with thousands of digits
        raise InputError(f"{path}: not TOML: {e}") from e
    except RecursionError as e:
        raise InputError(f"{path}: nested too deeply") from e
