"""Engines for unified-planning that do what no engine of the lock can be made to do."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from unified_planning.engines import Engine, PlanGenerationResult, PlanGenerationResultStatus
from unified_planning.engines.mixins import OneshotPlannerMixin
from unified_planning.model import ProblemKind
from unified_planning.model.problem_kind import FEATURES
from unified_planning.plans import ActionInstance, SequentialPlan

PIDS = "FAULTY_ENGINE_PIDS"
"""The variable with the file that a stubborn engine writes its processes to."""


class Faulty(Engine, OneshotPlannerMixin):  # type: ignore[misc]
    def __init__(self) -> None:
        Engine.__init__(self)
        OneshotPlannerMixin.__init__(self)

    @property
    def name(self) -> str:
        return "faulty"

    @staticmethod
    def supported_kind() -> ProblemKind:
        return ProblemKind({f for features in FEATURES.values() for f in features})

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        return True

    def _solve(self, problem: Any, heuristic: Any = None, timeout: Any = None, output_stream: Any = None) -> Any:
        return self.answer(problem)

    def result(self, status: str, plan: Any = None) -> Any:
        return PlanGenerationResult(PlanGenerationResultStatus[status], plan, self.name)

    def answer(self, problem: Any) -> Any:
        raise NotImplementedError


class Dies(Faulty):
    def answer(self, problem: Any) -> Any:
        os.abort()


class Lies(Faulty):
    """Says that it has a plan, which is none."""

    def answer(self, problem: Any) -> Any:
        action = problem.actions[0]
        some = [next(iter(problem.objects(p.type))) for p in action.parameters]
        wrong = SequentialPlan([ActionInstance(action, tuple(some))] * 2)
        return self.result("SOLVED_SATISFICING", wrong)


class OutOfMemory(Faulty):
    def answer(self, problem: Any) -> Any:
        return self.result("MEMOUT")


SLEEP = "import signal, time; [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]; time.sleep(600)"
ORPHAN = f"""import subprocess, sys
p = subprocess.Popen([sys.executable, "-c", {SLEEP!r}], start_new_session=True, stdout=2)
print(p.pid)"""


class Stubborn(Faulty):
    """Heeds no time limit, and starts a child in a session of its own and one whose parent is gone already."""

    def answer(self, problem: Any) -> Any:
        session = subprocess.Popen([sys.executable, "-c", SLEEP], start_new_session=True)
        group = subprocess.Popen([sys.executable, "-c", SLEEP], process_group=0)
        made = subprocess.run([sys.executable, "-c", ORPHAN], stdout=subprocess.PIPE, check=True)
        pids = [os.getpid(), os.getppid(), session.pid, group.pid, int(made.stdout)]
        with open(os.environ[PIDS] + ".part", "w") as file:  # noqa: PTH123
            file.write(" ".join(map(str, pids)))
        Path(os.environ[PIDS] + ".part").rename(os.environ[PIDS])
        while True:
            time.sleep(600)
