"""`tamp validate`: whether plans reach the goal, and what is wrong with those that do not."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from cli.output import emit_json, say, say_wrong
from tamp.api import arguments
from tamp.api.judging import MEND_SECONDS, Mending
from tamp.api.pages import PlanPage
from tamp.errors import InputError
from tamp.quiet import quiet_stdout

if TYPE_CHECKING:
    from tamp.backends.xarm.workcell import Workcell
    from tamp.files.source import Source
    from tamp.pddl.edits import Mend
    from tamp.pddl.judges import PlanJudge
    from tamp.pddl.plan_file import PlanFile, Step
    from tamp.pddl.verdict import Further, Unmet, Verdict

VALID, INVALID, BAD_INPUT = 0, 1, 2

Answer = dict[str, Any]
"""What `--json` says of one plan."""


def validate(
    domain: str,
    problem: Path | None,
    plans: list[Path],
    form: str | None,
    trace: bool,
    json_output: bool,
    world: Path | None = None,
    html: Path | None = None,
    mend_seconds: float = MEND_SECONDS,
) -> int:
    """Print a verdict a plan. A plan that cannot be read is told and does not keep the others from being judged.

    With one argument it is an xArm action plan, which needs no domain; `world` is the file of the arm's world. With
    `html` the verdicts are written as a page, too. Several changes that mend a plan are looked for `mend_seconds`.
    """
    page = None if html is None else PlanPage.of(html)
    if problem is not None and not plans:
        raise InputError("no plan given; valid: DOMAIN PROBLEM PLAN..., or an xArm action plan alone")
    with quiet_stdout() as stdout:
        judge = None
        if problem is not None:
            from tamp.api.judging import judge_for, other_domain

            judge = judge_for(domain, problem)
            if note := other_domain(domain, problem):
                say(f"tamp: note: {note}")
        said, mending = None if json_output else stdout, Mending(mend_seconds)
        workcell = _workcell(world)
        answers = [_judged(path, judge, form, trace, said, workcell, page, mending) for path in plans or [Path(domain)]]
        if json_output:
            valid = all(a["valid"] for a in answers)
            where = {"domain": domain if judge else None, "problem": problem}
            emit_json({"valid": valid, **where, "plans": answers}, stdout)
    if page is not None:
        page.write(domain, problem)
        say(f"tamp: page {page.file}")
    if any("error" in a for a in answers):
        return BAD_INPUT
    return VALID if all(a["valid"] for a in answers) else INVALID


def _workcell(path: Path | None) -> Workcell | None:
    return None if path is None else arguments.workcell(path)


def _judged(
    path: Path,
    judge: PlanJudge | None,
    form: str | None,
    trace: bool,
    said: TextIO | None,
    world: Workcell | None,
    page: PlanPage | None,
    mending: Mending,
) -> Answer:
    """The verdict on a plan as JSON has it; printed, and put on a page, too when there is where to."""
    from tamp.api.judging import format_of, judged, mend_of, source_of

    try:
        source = source_of(path)
        if (form or format_of(source, judge)) == "xarm":
            answer, lines = _contract(source, judge, world)
            if page is not None:
                page.alone(source.name, answer["valid"], lines)
        elif world is not None:
            raise InputError(f"{source.name} is no xArm action plan, and --world is for those")
        elif judge is None:
            raise InputError(f"{source.name} is no xArm action plan; for others give DOMAIN PROBLEM PLAN...")
        else:
            found = judged(source, judge, form, trace, mending)
            plan, verdict = found.plan, found.verdict
            answer, lines = _as_json(plan, verdict, trace), lines_of(plan, verdict)
            if page is not None:
                page.judged(plan, verdict, judge, lines_of(plan, replace(verdict, changes=())))
    except InputError as e:
        say_wrong(e)
        wrong = list(e.messages)
        mend = mend_of(e)
        for line in _mend_lines(mend):
            say(line if line.startswith(" ") else f"tamp: note: {line}")
        if page is not None:
            page.alone(str(path), None, [*wrong, *_mend_lines(mend)])
        return {"plan": path, "valid": None, "error": str(e), "errors": wrong, **_mend_json(mend)}
    if said is not None:
        said.write("".join(f"{line}\n" for line in lines))
    return answer


def _contract(source: Source, judge: PlanJudge | None, world: Workcell | None) -> tuple[Answer, list[str]]:
    """An xArm action plan against its contract, its names against the problem's objects when there is one, and all
    that can be known before anything is seen against the arm's world."""
    from tamp.api.judging import contract

    found = contract(source, judge, world)
    answer = {"plan": source.name, "format": "xarm", "valid": found.valid, "steps": found.steps}
    for key, told in (("breaches", found.breaches), ("warnings", found.warnings)):
        answer |= {key: [asdict(b) | {"line": line, "column": column} for b, line, column in told]}
    verdict = f"valid, {_count(found.steps or 0)}" if found.valid else "invalid"
    wrong = [f"  {line}:{column}: {b}" for b, line, column in found.breaches]
    warned = [f"  {line}:{column}: warning: {b}" for b, line, column in found.warnings]
    return answer, [f"{source.name}: {verdict}", *wrong, *warned]


def _as_json(plan: PlanFile, verdict: Verdict, trace: bool) -> Answer:
    failed = _placed(plan, verdict.failed_at) if verdict.failed_at else None
    answer = {"plan": plan.name, "format": plan.format, "valid": verdict.valid, "steps": verdict.length}
    answer |= {"cost": verdict.cost, "failed": failed, "message": verdict.message}
    answer |= {"unmet": [_unmet_json(plan, u) for u in verdict.unmet]}
    answer |= _mend_json(verdict.mended)
    answer |= {"further": [_further_json(plan, f) for f in verdict.further]}
    answer |= {"notes": list(plan.notes), "rounded": list(verdict.rounded)}
    return answer | ({"trace": verdict.changes} if trace else {})


def _unmet_json(plan: PlanFile, unmet: Unmet) -> Answer:
    return asdict(unmet) | {"values": dict(unmet.values), "lost_by": _step(plan, unmet.lost_at)}


def _further_json(plan: PlanFile, of: Further) -> Answer:
    return _placed(plan, of.step) | {"message": of.message, "unmet": of.unmet, "values": dict(of.values)}


def _mend_json(mend: Mend) -> Answer:
    steps = mend.steps if mend.words else None
    told = {"mend": mend.words or None, "edits": [asdict(e) for e in mend.edits], "mended": steps}
    return told | {"no_mend": mend.why_none or None}


def _mend_lines(mend: Mend) -> list[str]:
    """What would make a plan valid, with the steps that go and come where these are several; or why nothing is told."""
    if len(mend.edits) > 1:
        return [f"{mend.words}:", *(f"  {line}" for line in mend.told())]
    return [line for line in (mend.words, mend.why_none) if line]


def _placed(plan: PlanFile, number: int | None) -> Answer:
    line = plan.steps[number - 1].line if number else None
    return {"step": number, "line": line, "action": _step(plan, number)}


def lines_of(plan: PlanFile, verdict: Verdict) -> list[str]:
    """A verdict for people: what became of the plan, what of its file was not read, then what was unmet, then what was
    traced."""
    count = _count(verdict.length)
    if verdict.valid:
        cost = "" if verdict.cost is None else f", cost {verdict.cost:g}"
        told = [f"{plan.name}: valid, {count}{cost}"]
    elif verdict.failed_at is None:
        told = [f"{plan.name}: invalid, {count}: the goal {verdict.message}"]
    else:
        step = plan.steps[verdict.failed_at - 1]
        told = [f"{_where(plan, step)}: invalid at step {verdict.failed_at}, {step}: {verdict.message}"]
    told += [f"  {note}" for note in plan.notes]
    if verdict.rounded:
        told.append(f"  within the rounding of the printed times: {_steps(verdict.rounded)}")
    for unmet in verdict.unmet:
        told.append(f"  {unmet.literal}: {'; '.join(filter(None, (_lost(plan, unmet), unmet.hint)))}")
    told += [f"  {line}" for line in _mend_lines(verdict.mended)]
    if verdict.further and verdict.failed_at:
        told.append(f"  if {plan.steps[verdict.failed_at - 1]} were done all the same:")
    for f in verdict.further:
        told.append(f"    {_what(plan, f.step)} {f.message}")
    for step, made in zip(plan.steps, verdict.changes, strict=False):
        told.append(f"  {step}: {' '.join(made) or 'nothing changes'}")
    return told


def _what(plan: PlanFile, number: int | None) -> str:
    if number is None:
        return f"{plan.name}: the goal"
    step = plan.steps[number - 1]
    return f"{_where(plan, step)}: step {number}, {step}:"


def _where(plan: PlanFile, step: Step) -> str:
    return f"{plan.name}:{step.line}" if step.line else plan.name


def _steps(numbers: tuple[int, ...]) -> str:
    more = f" and {len(numbers) - 10} more" if len(numbers) > 10 else ""
    return f"step{'' if len(numbers) == 1 else 's'} {', '.join(map(str, numbers[:10]))}{more}"


def _count(steps: int) -> str:
    return f"{steps} step{'' if steps == 1 else 's'}"


def _lost(plan: PlanFile, unmet: Unmet) -> str:
    if unmet.lost_at:
        return f"made false by step {unmet.lost_at}, {_step(plan, unmet.lost_at)}"
    return "never true" if unmet.lost_time is None else f"made false at {unmet.lost_time:g} by the problem itself"


def _step(plan: PlanFile, number: int | None) -> str | None:
    return str(plan.steps[number - 1]) if number else None
