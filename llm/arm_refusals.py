"""Instructions to an arm that are refused before a model is asked: what the contract or the world does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from llm import arm_words as english
from llm import unsupported
from llm.arm_clauses import Clause, Spoken
from llm.arm_mentions import Mention
from tamp.errors import Refusal


def refuse_unsayable(said: Spoken) -> None:
    """Refusal of what the contract has no words for."""

    def shown(found: str) -> str:
        return re.sub(r"@(\d+)?", lambda m: said.mentions[int(m[1])].said if m[1] else "", found).strip()

    asked = english.PURPOSE.sub("", said.bare)
    for pattern, why in unsupported.BEYOND:
        if found := re.search(pattern, asked):
            raise Refusal(f"{shown(found[0])!r} cannot be said in a plan: {why}", "beyond")
    if found := unsupported.NEGATED.search(said.bare):
        raise Refusal(f"{found[0]!r} cannot be said in a plan: say what is to be done", "beyond")
    _refuse_untouched(said)
    if found := unsupported.NOWHERE.search(said.bare):
        raise Refusal(f"{found[0]!r} does not say where to: name a place, or say up", "unclear")
    for near in re.finditer(rf"@(\d+) (?:(?:that|which) is |that's )?{unsupported.RELATED} @(\d+)", said.bare):
        first, second = (said.mentions[int(n)] for n in near.groups())
        if first.is_thing and second.is_thing and not near[0].startswith(f"@{near[1]} to @"):
            message = f"{shown(near[0])!r}: a thing can be nearest to a place, not to another thing"
            raise Refusal(message, "beyond")
    for clause in said.clauses:
        if vague := english.VAGUE.search(clause.bare):
            raise Refusal(f"{vague[0]!r} is no length and no time: say a number, such as 50 mm or 2 s", "unclear")
        if not clause.numbers and english.LIFT.search(clause.bare) and (some := english.SOME.search(clause.bare)):
            raise Refusal(f"how far is {some[0]!r}? Say a length, such as 50 mm, or none", "unclear")
        for before, thing, _ in _around(clause):
            if unsupported.CARRIED.fullmatch(before):
                raise Refusal(f"{f'{before} {thing}'!r} cannot be said in a plan: {unsupported.HAND}", "beyond")
        if any(n.value < 0 for n in clause.numbers):
            raise Refusal(f"{clause.text!r}: heights, lifts and waits are not negative", "beyond")


def _refuse_untouched(said: Spoken) -> None:
    """Refusal of a thing that is not to be touched and not spoken of before; of going down onto a place in the air."""
    for found in unsupported.UNTOUCHED.finditer(said.bare):
        thing = said.mentions[int(found[1])]
        if thing.what not in {m.what for m in said.mentions[: int(found[1])]}:
            message = f"'{_without_marks(found[0])} {thing.said}' cannot be said in a plan: say what is to be done"
            raise Refusal(message, "beyond")
    for found in unsupported.ONTO.finditer(said.bare):
        place = said.mentions[int(found[1])]
        if not place.is_thing and unsupported.HIGHER.search(place.what) and not unsupported.HIGHER.search(place.said):
            message = f"'{_without_marks(found[0])} {place.said}': there is only {place.what}, which is over it"
            raise Refusal(message, "absent")


def _without_marks(text: str) -> str:
    return text.partition("@")[0].strip()


def refuse_absent(said: Spoken, there: str) -> None:
    """Refusal of what is named and is no place and no thing of the world."""
    strange = [s for text in english.PURPOSE.split(said.marked)[::2] for s in _strangers(text, said.mentions)]
    if strange:
        raise Refusal(f"there is no {' and no '.join(strange)} here; {there}", "absent")
    for before, thing, after in (around for c in said.clauses for around in _around(c)):
        for word, phrase in ((before, f"{before} {thing}"), (after, f"{thing} {after}")):
            if not english.is_known(word):
                raise Refusal(f"the instruction was not understood: what is {phrase!r}?", "unclear")


def _strangers(text: str, mentions: tuple[Mention, ...]) -> list[str]:
    """Noun phrases of a text with its articles that are not the world's: "fork", and "red cup" where cups are."""
    tokens = re.findall(r"[@#&]\d+|[^\W_]+|[^\w\s]", text.replace("-", " "))
    out, leads = list[str](), False
    for n, token in enumerate(tokens):
        known = token in english.PLAIN | english.LEADS | english.WHICH or english.SUREST.fullmatch(token)
        if leads and token.isalpha() and not known:
            if not token.endswith("ly"):
                out.append(_phrase(tokens[n:], mentions))
            leads = False
        elif token == "home":
            out.append(token)
        else:
            leads = token in english.LEADS or (leads and token in english.WHICH)
    return out


def _around(clause: Clause) -> Iterator[tuple[str, str, str]]:
    """Each thing as it is said, with the words right before and after it; "a" for none, or none that names."""
    for found in re.finditer(r"(?:(?<![@#&\w])([^\W\d_]+) )?@(\d+)(?: ([^\W\d_]+))?", clause.bare):
        mention = clause.by_mark(int(found[2]))
        if mention.is_thing:
            after = found[3] or "a"
            yield found[1] or "a", mention.said, "a" if after.endswith(("ing", "ed")) else after


def _phrase(tokens: list[str], mentions: tuple[Mention, ...]) -> str:
    ends = (n for n, t in enumerate(tokens) if not t.isalpha() or t in english.PLAIN)
    end = next(ends, len(tokens))
    noun = [mentions[int(t[1:])].said for t in tokens[end : end + 1] if t.startswith("@")]
    return " ".join(tokens[:end] + noun)
