"""Reads a BDDL file, and finds what is wrong in it before LIBERO builds a scene from it."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tamp.backends.libero.categories import names
from tamp.backends.libero.scene_description import ARENAS, Task
from tamp.errors import InputError
from tamp.files.quantities import TURN
from tamp.model.goal_syntax import valid
from tamp.pddl.tree import unbalanced

FARTHEST = 100.0
"""Metres of a region from the origin, at most: more are millimetres, or a mistake."""
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE)
_PART_OF_PI = re.compile(r"[-+]?(?:\d+\.?\d*\*)?np\.pi(?:/\d+\.?\d*)?")
_NUMBERS = re.compile(r"\(\s*:(?P<key>ranges|yaw_rotation)\s*(?P<values>\((?:[^()]|\([^()]*\))*\))", re.IGNORECASE)
_REGION = {
    "ranges": (4, FARTHEST, f"(x_min y_min x_max y_max) in metres, up to {FARTHEST:g}"),
    "yaw_rotation": (2, TURN + 1e-3, f"(low high) in radians, up to {TURN:.4f}, or parts of np.pi"),
}
"""How many numbers a region's list has, how great, and what is valid."""

DOMAIN = "robosuite"
"""What LIBERO's files call their domain."""
AS_GOAL = "valid as a goal: facts, as (And (On mug_1 plate_1)); or ask for a goal of your own"
LONGEST = 100
"""Characters of an expression that are shown."""


def read_bddl(path: Path) -> Task:
    """The scene in a BDDL file. InputError, with file and line, when it does not parse, for a class of tasks, a
    category or a predicate that the installed LIBERO does not have, and for facts about what is not declared."""
    _check_numbers(path)
    problem = _parsed(path)
    classes = [a.problem for a in ARENAS]
    if problem["problem_name"] not in [c.lower() for c in classes]:
        raise _wrong(path, problem["problem_name"], "problem class", classes)
    grounds = {a.category for a in ARENAS}
    for category in (*problem["fixtures"], *problem["objects"]):
        if category not in grounds and category not in names():
            raise _wrong(path, category, "category", names())
    _check_atoms(path, problem)
    words, goal = problem["language_instruction"], problem["goal_state"]
    instruction = " ".join(words) if isinstance(words, list) else str(words)
    # LIBERO's reader takes every goal, its check one conjunction of facts
    empty = "" if goal else f"{path}: the goal is empty; {AS_GOAL}"
    unchecked = next((_unread(path, part, AS_GOAL) for part in goal if not _is_atom(part)), empty)
    return Task(path.stem, path, instruction, unchecked=unchecked)


def locate(path: Path, expression: Sequence[Any]) -> tuple[str, str]:
    """`FILE:LINE` of an expression as LIBERO reads it, nested lists of words, and its text there, on one line."""
    code = _without_comments(path.read_text(errors="replace"))
    found = re.search(r"\s*".join(map(re.escape, _tokens(expression))), code, re.IGNORECASE)
    if found is None:
        return str(path), " ".join(_tokens(expression))
    return f"{path}:{code.count(chr(10), 0, found.start()) + 1}", " ".join(found[0].split())


def _without_comments(text: str) -> str:
    """A text whose comments are blanks, so that all else is where it was."""
    return re.sub(r";[^\n]*", lambda comment: " " * len(comment[0]), text)


def _check_numbers(path: Path) -> None:
    """Every number of a region. LIBERO would take any, and evaluates those of turns as Python."""
    try:
        text = _without_comments(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as e:
        raise InputError(f"cannot read {path}: {getattr(e, 'strerror', None) or e}") from e
    wrong = unbalanced(text)
    for found in _NUMBERS.finditer(text):
        count, most, valid = _REGION[found["key"].lower()]
        for each in re.finditer(r"\(([^()]*)\)", found["values"]):
            words = each[1].split()
            numbers = [w for w in words if not _PART_OF_PI.fullmatch(w)]
            good = all(_NUMBER.fullmatch(w) and abs(float(w)) <= most for w in numbers)
            if len(words) != count or not good:
                what = f"{found['key']} has ({each[1].strip()[:60]}); valid: {valid}"
                wrong = found.start("values") + each.start(), what
    if wrong:
        raise InputError(f"{path}:{text.count(chr(10), 0, wrong[0]) + 1}: {wrong[1]}")


def _check_atoms(path: Path, problem: Any) -> None:
    """Every fact and goal: LIBERO looks at neither before it needs them."""
    from libero.libero.envs.predicates import VALIDATE_PREDICATE_FN_DICT as PREDICATES

    things = [name for kind in ("fixtures", "objects") for names in problem[kind].values() for name in names]
    for atom in problem["initial_state"]:
        if not _is_atom(atom):
            raise InputError(_unread(path, atom, "valid in :init: facts, as (On mug_1 plate_1)"))
    for atom in filter(_is_atom, (*problem["initial_state"], *problem["goal_state"])):
        if atom[0] not in PREDICATES:
            raise _wrong(path, atom[0], "predicate", list(PREDICATES))
        for word in atom[1:]:
            if word not in things and word not in problem["regions"]:
                raise _wrong(path, word, "thing or region", [*things, *problem["regions"]], "this file")


def _is_atom(expression: Any) -> bool:
    return isinstance(expression, list) and bool(expression) and all(isinstance(word, str) for word in expression)


def _unread(path: Path, expression: Any, valid_ones: str) -> str:
    place, text = locate(path, expression)
    return f"{place}: no fact that LIBERO reads: {textwrap.shorten(text, LONGEST)}; {valid_ones}"


def _tokens(expression: Any) -> list[str]:
    """The words and parentheses of an expression."""
    return [expression] if isinstance(expression, str) else ["(", *itertools.chain(*map(_tokens, expression)), ")"]


def _parsed(path: Path) -> Any:
    from libero.libero.envs import bddl_utils

    named = re.search(r"\(\s*:domain\s+([^\s()]+)", path.read_text(errors="replace"))
    if named and named[1].lower() != DOMAIN:
        raise _wrong(path, named[1], "domain", [DOMAIN])
    try:
        return bddl_utils.robosuite_parse_problem(str(path))
    except Exception as e:  # LIBERO's reader raises whatever comes of it
        raise InputError(f"{path}: not BDDL as LIBERO reads it: {type(e).__name__}: {e}") from e


def _wrong(path: Path, word: str, what: str, options: list[str], where: str = "the installed LIBERO") -> InputError:
    text = path.read_text(errors="replace")
    found = re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text, re.IGNORECASE)
    line = text.count("\n", 0, found.start()) + 1 if found else 1
    return InputError(f"{path}:{line}: no {what} {word!r} in {where}; {valid(word, options)}")
