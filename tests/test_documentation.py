"""The documentation names what there is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from typer.main import get_command

from cli.main import app
from tamp.pddl.lint.findings import CODES
from tamp.runs.bench.records import FIELDS, read, summary_of
from tamp.runs.bench.report import rows, table
from tamp.skills.builtin_specs import specs

ROOT = Path(__file__).parents[1]
COMMANDS = (ROOT / "docs" / "commands.md").read_text()


def _options(command: object, path: str = "tamp") -> list[tuple[str, str]]:
    found = [(path, o) for p in command.params for o in p.opts if o.startswith("--")]  # type: ignore[attr-defined]
    for name, sub in getattr(command, "commands", {}).items():
        found += _options(sub, f"{path} {name}")
    return found


@pytest.mark.parametrize(("command", "option"), sorted(set(_options(get_command(app)))))
def test_every_command_and_option_is_documented(command: str, option: str) -> None:
    assert command in COMMANDS
    assert option in COMMANDS or option == "--help"


def test_no_option_is_documented_that_does_not_exist() -> None:
    assert set(re.findall(r"--[a-z][a-z-]+", COMMANDS)) <= {option for _, option in _options(get_command(app))}


def test_the_readme_lists_every_command() -> None:
    listed = re.findall(r"^    tamp ([a-z]+)", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert set(get_command(app).commands) <= set(listed)


def test_the_results_are_documented_field_by_field() -> None:
    row = {"success": True, "steps": 1, "planning_seconds": 0.1, "wall_seconds": 1.0, "perception": "oracle"}
    row |= {"language_seconds": 1.0, "reaches": True, "goal": None}
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
    written = table(rows(read(ROOT / "docs" / "results" / "libero_oracle.jsonl.gz"))).markdown()
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
