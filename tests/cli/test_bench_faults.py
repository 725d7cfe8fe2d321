"""What goes wrong around `tamp bench`: what was finished is kept, nothing counts twice, and one line says why."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tamp.runs.bench.records import EpisodeRecord, Results, read
from tests import bench_resume, forked

pytestmark = pytest.mark.process

TAMP = Path(sys.executable).with_name("tamp")
OBJECT = ("libero_object", "--tasks", "0-1", "--trials", "2", "--stage", "plan", "--workers", "2")
SETTINGS = {"stage": "plan", "seed": 0, "planner": "fast-downward", "domain": "tabletop", "llm": "qwen2.5-coder-1.5b"}


def record(init_state: int) -> EpisodeRecord:
    which: dict[str, Any] = {"suite": "libero_object", "task_id": 0, "init_state": init_state, "seed": 0}
    return EpisodeRecord(**which, language="do it", success=True)


def bench(*arguments: str, **how: Any) -> subprocess.CompletedProcess[str]:
    return forked.tamp("bench", *arguments, **how)


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A benchmark in a session of its own, so that whatever it starts can be found."""
    command = [str(TAMP), "bench", *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def until(process: subprocess.Popen[str], beginning: str) -> list[str]:
    """What it says up to the line with that beginning."""
    assert process.stderr is not None
    said = []
    for line in process.stderr:
        said.append(line.rstrip("\n"))
        if line.startswith(beginning):
            return said
    raise AssertionError("\n".join(said))


def session(leader: int) -> dict[int, str]:
    """Processes of a session but its leader, each with its command line."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            after = (folder / "stat").read_text().rpartition(")")[2].split()
            command = (folder / "cmdline").read_text()
        except OSError:
            continue
        pid = int(folder.name)
        if int(after[3]) == leader and after[0] != "Z" and pid != leader:
            found[pid] = command
    return found


def deserted(leader: int) -> dict[int, str]:
    """Processes that are left of a session after a moment."""
    deadline = time.monotonic() + 30.0
    while (left := session(leader)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return left


def contents(folder: Path) -> dict[Path, bytes]:
    return {p: p.read_bytes() for p in folder.rglob("*") if p.is_file() and p.name != ".lock"}


def keys(folder: Path) -> list[tuple[int, int]]:
    return sorted((r.task_id, r.init_state) for r in read(folder))


def in_the_way(tmp_path: Path) -> Path:
    (tmp_path / "file").write_text("hello")
    return tmp_path / "file" / "out"


def not_ours(tmp_path: Path) -> Path:
    return Path("/proc/tamp")


def of_another_version(tmp_path: Path) -> Path:
    Results(tmp_path).open(SETTINGS)
    (tmp_path / "results.jsonl").write_text('{"suite": "libero_object", "task": 0, "success": true}\n')
    return tmp_path


def of_nothing(tmp_path: Path) -> Path:
    (tmp_path / "settings.json").write_text("")
    return tmp_path


@pytest.mark.parametrize("way", bench_resume.WAYS)
def test_what_is_disturbed_and_gone_on_with_ends_as_if_it_had_not_been(way: str) -> None:
    if way == "full" and not bench_resume.can_mount():
        pytest.skip("mounting a small disk is not permitted here")
    assert list(bench_resume.disturbed(way, n=4, seed=1)) == [""] * 4


def test_a_second_run_in_a_folder_exits_2(tmp_path: Path) -> None:
    results = Results(tmp_path)
    results.open(SETTINGS)
    done = bench("libero_object", "--tasks", "0", "--stage", "plan", "--out", str(tmp_path))
    there = f"process {os.getpid()} is writing {tmp_path}; wait for it, or choose another --out"
    assert (done.returncode, done.stdout, done.stderr.splitlines()) == (2, "", [f"tamp: error: {there}"])
    del results
    Results(tmp_path).open(SETTINGS)


@pytest.mark.parametrize(
    ("folder", "says"),
    [
        (in_the_way, "cannot write to .*file/out: Not a directory"),
        (not_ours, "cannot write to /proc/tamp: "),
        (of_another_version, "not an episode of this version of tamp: no task_id.*; .*choose another --out"),
        (of_nothing, "settings.json:1:1: not JSON: .*; choose another --out"),
    ],
)
def test_a_folder_that_cannot_be_used_exits_2(folder: Any, says: str, tmp_path: Path) -> None:
    out = folder(tmp_path)
    before = contents(tmp_path)
    done = bench("libero_object", "--tasks", "0", "--stage", "plan", "--out", str(out))
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(says, done.stderr.splitlines()[-1]), done.stderr
    assert "Traceback" not in done.stderr
    assert before == contents(tmp_path)


def interrupted(folder: Path) -> list[tuple[int, int]]:
    """Ctrl-C after the first episode, to all processes of a terminal: what is kept."""
    with started(*OBJECT, "--out", str(folder)) as process:
        until(process, "1/4")
        os.killpg(process.pid, signal.SIGINT)
        assert process.stderr is not None
        said = process.stderr.read()
        assert process.wait(timeout=30) == 130
    assert said.splitlines()[-1] == "tamp: interrupted; the same command with the same --out goes on"
    assert "Traceback" not in said
    assert deserted(process.pid) == {}
    return keys(folder)


@pytest.mark.thorough
@pytest.mark.episode
def test_an_interrupted_run_goes_on_and_a_killed_worker_costs_nothing(tmp_path: Path) -> None:
    kept = interrupted(tmp_path)
    finished = (tmp_path / "results.jsonl").read_bytes()
    assert 1 <= len(kept) < 3
    with started(*OBJECT, "--out", str(tmp_path)) as process:
        left = 4 - len(kept)
        assert f"tamp: {len(kept)} episodes are there already, {left} to go" in until(process, "1/")
        workers = [pid for pid, command in session(process.pid).items() if "spawn_main" in command]
        os.kill(workers[0], signal.SIGKILL)
        until(process, f"{left}/{left}")
        assert process.wait(timeout=60) == 0
    assert keys(tmp_path) == [(task, k) for task in range(2) for k in range(2)], "none lost, none doubled"
    assert (tmp_path / "results.jsonl").read_bytes().startswith(finished)
    assert all(r.failure_stage != "error" for r in read(tmp_path))
    assert deserted(process.pid) == {}


def test_ctrl_c_while_the_workers_start_is_quiet(tmp_path: Path) -> None:
    with started(*OBJECT, "--out", str(tmp_path)) as process:
        until(process, "tamp: results go to")
        while not any("spawn_main" in command for command in session(process.pid).values()):
            assert process.poll() is None
        os.kill(process.pid, signal.SIGINT)
        assert process.stderr is not None
        said = process.stderr.read()
        assert process.wait(timeout=30) == 130
    assert said.splitlines() == ["tamp: interrupted; the same command with the same --out goes on"]
    assert deserted(process.pid) == {}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 KB: room for one episode's log, not for two."""
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", tmp_path], check=False).returncode:
        pytest.skip("mounting a small disk is not permitted here")
    yield tmp_path
    subprocess.run(["umount", "--lazy", tmp_path], check=True)


@pytest.mark.thorough
@pytest.mark.episode
def test_a_full_disk_is_no_episodes_failure(small_disk: Path) -> None:
    results, arguments = Results(small_disk), ("libero_object", "--tasks", "0", "--trials", "3", "--stage", "plan")
    results.open(SETTINGS)
    results.add(record(0))
    del results  # and the lock with it
    done = bench(*arguments, "--out", str(small_disk))
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    last = done.stderr.splitlines()[-2:]
    assert last[0] == "tamp: what is finished is kept; the same command with the same --out goes on"
    assert re.fullmatch(f"tamp: error: cannot write to {small_disk}.*: No space left on device", last[1])
    assert "Traceback" not in done.stderr
    kept = Results(small_disk).open(SETTINGS)
    assert kept[0] == record(0) and len(kept) < 3 and all(r.success for r in kept)
    subprocess.run(["mount", "-o", "remount,size=10m", small_disk], check=True)
    assert bench(*arguments, "--out", str(small_disk)).returncode == 0
    assert keys(small_disk) == [(0, 0), (0, 1), (0, 2)] and Results(small_disk).open(SETTINGS)[: len(kept)] == kept


def test_a_record_that_the_disk_does_not_take_whole_is_not_counted(tmp_path: Path) -> None:
    """As `tamp bench` writes it, in a process that may write files of one record and a half."""
    results = Results(tmp_path)
    results.open(SETTINGS)
    results.add(record(0))
    del results  # and the lock with it
    size = (tmp_path / "results.jsonl").stat().st_size
    code = (
        "import resource, sys\nfrom dataclasses import replace\nfrom pathlib import Path\nfrom cli.output import run\n"
        "from tamp.runs.bench.records import Results\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size * 3 // 2},) * 2)\n"
        f"results = Results(Path({str(tmp_path)!r}))\nold = results.open({SETTINGS!r})\n"
        "sys.exit(run(lambda: results.add(replace(old[0], init_state=1)) or 0))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, f"tamp: error: cannot write to {tmp_path}: File too large\n")
    assert (tmp_path / "results.jsonl").stat().st_size == size, "half a line is taken off"
    assert read(tmp_path) == [record(0)]
    results = Results(tmp_path)
    assert results.open(SETTINGS) == [record(0)]
    results.add(record(1))
    assert read(tmp_path) == [record(0), record(1)]
