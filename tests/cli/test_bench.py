"""`tamp bench`: scores, what is refused, and what is kept when something goes wrong around it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tamp.api.bench import parse_ids
from tamp.backends.libero.goals import equivalent
from tamp.errors import InputError
from tamp.model.atoms import Atom
from tamp.model.formula import Not, conjunction, disjunction
from tamp.model.goal import Goal
from tamp.runs.bench.records import FIELDS, EpisodeRecord, Results, read, summary_of
from tests import bench_resume, forked

pytestmark = pytest.mark.process

SETTINGS = {"stage": "plan", "seed": 0, "planner": "fast-downward", "domain": "tabletop", "llm": "qwen2.5-coder-1.5b"}


def record(init_state: int, success: bool = True, steps: int = 100) -> EpisodeRecord:
    which: dict[str, Any] = {"suite": "libero_object", "task_id": 0, "init_state": init_state, "seed": 0}
    return EpisodeRecord(**which, language="do it", success=success, steps=steps, wall_seconds=6.0)


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return forked.tamp("bench", *arguments)


@pytest.mark.parametrize(
    ("text", "ids"), [("0", [0]), ("0,3,5-7", [0, 3, 5, 6, 7]), (" 2 , 1-2", [1, 2]), ("4-4", [4])]
)
def test_task_numbers_and_ranges(text: str, ids: list[int]) -> None:
    assert parse_ids(text) == ids


def test_a_summary_adds_up() -> None:
    summary = summary_of([record(0, True, 80), record(1, True, 120), record(2, False, 300)], {"mujoco": "1"})
    assert (summary["episodes"], summary["successes"]) == (3, 2)
    assert summary["success_rate"] == pytest.approx(2 / 3)
    assert (summary["mean_steps"], summary["episodes_per_minute"]) == (100.0, 10.0)
    assert summary["perception"] == "oracle" and summary["versions"] == {"mujoco": "1"}
    assert summary_of([record(0, False)], {})["mean_steps"] is None


def test_failures_are_counted_by_kind_without_names_and_numbers() -> None:
    def failed(n: int, stage: str, reason: str, proof: str | None = None) -> EpisodeRecord:
        basis = None if proof is None else {"proof": proof, "cause": "pick: no-grasp"}
        return replace(record(n, False), failure_stage=stage, failure_reason=reason, certificate=basis)

    records = [
        failed(0, "refinement", "(pick mug_1 table): pick: no grasp of mug_1", "samples"),
        failed(1, "refinement", "gave up after 20 s", "time"),
        failed(2, "execution", "(pick can_2 floor): it fell 3.5 cm; then nothing"),
        failed(3, "execution", "(pick mug_1 floor): it fell 12 cm"),
    ]
    assert summary_of(records, {})["failures"] == {
        "execution: (pick … floor): it fell … cm": 2,
        "refinement: pick: no-grasp": 1,
        "refinement: gave up: pick: no-grasp": 1,
    }
    assert "failures" not in summary_of([record(0)], {})


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
        (["worlds", "--n", "0"], "--n"),
        (["worlds", "--n", "3", "--tasks", "2-3"], "--n 3: worlds are counted from 0: no world 3"),
        (["worlds"], "how many worlds? valid: tamp bench worlds --n 50"),
        (["libero_goal", "--n", "3"], "--n is about drawn worlds"),
        (["worlds", "--n", "3", "--trials", "2"], "--trials: a drawn world has one start, a goal and no words"),
        (["walled_in", "nowhere/at_all"], "no scene at nowhere/at_all"),
        (["docs/examples/kitchenette"], "docs/examples/kitchenette is an MJCF scene"),
    ],
)
def test_bad_input_exits_2(arguments: list[str], says: str, tmp_path: Path) -> None:
    done = bench(*arguments, "--stage", "plan", "--out", str(tmp_path / "out"))
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr.splitlines()[-1]
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("results.jsonl", '{"suite": "s"}\n', "not an episode of this version of tamp: no task_id.*; .*another --out"),
        ("settings.json", "", "settings.json:1:1: not JSON: .*; choose another --out"),
        ("file", "hello", "cannot write to .*/file: .*; valid:|cannot write to .*/file/out: Not a directory"),
    ],
)
def test_a_folder_that_cannot_be_used_exits_2(name: str, content: str, says: str, tmp_path: Path) -> None:
    if name == "results.jsonl":
        Results(tmp_path).open(SETTINGS)
    (tmp_path / name).write_text(content)
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file() and p.name != ".lock"}
    out = tmp_path / "file" / "out" if name == "file" else tmp_path
    done = bench("libero_object", "--tasks", "0", "--stage", "plan", "--out", str(out))
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(says, done.stderr.splitlines()[-1]) and "Traceback" not in done.stderr, done.stderr
    assert before == {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file() and p.name != ".lock"}


def test_results_of_other_settings_are_not_mixed(tmp_path: Path) -> None:
    Results(tmp_path).open({"stage": "plan", "seed": 0})
    with pytest.raises(InputError, match="holds results with seed 0, not 1: choose another --out"):
        Results(tmp_path).open({"stage": "plan", "seed": 1})


@pytest.mark.parametrize("way", bench_resume.WAYS)
def test_what_is_disturbed_and_gone_on_with_ends_as_if_it_had_not_been(way: str) -> None:
    if way == "full" and not bench_resume.can_mount():
        pytest.skip("mounting a small disk is not permitted here")
    assert list(bench_resume.disturbed(way, n=4, seed=1)) == [""] * 4


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


def test_a_scene_that_asks_for_what_is_not_there_is_refused_with_file_and_line(tmp_path: Path) -> None:
    scene = tmp_path / "scene.toml"
    scene.write_text('goal = "(on mug_1 plate_1)"\n[things.mug_1]\ncategory = "porcelain_mug"\n')
    done = bench(str(tmp_path), "--stage", "plan", "--out", str(tmp_path / "out"))
    assert done.returncode == 2 and f"{scene}:1: " in done.stderr and "plate_1" in done.stderr, done.stderr


@pytest.mark.thorough
@pytest.mark.episode
def test_a_scenes_trials_are_seeds_and_a_folder_of_scenes_is_benched(tmp_path: Path) -> None:
    scene = tmp_path / "scenes" / "cheese"
    scene.mkdir(parents=True)
    things = [f'[things.{name}]\ncategory = "{kind}"\n' for name, kind in (("b_1", "basket"), ("c_1", "cream_cheese"))]
    (scene / "scene.toml").write_text(f'goal = "(in c_1 b_1_contain_region)"\n{"".join(things)}')
    done = bench(str(scene.parent), "--stage", "plan", "--trials", "2", "--seed", "5", "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    records = read(tmp_path / "out")
    assert [(r.suite, r.init_state, r.seed, r.success) for r in records] == [
        (str(scene), 0, 5, True),
        (str(scene), 1, 6, True),
    ]
    starts = [p.read_text() for p in sorted((tmp_path / "out" / "episodes").glob("*/episode.jsonl"))]
    assert len(starts) == 2 and starts[0] != starts[1]


@pytest.mark.thorough
@pytest.mark.episode
def test_a_drawn_world_is_a_scene_file_that_replays(tmp_path: Path) -> None:
    """With the same start, goal and plan; and it is among the hardest."""
    bench("worlds", "--n", "1", "--seed", "7", "--out", str(tmp_path / "out"))
    (r,) = read(tmp_path / "out")
    assert r.scene is not None and r.goal and r.failure_stage != "error", r
    done = forked.tamp("solve", "--scene", str(tmp_path / "out" / r.scene), "--json", "--out", str(tmp_path / "again"))
    again = json.loads(done.stdout)
    assert (again["goal"], again["plan"], again["success"], again["steps"]) == (r.goal, r.plan, r.success, r.steps)
    (hard,) = (tmp_path / "out" / "hardest").glob("*/scene.toml")
    assert hard.read_text().endswith((tmp_path / "out" / r.scene).read_text())


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
