"""Whether plain data made a dataclass with the types that it says, and with finite numbers."""

from __future__ import annotations

import dataclasses
import math
import numbers
import types
import typing
from typing import Any, TypeGuard

import numpy as np

from tamp.errors import InputError

_WORDS = {float: "a finite number", str: "words", bool: "true or false"}


def check_fields(made: Any, where: str) -> None:
    """InputError for a field of another type, of the dataclasses in it too, or with a number that is not finite."""
    hints = typing.get_type_hints(type(made))
    for field in dataclasses.fields(made):
        _check(getattr(made, field.name), hints[field.name], f"{where}.{field.name}")


def _check(value: Any, hint: Any, where: str) -> None:
    kind, inner = typing.get_origin(hint) or hint, typing.get_args(hint)
    if dataclasses.is_dataclass(hint):
        check_fields(value, where)
    elif kind is types.UnionType:
        if value is not None:
            _check(value, inner[0], where)
    elif np.ndarray in (kind, typing.get_origin(getattr(kind, "__value__", None))):  # an alias since NumPy 2.5
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "iuf" or not np.isfinite(value).all():
            raise InputError(f"{where} is {shown(value)}; valid: an array of finite numbers")
    elif kind in (tuple, frozenset):
        size = None if kind is frozenset or inner[-1] is Ellipsis else len(inner)
        if not isinstance(value, kind) or size not in (None, len(value)):
            raise InputError(f"{where} is {shown(value)}; valid: a list{f' of {size}' if size else ''}")
        for number, item in enumerate(value):
            _check(item, inner[0], f"{where}[{number}]")
    elif not (is_number(value) if kind is float else isinstance(value, (bool, np.bool_) if kind is bool else kind)):
        raise InputError(f"{where} is {shown(value)}; valid: {_WORDS[kind]}")


def is_number(value: Any) -> TypeGuard[float]:
    """Whether it is a number that a float can hold, and finite. A whole number can be beyond any float."""
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    return number and abs(value) < 1e300 and math.isfinite(value)


def shown(value: Any) -> str:
    """A value in a message."""
    return " ".join(repr(value)[:200].split())[:60]
