"""`tamp plan`: a PDDL domain and problem to a plan, or the reason why there is none."""

from __future__ import annotations

from pathlib import Path

from cli import inputs, planners
from cli.output import emit_json, quiet_stdout, say
from tamp.errors import InputError

EXIT = {"found": 0, "unsolvable": 1, "timeout": 1, "gave up": 1, "invalid": 2}
"""Exit code of each answer of the planner."""


def plan(domain: str, problem: Path, planner: str, llm: str, out: Path | None, json_output: bool) -> int:
    """Print the plan, one action a line; write it to `out` too when given."""
    with quiet_stdout() as stdout:
        from cli.solve import load_model
        from tamp.pddl.reading import read_problem

        inputs.planner(planner)
        _, _, parsed = read_problem(domain, problem)
        model = load_model(llm) if planners.asks_model(planner) else None
        result = planners.find(planner, model).solve(parsed)
        if result.plan is not None and out is not None:
            _write(out, str(result.plan))
        if json_output:
            actions = None if result.plan is None else [str(a) for a in result.plan.actions]
            answer = {"status": result.status.value, "plan": actions, "seconds": round(result.seconds, 3)}
            emit_json({**answer, "message": result.message, "planner": planner, "out": out}, stdout)
        elif result.plan is not None:
            stdout.write(str(result.plan))
        else:
            say(f"{result.status.value}: {result.message}")
    return EXIT[result.status.value]


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as e:
        raise InputError(f"cannot write {path}: {e.strerror}") from e
