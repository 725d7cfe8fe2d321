"""Which engines there are, what they can do, and which package brings one that is not installed."""

from __future__ import annotations

import difflib
import importlib.util
import re
from collections.abc import Iterable
from typing import Any

from tamp.errors import InputError
from tamp.pddl.reading import environment

PLANNERS = ("fast-downward", "pyperplan")
"""The engine that is taken where none is named, and the one that stands in for it; each comes with the extra of its
name. Any other of unified-planning is taken by its name."""

_WHOLE_COSTS = ("up_fast_downward", "up_symk")
"""Packages of the engines that handle costs that are whole numbers."""

_HELP = {"up-enhsp": "numbers", "up-lpg": "times and numbers", "up-tamer": "times and numbers"}
"""Packages for what no engine of the lock can do, and what they can."""


def usual() -> str:
    """The engine to take where none is named: pyperplan where that is installed and Fast Downward is not."""
    there = (name for name in PLANNERS if importlib.util.find_spec(f"up_{name.replace('-', '_')}"))
    return next(there, PLANNERS[0])


def names() -> list[str]:
    """The installed engines of unified-planning that find plans."""
    return [name for name in _factory().engines if engine(name).is_oneshot_planner()]


def installed(name: str) -> bool:
    """Whether there is an engine of that name, of whatever kind."""
    return name in _factory().engines


def engine(name: str) -> Any:
    """The class of an installed engine."""
    return _factory().engine(name)


def _factory() -> Any:
    return environment().factory


def package(name: str) -> str | None:
    """The package that brings an engine which unified-planning knows; None for what it does not know."""
    from unified_planning.engines.factory import DEFAULT_ENGINES

    module = DEFAULT_ENGINES.get(name, ("",))[0].partition(".")[0]
    return module.replace("_", "-") if module.startswith("up_") else None


def check(name: str, others: Iterable[str] = ()) -> None:
    """InputError when it is not one of `others` nor an installed engine; for one that could be, its package."""
    valid = [*names(), *others]
    if name in valid:
        return
    if brought := package(name):
        extras = [f'"tamp-toolkit[{name}]"' for name in PLANNERS if name not in valid]
        if name in PLANNERS and len(extras) == len(PLANNERS):
            raise InputError(f"no planner is installed: pip install {' or '.join(extras)}")
        brought = f'"tamp-toolkit[{name}]"' if name in PLANNERS else brought
        raise InputError(f"planner {name!r} is not installed: pip install {brought}; installed: {', '.join(valid)}")
    near = difflib.get_close_matches(name, valid, 1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise InputError(f"unknown planner {name!r}; {hint}valid: {', '.join(valid)}")


def proves_best(name: str) -> bool:
    """Whether an engine's plans are proven to be the best."""
    from unified_planning.engines import OptimalityGuarantee

    return bool(engine(name).satisfies(OptimalityGuarantee.SOLVED_OPTIMALLY))


def lacking(name: str, problem: Any) -> tuple[str, ...]:
    """The features of a problem, in unified-planning's words, that an engine cannot handle.

    unified-planning takes every cost of PDDL for a real number, and refuses tables of them with gaps. Fast Downward
    and its relatives handle both as long as the numbers are whole.
    """
    missing = problem.kind.features - engine(name).supported_kind().features
    if engine(name).__module__.partition(".")[0] in _WHOLE_COSTS and _whole(problem):
        missing -= {"REAL_NUMBERS_IN_ACTIONS_COST", "UNDEFINED_INITIAL_NUMERIC"}
    return tuple(sorted(missing))


def _whole(problem: Any) -> bool:
    costs = [c for metric in problem.quality_metrics for c in getattr(metric, "costs", {}).values()]
    numbers = [n for n in (*problem.explicit_initial_values.values(), *costs) if n is not None]
    return all(n.constant_value().denominator == 1 for n in numbers if n.is_int_constant() or n.is_real_constant())


def able(problem: Any) -> tuple[str, ...]:
    """The installed engines that can handle a problem as it is."""
    return tuple(name for name in names() if "[" not in name and not lacking(name, problem))


def help_for(kind: Any) -> str:
    """Which package may help when no installed engine can."""
    features = " ".join(kind.features)
    timed = re.search("TIME|DURATION", features) is not None
    numeric = re.search("NUMERIC|INT_FLUENTS|REAL_FLUENTS", features) is not None
    fit = [f"{p} ({what})" for p, what in _HELP.items() if (timed and "times" in what) or (numeric and not timed)]
    return f"; pip install {' or '.join(fit)} brings one that may" if fit else ""
