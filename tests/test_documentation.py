"""The documentation names what there is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from typer.main import get_command

from cli.main import app
from tamp.pddl.lint.findings import CODES
from tamp.runs.bench.bench_report import BenchRun, table
from tamp.runs.bench.records import FIELDS, EpisodeRecord, read, summary_of
from tamp.skills.builtin_specs import specs

ROOT = Path(__file__).parents[1]
COMMANDS = (ROOT / "docs" / "commands.md").read_text()


def _options(command: object, path: str = "tamp") -> list[tuple[str, str, str]]:
    found = [(path, o, p.help) for p in command.params for o in p.opts if o.startswith("--")]  # type: ignore[attr-defined]
    for name, sub in getattr(command, "commands", {}).items():
        found += _options(sub, f"{path} {name}")
    return found


def test_every_command_is_documented_and_every_option_has_help() -> None:
    found = _options(get_command(app))
    assert [command for command, _, _ in found if command not in COMMANDS] == []
    assert [(command, option) for command, option, text in found if not text] == []


def test_no_option_is_documented_that_does_not_exist() -> None:
    assert set(re.findall(r"--[a-z][a-z-]+", COMMANDS)) <= {option for _, option, _ in _options(get_command(app))} | {
        "--help"
    }


def test_the_readme_lists_every_command() -> None:
    listed = re.findall(r"^    tamp ([a-z]+)", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert set(get_command(app).commands) <= set(listed)


def test_the_readme_is_short_and_its_picture_small() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120
    assert (ROOT / "docs" / "images" / "episode.gif").stat().st_size < 3e6


def test_the_results_are_documented_field_by_field() -> None:
    which: dict[str, Any] = {"suite": "s", "task_id": 0, "init_state": 0, "seed": 0, "language": ""}
    row = EpisodeRecord(**which, wall_seconds=1.0, language_seconds=1.0)
    words = set(re.findall(r"[a-z_]+", COMMANDS))
    assert set(FIELDS) <= words
    assert summary_of([row], {}).keys() <= words


def test_every_code_of_check_is_documented_with_its_severity() -> None:
    table = (ROOT / "docs" / "check.md").read_text()
    found = re.findall(r"^\| `([a-z-]+)` \| (error|warning) \| ", table, re.MULTILINE)
    assert sorted(found) == sorted(CODES.items())


def test_every_skill_is_documented() -> None:
    table = (ROOT / "docs" / "domains.md").read_text()
    assert [name for each in specs().values() for name in each if f"`{name}`" not in table] == []


def test_the_table_of_results_is_what_the_results_come_to() -> None:
    written = table([BenchRun("", read(ROOT / "docs" / "results" / "libero_oracle.jsonl.gz"), "")]).markdown()
    assert written in (ROOT / "docs" / "libero.md").read_text()


def test_links_lead_somewhere() -> None:
    for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        for link in re.findall(r"\]\((?!http)([^)#]+)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_the_changelog_has_this_version_and_what_is_not_released() -> None:
    """Keep a Changelog: newest first, and under each version only kinds of change."""
    text = (ROOT / "CHANGELOG.md").read_text()
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert re.findall(r"^## \[(.+?)\]", text, re.MULTILINE)[:2] == ["Unreleased", version]
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert set(re.findall(r"^### (.*)$", text, re.MULTILINE)) <= kinds
