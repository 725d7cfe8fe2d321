"""The `tamp` command line: a table of commands, each with its config and the function that runs it.

That function's module is imported when it runs, so that `tamp --help` loads no simulator, planner or model.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from cli.commands import CommandEntry, add
from cli.output import run
from tamp.api import arm_configs, configs, demo_configs, tool_configs

GROUPS = {
    "scene": "What there is, what an instruction can name.",
    "model": "The language models on this machine.",
    "objects": "The known things that the camera mode recognises.",
    "body": "The robots that work at a table.",
    "perception": "Pictures to measure the camera mode by, and to train on.",
    "policy": "This toolkit as a policy that others can evaluate.",
    "xarm": "UFACTORY arms: run plans on them, or emulate one.",
}

COMMANDS = (
    CommandEntry("solve", configs.SolveConfig, "cli.solve:solve"),
    CommandEntry("live", arm_configs.LiveConfig, "cli.live_session:live", "A JSON object an event, the outcome last."),
    CommandEntry("view", tool_configs.ViewConfig, "cli.view:view"),
    CommandEntry("calibrate", tool_configs.CalibrateConfig, "cli.perception:calibrate"),
    CommandEntry("ground", configs.GroundConfig, "cli.ground:ground"),
    CommandEntry("plan", tool_configs.PlanConfig, "cli.plan:plan"),
    CommandEntry("validate", tool_configs.ValidateConfig, "cli.validate:validate"),
    CommandEntry("check", tool_configs.CheckConfig, "cli.domain_folder:check"),
    CommandEntry("test", tool_configs.TestConfig, "cli.domain_folder:test", owns_stdout=True),
    CommandEntry("bench", configs.BenchConfig, "cli.run_bench:bench"),
    CommandEntry("demos", demo_configs.DemosConfig, "cli.demos:demos"),
    CommandEntry("report", tool_configs.ReportConfig, "cli.report_results:report"),
    CommandEntry("doctor", tool_configs.DoctorConfig, "cli.doctor:doctor"),
    CommandEntry("scene list", tool_configs.ListScenesConfig, "cli.listing:list_scenes"),
    CommandEntry("scene show", tool_configs.ShowSceneConfig, "cli.listing:show"),
    CommandEntry("scene categories", tool_configs.CategoriesConfig, "cli.listing:categories"),
    CommandEntry("model list", tool_configs.ListModelsConfig, "cli.model_weights:list_models"),
    CommandEntry("model pull", tool_configs.PullConfig, "cli.model_weights:pull"),
    CommandEntry("objects build", tool_configs.BuildObjectsConfig, "cli.objects:build"),
    CommandEntry("objects list", tool_configs.ListObjectsConfig, "cli.objects:list_objects"),
    CommandEntry("objects show", tool_configs.ShowObjectConfig, "cli.objects:show"),
    CommandEntry("objects add", tool_configs.AddObjectConfig, "cli.objects:add"),
    CommandEntry("body list", tool_configs.ListBodiesConfig, "cli.listing:list_bodies"),
    CommandEntry("body show", tool_configs.ShowBodyConfig, "cli.listing:show_body"),
    CommandEntry("perception record", configs.RecordConfig, "cli.perception:record"),
    CommandEntry("perception show", tool_configs.ShowRecordingConfig, "cli.perception:show"),
    CommandEntry("policy serve", configs.ServeConfig, "cli.perception:serve"),
    CommandEntry("lsp", tool_configs.LspConfig, "cli.lsp_server:lsp_server", owns_stdout=True),
    CommandEntry("mcp", tool_configs.McpConfig, "cli.mcp_server:mcp", owns_stdout=True),
    CommandEntry("xarm emulate", arm_configs.EmulateConfig, "cli.arm_commands:emulate"),
    CommandEntry("xarm run", arm_configs.RunPlanConfig, "cli.arm_commands:run_plan"),
    CommandEntry("xarm clear", arm_configs.ClearConfig, "cli.arm_commands:clear_error"),
    CommandEntry("new", tool_configs.NewConfig, "cli.domain_folder:new"),
)


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


@app.callback()
def tamp(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Take the options that stand before a command."""


_groups = {name: typer.Typer(help=text, no_args_is_help=True) for name, text in GROUPS.items()}
for _command in COMMANDS:
    _group, _, _name = _command.name.rpartition(" ")
    add(_groups[_group] if _group else app, _command)
for _name, _app in _groups.items():
    app.add_typer(_app, name=_name, rich_help_panel=None)


def main() -> None:
    """Run `tamp`."""
    sys.exit(run(_invoke))


def _invoke() -> int:
    """Typer's own errors (usage) exit 2; an interrupt before a command starts is reported like any other."""
    app()
    return 0
