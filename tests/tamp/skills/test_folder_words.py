"""The words beside a domain."""

from __future__ import annotations

from pathlib import Path

import pytest

from tamp.skills.folder_check import check

DOMAIN = """(define (domain d)
  (:predicates (holding) (p))
  (:action grab :parameters () :precondition (p) :effect (holding))
  (:action drop :parameters () :precondition (holding) :effect (p)))
"""


@pytest.mark.parametrize(
    ("table", "found"),
    [
        ('[predicates]\nholding = "held"\n[things]\n"moka pot" = ["pot", "coffee maker"]\n', []),
        ('[predicates]\nholds = "held"\n', [("words.toml", 2, "unknown-predicate")]),
        ("[predicates]\nholding = 3\n", [("words.toml", 2, "bad-words")]),
        ('[things]\npot = "jug"\n', [("words.toml", 2, "bad-words")]),
        ('[nouns]\npot = ["jug"]\n', [("words.toml", 1, "bad-words")]),
        ("[things\n", [("words.toml", 1, "bad-words")]),
    ],
)
def test_what_are_no_words_of_the_domain_is_found_where_it_is(
    table: str, found: list[tuple[str, int, str]], tmp_path: Path
) -> None:
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    (tmp_path / "words.toml").write_text(table)
    told = [(Path(f.file).name, f.line, f.code) for f in check(tmp_path).findings]
    assert told == found
