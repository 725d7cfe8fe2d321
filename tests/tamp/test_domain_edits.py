"""Editing domain.pddl and its table changes what is planned, with no code touched."""

from __future__ import annotations

import re
from pathlib import Path

from tamp.data import data_dir
from tamp.files.source import Source
from tamp.model.atoms import Atom, GroundAction
from tamp.model.domain import Domain
from tamp.model.state import WorldState, problem_text
from tamp.pddl.domain_file import load
from tamp.pddl.planner import Plan, solve_problem
from tamp.pddl.reading import parse
from tamp.skills.registry import bind

TABLETOP = data_dir("domains") / "tabletop"

CLOSED_CHEST = WorldState(
    {"cup": "item", "dish": "item", "bench": "surface", "shelf": "surface", "chest": "drawer"},
    frozenset(
        {
            Atom("hand-empty"),
            Atom("on", ("dish", "bench")),
            Atom("on", ("cup", "dish")),
            Atom("clear", ("cup",)),
            Atom("clear", ("shelf",)),
            Atom("closed", ("chest",)),
        }
    ),
)

SERVE = """
  ; Put what is held onto an item on which nothing stands, and remember what was served on what.
  (:action serve
    :parameters (?o ?s - item)
    :precondition (and (holding ?o) (clear ?s) (not (= ?o ?s)))
    :effect (and (on ?o ?s) (served ?o ?s) (not (clear ?s)) (hand-empty) (not (holding ?o))))
"""


def edited(folder: Path, domain_text: str, binding: str = "") -> Domain:
    folder.mkdir(exist_ok=True)
    (folder / "domain.pddl").write_text(domain_text)
    (folder / "skills.toml").write_text((TABLETOP / "skills.toml").read_text() + binding)
    return load(str(folder))


def planned(domain: Domain, goal: str) -> Plan:
    problem = Source("problem.pddl", problem_text(domain, CLOSED_CHEST, goal))
    result = solve_problem(parse(Source(str(domain.path), domain.text), problem))
    assert result.plan is not None, result.message
    return result.plan


def without_precondition(text: str, action: str, precondition: str) -> str:
    """The domain's text with one precondition of one action taken out."""
    start = text.index(f"(:action {action}")
    head, body = text[:start], text[start:]
    end = body.index(":effect")
    assert precondition in body[:end]
    return head + body[:end].replace(precondition, "", 1) + body[end:]


def test_without_the_open_precondition_nothing_is_opened(tmp_path: Path) -> None:
    text = (TABLETOP / "domain.pddl").read_text()
    domain = edited(tmp_path / "careless", without_precondition(text, "place-in", "(open ?i)"))
    before, after = planned(load("tabletop"), "(in cup chest)"), planned(domain, "(in cup chest)")
    assert GroundAction("open-drawer", ("chest",)) in before.actions
    assert [str(a) for a in after.actions] == ["(pick cup dish)", "(place-in cup chest)"]


def test_an_added_operator_is_used_with_the_skill_it_is_bound_to(tmp_path: Path) -> None:
    text = (TABLETOP / "domain.pddl").read_text().replace("(:predicates", "(:predicates\n    (served ?o ?s - item)", 1)
    wider = re.sub(r"\)\s*$", SERVE + ")\n", text)
    domain = edited(tmp_path / "wider", wider, 'serve = "place"\n[predicates.served]\nbelieved = true\n')
    assert type(bind(domain)["serve"]) is type(bind(domain)["place-on"])
    assert planned(domain, "(served cup dish)").actions == (
        GroundAction("pick", ("cup", "dish")),
        GroundAction("serve", ("cup", "dish")),
    )
