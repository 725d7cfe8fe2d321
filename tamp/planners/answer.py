"""What `tamp plan` finds out about a problem."""

from __future__ import annotations

from dataclasses import dataclass

from tamp.model.atoms import GroundAction
from tamp.planning.engine import PlanStatus

MOST_ACTIONS = 5
"""Actions that are told of those that make a goal false for good; `Lost.by` has all."""


@dataclass(frozen=True)
class FoundPlan:
    """Ground actions in order, what they cost and when, in seconds from the start, they were found.

    `cost` is the value of the problem's metric, the number of steps where there is none, and None where it cannot be
    evaluated. `times` has start and duration of each step, in the problem's unit, empty for a plan without times.
    """

    actions: tuple[GroundAction, ...]
    cost: float | None
    seconds: float = 0.0
    times: tuple[tuple[str, str | None], ...] = ()

    @property
    def steps(self) -> list[str]:
        """A step a line."""
        if not self.times:
            return [str(a) for a in self.actions]
        timed = zip(self.actions, self.times, strict=True)
        return [f"{start}: {a}{'' if lasts is None else f' [{lasts}]'}" for a, (start, lasts) in timed]

    def __str__(self) -> str:
        return "".join(f"{step}\n" for step in self.steps)


@dataclass(frozen=True)
class Lost:
    """A goal that holds in the beginning, and that no operator makes true again once it is lost; in PDDL.

    `by` are the ground actions that make it false; without all of these the goals `without` cannot be reached.
    """

    goal: str
    by: tuple[str, ...]
    without: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """Which goals need what takes another one away for good."""
        more = f" and {len(self.by) - MOST_ACTIONS} more" if len(self.by) > MOST_ACTIONS else ""
        by = f"{'' if len(self.by) == 1 else 'one of '}{' '.join(self.by[:MOST_ACTIONS])}{more}"
        needs = "needs" if len(self.without) == 1 else "need"
        return f"{' and '.join(self.without)} {needs} {by}, and after that {self.goal} is never made true again"


@dataclass(frozen=True)
class Why:
    """Why a problem has no plan; literals in PDDL.

    `never` cannot hold even if nothing that holds were ever lost: goals first, then what they need. `drop` is the
    smallest set of goals found without which there is a plan, `add` what makes one when it is added to `:init`,
    `(not …)` when it is taken out; both were planned for. `complete` when all that is smaller was tried too. `lost` are
    goals that have to be kept from the beginning, and shut out other goals by that: a proof. `exclusive` are pairs of
    goals that never hold together: a proof too. `additions` are `add`, and others that are as small: facts that no
    operator changes.
    """

    never: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    add: tuple[str, ...] = ()
    complete: bool = False
    lost: tuple[Lost, ...] = ()
    exclusive: tuple[tuple[str, ...], ...] = ()
    additions: tuple[tuple[str, ...], ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """The same in words: what is proven first, then what would help."""
        told = [f"never: {literal}" for literal in self.never]
        told += [f"{' and '.join(pair)} never hold together" for pair in self.exclusive]
        told += [one.sentence for one in self.lost]
        told += [f"there is a plan with {' '.join(added)} in :init" for added in self.additions]
        goals = f"goal{'s' if len(self.drop) > 1 else ''} {' '.join(self.drop)}"
        return (*told, *([f"there is a plan without the {goals}"] if self.drop else []))


@dataclass(frozen=True)
class Answer:
    """`plans` are the best first; `message` says what became of it, also of a search that was ended with plans in
    hand. `features` are those of the problem that the engine cannot handle, `able` the installed engines that can.
    """

    status: PlanStatus
    engine: str
    seconds: float
    plans: tuple[FoundPlan, ...] = ()
    message: str = ""
    optimal: bool = False
    features: tuple[str, ...] = ()
    able: tuple[str, ...] = ()
    why: Why | None = None
