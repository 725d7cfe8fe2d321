"""The `tamp` command line: arguments to a pipeline to an exit code.

Every body imports what it runs, so that `tamp --help` loads no simulator, planner or model.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cli import options as opt
from cli.body import body_app
from cli.calibrate import calibrate
from cli.live_command import live
from cli.model_commands import model_app
from cli.new import new_app
from cli.objects import objects_app
from cli.output import run
from cli.perception import perception_app
from cli.policy import policy_app
from cli.scene_commands import scene_app
from cli.view import view
from cli.xarm import xarm_app
from tamp.api.language import DEFAULT


def _print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        sys.stdout.write(f"tamp {version('tamp-toolkit')}\n")
        raise typer.Exit


app = typer.Typer(
    help="Task and motion planning from an instruction, through PDDL, and why at every step.\n\n"
    "Answers go to standard output, progress to standard error. Exit codes: 0 success, 1 the honest "
    "answer is no, 2 bad input, 130 interrupted.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.add_typer(scene_app, name="scene", rich_help_panel=None)
app.add_typer(model_app, name="model", rich_help_panel=None)
app.add_typer(objects_app, name="objects", rich_help_panel=None)
app.add_typer(body_app, name="body", rich_help_panel=None)
app.add_typer(perception_app, name="perception", rich_help_panel=None)
app.add_typer(policy_app, name="policy", rich_help_panel=None)
app.add_typer(xarm_app, name="xarm", rich_help_panel=None)
app.add_typer(new_app, name="new", rich_help_panel=None)


@app.callback()
def tamp(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Take the options that stand before a command."""


@opt.command(app)
def solve(
    context: typer.Context,
    text: opt.Text = None,
    scene: opt.Scene = "mug_in_drawer",
    init_state: opt.InitState = None,
    seed: opt.SceneSeed = None,
    goal: opt.Goals = None,
    untouched: opt.Untouched = None,
    backend: opt.Backend = "libero",
    body: opt.Body = None,
    perception: opt.Perception = "oracle",
    noise: opt.Noise = "clean",
    calibration: opt.CalibrationFile = None,
    disturb: opt.Disturb = None,
    repair: opt.Repair = None,
    llm: opt.Llm = DEFAULT,
    planner: opt.Planner = "fast-downward",
    refine_timeout: opt.RefineTimeout = None,
    domain: opt.Domain = "tabletop",
    host: opt.Host = None,
    port: opt.ArmPort = None,
    eyes: opt.Eyes = None,
    dead_man: opt.DeadMan = None,
    no_second_check: opt.Once = False,
    world: opt.World = None,
    dry_run: opt.DryRun = False,
    speed_scale: opt.SpeedScale = None,
    assume_first: opt.AssumeFirst = False,
    no_search: opt.NoSearch = False,
    video: opt.Video = False,
    overlay: opt.Overlay = False,
    view: opt.View = False,
    out: opt.EpisodeFolder = None,
    json_output: opt.Json = False,
) -> int:
    """Carry out an instruction, and print the verdict.

    Decodes the goal, plans, finds motions, executes them, and asks LIBERO whether it succeeded. Every run
    leaves a folder with the domain, the problem, the plan and the whole episode.

    Example: tamp solve "put the mug in the drawer" --video
    """
    from cli.inputs import for_backend, said
    from cli.solve import solve
    from tamp.api.arguments import RealArm
    from tamp.api.solving import Asked

    for_backend(backend, opt.given(context))
    said(text, goal or [], opt.given(context))
    asked = Asked(
        text=text,
        goals=tuple(goal or ()),
        untouched=tuple(untouched or ()),
        scene=scene,
        init_state=init_state,
        seed=seed,
        backend=backend,
        body=body,
        perception=perception,
        noise=noise,
        calibration=calibration,
        disturb=disturb,
        repair=repair,
        llm=llm,
        planner=planner,
        refine_timeout=refine_timeout,
        domain=domain,
        arm=RealArm(host, port, world, dry_run, speed_scale, eyes, dead_man, not no_second_check),
        assume_first=assume_first,
        searches=not no_search,
        video=video,
        overlay=overlay,
        view=view,
        out=out,
    )
    return solve(asked, json_output)


opt.command(app)(live)
opt.command(app)(view)
opt.command(app)(calibrate)


@opt.command(app)
def ground(
    text: Annotated[str, typer.Argument(help="The instruction.", metavar="TEXT")],
    scene: opt.Scene = "mug_in_drawer",
    problem: Annotated[
        Path | None, typer.Option(help="A PDDL problem to speak about, instead of a scene.", metavar="P")
    ] = None,
    domain: opt.Domain = "tabletop",
    llm: opt.Llm = DEFAULT,
    seed: opt.SceneSeed = None,
    init_state: opt.InitState = None,
    assume_first: opt.AssumeFirst = False,
    json_output: opt.Json = False,
) -> int:
    """Turn an instruction into a goal; nothing moves.

    Of a scene, or with --domain and --problem of any PDDL problem. Prints the goal, the role each object
    has in it, and what was ambiguous. An object that is absent, or words that fit several, exit 1.
    """
    from cli.ground import Request, ground

    return ground(Request(text, scene, problem, domain, llm, seed, init_state, assume_first, json_output))


@opt.command(app)
def plan(
    domain: opt.DomainArgument,
    problem: opt.ProblemArgument,
    planner: opt.Planner = "fast-downward",
    llm: opt.Llm = DEFAULT,
    timeout: opt.Timeout = 60.0,
    optimal: opt.Optimal = False,
    anytime: opt.Anytime = False,
    out: Annotated[Path | None, typer.Option(help="Write the plan there too.", metavar="F")] = None,
    json_output: opt.Json = False,
) -> int:
    """Plan a PDDL problem; without a plan, exit 1 and why.

    Unsolvable, out of time, unsupported by the engine: three different answers. The engine is ended with
    everything it started when the time is up.
    """
    from cli.plan import Request, plan

    request = Request(domain, problem, planner, llm, timeout, optimal, anytime, out, json_output)
    return plan(request)


@opt.command(app)
def validate(
    domain: opt.DomainArgument,
    problem: Annotated[Path | None, typer.Argument(help="A PDDL problem, or -.", metavar="PROBLEM")] = None,
    plans: Annotated[list[Path] | None, typer.Argument(help="Plans, or -.", metavar="PLAN...")] = None,
    form: opt.PlanFormat = None,
    trace: opt.Trace = False,
    world: opt.World = None,
    html: opt.PlanPage = None,
    mend_seconds: opt.MendSeconds = 2.0,
    json_output: opt.Json = False,
) -> int:
    """Judge plans: 0 when all are valid, 1 when one is not, 2 for what cannot be read.

    Of an invalid plan: the step that fails, what it lacks, which step took that away, an action that would help
    there, and the fewest changes found that make the plan valid. An xArm action plan can be given alone, and with
    --world is judged in that world.
    """
    from cli.validate import validate

    return validate(domain, problem, plans or [], form, trace, json_output, world, html, mend_seconds)


@opt.command(app)
def check(
    domain: opt.OptionalDomain = None,
    problems: Annotated[list[Path] | None, typer.Argument(help="Problems for it, or -.", metavar="PROBLEM...")] = None,
    fix: opt.Fix = False,
    cases: opt.Cases = None,
    json_output: opt.Json = False,
) -> int:
    """Look for what is wrong in a domain and problems: 0 no errors, 1 errors, 2 not PDDL.

    A finding a line, as file:line:col: code message. With --cases: whether problems and plans still come out as
    their case.toml says.
    """
    from cli.check import check

    return check(domain, problems or [], fix, cases, json_output)


@opt.command(app)
def test(
    folder: Annotated[str, typer.Argument(help="A folder with a domain.pddl.", metavar="FOLDER")],
    seeds: opt.Draws = None,
    scene: opt.TrialScenes = None,
    llm: opt.Llm = DEFAULT,
    json_output: opt.Json = False,
) -> int:
    """Test a domain folder: its cases tests/*.toml, and its own operators in drawn scenes.

    First what `tamp check` says. Then pytest runs each case with each seed, tests/test_*.py, and for each operator of
    the folder's own that is in no case a goal found in each scene. 0 all passed, 1 something failed, 2 bad input.
    """
    from cli.domain_tests import test
    from tamp.api.domain_tests import TestConfig

    return test(TestConfig(folder, seeds, scene or [], llm), json_output)


@opt.command(app)
def bench(
    suites: opt.Suites = None,
    trials: opt.Trials = 1,
    tasks: opt.Tasks = None,
    stage: opt.Stage = "all",
    workers: opt.Workers = 1,
    out: opt.ResultsFolder = None,
    min_success: opt.MinSuccess = None,
    baseline: opt.Baseline = None,
    engine: opt.Engine = "local",
    seed: opt.Seed = 0,
    planner: opt.Planner = "fast-downward",
    llm: opt.Llm = DEFAULT,
    domain: opt.Domain = "tabletop",
    wordings: opt.Wordings = None,
    clock: opt.Clock = "paused",
    backend: opt.Simulator = "libero",
    body: opt.Body = None,
    perception: opt.Perception = "oracle",
    noise: opt.Noise = "clean",
    calibration: opt.CalibrationFile = None,
    disturb: opt.Disturb = None,
    without: opt.Without = None,
    repair: opt.Repair = None,
    json_output: opt.Json = False,
) -> int:
    """Run benchmark episodes and score them.

    Success is only ever LIBERO's own check, or elsewhere that the goal holds; with --stage goal nothing moves, and
    a decoded goal that asks for the same as the task's own counts. Writes a line an episode and a summary a suite, and
    goes on where it was interrupted when given the same --out.
    """
    from cli.bench import bench
    from tamp.api.arguments import left_out
    from tamp.api.bench import Request

    told = Request(
        suites=suites or [],
        trials=trials,
        tasks=tasks,
        stage=stage,
        workers=workers,
        out=out,
        min_success=min_success,
        baseline=baseline,
        engine=engine,
        seed=seed,
        planner=planner,
        llm=llm,
        domain=domain,
        wordings=wordings,
        clock=clock,
        backend=backend,
        body=body,
        perception=perception,
        noise=noise,
        calibration=calibration,
        disturb=disturb,
        without=left_out(without),
        repair=repair,
    )
    return bench(told, json_output)


@opt.command(app)
def report(
    results: Annotated[
        list[Path],
        typer.Argument(help="Folders of runs or episodes, or a results.jsonl(.gz) or episode.jsonl.", metavar="DIR..."),
    ],
    form: opt.Form = "text",
    tree: opt.Tree = None,
    prompts: opt.Prompts = False,
    examples: opt.Examples = 3,
    html: opt.RunPage = None,
    json_output: opt.Json = False,
) -> int:
    """Show what benchmark runs or episodes came to.

    A table with a row a suite, and what failed, by stage and reason. A table is made from episodes of one git
    tree only; runs of the same episodes stand side by side, and are compared. Of episodes that `tamp solve` left, a
    row each. With --prompts instead what the language model got wrong, by type, with examples. With --html a page.
    """
    if html is not None:
        from cli.report import report_html

        return report_html(results, html, tree, prompts, json_output)
    if prompts:
        from cli.prompts import report_prompts

        return report_prompts(results, form, tree, examples, json_output)
    from cli.report import report

    return report(results, form, tree, json_output)


@opt.command(app)
def doctor(json_output: opt.Json = False) -> int:
    """Check this installation, and say what to do.

    Versions, planner engines, rendering, weights, LIBERO's assets, memory and cores. Exits 1 when something
    that is required is missing.
    """
    from cli.doctor import doctor

    return doctor(json_output)


def main() -> None:
    """Run `tamp`."""
    sys.exit(run(_invoke))


def _invoke() -> int:
    """Typer's own errors (usage) exit 2; an interrupt before a command starts is told like any other."""
    app()
    return 0


if __name__ == "__main__":
    main()
