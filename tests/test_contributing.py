"""What CONTRIBUTING.md, the hooks and the container files name is there."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

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


def test_commits_that_the_page_names_exist() -> None:
    if not (ROOT / ".git").exists() or (ROOT / ".git" / "shallow").exists():
        pytest.skip("no history here: an export, an installed package or a shallow clone")
    commits = re.findall(r"`([0-9a-f]{7})`", PAGE)
    assert len(commits) >= 8
    for commit in commits:
        found = subprocess.run(["git", "cat-file", "-e", f"{commit}^{{commit}}"], cwd=ROOT, check=False, timeout=20)
        assert found.returncode == 0, commit


def test_make_knows_what_is_to_be_made() -> None:
    known = TARGETS | {f"bench-{name}" for name in names()}
    texts = "\n".join((PAGE, DOCKERFILE, DEVCONTAINER["postCreateCommand"]))
    asked = set(re.findall(r"\bmake ([a-z][\w-]*)(?![\w+…])", texts)) - {"bench-"}
    asked |= set(DEVCONTAINER["postCreateCommand"].removeprefix("make ").split())
    assert {"setup", "hooks", "test-fast", "image", "bench-bodies"} <= asked
    assert asked - known == set()


def test_the_image_copies_what_exists_and_has_the_tools_that_set_up_asks_for() -> None:
    copied = [line.split()[2:-1] for line in re.findall(r"^COPY --chown=tamp .*", DOCKERFILE, re.MULTILINE)]
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
    build = DEVCONTAINER["build"]
    assert (ROOT / ".devcontainer" / build["dockerfile"]).resolve() == ROOT / "Dockerfile"
    assert f" AS {build['target']}\n" in DOCKERFILE
