"""`make bench-policy`: stock clients of policies against `tamp policy serve`, LIBERO's tasks through cameras.

`openpi`: openpi's client, unmodified, in LIBERO's evaluation loop (docs/examples/evaluate_policy.py); LIBERO's check
counts. `lerobot`: `lerobot-eval` with the policy of docs/examples/lerobot_tamp; its own measure counts. Each has an
environment with its own packages (`.venv-openpi`, 0.1 GB; `.venv-lerobot`, 7 GB), made the first time, which takes
from this one what it lacks.
"""

from __future__ import annotations

import json
import os
import subprocess
import sysconfig
import time
import venv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.bench import ROOT, Kept, Row
from tests.emulated import TAMP

DUE = 1.0
LIMIT = 3600.0
"""Seconds that a task may take."""
PACKAGES = {"openpi": ("openpi-client==0.1.2",), "lerobot": ("lerobot==0.4.4",)}
STORED = "hf-libero==0.1.4"
DRAWN = {"MUJOCO_GL": "osmesa", "PYOPENGL_PLATFORM": "osmesa"}


def bench(
    kept: Kept,
    only: tuple[str, ...] = ("openpi", "lerobot"),
    suite: str = "libero_spatial",
    tasks: tuple[int, ...] = tuple(range(10)),
) -> Iterator[Row]:
    """A row a task and client: the first stored initial state."""
    for client in only:
        left = [n for n in tasks if not kept.has(f"{client} {suite}/{n}")]
        if not left:
            continue
        python = environment(client)
        with serving() as address:
            for number in left:
                begun = time.monotonic()
                won, said = CLIENTS[client](python, address, suite, number, kept.folder)
                seconds = time.monotonic() - begun
                yield Row(client, won, {"s": seconds}, said[-500:], f"{client} {suite}/{number}")


def environment(client: str) -> Path:
    """The Python of an environment with a client's packages, and behind them those of this one."""
    folder, stamp = ROOT / f".venv-{client}", " ".join(PACKAGES[client])
    if not (folder / ".stamp").is_file() or (folder / ".stamp").read_text() != stamp:
        venv.create(folder, with_pip=True, clear=True)
        pip = [folder / "bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, *PACKAGES[client]], check=True)
        (packages,) = folder.glob("lib/python*/site-packages")
        behind = sysconfig.get_path("purelib")
        (packages / "zz_behind.pth").write_text(f"import site; site.addsitedir({behind!r})\n")
        if client == "lerobot":  # reads LIBERO's initial states from files that come with its own copy of LIBERO
            subprocess.run([*pip, "--no-deps", "--target", folder / "stored", STORED], check=True)
            (folder / "config.yaml").write_text(f"init_states: {folder}/stored/libero/libero/init_files\n")
        (folder / ".stamp").write_text(stamp)
    return folder / "bin/python"


@contextmanager
def serving() -> Iterator[str]:
    """The address of a server of the policy."""
    command = [*TAMP, "policy", "serve", "--port", "0", "--json"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield f"ws://127.0.0.1:{json.loads(server.stdout.readline())['port']}"
        finally:
            server.terminate()


def openpi(python: Path, address: str, suite: str, number: int, folder: Path) -> tuple[bool, str]:
    """Whether LIBERO's check accepts a task, and what was written."""
    options = ["--server", address, "--client", "openpi", "--tasks", str(number), "--episodes", "1"]
    said = _run([str(python), "docs/examples/evaluate_policy.py", suite, *options])
    return f"{suite}: 100.0 %" in said.splitlines(), said


def lerobot(python: Path, address: str, suite: str, number: int, folder: Path) -> tuple[bool, str]:
    """Whether lerobot counts a task as a success, and what was written."""
    out = folder / f"lerobot-{suite}-{number}"
    policy = ["--policy.discover_packages_path=lerobot_tamp", "--policy.type=tamp", f"--policy.server={address}"]
    env = ["--env.type=libero", f"--env.task={suite}", f"--env.task_ids=[{number}]"]
    run = ["--eval.batch_size=1", "--eval.n_episodes=1", "--policy.device=cpu", f"--output_dir={out}"]
    command = [str(python.with_name("lerobot-eval")), *policy, *env, *run]
    said = _run(command, LIBERO_CONFIG_PATH=str(python.parents[1]))
    found = out / "eval_info.json"
    return found.is_file() and json.loads(found.read_text())["overall"]["pc_success"] == 100.0, said


CLIENTS = {"openpi": openpi, "lerobot": lerobot}


def _run(command: Sequence[str], **at: str) -> str:
    at = {**os.environ, **DRAWN, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'docs/examples'}", **at}
    done = subprocess.run(command, cwd=ROOT, env=at, capture_output=True, text=True, check=False, timeout=LIMIT)
    return done.stdout + done.stderr
