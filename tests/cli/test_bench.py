"""`tamp bench`: scores, intervals, and going on where a run was interrupted."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tamp.api.bench import parse_ids
from tamp.backends.libero.goals import equivalent
from tamp.errors import InputError
from tamp.model.atoms import Atom
from tamp.model.formula import Not, conjunction, disjunction
from tamp.model.goal import Goal
from tamp.runs.bench.records import FIELDS, EpisodeRecord, Results, summary_of, wilson
from tamp.runs.bench.scheduling import Key
from tamp.runs.episode_log import read
from tests import forked

pytestmark = pytest.mark.process


def record(task_id: int, success: bool, steps: int = 100) -> EpisodeRecord:
    which: dict[str, Any] = {"suite": "s", "task_id": task_id, "init_state": 0, "language": "do it", "seed": 0}
    return EpisodeRecord(**which, success=success, steps=steps, wall_seconds=6.0)


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return forked.tamp("bench", *arguments)


@pytest.mark.parametrize(
    ("text", "ids"), [("0", [0]), ("0,3,5-7", [0, 3, 5, 6, 7]), (" 2 , 1-2", [1, 2]), ("4-4", [4])]
)
def test_task_numbers_and_ranges(text: str, ids: list[int]) -> None:
    assert parse_ids(text) == ids


@pytest.mark.parametrize("text", ["", "a", "1,", "3-1", "-1", "1-2-3"])
def test_what_is_no_task_number_is_named(text: str) -> None:
    with pytest.raises(InputError, match="is no task number or range; valid: 0,3,5-7"):
        parse_ids(text)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (7, 10, 0.3968, 0.8922), (0, 0, 0.0, 1.0)],
)
def test_wilson_intervals_are_the_published_ones(successes: int, n: int, low: float, high: float) -> None:
    assert wilson(successes, n) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


def test_a_summary_adds_up() -> None:
    summary = summary_of([record(0, True, 80), record(1, True, 120), record(2, False, 300)], {"mujoco": "1"})
    assert (summary["episodes"], summary["successes"]) == (3, 2)
    assert summary["success_rate"] == pytest.approx(2 / 3)
    assert (summary["mean_steps"], summary["episodes_per_minute"]) == (100.0, 10.0)
    assert summary["perception"] == "oracle" and summary["versions"] == {"mujoco": "1"}
    assert summary_of([record(0, False)], {})["mean_steps"] is None


def test_an_interrupted_run_goes_on_and_half_a_line_is_run_again(tmp_path: Path) -> None:
    results, settings = Results(tmp_path / "out"), {"stage": "plan", "seed": 0}
    assert results.open(settings) == []
    for n in range(3):
        results.add(record(n, True))
    path = tmp_path / "out" / "results.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    again = results.open(settings)
    assert [r.key for r in again] == [Key("s", 0, 0), Key("s", 1, 0)]
    results.add(record(2, False))
    assert [r.success for r in results.open(settings)] == [True, True, False]


def test_results_of_other_settings_are_not_mixed(tmp_path: Path) -> None:
    Results(tmp_path).open({"stage": "plan", "seed": 0})
    with pytest.raises(InputError, match="holds results with seed 0, not 1: choose another --out"):
        Results(tmp_path).open({"stage": "plan", "seed": 1})
    Results(tmp_path / "real").open({"seed": 0, "clock": "real"})
    with pytest.raises(InputError, match="holds results with clock 'real', not None: choose another --out"):
        Results(tmp_path / "real").open({"seed": 0})


def test_goals_are_equivalent_but_for_what_holds_already() -> None:
    on, shut, lit = Atom("on", ("cup", "bench")), Atom("closed", ("chest",)), Atom("turned-on", ("lamp",))
    assert equivalent(Goal.of((on, shut)), Goal.of((shut, on)), frozenset())
    assert equivalent(Goal(on), Goal.of((lit, on)), frozenset({lit}))
    assert not equivalent(Goal(on), Goal.of((lit, on)), frozenset())
    assert not equivalent(Goal(on), Goal(shut), frozenset({lit}))
    either = Goal(disjunction([shut, conjunction([on, Not(lit)])]))
    assert equivalent(either, Goal(disjunction([on, shut])), frozenset()), "(not lit) holds already"
    assert not equivalent(either, Goal(disjunction([on, shut])), frozenset({lit}))
    assert not equivalent(Goal(on), Goal(on, ("cup",)), frozenset())


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["libero_gaol"], "unknown suite 'libero_gaol'; nearest: libero_goal"),
        (["libero_goal", "--tasks", "9-12"], "libero_goal has 10 tasks, counted from 0: no task 10"),
        (["libero_goal", "--tasks", "x"], "--tasks 'x': 'x' is no task number or range"),
        (["libero_goal", "--trials", "51"], "--trials 51; stored initial states: 50"),
        (["libero_goal_object_ood"], "lacks its BDDL file"),
        (["libero_goal", "--planner", "magic"], "unknown planner 'magic'"),
        (["libero_goal", "--disturb", "nocked"], "no disturbance 'nocked'; valid: knocked"),
        (["libero_goal", "--disturb", "frozen"], "--disturb frozen is about pictures; valid with --perception camera"),
    ],
)
def test_bad_input_exits_2(arguments: list[str], says: str, tmp_path: Path) -> None:
    done = bench(*arguments, "--stage", "plan", "--out", str(tmp_path / "out"))
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr.splitlines()[-1]
    assert not (tmp_path / "out").exists()


@pytest.mark.episode
def test_with_the_clock_running_what_is_thought_for_counts_as_steps(tmp_path: Path) -> None:
    arguments = ["libero_object", "--tasks", "0", "--stage", "plan", "--clock", "real", "--out", str(tmp_path)]
    assert bench(*arguments).returncode == 0
    (folder,) = (tmp_path / "episodes").iterdir()
    result = json.loads((tmp_path / "results.jsonl").read_text())
    moved = sum(e["event"] == "command" for e in read(folder / "episode.jsonl"))
    assert result["success"] and result["steps"] > moved, "it stood still until it had decided"


@pytest.mark.episode
def test_a_real_run_scores_by_libero_and_is_not_run_twice(tmp_path: Path) -> None:
    arguments = ["libero_object", "--tasks", "0", "--stage", "plan", "--out", str(tmp_path)]
    done = bench(*arguments, "--min-success", "1")
    assert done.returncode == 0, done.stderr
    assert "1/1 libero_object/0 init 0" in done.stderr
    line = json.loads((tmp_path / "results.jsonl").read_text())
    assert list(line) == list(FIELDS)
    assert (line["success"], line["failure_stage"], line["init_state"]) == (True, None, 0)
    assert line["language"] == "pick up the alphabet soup and place it in the basket"
    assert line["plan"] and line["steps"] <= 280
    again = bench(*arguments, "--json")
    assert "1 episodes are there already, 0 to go" in again.stderr
    summary = json.loads(again.stdout)
    assert summary == json.loads((tmp_path / "summary.json").read_text())
    assert (summary["libero_object"]["successes"], summary["libero_object"]["episodes"]) == (1, 1)
    results = tmp_path / "results.jsonl"
    results.write_text(json.dumps(line | {"success": False, "failure_stage": "execution"}) + "\n")
    low = bench(*arguments, "--min-success", "0.5")
    assert low.returncode == 1
    assert "below --min-success 0.5: libero_object" in low.stderr


@pytest.mark.thorough
@pytest.mark.episode
@pytest.mark.model
def test_decoded_goals_are_scored_with_their_replies(tmp_path: Path) -> None:
    wordings = tmp_path / "mine.toml"
    wordings.write_text(
        '["libero_goal/8"]\nwordings = ["the blow onto the plate, please", "put the cream cheese on the plate"]\n'
        '[[case]]\nscene = "libero_goal/8"\ninstruction = "put the banana on the plate"\nwhy = "absent"\n'
    )
    out = tmp_path / "out"
    done = bench("--stage", "goal", "--wordings", str(wordings), "--out", str(out))
    assert done.returncode == 0, done.stderr
    head, row, *misses = done.stdout.splitlines()
    assert head.split() == ["suite", "right", "95", "%", "reaching", "refused", "seconds"]
    assert row.split()[:2] == ["libero_goal", "2/3"] and row.split()[5:7] == ["1", "1"]
    assert misses[1:4] == [
        "misses",
        "  libero_goal/8 init 0: put the cream cheese on the plate",
        "    reply: the cream cheese is on the plate",
    ]
    records = {r["wording"]: r for r in map(json.loads, (out / "results.jsonl").read_text().splitlines())}
    assert [records[n]["success"] for n in (1, 2, 3)] == [True, False, True]
    assert records[1]["goal"] == "(on akita_black_bowl_1 plate_1)" and 0.5 < records[1]["confidence"] < 1.0
    events = [json.loads(x) for x in (out / "episodes/libero_goal-8-0-2/episode.jsonl").read_text().splitlines()]
    scored = next(e for e in events if e["event"] == "scored")
    assert (scored["success"], scored["reaches"]) == (False, False)
