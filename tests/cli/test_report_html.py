"""Pages as somebody opens them: written by the commands, and clicked through in Chromium from the disk."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import imageio.v3 as iio
import numpy as np
import pytest

from cli.main import main
from cli.output import Output
from cli.report_results import report
from tamp.api.tool_configs import ReportConfig
from tamp.errors import InputError
from tests.browsing import fits_and_reads, is_walked_by_keys, until
from tests.page_episodes import (
    MARKUP,
    PLAN,
    PROBLEM,
    benchmark,
    failure,
    lines,
    record,
    recorded,
    success,
    write,
)

pytestmark = pytest.mark.process

IN_SIGHT = """(selector) => {
  const {top, bottom} = document.querySelector(selector).getBoundingClientRect();
  return top < innerHeight && bottom > 0;
}"""
"""Whether some of it is on the screen."""


@dataclass(frozen=True)
class Done:
    """What a command came to."""

    code: int
    out: str
    err: str


@pytest.fixture
def tamp(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    def run(*arguments: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["tamp", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return Done(int(ended.value.code or 0), *capfd.readouterr())

    return run


Tamp = Callable[..., Done]
Opened = Callable[..., Any]


def test_the_demo_is_clicked_through(tmp_path: Path, tamp: Tamp, opened: Opened) -> None:
    folder, file = recorded(tmp_path / "e", "demo"), tmp_path / "page.html"
    pictures = np.zeros((119, 64, 64, 3), np.uint8) + np.linspace(0, 250, 119).astype(np.uint8)[:, None, None, None]
    iio.imwrite(folder / "video.mp4", pictures, fps=20)
    assert tamp("report", folder, "--html", file) == Done(0, f"page {file}\n", "")
    page = opened(file)
    assert file.stat().st_size < 500_000
    page.get_by_text("It succeeded by the oracle of the goal.").wait_for()
    page.locator("#step-2 .go").click()
    assert "Action 2" in until(lambda: page.locator("#action-now").inner_text().strip())
    step = int(page.locator("#step").input_value())
    assert step > 20
    now = until(lambda: page.evaluate("document.getElementById('video').currentTime"))
    assert now == pytest.approx((step - 1) / 20, abs=0.01)
    assert "now" in (page.locator("#step-2").get_attribute("class") or "")
    assert "(holding mug_1) is true now" in page.locator("#step-2").inner_text()
    before = page.locator("#space").screenshot()
    page.locator("#space").press("ArrowLeft")
    assert page.locator("#space").screenshot() != before
    is_walked_by_keys(page)
    fits_and_reads(page)
    fits_and_reads(opened(file, 360, "dark"))


@pytest.mark.parametrize("name", ["camera", "live", "arm_plan", "no_motion"])
def test_every_kind_of_run_has_a_page(name: str, tmp_path: Path, tamp: Tamp, opened: Opened) -> None:
    file = tmp_path / "page.html"
    assert tamp("report", recorded(tmp_path / "e", name), "--html", file).code == 0
    page = opened(file, 360, "dark")
    until(lambda: page.locator("#space canvas").count())
    if name == "no_motion":
        red = until(lambda: page.locator(".labels .bad").all_inner_texts())
        assert red == ["mug_1"]
        page.locator("[data-failure]").first.click()
        assert page.evaluate(IN_SIGHT, "#space")
    else:
        before = page.locator("#space").screenshot()
        until(lambda: page.locator("#step").is_visible())
        page.locator("#step").press("End")
        assert page.locator("#space").screenshot() != before
    fits_and_reads(page)
    wider = "all => all.filter((e) => e.scrollWidth > e.clientWidth).length"
    assert page.eval_on_selector_all(".rows", wider) == 0


def test_a_failed_episode_says_why_and_runs_none_of_its_words(tmp_path: Path, tamp: Tamp, opened: Opened) -> None:
    folder = write(tmp_path / 'e"><b>', failure())
    with (folder / "video.mp4").open("wb") as video:
        video.truncate(100_000_000)  # it is only referred to
    file = tmp_path / "page.html"
    file.write_text("an older page")
    assert tamp("report", folder, "--html", file).code == 0
    library = max(file.read_text().splitlines(), key=len)  # three.js, in one line
    assert file.stat().st_size - len(library) < 200_000
    page = opened(file, 360)
    assert page.locator("h1").inner_text() == MARKUP
    assert page.locator("#verdict").get_by_text(f"no room {MARKUP}").count() == 1 and page.locator("img").count() == 0
    page.get_by_text("not achieved").first.wait_for()
    assert page.locator("#step-3").get_by_text("failed").count() == 1
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    fits_and_reads(page)


def test_two_runs_of_2900_episodes_are_compared_on_a_small_page(tmp_path: Path, tamp: Tamp, opened: Opened) -> None:
    old, new = benchmark(tmp_path / "old", 1, 0.03), benchmark(tmp_path / "new", 2, 0.06)
    file = tmp_path / "page.html"
    assert tamp("report", old, new, "--html", file).code == 0
    assert file.stat().st_size < 500_000
    page = opened(file, 360, "dark")
    assert "McNemar" in page.locator("#main").inner_text()
    page.get_by_text("Failed episodes: ").last.click()
    assert page.get_by_text("refinement: no grasp").last.is_visible()
    fits_and_reads(page)


def test_a_failed_episode_is_one_click_from_its_benchmark(tmp_path: Path, tamp: Tamp, opened: Opened) -> None:
    run, file = tmp_path / "run", tmp_path / "page.html"
    write(run / "episodes" / "libero_goal-0-1", failure())
    write(run / "episodes" / "libero_goal-0-0", success())
    some = [record("libero_goal", 0, 0), record("libero_goal", 0, 1, success=False, failure_stage="refinement")]
    (run / "results.jsonl").write_text(lines(*some))
    done = tamp("report", run, "--html", file)
    assert done.out == f"page {file}; episodes: 1 in {tmp_path / 'page-episodes'}\n"
    page = opened(file)
    fits_and_reads(page)
    is_walked_by_keys(page)
    page.get_by_text("Failed episodes: 1").click()
    page.get_by_role("link", name="libero_goal/0 init 1").click()
    page.wait_for_url("**/page-episodes/001-libero_goal-0-1.html")
    page.get_by_text("plan rejected").wait_for()


def test_several_episodes_are_a_table_that_leads_to_each(tmp_path: Path, tamp: Tamp, opened: Opened) -> None:
    file = tmp_path / "page.html"
    for name, events in (("one", success()), ("two", failure())):
        write(tmp_path / "e" / name, events)
    assert (
        tamp("report", tmp_path / "e", "--html", file).out
        == f"page {file}; episodes: 2 in {tmp_path / 'page-episodes'}\n"
    )
    page = opened(file, 360)
    assert page.locator("h1").inner_text() == "2 episodes: 1 success, 1 no success"
    is_walked_by_keys(page)
    fits_and_reads(page)
    page.get_by_role("link", name="two").click()
    page.get_by_text("plan rejected").wait_for()


def test_an_invalid_plan_says_where_it_breaks(tmp_path: Path, tamp: Tamp, opened: Opened) -> None:
    problem, plan, file = tmp_path / "problem.pddl", tmp_path / "plan.txt", tmp_path / "page.html"
    problem.write_text(PROBLEM)
    plan.write_text("\n".join([PLAN[1], "(pick plate_1 table_1)", *PLAN]))
    (tmp_path / "other.txt").write_text("(pick nothing table_1)")
    done = tamp("validate", "tabletop", problem, plan, tmp_path / "other.txt", "--html", file)
    assert done.code == 2 and "invalid at step 2" in done.out
    page = opened(file, 360)
    page.get_by_text("What would repair it").wait_for()
    assert page.locator("thead .broken").first.inner_text().startswith("✗ 2")
    is_walked_by_keys(page)
    fits_and_reads(page)
    assert tamp("validate", "tabletop", problem, plan, "--html", file).code == 1


def test_what_is_refused(tmp_path: Path, tamp: Tamp) -> None:
    one, page = write(tmp_path / "e" / "one", success()), tmp_path / "p.html"
    broken = write(tmp_path / "broken", success(), tail="{}\nnonsense\n")
    (tmp_path / "nothing").mkdir()
    for path, file, says in (
        (tmp_path / "nothing", page, "holds no episode's log"),
        (one, tmp_path / "nowhere" / "p.html", "a file in a folder that exists"),
        (one, tmp_path, "a file in a folder that exists"),
    ):
        with pytest.raises(InputError, match=says):
            report(ReportConfig([path], html=file), Output(None, json=False))
    done = tamp("report", broken, "--html", page)
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert "not an event of an episode's log" in done.err and not page.exists()
