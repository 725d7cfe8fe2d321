"""Words to steps of an arm's contract, within what its world has: at once, or beside a session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from llm.arm_plan import write_plan
from llm.interruptible import interruptible
from llm.logged import Logged
from llm.model import Model
from tamp.backends.xarm.contract_world import breaches_in
from tamp.backends.xarm.steps import Step, steps_of
from tamp.backends.xarm.workcell import Workcell
from tamp.errors import Refusal
from tamp.execution.process import Cancelled
from tamp.planning.assistant import Assistant
from tamp.planning.beside import Entries, Notes
from tamp.planning.deliberation import Thought
from tamp.planning.search import Journal


@dataclass(frozen=True)
class Names:
    """What an instruction can name in a world: poses and labels."""

    poses: tuple[str, ...]
    labels: tuple[str, ...]

    @classmethod
    def of(cls, cell: Workcell) -> Names:
        """Those of a world."""
        return cls(tuple(cell.poses), tuple(cell.labels))


def plan_of(text: str, names: Names, model: Model, journal: Journal) -> dict[str, Any]:
    """The action plan that some words ask for. Refusal where they ask for none; all that was said is in the journal."""
    journal.event("instruction", text=text)
    asked = Logged(model, journal.event)
    return write_plan(text, list(names.poses), list(names.labels), asked, journal.event)


def steps_in(plan: dict[str, Any], cell: Workcell) -> tuple[Step, ...]:
    """The steps of a plan. Refusal where the world does not have room for them."""
    if wrong := breaches_in(plan, cell):
        raise Refusal(f"the plan cannot be carried out in {cell.name}: {wrong[0]}", "infeasible")
    return steps_of(plan)


class ArmReader:
    """Reads words as steps of the contract; the model is loaded when it is made."""

    def __init__(self, llm: str, names: Names, cancelled: Cancelled | None = None) -> None:
        self._names, self._model = names, interruptible(llm, cancelled)

    def read(self, text: str) -> tuple[dict[str, Any], Entries]:
        """The plan that some words ask for, and what was noted on the way."""
        notes = Notes()
        return plan_of(text, self._names, self._model, notes), notes.taken()


class ArmReaderBeside:
    """Reads in a process of its own, which is started, and loads the model, at once."""

    def __init__(self, llm: str, cell: Workcell, journal: Journal) -> None:
        self._cell = cell
        self._reader = Assistant(partial(ArmReader, llm, Names.of(cell)), "reading", journal)
        self.close = self._reader.close

    def __call__(self, text: str) -> Thought[Sequence[Step]]:
        """The steps of some words, once they are read. Refusal where the world does not have room for them."""
        return self._reader.ask("read", text, convert=lambda plan: steps_in(plan, self._cell))
