"""`tamp check`: findings as editors read them, exit codes, --fix, --json and --cases, on good input and bad."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.forked import tamp

ROOT = Path(__file__).parents[2]
PATHS = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}

pytestmark = pytest.mark.process

DOMAIN = """(define (domain d)
  (:requirements :strips :typing)
  (:types block)
  (:predicates (on ?a ?b - block) (clear ?a - block))
  (:action stack
    :parameters (?a ?b - block)
    :precondition (and (clear ?a) (not (= ?a ?b)) (clear ?b))
    :effect (and (on ?a ?b) (not (clear ?b)))))
"""
PROBLEM = "(define (problem p) (:domain d) (:objects x y - block) (:init (clear x) (clear y)) (:goal (on x y)))"


def check(*args: str | Path, cwd: Path, text: bytes = b"") -> subprocess.CompletedProcess[str]:
    return tamp("check", *args, cwd=cwd, given=text)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "d.pddl").write_text(DOMAIN)
    (tmp_path / "p.pddl").write_text(PROBLEM)
    return tmp_path


def test_json_has_the_same_and_the_line(folder: Path) -> None:
    (folder / "p.pddl").write_text(PROBLEM.replace("(clear y)", "(clera y)"))
    done = check("d.pddl", "p.pddl", "--json", cwd=folder)
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["ok"], answer["errors"], answer["warnings"]) == (1, False, 1, 1)
    assert answer["findings"][1] == {
        "file": "p.pddl",
        "line": 1,
        "column": PROBLEM.index("(clear y)") + 2,
        "code": "unknown-predicate",
        "severity": "error",
        "message": "there is no predicate 'clera'; did you mean 'clear'?",
        "text": PROBLEM.replace("(clear y)", "(clera y)"),
    }


def test_annotations_and_sarif_have_the_same(folder: Path) -> None:
    (folder / "p,1.pddl").write_text(PROBLEM.replace("(clear y)", "(clera y)"))
    found = json.loads(check("d.pddl", "p,1.pddl", "--json", cwd=folder).stdout)["findings"]
    done = check("d.pddl", "p,1.pddl", "--format", "sarif", cwd=folder)
    (run,) = json.loads(done.stdout)["runs"]
    places = [
        (r["locations"][0]["physicalLocation"], r["ruleId"], r["level"], r["message"]["text"]) for r in run["results"]
    ]
    assert done.returncode == 1
    assert [
        (p["artifactLocation"]["uri"], p["region"]["startLine"], p["region"]["startColumn"], *rest)
        for p, *rest in places
    ] == [
        (f["file"].replace(",", "%2C"), f["line"], f["column"], f["code"], f["severity"], f["message"]) for f in found
    ]
    lines = check("d.pddl", "p,1.pddl", "--format", "github", cwd=folder).stdout.splitlines()
    assert len(lines) == len(found)
    assert lines[1].startswith("::error file=p%2C1.pddl,line=1,col=") and "title=unknown-predicate::" in lines[1]


def test_the_hook_for_other_repositories_checks_each_folder_once(folder: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    for name, text in (("fine", DOMAIN), ("wrong", DOMAIN.replace("(clear ?a)", "(clera ?a)"))):
        (folder / name).mkdir()
        (folder / name / "domain.pddl").write_text(text)
        (folder / name / "words.toml").write_text("")
    for name, code in (("fine", 0), ("wrong", 123)):
        files = [f"{name}/domain.pddl", f"{name}/words.toml"]
        command = [*shlex.split(hook["entry"]), *files]
        done = subprocess.run(command, cwd=folder, env=PATHS, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == code, done.stderr
        assert done.stdout.count("unknown-predicate") == (name == "wrong"), done.stdout


def test_fix_adds_what_is_missing_and_then_nothing(folder: Path) -> None:
    assert check("d.pddl", "p.pddl", cwd=folder).returncode == 0, "a warning is no failure"
    done = check("d.pddl", "--fix", cwd=folder)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "d.pddl: added :equality\nnothing found\n"
    assert (folder / "d.pddl").read_text() == DOMAIN.replace(":typing", ":typing :equality")


def test_standard_input(folder: Path) -> None:
    done = check("-", "p.pddl", cwd=folder, text=DOMAIN.replace("(clear ?b)))", "(clear ?c)))").encode())
    assert done.returncode == 1
    assert "<stdin>:8:" in done.stdout and "unknown-variable" in done.stdout
    (folder / "skills.toml").write_text("nothing = 1")  # beside no file
    assert "skills.toml" not in check("-", cwd=folder, text=DOMAIN.encode()).stdout
    assert check("-", "--fix", cwd=folder, text=DOMAIN.encode()).returncode == 2
    assert check("-", "-", cwd=folder).stderr.startswith("tamp: error: only one of the files can be standard input")


BAD = {
    "empty": (b"", "there is nothing in it"),
    "not UTF-8": (DOMAIN.encode().replace(b"block)", b"bl\xf6ck)", 1), "not UTF-8 text"),
    "open": (DOMAIN.encode()[:-3], "is never closed"),
    "deep": (b"(define (domain d) " + b"(" * 5000 + b")" * 5000 + b")", "levels of parentheses"),
    "a problem": (PROBLEM.encode(), "this is a problem, not a domain"),
}


@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_pddl_is_said_in_a_line_and_exits_2(kind: str, folder: Path) -> None:
    content, says = BAD[kind]
    (folder / "bad.pddl").write_bytes(content)
    done = check("bad.pddl", cwd=folder)
    assert done.returncode == 2 and says in done.stdout, done
    assert re.fullmatch(r"bad\.pddl:\d+:\d+: not-pddl [^\n]+\n", done.stdout)
    assert done.stderr.startswith("tamp: error: bad.pddl:") and done.stderr.count("\n") == 1


def test_a_problem_that_cannot_be_read_keeps_nothing_else_from_being_checked(folder: Path) -> None:
    (folder / "bad.pddl").write_text("(")
    done = check("d.pddl", "none.pddl", "bad.pddl", "p.pddl", "--json", cwd=folder)
    shown = [(f["file"], f["code"]) for f in json.loads(done.stdout)["findings"]]
    wanted = [("d.pddl", "missing-requirement"), ("none.pddl", "not-pddl"), ("bad.pddl", "not-pddl")]
    assert (done.returncode, shown) == (2, wanted)


@pytest.mark.parametrize("args", [(), ("none.pddl",), (".",), ("no-such-domain",), ("d.pddl", "--cases", ".")])
def test_nothing_to_check_exits_2(args: tuple[str, ...], folder: Path) -> None:
    done = check(*args, cwd=folder)
    assert done.returncode == 2 and done.stderr.startswith("tamp: error: ") and done.stderr.count("\n") == 1


CASE = 'domain = "../d.pddl"\nproblem = "../p.pddl"\nsolvable = true\n[[good]]\nsteps = ["(stack x y)"]\n'


def test_cases_say_what_was_expected_and_what_came_out(folder: Path) -> None:
    off = '[[bad]]\nsteps = ["(stack y x)"]\nstep = 1\n'
    for name, said in (("fine", ""), ("off", off), ("unread/a", "surprise = 1")):
        (folder / name).mkdir(parents=True)
        (folder / name / "case.toml").write_text(CASE + said)
    done = check("--cases", "fine", cwd=folder)
    assert (done.returncode, done.stdout) == (0, "fine: 2 as expected\n")
    done = check("--cases", ".", cwd=folder)
    off = "off: bad plan 1: expected invalid at step 1, came out invalid at the goal\n"
    assert (done.returncode, done.stdout) == (1, f"fine: 2 as expected\n{off}")
    answer = json.loads(check("--cases", ".", "--json", cwd=folder).stdout)
    assert [(c["case"], c["ok"]) for c in answer["cases"]] == [("fine", True), ("off", False)] and not answer["ok"]
    done = check("--cases", "unread", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "a: cannot be run\n")
    assert done.stderr.startswith("tamp: error: unread/a/case.toml:6: ") and "surprise" in done.stderr
