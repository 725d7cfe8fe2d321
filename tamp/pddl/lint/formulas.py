"""Conditions and effects, walked from their places: what they use, and what is wrong with them."""

from __future__ import annotations

from dataclasses import replace

from tamp.pddl.lint.findings import Notes
from tamp.pddl.lint.types import typed_list
from tamp.pddl.lint.vocabulary import FOR_ALL_EFFECT, NEGATED_EQUALITY, NUMBER, Naming, Scope, check_untyped, scope_of
from tamp.pddl.tree import Node

_COMPARED = ("<", ">", "<=", ">=")
_CHANGED = ("assign", "increase", "decrease", "scale-up", "scale-down")
_UNREAD = ("scale-up", "scale-down")
_PLACES = {"not": 1, "imply": 2, "exists": 2, "forall": 2, "=": 2, "when": 2}
_TRAJECTORY = ("always", "sometime", "within", "at-most-once", "sometime-after", "sometime-before", "always-within")
_TRAJECTORY_OTHER = ("hold-during", "hold-after")
_LATER = ("oneof", "probabilistic")


def condition(node: Node, scope: Scope, naming: Naming, wanted: bool = True, durative: bool = False) -> None:
    """A precondition, a goal, or what is under a `when`. `wanted`: it must hold rather than not hold."""
    if node.word is not None:
        naming.notes.add("syntax", node, f"{node.word} stands where a condition in parentheses belongs")
    elif node.parts and _counted(node, naming) and not _timed(node, scope, naming, durative):
        _condition(node, scope, naming, wanted, durative)


def _condition(node: Node, scope: Scope, naming: Naming, wanted: bool, durative: bool) -> None:
    head, parts, open_to = node.head, node.parts[1:], replace(naming, certain=False)
    if head == "and":
        for part in parts:
            condition(part, scope, naming, wanted, durative)
    elif head in ("or", "imply"):
        naming.feature(":disjunctive-preconditions", node)
        for n, part in enumerate(parts):
            condition(part, scope, open_to, wanted != (head == "imply" and n == 0), durative)
    elif head == "not":
        _note_negation(node, naming)
        condition(parts[0], scope, open_to, not wanted)
    elif head in ("exists", "forall"):
        naming.feature(":existential-preconditions" if head == "exists" else ":universal-preconditions", node)
        inner = _quantified(node, scope, naming)
        condition(parts[1], inner, naming if head == "exists" else open_to, wanted, durative)
        _unused(node, inner, naming)
    elif head == "=":
        _equals(node, scope, naming)
    elif head in _COMPARED:
        naming.feature(":numeric-fluents", node)
        for part in parts:
            number(part, scope, naming)
    else:
        _named(node, scope, naming, wanted)


def _named(node: Node, scope: Scope, naming: Naming, wanted: bool) -> None:
    if node.head == "preference" and node.head not in naming.vocabulary.predicates:
        naming.feature(":preferences", node)
        naming.notes.doubt(node, "unsupported", "unified-planning reads no preferences")
        return
    naming.atom(node, scope, naming.uses.reads if wanted else naming.uses.denies)
    if wanted and naming.certain:
        naming.uses.needs.setdefault(node.head, node)


def _note_negation(node: Node, naming: Naming) -> None:
    """Note what a `not` needs: `(not (= …))` is commonly taken for a part of :equality."""
    if node.parts[1].head == "=":
        naming.feature(NEGATED_EQUALITY, node)
    elif node.parts[1].head in ("and", "or", "imply"):
        naming.feature(":disjunctive-preconditions", node)
    else:
        naming.feature(":negative-preconditions", node)


def _counted(node: Node, naming: Naming) -> bool:
    """Whether a connective has as many parts as it must, also where a predicate has its name; says so when not."""
    compared = node.head in _COMPARED and node.head not in naming.vocabulary.predicates
    places = 2 if compared else _PLACES.get(node.head)
    if places is None or len(node.parts) == places + 1:
        return True
    naming.notes.add("syntax", node, f"({node.head} …) takes {places}, not {len(node.parts) - 1}")
    return False


def _timed(node: Node, scope: Scope, naming: Naming, durative: bool) -> bool:
    """`(at start …)` and its like, as a durative action has them; whether it is one."""
    word = node.parts[1].word if len(node.parts) == 3 else None
    if not durative or (node.head, word) not in (("at", "start"), ("at", "end"), ("over", "all")):
        if durative and node.head not in ("and", "forall", "when", "preference", *_CHANGED):
            naming.notes.add("syntax", node, "a durative action says when: (at start …), (over all …) or (at end …)")
        return False
    (effect if naming.in_effect else condition)(node.parts[2], scope, naming)
    return True


def _check_times(when: Node, naming: Naming, durative: bool) -> None:
    one, other = ([str(p) for p in part.parts[:2]] for part in when.parts[1:])
    if durative and (one != other or one not in (["at", "start"], ["at", "end"])):
        message = "unified-planning reads (when …) with one time only: (when (at start …) (at start …))"
        naming.notes.doubt(when, "unsupported", message)


def _quantified(node: Node, scope: Scope, naming: Naming) -> Scope:
    listed = node.parts[1]
    if listed.word is not None:
        naming.notes.add("syntax", listed, f"{listed.word} stands where variables such as (?x - item) belong")
        return scope
    variables = typed_list(listed.parts, naming.notes, variables=True)
    naming.vocabulary.types.check_used(variables, naming.notes)
    naming.uses.kinds.update(k for v in variables for k in v.kinds)
    check_untyped(variables, naming.vocabulary, naming.notes)
    if any(v.types for v in variables):
        naming.feature(":typing", listed)
    return scope_of(variables, naming.notes, scope)


def _unused(node: Node, inner: Scope, naming: Naming) -> None:
    used = naming.uses.in_conditions | naming.uses.in_effects
    listed = node.parts[1]
    for one in inner.values():
        if listed.start <= one.node.start < listed.end and one.node.start not in used:
            naming.notes.add("unused-variable", one.node, f"{one.name} is in no part of what it is quantified for")


def _equals(node: Node, scope: Scope, naming: Naming) -> None:
    if any(_numeric(part, naming) for part in node.parts[1:]):
        naming.feature(":numeric-fluents", node)
        for part in node.parts[1:]:
            number(part, scope, naming)
        return
    naming.feature(":equality", node)
    one, other = (naming.term(part, scope) for part in node.parts[1:])
    fits = naming.vocabulary.types.fits
    if one and other and not fits(one, other) and not fits(other, one):
        message = f"nothing is of both types, {' or '.join(one)} and {' or '.join(other)}: it is never so"
        naming.notes.doubt(node, "wrong-type", message)


def _numeric(node: Node, naming: Naming) -> bool:
    if node.word is None:
        return True
    known = node.word in naming.vocabulary.functions and node.word not in naming.vocabulary.terms
    return known or NUMBER.fullmatch(node.word) is not None or node.word in ("?duration", "total-time")


def number(node: Node, scope: Scope, naming: Naming) -> None:
    """A number, a function, or what is calculated of them."""
    if node.word is not None and (NUMBER.fullmatch(node.word) or node.word in ("?duration", "#t", "total-time")):
        if node.word == "#t":
            naming.feature(":continuous-effects", node)
        if node.word == "?duration" and naming.in_effect:
            naming.notes.doubt(node, "unsupported", "unified-planning reads no ?duration in an effect")
        return
    if node.word is None and not node.parts:
        naming.notes.add("syntax", node, "() stands where a number belongs")
    elif node.word is not None and node.word.startswith("?"):
        naming.notes.add("syntax", node, f"{node.word} stands where a number belongs")
    elif node.head in ("+", "-", "*", "/"):
        for part in node.parts[1:]:
            number(part, scope, naming)
    elif node.head == "is-violated":
        naming.feature(":preferences", node)
    elif node.head == "total-time" and len(node.parts) == 1:
        return
    else:
        naming.function(node, scope)


def effect(node: Node, scope: Scope, naming: Naming, durative: bool = False) -> None:
    """An effect. `naming` is that of effects."""
    if node.word is not None:
        naming.notes.add("syntax", node, f"{node.word} stands where an effect in parentheses belongs")
    elif not node.parts and durative:
        naming.notes.doubt(node, "syntax", "() stands where an effect such as (at end (on ?x ?y)) belongs")
    elif node.parts and _counted(node, naming) and not _timed(node, scope, naming, durative):
        _effect(node, scope, naming, durative)


def _effect(node: Node, scope: Scope, naming: Naming, durative: bool) -> None:
    head, parts = node.head, node.parts[1:]
    if head == "and":
        for part in parts:
            effect(part, scope, naming, durative)
    elif head == "forall":
        naming.feature(":conditional-effects", node)
        naming.feature(FOR_ALL_EFFECT, node)
        if naming.for_all:
            naming.notes.doubt(node, "unsupported", "a forall in a forall: quantify over both at once")
        inner = _quantified(node, scope, naming)
        effect(parts[1], inner, replace(naming, for_all=True), durative)
        _unused(node, inner, naming)
    elif head == "when":
        naming.feature(":conditional-effects", node)
        _check_times(node, naming, durative)
        condition(parts[0], scope, replace(naming, in_effect=False, certain=False), durative=durative)
        effect(parts[1], scope, naming, durative)
    elif head == "not":
        if parts[0].word is not None or not parts[0].parts:
            naming.notes.add("syntax", parts[0], "an atom such as (on ?x ?y) belongs after not")
        else:
            naming.atom(parts[0], scope, naming.uses.deletes)
    elif head in _CHANGED and head not in naming.vocabulary.predicates:
        _change(node, scope, naming)
    elif head in ("or", "imply", "exists", "=", *_COMPARED):
        naming.notes.add("syntax", node, f"an effect cannot be an ({head} …)")
    elif head in _LATER:
        naming.notes.doubt(node, "unsupported", f"unified-planning reads no ({head} …)")
    else:
        naming.atom(node, scope, naming.uses.adds)


def _change(node: Node, scope: Scope, naming: Naming) -> None:
    head, parts = node.head, node.parts[1:]
    if len(parts) != 2:
        naming.notes.add("syntax", node, f"({head} …) takes a function and a number")
        return
    if head in _UNREAD:
        naming.notes.doubt(node, "unsupported", f"unified-planning reads no ({head} …): use (assign …)")
    cost = head == "increase" and (parts[0].head or parts[0].word) == "total-cost"
    naming.feature(":action-costs" if cost else ":numeric-fluents", node)
    naming.function(parts[0], scope)
    number(parts[1], scope, naming)


def check_changes(effect: Node, notes: Notes) -> None:
    """Doubt numbers that are assigned and changed once more at the same time: only increases and decreases add up."""
    changed: dict[tuple[str, str], Node] = {}
    left = [("", effect)]
    while left:
        time, node = left.pop()
        if node.head in _CHANGED and len(node.parts) == 3:
            before = changed.setdefault((time, str(node.parts[1])), node)
            if before is not node and "assign" in (before.head, node.head):
                notes.doubt(node, "unsupported", f"in conflict with another effect on {node.parts[1]}")
        elif node.head != "when":
            time = str(node.parts[1]) if node.head == "at" and len(node.parts) == 3 else time
            left += [(time, part) for part in reversed(node.parts)]


def trajectory(node: Node, scope: Scope, naming: Naming) -> None:
    """Constraints on the whole plan."""
    if node.head in ("and", "forall") and len(node.parts) > 1:
        inner = _quantified(node, scope, naming) if node.head == "forall" else scope
        for part in node.parts[1 if node.head == "and" else 2 :]:
            trajectory(part, inner, naming)
    elif node.head in (*_TRAJECTORY, *_TRAJECTORY_OTHER, "at", "preference"):
        naming.feature(":preferences" if node.head == "preference" else ":constraints", node)
        for part in node.parts[1:]:
            if part.word is None:
                trajectory(part, scope, naming)
    else:
        condition(node, scope, naming)
