"""Seeded faults: each an edit of a sound domain or problem, found at its line, and nothing else is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from tamp.pddl.lint.check import Report
from tamp.skills.folder_check import check

DOMAIN = """\
; Deliveries in a town.
(define (domain deliveries)
  (:requirements :strips :typing :equality :negative-preconditions :disjunctive-preconditions
                 :existential-preconditions :universal-preconditions :conditional-effects :numeric-fluents)
  (:types
    van bike - vehicle
    vehicle parcel - locatable
    locatable place - object)
  (:constants depot - place)
  (:predicates
    (at ?x - locatable ?p - place)
    (inside ?a - parcel ?v - vehicle)
    (road ?from ?to - place)
    (wet)
    (signed ?a - parcel)
    (tired))
  (:functions
    (fuel ?v - vehicle)
    (length ?from ?to - place)
    (total-cost))

  (:action drive
    :parameters (?v - van ?from ?to - place)
    :precondition (and
      (at ?v ?from)
      (road ?from ?to)
      (>= (fuel ?v) (length ?from ?to)))
    :effect (and
      (not (at ?v ?from))
      (at ?v ?to)
      (decrease (fuel ?v) (length ?from ?to))
      (increase (total-cost) (length ?from ?to))
      (forall (?a - parcel) (when (inside ?a ?v) (and (at ?a ?to) (not (at ?a ?from)))))))

  (:action cycle
    :parameters (?b - bike ?from ?to - place)
    :precondition (and
      (at ?b ?from)
      (or (road ?from ?to) (road ?to ?from))
      (not (= ?from ?to))
      (not (wet))
      (not (tired)))
    :effect (and (at ?b ?to) (not (at ?b ?from)) (tired)))

  (:action rest
    :parameters ()
    :precondition (tired)
    :effect (not (tired)))

  (:action load
    :parameters (?a - parcel ?v - vehicle ?p - place)
    :precondition (and (at ?a ?p) (at ?v ?p) (forall (?o - vehicle) (not (inside ?a ?o))))
    :effect (inside ?a ?v))

  (:action hand-over
    :parameters (?a - parcel ?p - place)
    :precondition (and
      (at ?a ?p)
      (not (= ?p depot))
      (exists (?v - vehicle) (inside ?a ?v)))
    :effect (and
      (signed ?a)
      (forall (?v - vehicle) (not (inside ?a ?v))))))
"""
PROBLEM = """\
(define (problem one-morning)
  (:domain deliveries)
  (:objects
    white - van
    red - bike
    book - parcel
    school - place)
  (:init
    (at white depot)
    (at red depot)
    (at book depot)
    (road depot school)
    (= (fuel white) 10)
    (= (length depot school) 4)
    (= (length school depot) 4)
    (= (total-cost) 0))
  (:goal (and (signed book) (at white school)))
  (:metric minimize (total-cost)))
"""


def checked(folder: Path, domain: str = DOMAIN, problem: str | None = PROBLEM) -> Report:
    (folder / "domain.pddl").write_text(domain)
    if problem is not None:
        (folder / "problem.pddl").write_text(problem)
    return check(folder / "domain.pddl", [folder / "problem.pddl"] if problem is not None else [])


def edited(text: str, before: str, after: str) -> tuple[str, int]:
    """A text with one place of it changed, and the line of the change."""
    assert text.count(before) >= 1, before
    at = text.index(before)
    pairs = enumerate(zip(before, after, strict=False))
    same = next((n for n, (a, b) in pairs if a != b), min(len(before), len(after)))
    return text.replace(before, after, 1), text[: at + same].count("\n") + 1


def test_the_sound_texts_have_nothing_wrong(tmp_path: Path) -> None:
    assert checked(tmp_path).findings == ()
    assert checked(tmp_path, problem=None).findings == ()


FOR_ALL_TWICE = "(forall (?v - van) (forall (?b - parcel) (not (inside ?b ?v)))))))"

IN_DOMAIN = {
    "misspelt predicate": ("(not (wet))", "(not (wett))", "unknown-predicate"),
    "predicate that nobody declared": ("(at ?v ?from)\n      (road", "(parked ?v)\n      (road", "unknown-predicate"),
    "misspelt predicate in an effect": ("(signed ?a)\n", "(sigend ?a)\n", "unknown-predicate"),
    "misspelt function": ("(decrease (fuel ?v)", "(decrease (feul ?v)", "unknown-function"),
    "function where a predicate belongs": (":precondition (tired)", ":precondition (total-cost)", "unknown-predicate"),
    "misspelt type of a parameter": ("(?b - bike ?from", "(?b - byke ?from", "unknown-type"),
    "misspelt type of a predicate": ("(signed ?a - parcel)", "(signed ?a - parsel)", "unknown-type"),
    "misspelt type of a quantified variable": ("(exists (?v - vehicle)", "(exists (?v - vehicel)", "unknown-type"),
    "misspelt supertype": ("vehicle parcel - locatable", "vehicle parcel - loctable", "undeclared-supertype"),
    "type below itself": ("vehicle parcel - locatable", "vehicle parcel - van", "type-cycle"),
    "type below two others": ("    locatable place - object", "    locatable - object van - place", "unsupported"),
    "type below one and one above that": ("vehicle parcel - loc", "vehicle parcel van - loc", "repeated-type"),
    "type twice": ("van bike - vehicle", "van bike van - vehicle", "duplicate"),
    "predicate twice": ("    (tired))", "    (tired) (wet))", "duplicate"),
    "operator twice": ("(:action rest", "(:action cycle", "duplicate"),
    "parameter twice": ("(?b - bike ?from ?to - place)", "(?b - bike ?from ?from ?to - place)", "duplicate"),
    "misspelt constant": ("(not (= ?p depot))", "(not (= ?p depto))", "unknown-object"),
    "misspelt variable": ("(at ?b ?to) (not", "(at ?b ?too) (not", "unknown-variable"),
    "question mark left out": ("(at ?b ?to) (not", "(at ?b to) (not", "unknown-object"),
    "argument too few": ("(at ?a ?p)\n", "(at ?a)\n", "wrong-arity"),
    "argument too many": ("(at ?b ?to)", "(at ?b ?from ?to)", "wrong-arity"),
    "arguments swapped": (":effect (inside ?a ?v)", ":effect (inside ?v ?a)", "wrong-type"),
    "argument of a wider type": ("(forall (?a - parcel) (when", "(forall (?a - locatable) (when", "wrong-type"),
    "equality of things that are never one": ("(not (= ?p depot))", "(not (= ?p ?a))", "wrong-type"),
    "forall in a forall": ("(forall (?v - vehicle) (not (inside ?a ?v))))))", FOR_ALL_TWICE, "unsupported"),
    "number assigned and increased": (
        "(decrease (fuel ?v) (length ?from ?to))",
        "(decrease (fuel ?v) 1) (assign (fuel ?v) 0)",
        "unsupported",
    ),
    "predicate that is not used": ("(wet)\n", "(wet) (cold)\n", "unused-predicate"),
    "type that is not used": ("locatable place - object", "locatable place rack - object", "unused-type"),
    "function that is not used": ("(fuel ?v - vehicle)", "(fuel ?v - vehicle) (weight)", "unused-function"),
    "predicate that nothing produces": (":precondition (tired)", ":precondition (wet)", "never-produced"),
    "operator that cannot be done": ("(inside ?a ?v)))\n", "(inside ?a ?v)) (road ?p ?p))\n", "unreachable-operator"),
    "parameter that is not used": ("(?a - parcel ?p - place)\n", "(?a - parcel ?p ?q - place)\n", "unused-parameter"),
    "requirement left out": (":typing :equality", ":equality", "missing-requirement"),
    "requirement that there is none of": (":strips :typing", ":strips :typed :typing", "unknown-requirement"),
    "no :parameters": ("    :parameters ()\n    :precondition (tired)", "    :precondition (tired)", "syntax"),
    "misspelt keyword": (":precondition (tired)", ":preconditions (tired)", "syntax"),
    "keywords in another order": (
        ":precondition (tired)\n    :effect (not (tired))",
        ":effect (not (tired))\n    :precondition (tired)",
        "section-order",
    ),
    "section that there is none of": ("(:constants depot", "(:constant depot", "syntax"),
    "or in an effect": (":effect (not (tired))", ":effect (or (tired) (wet))", "syntax"),
    "not of two": ("(not (wet))", "(not (wet) (tired))", "syntax"),
    "type missing after a dash": ("(signed ?a - parcel)", "(signed ?a -)", "syntax"),
    "derived predicate": ("  (:action rest", "  (:derived (tired) (wet))\n  (:action rest", "unsupported"),
    "variables beside the parameters": ("(?b - bike ?from ?to", "(?b - bike) :vars (?from ?to", "unsupported"),
    "either": ("(?b - bike ?from ?to", "(?b - (either bike van) ?from ?to", "unsupported"),
    "name that begins with a digit": ("(:action rest", "(:action 2rest", "bad-name"),
    "parenthesis left out": ("(not (= ?p depot))", "(not (= ?p depot)", "not-pddl"),
    "parenthesis too many": ("    :effect (not (tired)))", "    :effect (not (tired))))", "not-pddl"),
}
"""A place of the domain, what is there instead, and the code."""

LINE_OF = {
    "operator that cannot be done": "(:action hand-over",
    "predicate that nothing produces": ":precondition (wet)",
    "keywords in another order": ":precondition (tired)",
    "no :parameters": "(:action rest",
    "parenthesis left out": "(define",
    "requirement left out": "(:requirements",
    "type below itself": "van bike",
    "either": "(either",
}
"""Where it shows when that is another line than the edited one."""


@pytest.mark.parametrize("fault", IN_DOMAIN)
def test_a_fault_of_the_domain_is_found_at_its_line(fault: str, tmp_path: Path) -> None:
    before, after, code = IN_DOMAIN[fault]
    text, line = edited(DOMAIN, before, after)
    if fault in LINE_OF:
        line = next(n for n, shown in enumerate(text.split("\n"), 1) if LINE_OF[fault] in shown)
    report = checked(tmp_path, text)
    there = [(f.line, f.code) for f in report.findings if f.file.endswith("domain.pddl")]
    assert (line, code) in there, report.findings


IN_PROBLEM = {
    "unknown type of an object": ("book - parcel", "book - packet", "unknown-type"),
    "undeclared object in a fact": ("(at book depot)", "(at books depot)", "unknown-object"),
    "undeclared object in the goal": ("(signed book)", "(signed letter)", "unknown-object"),
    "undeclared predicate in a fact": ("(road depot school)", "(rode depot school)", "unknown-predicate"),
    "undeclared predicate in the goal": ("(signed book)", "(delivered book)", "unknown-predicate"),
    "undeclared function": ("(= (fuel white) 10)", "(= (petrol white) 10)", "unknown-function"),
    "wrong number of arguments": ("(at red depot)", "(at red)", "wrong-arity"),
    "wrong type of an argument": ("(at red depot)", "(at depot red)", "wrong-type"),
    "wrong type in the goal": ("(signed book)", "(signed white)", "wrong-type"),
    "object without a type": ("school - place)", "school - place rock)", "unsupported"),
    "object twice": ("red - bike", "red red - bike", "duplicate"),
    "object that is a constant": ("school - place", "school depot - place", "duplicate"),
    "fact twice": ("(at book depot)", "(at book depot) (at book depot)", "duplicate-fact"),
    "two values": ("(= (fuel white) 10)", "(= (fuel white) 10) (= (fuel white) 9)", "contradiction"),
    "another domain": ("(:domain deliveries)", "(:domain delivery)", "wrong-domain"),
    "goal that nothing reaches": ("(at white school)", "(at white school) (wet)", "unreachable-goal"),
    "variable in a fact": ("(at red depot)", "(at ?red depot)", "unknown-variable"),
    "no goal": ("(:goal (and (signed book) (at white school)))", "", "syntax"),
    "no metric": ("(:metric minimize (total-cost))", "(:metric minimise (total-cost))", "syntax"),
    "and around a fact": ("(at red depot)", "(and (at red depot))", "syntax"),
    "number without a function": ("(= (fuel white) 10)", "(= () 10)", "syntax"),
    "function without its arguments": ("(= (fuel white) 10)", "(= fuel 10)", "wrong-arity"),
    "no PDDL": ("(define (problem", "(defin (problem", "not-pddl"),
}


@pytest.mark.parametrize("fault", IN_PROBLEM)
def test_a_fault_of_the_problem_is_found_at_its_line(fault: str, tmp_path: Path) -> None:
    before, after, code = IN_PROBLEM[fault]
    text, line = edited(PROBLEM, before, after)
    line = 1 if fault == "no goal" else line
    report = checked(tmp_path, problem=text)
    there = [(f.line, f.code) for f in report.findings if f.file.endswith("problem.pddl")]
    assert (line, code) in there, report.findings
    assert [f for f in report.findings if f.file.endswith("domain.pddl")] == []


def test_sections_may_stand_in_any_order(tmp_path: Path) -> None:
    constants = "  (:constants depot - place)\n"
    domain = DOMAIN.replace(constants, "").replace("  (:action rest", f"{constants}  (:action rest")
    problem = PROBLEM.replace("(:goal (and", "(:requirements :strips) (:goal (and")
    assert checked(tmp_path, domain, problem).findings == ()
    text, line = edited(domain, *IN_DOMAIN["forall in a forall"][:2])
    assert (line, "unsupported") in [(f.line, f.code) for f in checked(tmp_path, text, problem).findings]


EVENTS = """(define (domain d) (:requirements :strips :time :numeric-fluents)
 (:predicates (late) (home)) (:functions (hour))
 (:action leave :parameters () :precondition (late) :effect (home))
 (:process clock :parameters () :precondition () :effect (increase (hour) (* #t 1)))
 (:event strike :parameters () :precondition (>= (hour) 3) :effect (late)))"""
CHANCE = """(define (domain d) (:requirements :strips :typing) (:predicates (late) (home) (out))
 (:action leave :parameters () :precondition (late) :effect (home))
 (:action wait :parameters () :precondition (out) :effect (oneof (late) (out))))"""


@pytest.mark.parametrize(
    ("domain", "init", "codes"), [(EVENTS, "(= (hour) 0)", []), (CHANCE, "(out)", ["unsupported"])]
)
def test_what_events_or_chance_bring_about_is_not_impossible(
    domain: str, init: str, codes: list[str], tmp_path: Path
) -> None:
    problem = f"(define (problem p) (:domain d) (:init {init}) (:goal (home)))"
    assert [f.code for f in checked(tmp_path, domain, problem).findings] == codes


@pytest.mark.parametrize(("error", "codes"), [("(wett)", ["unknown-predicate"]), ("(wet)", [])])
def test_what_is_in_doubt_is_no_error_beside_one(error: str, codes: list[str], tmp_path: Path) -> None:
    """A name for two things is PDDL, and so is a name that begins with a digit where unified-planning reads it."""
    text = DOMAIN.replace("(:action rest", "(:action wet").replace("(not (wet))", f"(not {error})")
    for doubtful in (text, text.replace("(:action load", "(:action 2load") if codes else text):
        errors = [f.code for f in checked(tmp_path, doubtful).findings if f.severity == "error"]
        assert errors == codes
    in_problem = checked(tmp_path, text.replace(error, "(wet)"), PROBLEM.replace("(signed book)", "(signed letter)"))
    assert [f.code for f in in_problem.findings if f.severity == "error"] == ["unknown-object"]
