"""The command line: what it prints where, how fast it starts, and how it ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cli import output
from cli.main import COMMANDS
from tamp.errors import InputError, Refusal
from tests import forked

pytestmark = pytest.mark.process

TAMP = Path(sys.executable).with_name("tamp")
HEAVY = ("numpy", "mujoco", "unified_planning", "llama_cpp", "outlines", "libero", "rich")


def tamp(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return forked.tamp(*arguments, **environment)


def run_code(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_help_names_every_command_and_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom cli.main import main\nsys.argv = ['tamp', '--help']\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert end.code == 0, end.code\n"
        f"print('LOADED', [m for m in {HEAVY} if m in sys.modules])"
    )
    done = run_code(code)
    assert "LOADED []" in done.stdout, done.stdout + done.stderr
    for command in ("solve", "ground", "plan", "scene", "model", "doctor", "bench"):
        assert f"\n  {command} " in done.stdout


def test_every_command_can_answer_in_json() -> None:
    assert [command.name for command in COMMANDS if not command.json] == []


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["nonsense"], "nonsense"),
        (["solve", "x", "--backend", "toaster"], "libero"),
        (["solve", "x", "--seed", "one"], "'--seed'"),
        (["solve", "x", "--sed", "1"], "--sed"),
        (["model", "pull", "gpt"], "qwen2.5-coder-1.5b"),
    ],
)
def test_bad_input_exits_2_with_a_message_and_no_traceback(arguments: list[str], word: str) -> None:
    done = tamp(*arguments)
    assert done.returncode == 2
    assert word in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_model_list_says_what_is_there(tmp_path: Path) -> None:
    done = tamp("model", "list", "--json", TAMP_MODELS=str(tmp_path))
    answer = json.loads(done.stdout)
    assert answer["folder"] == str(tmp_path)
    assert {model["name"]: model["state"] for model in answer["models"]} == {
        "qwen2.5-coder-1.5b": "missing",
        "qwen2.5-coder-0.5b": "missing",
        "Qwen/Qwen2.5-VL-7B-Instruct": "hub",
        "Qwen/Qwen2.5-Coder-7B-Instruct": "hub",
    }
    assert [model["name"] for model in answer["models"] if model["vision"]] == ["Qwen/Qwen2.5-VL-7B-Instruct"]
    (tmp_path / "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf").write_bytes(b"half")
    assert "qwen2.5-coder-0.5b  0.49 GB  broken" in tamp("model", "list", TAMP_MODELS=str(tmp_path)).stdout


NOISE = """
import ctypes, os
from cli.output import emit_json
from tamp.quiet import quiet_stdout
with quiet_stdout() as out:
    print("python")
    os.system("echo child")
    ctypes.CDLL(None).puts(b"compiled")
    emit_json({"path": __import__("pathlib").Path("a"), "n": __import__("numpy").float64(1.5)}, out)
print("after")
"""


def test_third_party_chatter_stays_out_of_the_answer() -> None:
    done = run_code(NOISE)
    assert done.stdout == '{"path": "a", "n": 1.5}\nafter\n'
    for word in ("python", "child", "compiled"):
        assert word in done.stderr


def from_compiled_code() -> BaseException:
    """What numba makes of Ctrl-C."""
    error = SystemError("returned a result with an exception set")
    error.__cause__ = KeyboardInterrupt()
    return error


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (InputError("no scene\n'x'"), 2, "tamp: error: no scene 'x'\n"),
        (Refusal("no mug"), 1, "tamp: error: no mug\n"),
        (KeyboardInterrupt(), 130, "tamp: interrupted\n"),
        (from_compiled_code(), 130, "tamp: interrupted\n"),
        (ZeroDivisionError("oh"), 70, "tamp: internal error: ZeroDivisionError: oh"),
    ],
)
def test_an_error_is_one_line_and_an_exit_code(
    error: BaseException,
    code: int,
    line: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail() -> int:
        raise error

    monkeypatch.delenv("TAMP_DEBUG", raising=False)
    assert output.run(fail) == code
    shown = capsys.readouterr().err
    assert shown.startswith(line)
    assert shown.count("\n") == 1
    monkeypatch.setenv("TAMP_DEBUG", "1")
    with pytest.raises(type(error)):
        output.run(fail)


def test_a_reader_that_leaves_is_no_error() -> None:
    with subprocess.Popen(
        [TAMP, "model", "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(timeout=10) == output.BROKEN_PIPE
