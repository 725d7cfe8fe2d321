"""A program in sentences, for people to choose between."""

from __future__ import annotations

from llm.reader.program import Argument, Call, Drop, Effect, Handled, If, Keyword, Line, Program, Quote, Things


def said(program: Program) -> str:
    """What a program asks for: "the red cup is on the table; then the drawer is closed"."""
    text = "; ".join(map(_line, program.lines))
    return text.replace("then; ", "then ").replace("first; ", "first ")


def _line(line: Line) -> str:  # noqa: PLR0911 (one for each kind of line)
    match line:
        case Effect(calls):
            return " or ".join(map(_call, calls))
        case Handled("keep", things):
            return f"{_argument(things)} {_be(things)} left alone"
        case Handled(_, things):
            return f"{_argument(things)} {_be(things)} back where {'they were' if _many(things) else 'it was'}"
        case Drop(None):
            return "none of it any more"
        case Drop(Effect(calls)):
            return f"no longer that {' or '.join(map(_call, calls))}"
        case If(condition, effects, otherwise):
            so, other = (", ".join(map(_line, some)) for some in (effects, otherwise))
            seen = _call(condition) if isinstance(condition, Call) else str(condition)
            return f"if {seen}, {so}{f', else {other}' if other else ''}"
        case Keyword(word):
            return word
        case _:
            return str(line)


def _call(call: Call) -> str:
    words, arguments = call.form.name, tuple(map(_argument, call.arguments))
    if call.acts:
        return " ".join((words, *arguments, *call.options))
    first, rest = (call.arguments[0], arguments[1:]) if arguments else (None, ())
    if first is None:
        return f"it is {'' if call.holds else 'not '}{words}"
    return " ".join((arguments[0], _be(first), *(() if call.holds else ("not",)), words, *rest))


def _be(things: Argument) -> str:
    return "are" if _many(things) else "is"


def _many(things: Argument) -> bool:
    return isinstance(things, Things) and things.how in ("all", "each") and len(things.names) > 1


def _argument(things: Argument) -> str:
    """The things as they are written, names with their article."""
    if isinstance(things, Quote) or things.text.split()[0] in ("all", "any", "each", "which") or things.how.isdigit():
        return str(things)
    join = " or " if things.how == "any" else " and "
    return join.join(f"the {name}" for name in things.names)
