"""TOML files that people write: skill tables, scenes, wordings, models."""

from __future__ import annotations

import itertools
import tomllib
from pathlib import Path
from typing import Any

from tamp.errors import InputError


def read_toml(path: Path) -> dict[str, Any]:
    """The table in a file. InputError, with line and column, when it cannot be read or is no TOML."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        return tomllib.loads(text)
    except OSError as e:
        raise InputError(f"cannot read {path}: {e.strerror}") from e
    except ValueError as e:  # tomllib's own, of the decoding, and of numbers with thousands of digits
        raise InputError(f"{path}: not TOML: {e}") from e
    except RecursionError as e:
        raise InputError(f"{path}:{_deepest(text)}: nested too deeply; valid: lists in lists, a few levels") from e


def _deepest(text: str) -> int:
    """The line with the most brackets that are open, whatever stands in texts and comments."""
    depths = itertools.accumulate((c in "[{") - (c in "]}") for c in text)
    at = max(enumerate(depths), key=lambda each: each[1])[0]
    return text.count("\n", 0, at) + 1
