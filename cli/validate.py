"""`tamp validate`: whether plans reach the goal, and what is wrong with those that do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.output import Output, counted, note, say, say_wrong
from tamp.api import arguments, judging
from tamp.api.pages import PlanPage
from tamp.api.tool_configs import ValidateConfig
from tamp.errors import InputError

if TYPE_CHECKING:
    from tamp.backends.xarm.workcell import Workcell
    from tamp.files.source import Source
    from tamp.pddl.edits import Repair
    from tamp.pddl.judges import PlanJudge
    from tamp.pddl.plan_file import PlanFile, Step
    from tamp.pddl.verdict import Unmet, Verdict

VALID, INVALID, BAD_INPUT = 0, 1, 2

Answer = dict[str, Any]
"""What `--json` says of one plan."""


def validate(config: ValidateConfig, out: Output) -> int:
    """Print a verdict a plan. A plan that cannot be read is reported and does not keep the others from being judged.

    With one argument it is an xArm action plan, which needs no domain; `world` is the file of the arm's world. With
    `html` the verdicts are written as a page, too.
    """
    page = None if config.html is None else PlanPage.of(config.html)
    judge = None
    if config.problem is not None:
        judge = judging.judge_for(config.domain, config.problem)
        if other := judging.other_domain(config.domain, config.problem):
            note(f"note: {other}")
    world = None if config.world is None else arguments.workcell(config.world)
    budget = judging.RepairBudget(config.mend_seconds)

    def judged(path: Path) -> tuple[Answer, list[str]]:
        """The verdict on a plan, as data and as lines; on the page, too, when there is one."""
        source = judging.source_of(path)
        if (config.form or judging.format_of(source, judge)) == "xarm":
            answer, lines = _contract(source, judge, world)
            if page is not None:
                page.alone(source.name, answer["valid"], lines)
            return answer, lines
        if world is not None:
            raise InputError(f"{source.name} is no xArm action plan, and --world is for those")
        if judge is None:
            raise InputError(f"{source.name} is no xArm action plan; for others give DOMAIN PROBLEM PLAN...")
        found = judging.judged(source, judge, config.form, config.trace, budget)
        plan, verdict = found.plan, found.verdict
        if page is not None:
            page.judged(plan, verdict, judge, list(lines_of(plan, replace(verdict, changes=()))))
        return _as_dict(plan, verdict, config.trace), list(lines_of(plan, verdict))

    answers = []
    for path in config.plans or [Path(config.domain)]:
        try:
            answer, lines = judged(path)
        except InputError as e:
            answer, lines = _unread(path, e, page), []
        answers.append(answer)
        if not out.json:
            out.print(lines)
    valid = all(a["valid"] for a in answers)
    if out.json:
        domain = config.domain if judge else None
        out.emit({"valid": valid, "domain": domain, "problem": config.problem, "plans": answers})
    if page is not None:
        page.write(str(config.domain), config.problem)
        note(f"page {page.file}")
    if any("error" in a for a in answers):
        return BAD_INPUT
    return VALID if valid else INVALID


def _unread(path: Path, error: InputError, page: PlanPage | None) -> Answer:
    """Report a plan that cannot be read."""
    say_wrong(error)
    repair = judging.repair_of(error)
    for line in _repair_lines(repair):
        say(line if line.startswith(" ") else f"tamp: note: {line}")
    if page is not None:
        page.alone(str(path), None, [*error.messages, *_repair_lines(repair)])
    about = {"plan": path, "valid": None, "error": str(error), "errors": list(error.messages)}
    return {**about, **_repair_as_dict(repair)}


def _contract(source: Source, judge: PlanJudge | None, world: Workcell | None) -> tuple[Answer, list[str]]:
    """An xArm action plan against its contract, its names against the problem's objects when there is one, and all
    that can be known before anything is seen against the arm's world."""
    found = judging.contract(source, judge, world)
    answer = {"plan": source.name, "format": "xarm", "valid": found.valid, "steps": found.steps}
    for key, breaches in (("breaches", found.breaches), ("warnings", found.warnings)):
        answer |= {key: [asdict(b) | {"line": line, "column": column} for b, line, column in breaches]}
    verdict = f"valid, {counted(found.steps or 0, 'step')}" if found.valid else "invalid"
    wrong = [f"  {line}:{column}: {b}" for b, line, column in found.breaches]
    warned = [f"  {line}:{column}: warning: {b}" for b, line, column in found.warnings]
    return answer, [f"{source.name}: {verdict}", *wrong, *warned]


def _as_dict(plan: PlanFile, verdict: Verdict, trace: bool) -> Answer:
    failed = _placed(plan, verdict.failed_at) if verdict.failed_at else None
    answer = {"plan": plan.name, "format": plan.format, "valid": verdict.valid, "steps": verdict.length}
    answer |= {"cost": verdict.cost, "failed": failed, "message": verdict.message}
    answer["unmet"] = [asdict(u) | {"values": dict(u.values), "lost_by": _step(plan, u.lost_at)} for u in verdict.unmet]
    answer |= _repair_as_dict(verdict.repair)
    answer["further"] = [
        _placed(plan, f.step) | {"message": f.message, "unmet": f.unmet, "values": dict(f.values)}
        for f in verdict.further
    ]
    answer |= {"notes": plan.notes, "rounded": list(verdict.rounded)}
    return answer | ({"trace": verdict.changes} if trace else {})


def _repair_as_dict(repair: Repair) -> Answer:
    steps = repair.steps if repair.words else None
    about = {"mend": repair.words or None, "edits": [asdict(e) for e in repair.edits], "mended": steps}
    return about | {"no_mend": repair.why_none or None}


def _repair_lines(repair: Repair) -> list[str]:
    """What would make a plan valid, with the steps that go and come where they are several; or why there is none."""
    if len(repair.edits) > 1:
        return [f"{repair.words}:", *(f"  {line}" for line in repair.shown())]
    return [line for line in (repair.words, repair.why_none) if line]


def _placed(plan: PlanFile, number: int | None) -> Answer:
    line = plan.steps[number - 1].line if number else None
    return {"step": number, "line": line, "action": _step(plan, number)}


def lines_of(plan: PlanFile, verdict: Verdict) -> Iterator[str]:
    """A verdict for people: what became of the plan, then what was unmet, then what was traced."""
    count = counted(verdict.length, "step")
    if verdict.valid:
        cost = "" if verdict.cost is None else f", cost {verdict.cost:g}"
        yield f"{plan.name}: valid, {count}{cost}"
    elif verdict.failed_at is None:
        yield f"{plan.name}: invalid, {count}: the goal {verdict.message}"
    else:
        step = plan.steps[verdict.failed_at - 1]
        yield f"{_where(plan, step)}: invalid at step {verdict.failed_at}, {step}: {verdict.message}"
    yield from (f"  {remark}" for remark in plan.notes)
    if verdict.rounded:
        more = f" and {len(verdict.rounded) - 10} more" if len(verdict.rounded) > 10 else ""
        numbers = f"step{'' if len(verdict.rounded) == 1 else 's'} {', '.join(map(str, verdict.rounded[:10]))}{more}"
        yield f"  within the rounding of the printed times: {numbers}"
    for unmet in verdict.unmet:
        yield f"  {unmet.literal}: {'; '.join(filter(None, (_lost(plan, unmet), unmet.hint)))}"
    for line in _repair_lines(verdict.repair):
        yield f"  {line}"
    if verdict.further and verdict.failed_at:
        yield f"  if {plan.steps[verdict.failed_at - 1]} were done all the same:"
    for f in verdict.further:
        if f.step is None:
            yield f"    {plan.name}: the goal {f.message}"
        else:
            step = plan.steps[f.step - 1]
            yield f"    {_where(plan, step)}: step {f.step}, {step}: {f.message}"
    for step, made in zip(plan.steps, verdict.changes, strict=False):
        yield f"  {step}: {' '.join(made) or 'nothing changes'}"


def _where(plan: PlanFile, step: Step) -> str:
    return f"{plan.name}:{step.line}" if step.line else plan.name


def _lost(plan: PlanFile, unmet: Unmet) -> str:
    if unmet.lost_at:
        return f"made false by step {unmet.lost_at}, {_step(plan, unmet.lost_at)}"
    return "never true" if unmet.lost_time is None else f"made false at {unmet.lost_time:g} by the problem itself"


def _step(plan: PlanFile, number: int | None) -> str | None:
    return str(plan.steps[number - 1]) if number else None
