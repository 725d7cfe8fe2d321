"""What may be answered about a setting: programs over its names, in the Lark syntax of llguidance.

Quotations are runs of the words that were said. What only makes sense of work in progress is there only where there
is some.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from llm.reader.setting import THING, CallSignature, Setting

LONGEST = 14
"""Words of a quotation."""
MANY = 400
"""Words from which on a text is long: all of its runs make a grammar of a megabyte."""
LINES = 16
"""Lines of a program."""
_HOW, _HOW_MANY = "/(all|any of|each of|which of) /", "/(all|any of|each of|which of|[2-9] of) /"
_WORD = re.compile(r"[^\s\"]+")
_RULES = """
start: "nothing" | "stop" | line (NL line){0,%d}
line: effect | "then" | "keep(" THINGS ")" | QUOTE | condition%s
condition: "if " (call | QUOTE) ": " effects (" else: " effects)?
effects: effect ("; " effect){0,3}
effect: call (" or " call){0,3}
call: ("not ")? fact%s
NL: /\\n/
"""


def grammar(setting: Setting, words: str) -> str:
    """The grammar for what is said in a setting."""
    arguments: dict[tuple[str, ...], str] = {(THING,): "THINGS"}
    facts, actions = ([_call(form, arguments) for form in some] for some in (setting.can_be, setting.can_do))
    busy = ' | "drop " (effect | "all") | "first" | "back(" THINGS ")"' if setting.now else ""
    text = [_RULES % (LINES - 1, busy, " | action" if actions else "")]
    text.append(f"fact: {' | '.join(facts) or 'QUOTE'}")
    text += [f"action: {' | '.join(actions)}", f"OPTION: /{_options(setting.can_do)}/"] if actions else []
    for types, name in arguments.items():
        text += _argument(name, setting, types)
    narrowing = f"/ (not )?({_one_of(s.name for s in setting.can_be)})/" if setting.can_be else "NOTHING"
    text += [f'NARROWED: {narrowing} (" " EVERY)?', f"EVERY: {_names(m.name for m in setting.members)}"]
    return "\n".join((*text, f"QUOTE: /{_quote(words)}/", "NOTHING: /[^\\s\\S]/"))


def _call(form: CallSignature, arguments: dict[tuple[str, ...], str]) -> str:
    names = [arguments.setdefault(tuple(sorted(t)), f"ARG{len(arguments)}") for t in form.types]
    options = '("; " OPTION (", " OPTION){0,5})?' if form.options else ""
    between = ' ", " '.join(names)
    return f'"{form.name}(" {between} {options} ")"'


def _options(can_do: Iterable[CallSignature]) -> str:
    """An action's options by name, with a number and its unit or some of the setting's words where they take any."""
    names = dict.fromkeys(o.split()[0] for form in can_do for o in form.options)
    return f"({_one_of(names)})( -?[0-9.]+( mm| s)?| [a-z][a-z0-9 -]*)?"


def _argument(name: str, setting: Setting, types: Sequence[str]) -> Iterator[str]:
    """Terminals for an argument that is of some types."""
    names = [m.name for m in setting.members if setting.fits(m.name, types)]
    size = {g: len({*some} & {*names}) for g, some in setting.groups.items()}
    most = min(9, max(size.values(), default=0))
    one, listed = f"{name}_ONE", f"{name}_LIST"
    ways = [f'{one} (" and " {one}){{0,7}}', listed, "QUOTE"]
    for n in range(1, most + 1):
        yield f"{name}_OF{n}: {_names(g for g, count in size.items() if count >= n)}"
        how = f'"{n} of "' if n > 1 else _HOW
        ways.append(f"{how} ({name}_OF{n} NARROWED? | {listed})")
    if most > 1:
        ways.append(f'{_HOW_MANY} {name}_OF2 NARROWED? " except " {one} (" and " {one}){{0,3}}')
    yield from (f"{one}: {_names(names)}", f'{listed}: {one} (" or " {one}){{1,5}}', f"{name}: {' | '.join(ways)}")


def _names(texts: Iterable[str]) -> str:
    """A terminal for one of some texts; for none one that nothing fits."""
    some = _one_of(texts)
    return f"/{some}/" if some else "NOTHING"


def _quote(words: str) -> str:
    """A regular expression for a quotation of what was said; of a long text, of its words in any order."""
    said = [w for text in dict.fromkeys((words, words.lower())) for w in (*_WORD.findall(text), "")]
    if len(said) > MANY:
        word = f"({_one_of(sorted({w.strip('.,;:!?') for w in said} - {''}))})"
        return f'"{word}( {word}){{0,{LONGEST - 1}}}"'
    spans = (said[i : i + n] for i in range(len(said)) for n in range(1, 1 + LONGEST))
    runs = {" ".join(span).strip(".,;:!?") for span in spans if "" not in span}
    return f'"({_one_of(sorted(filter(None, runs)))})"'


def _one_of(texts: Iterable[str]) -> str:
    return "|".join(re.sub(r"\\([ '-])", r"\1", re.escape(t)).replace("/", r"\/") for t in texts)
