"""What CONTRIBUTING.md, the hooks and the container files name is there."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.bench import names

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text()
DOCKERFILE = (ROOT / "Dockerfile").read_text()
DEVCONTAINER = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
TARGETS = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_files_that_the_page_names_exist() -> None:
    named = set(re.findall(r"`([\w.-]+/[\w./-]*|\w+\.(?:toml|md))`", PAGE)) | set(re.findall(r"\]\(([\w./-]+)\)", PAGE))
    assert len(named) > 40
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_commits_that_the_page_names_exist_and_touch_what_is_beside_them() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("no history here: an export, or an installed package")
    if (ROOT / ".git" / "shallow").exists():
        pytest.skip("a shallow clone has no such commits")
    commits = re.findall(r"`([0-9a-f]{7})`", PAGE)
    assert len(commits) >= 8
    for commit in commits:
        found = subprocess.run(["git", "cat-file", "-e", f"{commit}^{{commit}}"], cwd=ROOT, check=False, timeout=20)
        assert found.returncode == 0, commit


def test_make_knows_what_is_to_be_made() -> None:
    known = TARGETS | {f"bench-{name}" for name in names()}
    told = "\n".join((PAGE, DOCKERFILE, DEVCONTAINER["postCreateCommand"]))
    asked = set(re.findall(r"\bmake ([a-z][\w-]*)(?![\w+…])", told)) - {"bench-"}
    asked |= set(DEVCONTAINER["postCreateCommand"].removeprefix("make ").split())
    assert {"setup", "hooks", "test-fast", "image", "bench-bodies"} <= asked
    assert asked - known == set()


def test_hooks_run_what_the_lock_installs_and_fetch_nothing() -> None:
    repositories = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert {r["repo"] for r in repositories} == {"local"}
    hooks = [hook for r in repositories for hook in r["hooks"]]
    assert {hook["language"] for hook in hooks} == {"system"}
    dev = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["dev"]
    installed = {re.split(r"\W", requirement)[0] for requirement in dev}
    assert {hook["entry"].split()[0] for hook in hooks} == {f".venv/bin/{name}" for name in ("ruff", "mypy")}
    assert {"ruff", "mypy", "pre"} <= installed


def test_the_image_copies_what_exists_and_has_the_tools_that_set_up_asks_for() -> None:
    copied = [line.split()[2:-1] for line in re.findall(r"^COPY --chown=tamp .*", DOCKERFILE, re.MULTILINE)]
    assert len(copied) == DOCKERFILE.count("COPY ")
    assert [name for names in copied for name in names if not (ROOT / name).exists()] == []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]
    before = DOCKERFILE.partition("RUN make setup")[0]
    assert [room for room in wheel if f"COPY --chown=tamp {room} {room}\n" not in before] == []
    asked = re.search(r"for tool in ([^;]+);", (ROOT / "Makefile").read_text())
    assert asked is not None
    assert {*asked[1].split(), "make"} <= set(DOCKERFILE.split())
    python = re.search(r"^FROM python:(\d\.\d+)\S*@sha256:[0-9a-f]{64} ", DOCKERFILE, re.MULTILINE)
    assert python is not None and f">={python[1]}," in project["project"]["requires-python"]


def test_nothing_is_made_or_run_as_root_but_what_the_system_needs() -> None:
    lines = [line for line in DOCKERFILE.splitlines() if line.startswith(("FROM", "RUN", "USER", "COPY", "CMD"))]
    assert [line.split()[0] for line in lines[:4]] == ["FROM", "RUN", "USER", "FROM"], "one RUN before the user"
    assert [line for line in lines if line.startswith("USER")] == ["USER tamp"]
    assert lines[3] == "FROM tools"


def test_the_devcontainer_is_a_stage_of_the_image() -> None:
    build = DEVCONTAINER["build"]
    assert (ROOT / ".devcontainer" / build["dockerfile"]).resolve() == ROOT / "Dockerfile"
    assert f" AS {build['target']}\n" in DOCKERFILE


@pytest.mark.process
@pytest.mark.timeout(900)
def test_the_tools_of_the_image_can_be_built() -> None:
    """The stage that editors open; `make image` builds all of it, which takes as long as make setup does."""
    docker = shutil.which("docker")
    if docker is None or subprocess.run([docker, "info"], capture_output=True, check=False, timeout=60).returncode:
        pytest.skip("no docker daemon answers: Dockerfile and devcontainer are only linted")
    build = [docker, "build", "--target", DEVCONTAINER["build"]["target"], "-t", "tamp-tools", "."]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False, timeout=850)
    assert done.returncode == 0, done.stderr[-2000:]
    versions = "test $(id -u) != 0 && python3 -V && make -v && g++ --version && cmake --version && git --version"
    subprocess.run([docker, "run", "--rm", "tamp-tools", "sh", "-c", versions], check=True, timeout=60)
