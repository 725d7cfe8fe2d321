"""Configs of commands: options that do not go together, and what the command line and Python make of one field."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner

import tamp
from cli.commands import CommandEntry
from cli.main import COMMANDS, app
from tamp.api.arm_configs import LiveConfig
from tamp.api.configs import BenchConfig, SolveConfig
from tamp.api.options import declared, flag_of
from tamp.api.tool_configs import CheckConfig, NewConfig, ValidateConfig, ViewConfig
from tamp.errors import InputError

GOAL = {"suites": ("libero_goal",)}
AT_TABLE = {"simulator": "xarm", "body": "xarm7", "host": "127.0.0.1", "eyes": "tcp://127.0.0.1:7002"}
WRONG: list[tuple[Callable[..., Any], dict[str, Any], str]] = [
    (SolveConfig, {}, "say what to do"),
    (SolveConfig, {"port": 503}, "--port: for a real arm, --backend xarm; valid for --backend libero: --scene"),
    (SolveConfig, {"simulator": "xarm", "seed": 0, "video": True, "assume_first": True}, "--seed --assume-first --vid"),
    (SolveConfig, {"simulator": "xarm", "perception": "camera"}, "--perception: for simulated scenes, or an arm at a"),
    (SolveConfig, {**AT_TABLE, "world": "bench"}, "--world: for other backends; valid for --backend xarm: --scene"),
    (SolveConfig, {"untouched": ["mug_1"]}, "--untouched goes with --goal"),
    (SolveConfig, {"body": "xarm7"}, "--body: the robot of LIBERO's scenes is a Panda; valid with"),
    (SolveConfig, {"simulator": "pybullet", "disturb": "moved"}, "--disturb: not with --backend pybullet"),
    (SolveConfig, {"overlay": True, "video": True}, "--overlay draws what cameras saw on the video; valid with"),
    (SolveConfig, {"noise": "depth"}, "--noise depth: nothing is seen with --perception oracle"),
    (SolveConfig, {"searches": False}, "--no-search: nothing is searched for with --perception oracle"),
    (SolveConfig, {"perception": "camera", "refine_timeout": 9.0}, "--refine-timeout: not with --perception camera"),
    (BenchConfig, {}, "name a suite, such as libero_goal"),
    (BenchConfig, {**GOAL, "planner": "qwen", "clock": "real"}, "with an engine: not with --planner qwen"),
    (BenchConfig, {**GOAL, "calibration": "c.json"}, "--calibration is about cameras"),
    (BenchConfig, {**GOAL, "disturb": "moved", "stage": "goal"}, "--disturb: nothing moves with --stage goal"),
    (BenchConfig, {**GOAL, "perception": "camera", "clock": "real"}, "--clock real is for --perception oracle"),
    (
        BenchConfig,
        {**GOAL, "simulator": "pybullet", "perception": "camera", "noise": "all"},
        "--noise: not with --back",
    ),
    (LiveConfig, {"perception": "camera"}, "--perception camera is not built yet for tamp live; valid: oracle"),
    (ValidateConfig, {"domain": "d", "problem": "p"}, "no plan given"),
    (CheckConfig, {}, "nothing to check"),
    (ViewConfig, {"run": "r", "host": "127.0.0.1"}, "r is a run, --world and --host are of an arm"),
    (NewConfig, {"kind": "skill", "name": "a", "place": "b"}, "--in is not for a new skill; valid: --domain DIR"),
]


@pytest.mark.parametrize(("config", "fields", "message"), WRONG, ids=[f"{c.__name__} {m[:30]}" for c, _, m in WRONG])
def test_options_that_do_not_go_together_are_named(
    config: Callable[..., Any], fields: dict[str, Any], message: str
) -> None:
    text = {"instruction": "x"} if config is SolveConfig and fields else {}
    with pytest.raises(InputError, match=re.escape(message)):
        config(**text, **fields)


def test_what_an_arm_at_a_table_takes_is_taken() -> None:
    SolveConfig("x", perception="camera", searches=False, **AT_TABLE)  # type: ignore[arg-type]


def _taken(command: CommandEntry, monkeypatch: pytest.MonkeyPatch, *typed: str) -> Any:
    """The config that a command line makes."""
    taken: list[Any] = []
    module, _, name = command.runs.partition(":")
    monkeypatch.setattr(f"{module}.{name}", lambda config, out: taken.append(config) or 0)
    done = CliRunner().invoke(app, [*command.name.split(), *typed])
    assert done.exit_code == 0, done.output
    return taken[0]


def test_the_command_line_makes_the_config_that_python_would(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = {command.name: command for command in COMMANDS}
    typed = ["--goal", "(a)", "--goal", "(b)", "--seed", "3", "--backend", "pybullet", "--video"]
    config = _taken(entries["solve"], monkeypatch, *typed)
    assert config == SolveConfig(goal=("(a)", "(b)"), seed=3, simulator="pybullet", video=True)
    config = _taken(entries["policy serve"], monkeypatch, "--no-search", "--port", "0")
    assert (config.searches, config.port, config.assume_first) == (False, 0, False)


def test_a_field_is_typed_described_and_passed_under_one_declaration() -> None:
    parameters = inspect.signature(tamp.solve).parameters
    doc = inspect.getdoc(tamp.solve) or ""
    for field, _, option in declared(SolveConfig):
        assert parameters[field.name].default == field.default or field.name == "planner"
        assert f"    {field.name}: " in doc and flag_of(field, option).startswith("--")
    assert "untouched: With `goal`: a symbol" in doc
