"""Repair a plan that is not valid: ask a planner for the rest of it from the last state that it reaches.

A new plan from the beginning is asked for, too: it is the answer where the goal cannot be reached from that state any
more, and where it changes fewer steps.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import replace

from tamp.pddl.ask import Question, ask
from tamp.pddl.conditions import shown
from tamp.pddl.edits import Repair, edits_between
from tamp.pddl.engines import usual
from tamp.pddl.plan_file import PlanFile, resolved
from tamp.pddl.planner import NO_PLAN, PlanStatus
from tamp.pddl.simulation import problem_from
from tamp.pddl.verdict import Judge


def repair(plan: PlanFile, judge: Judge, seconds: float, left: float | None = None) -> Repair:
    """The changes after which a plan is valid, which is not or has steps that cannot be read; or why there are none.

    Steps up to the first that cannot be read or taken stay, of the others those that the new plan has, too. `seconds`
    is the time limit that messages give; `left`, by default all of it, is left.
    """
    deadline, actions = time.monotonic() + (seconds if left is None else left), resolved(plan, judge.problem)
    states = judge.simulator.states(itertools.takewhile(lambda action: action is not None, actions))
    steps = [str(step) if action is None else shown(action) for step, action in zip(plan.steps, actions, strict=True)]
    found, engine, why_none = list[list[str]](), usual(), ""
    for kept in sorted({0, len(states) - 1}, reverse=True):
        problem = problem_from(judge.problem, states[kept]) if kept else judge.problem
        question = Question(engine, seconds=seconds, left=max(0.0, deadline - time.monotonic()))
        answer = ask(problem, question)
        if answer.able:
            engine = answer.able[0]
            answer = ask(problem, replace(question, engine=engine, left=max(0.0, deadline - time.monotonic())))
        if answer.plan is not None:
            found.append([*steps[:kept], *answer.plan.steps])
        elif answer.status is not PlanStatus.UNSOLVABLE or not kept:
            why_none = answer.message.removesuffix(NO_PLAN) or "the goal cannot be reached"
            break
    edits = [edits_between(steps, after) for after in found]
    return Repair.of(min(edits, key=len), steps) if edits else Repair(why_none=f"no repair was found: {why_none}")
