"""Every block of the documentation is carried out or looked at, or says why not; `make docs-check` does all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.page_blocks import ROOT, blocks, commands, normal, pages, says
from tests.page_check import check_page, kind, unknown

PAGES = [page for page in pages() if blocks(page)]


@pytest.mark.process
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_shows_is_so(page: Path) -> None:
    found = [f"{verdict.block.place}: {wrong}" for verdict in check_page(page) for wrong in verdict.wrong]
    assert not found, "\n\n".join(found)


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_no_block_is_left_out_without_a_reason(page: Path) -> None:
    wrong = [block.place for block in blocks(page) if kind(block) == "unmarked" or block.marks.get("not run") == ""]
    assert not wrong, f"{wrong}: name the language, or put <!-- not run: REASON --> before it"


def test_blocks_have_their_marks_and_commands_their_output() -> None:
    page = "Words\n\n<!-- slow -->\n\n    $ a \\\n        b\n    one\n\n    two\n    $ c\n\n"
    page += "```toml\nx = 1\n```\n- item\n\n    text\n"
    first, second = blocks(Path("page.md"), page)
    assert (first.language, first.marks, second.language, second.text) == ("commands", {"slow": ""}, "toml", "x = 1\n")
    assert [(c.command, c.lines) for c in commands(first)] == [("a b", ("one", "two")), ("c", ())]


def test_an_exit_code_that_a_page_names_is_compared_with_the_output(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- exit 1 -->\n\n    $ echo no\n    no\n\nWords\n\n<!-- exit 1 -->\n\n    $ echo no; exit 1\n    no\n"
    )
    assert [len(verdict.wrong) for verdict in check_page(page)] == [1, 0]


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        (("a", "…"), "a\nb\nc\n", True),
        (("a", "…", "c"), "a\nc\n", True),
        (("a",), "a\nb\n", False),
        (("took … steps",), "took 12 steps\n", True),
        (("a", "", "b"), "a\nb\n", True),
    ],
)
def test_an_output_is_what_is_shown(shown: tuple[str, ...], printed: str, same: bool) -> None:
    assert says(printed, shown) == same


def test_only_what_changes_from_run_to_run_does_not_count() -> None:
    a = normal("done in 1.5 s, 3 steps in /tmp/x/episodes/20261124-204117-mug", {"/tmp/x/": ""})
    assert a == normal("done in 22 s, 3 steps in episodes/20261125-000000-mug", {})
    assert a != normal("done in 22 s, 4 steps in episodes/20261125-000000-mug", {})
    assert says(normal("tamp: checking step 2 of 2\ntamp: 2 steps done", {}), ("tamp: 2 steps done",))


def test_a_synopsis_names_what_there_is() -> None:
    assert list(unknown("tamp solve TEXT [--seed N]   words\ntamp scene list | show S [--json]\n")) == []
    assert len(list(unknown("tamp solv TEXT\ntamp solve --sed N\ntamp scene lst\n"))) == 3
