"""Programs: what a reader answers, a line for each thing that is asked for. `constrained_decoding` makes the grammar.

    on(all cups except red cup, kitchen table)   a fact that is to hold; `not` before it: that is not to hold
    in(spoon, box) or in(spoon, jar)             one of them, no matter which
    then, first                                  what follows comes later than, or before, what is there already
    keep(vase)                                   not to be touched
    if open(door): closed(door) else: on(a, b)   where what is seen decides
    wave(), go above(cup; hover 80 mm, near box)              an action of `can do`, in the order of the lines
    drop on(cup, plate), drop all                no longer asked for (of what is being done now)
    back(cup)                                    to where it was
    "words"                                      what cannot be said here; as an argument, what is not here
    nothing, stop                                nothing is asked for; stop what is being done

Arguments: a name; `A and B`; `A or B`; of a group, or of the plural of a type, `all cups`, `any of cups`, `2 of cups`,
`each of cups`, and `which of cups` where the words leave open which is meant. A group can be narrowed by what holds,
`all cups on kitchen table`, `all drawers not open`, and by `except A and B`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from llm.reader.setting import THING, CallSignature, Setting

_CALL = re.compile(r"(?P<not>not )?(?P<name>[a-z][a-z0-9 -]*)\((?P<inside>.*)\)")
_QUOTED = re.compile(r'"(?P<words>[^"]+)"')
_SOME = re.compile(r"(?P<how>all|any of|each of|which of|\d+ of) (?P<rest>.+)")
_IF = re.compile(r"if (?P<condition>.+?): (?P<effects>.+?)(?: else: (?P<otherwise>.+))?")


class NotAProgram(ValueError):
    """Text that is no program in a setting: what is wrong, and what would be valid."""


@dataclass(frozen=True)
class Quote:
    """Words for what a setting does not have."""

    words: str

    def __str__(self) -> str:
        return f'"{self.words}"'


@dataclass(frozen=True)
class NamedThings:
    """Names of which all, any, each, a number, or an unknown one (`which of`) is meant; `text` as it was written."""

    how: str
    names: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return self.text


Argument = NamedThings | Quote


@dataclass(frozen=True)
class Call:
    """A fact that is to hold or not, or an action; `options` by name."""

    form: CallSignature
    arguments: tuple[Argument, ...]
    holds: bool = True
    options: tuple[str, ...] = ()
    acts: bool = False


@dataclass(frozen=True)
class Effect:
    """One of some calls."""

    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Handled:
    """`keep(…)`, `back(…)`."""

    word: str
    things: Argument


@dataclass(frozen=True)
class Drop:
    """An effect that is no longer asked for; None: nothing is any more."""

    effect: Effect | None


@dataclass(frozen=True)
class If:
    """Effects where a condition holds, and where it does not."""

    condition: Call | Quote
    effects: tuple[Effect, ...]
    otherwise: tuple[Effect, ...] = ()


KEYWORDS = ("then", "first", "nothing", "stop")
Line = Effect | Handled | Drop | If | Quote | str
"""A line of a program; of the keywords as it is written."""


@dataclass(frozen=True)
class Program:
    """Lines in order, and the text of each."""

    lines: tuple[Line, ...]
    texts: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.texts)


def read_program(text: str, setting: Setting) -> Program:
    """A program from its text, with names as a setting has them. Raises NotAProgram, with the line."""
    lines, texts = list[Line](), [t for line in text.splitlines() if (t := line.strip())]
    for line in texts:
        try:
            lines.append(_line(line, setting))
        except NotAProgram as e:
            raise NotAProgram(f"{line}: {e}") from e
    if not lines:
        raise NotAProgram("no line; valid: nothing")
    alone = [n for n in lines if n in ("nothing", "stop")]
    if alone and len(lines) > 1:
        raise NotAProgram(f"{alone[0]} stands alone")
    return Program(tuple(lines), tuple(texts))


def _line(text: str, setting: Setting) -> Line:
    if text in KEYWORDS:
        return text
    if quoted := _QUOTED.fullmatch(text):
        return Quote(quoted["words"])
    if text.startswith("drop "):
        rest = text.removeprefix("drop ")
        return Drop(None if rest == "all" else _effect(rest, setting))
    if found := _IF.fullmatch(text):
        effects = tuple(_effect(t, setting) for t in _split(found["effects"], "; "))
        other = tuple(_effect(t, setting) for t in _split(found["otherwise"] or "", "; "))
        quoted = _QUOTED.fullmatch(found["condition"])
        return If(Quote(quoted["words"]) if quoted else _call(found["condition"], setting), effects, other)
    if (called := _CALL.fullmatch(text)) and called["name"] in ("keep", "back"):
        return Handled(called["name"], _argument(called["inside"], setting))
    return _effect(text, setting)


def _effect(text: str, setting: Setting) -> Effect:
    return Effect(tuple(_call(t, setting) for t in _split(text, " or ")))


def _call(text: str, setting: Setting) -> Call:
    found = _CALL.fullmatch(text.strip())
    if found is None:
        raise NotAProgram(f"{text!r} is no fact; valid: {setting.can_be[0] if setting.can_be else 'an action'}")
    form = setting.forms.get(found["name"])
    if form is None:
        raise NotAProgram(f"{found['name']!r} cannot be asked for; valid: {', '.join(setting.forms)}")
    parts = _split(found["inside"], "; ")
    options = [o for part in (parts[1:] if form.types else parts) for o in _split(part, ", ")]
    said = _split(parts[0], ", ") if parts and form.types else []
    if len(said) != len(form.types):
        raise NotAProgram(f"{len(said)} arguments; valid: {form}")
    arguments = tuple(_argument(text, setting, types) for text, types in zip(said, form.types, strict=True))
    if any(o.split()[0] not in {known.split()[0] for known in form.options} for o in options):
        raise NotAProgram(f"options {options}; valid: {form}")
    return Call(form, arguments, not found["not"], tuple(options), form in setting.can_do)


def _argument(text: str, setting: Setting, types: Collection[str] = (THING,)) -> Argument:
    """The things that an argument is, of some types: all that a list names, those of a group that are."""
    if quoted := _QUOTED.fullmatch(text):
        return Quote(quoted["words"])
    if some := _SOME.fullmatch(text):
        names = _group(some["rest"], setting, types)
        how, _, _ = some["how"].partition(" ")
        if how.isdigit() and int(how) > len(names):
            raise NotAProgram(f"there are {len(names)} of {some['rest']!r}")
        return NamedThings(how, names, text)
    for word, how in ((" or ", "any"), (" and ", "all")):
        if word in text:
            return NamedThings(how, tuple(_name(part, setting, types) for part in text.split(word)), text)
    return NamedThings("all", (_name(text, setting, types),), text)


def _name(text: str, setting: Setting, types: Collection[str] = (THING,)) -> str:
    if setting.member(text) is None:
        raise NotAProgram(f'{text!r} is not here; valid: a name as it is listed, all of a group, or "words"')
    if not setting.fits(text, types):
        raise NotAProgram(f"{text!r} is no {' or '.join(sorted(types))}")
    return text


def _group(text: str, setting: Setting, types: Collection[str]) -> tuple[str, ...]:
    """The names of a group, narrowed and without what is excepted; or of a list of names."""
    said, _, left_out = text.partition(" except ")
    without = {_name(part, setting) for part in left_out.split(" and ")} if left_out else set[str]()
    left = tuple(n for n in _narrowed(said, setting) if n not in without and setting.fits(n, types))
    if not left:
        raise NotAProgram(f"nothing is left of {text!r}")
    return left


def _narrowed(text: str, setting: Setting) -> tuple[str, ...]:
    if setting.member(text.partition(" or ")[0]) is not None:
        return tuple(_name(part, setting) for part in text.split(" or "))
    heads = [g for g in setting.groups if text == g or text.startswith(f"{g} ")]
    if not heads:
        raise NotAProgram(f"no group {text!r}; valid: {', '.join(setting.groups)}")
    head = max(heads, key=len)
    names, rest = setting.groups[head], text.removeprefix(head).strip()
    if not rest:
        return names
    wanted = not rest.startswith("not ")
    rest = rest.removeprefix("not ")
    predicate = next((s.name for s in setting.can_be if rest == s.name or rest.startswith(f"{s.name} ")), "")
    other = rest.removeprefix(predicate).strip()
    if not predicate or (other and setting.member(other) is None):
        raise NotAProgram(f"{rest!r} tells nothing; valid: what can be, and a name: {head} on red box")
    return tuple(n for n in names if setting.holds(predicate, n, other) == wanted)


def _split(text: str, by: str) -> list[str]:
    """Parts between separators that stand outside of parentheses and quotes."""
    parts, depth, quoted, last, n = list[str](), 0, False, 0, 0
    while n < len(text):
        quoted ^= text[n] == '"'
        depth += (text[n] == "(") - (text[n] == ")")
        if not depth and not quoted and text.startswith(by, n):
            parts.append(text[last:n])
            n += len(by)
            last = n
        else:
            n += 1
    return [p.strip() for p in (*parts, text[last:]) if p.strip()]


def calls(lines: Sequence[Line]) -> Iterator[Call]:
    """Every fact and action of some lines, of conditions, too."""
    for line in lines:
        match line:
            case Effect(some) | Drop(Effect(some)):
                yield from some
            case If(condition, effects, otherwise):
                yield from (condition,) if isinstance(condition, Call) else ()
                yield from (c for e in (*effects, *otherwise) for c in e.calls)
            case _:
                pass


def in_words(program: Program) -> str:
    """What a program asks for, as people choose between readings: "the red cup is on the table; then the drawer is
    closed"."""
    text = "; ".join(map(_line_in_words, program.lines))
    return text.replace("then; ", "then ").replace("first; ", "first ")


def _line_in_words(line: Line) -> str:  # noqa: PLR0911 (one for each kind of line)
    match line:
        case Effect(some):
            return " or ".join(map(_call_in_words, some))
        case Handled("keep", things):
            return f"{_things_in_words(things)} {_be(things)} left alone"
        case Handled(_, things):
            place = "they were" if _be(things) == "are" else "it was"
            return f"{_things_in_words(things)} {_be(things)} back where {place}"
        case Drop(None):
            return "none of it any more"
        case Drop(Effect(some)):
            return f"no longer that {' or '.join(map(_call_in_words, some))}"
        case If(condition, effects, otherwise):
            so, other = (", ".join(map(_line_in_words, some)) for some in (effects, otherwise))
            given = _call_in_words(condition) if isinstance(condition, Call) else str(condition)
            return f"if {given}, {so}{f', else {other}' if other else ''}"
        case _:
            return str(line)


def _call_in_words(call: Call) -> str:
    name, arguments = call.form.name, tuple(map(_things_in_words, call.arguments))
    if call.acts:
        return " ".join((name, *arguments, *call.options))
    if not arguments:
        return f"it is {'' if call.holds else 'not '}{name}"
    negated = () if call.holds else ("not",)
    return " ".join((arguments[0], _be(call.arguments[0]), *negated, name, *arguments[1:]))


def _be(things: Argument) -> str:
    many = isinstance(things, NamedThings) and things.how in ("all", "each") and len(things.names) > 1
    return "are" if many else "is"


def _things_in_words(things: Argument) -> str:
    """The things as they are written, names with their article."""
    if isinstance(things, Quote) or things.text.split()[0] in ("all", "any", "each", "which") or things.how.isdigit():
        return str(things)
    join = " or " if things.how == "any" else " and "
    return join.join(f"the {name}" for name in things.names)
