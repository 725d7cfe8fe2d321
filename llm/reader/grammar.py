"""What may be answered about a setting: programs over its names, in the Lark syntax of llguidance.

Quotations are runs of the words that were said. What only makes sense of work in progress is there only where there
is some.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from llm.reader.setting import Setting, Signature

LONGEST = 14
"""Words of a quotation."""
MANY = 400
"""Words from which on a text is long: all of its runs make a grammar of a megabyte."""
LINES = 16
"""Lines of a program."""
_WORD = re.compile(r"[^\s\"]+")
_RULES = """
start: "nothing" | "stop" | line (NL line){0,%d}
line: effect | "then" | "keep(" KEPT ")" | QUOTE | condition%s
condition: "if " (call | QUOTE) ": " effects (" else: " effects)?
effects: effect ("; " effect){0,3}
effect: call (" or " call){0,3}
call: ("not ")? fact%s
NL: /\\n/
"""


def grammar(setting: Setting, words: str) -> str:
    """The grammar for what is said in a setting."""
    arguments, facts, actions = dict[tuple[str, ...], str](), list[str](), list[str]()
    for some, out in ((setting.can_be, facts), (setting.can_do, actions)):
        for form in some:
            out.append(_call(form, arguments))
    busy = ' | "drop " (effect | "all") | "first" | "back(" KEPT ")"' if setting.now else ""
    text = [_RULES % (LINES - 1, busy, " | action" if actions else "")]
    text.append(f"fact: {' | '.join(facts) or 'QUOTE'}")
    text += [f"action: {' | '.join(actions)}", f"OPTION: /{_options(setting.can_do)}/"] if actions else []
    text += [f"{name}: /{_argument(setting, types)}|{_quote(words)}/" for types, name in arguments.items()]
    text += [f"KEPT: /{_argument(setting, ('thing',))}|{_quote(words)}/", f"QUOTE: /{_quote(words)}/"]
    return "\n".join(text)


def _call(form: Signature, arguments: dict[tuple[str, ...], str]) -> str:
    names = [arguments.setdefault(tuple(sorted(t)), f"ARG{len(arguments)}") for t in form.types]
    options = '("; " OPTION (", " OPTION){0,5})?' if form.options else ""
    between = ' ", " '.join(names)
    return f'"{form.name}(" {between} {options} ")"'


def _options(can_do: Iterable[Signature]) -> str:
    """An action's options by name, with a number and its unit or some of the setting's words where they take any."""
    names = dict.fromkeys(o.split()[0] for form in can_do for o in form.options)
    return f"({_one_of(names)})( -?[0-9.]+( mm| s)?| [a-z][a-z0-9 -]*)?"


def _argument(setting: Setting, types: Sequence[str]) -> str:
    """A regular expression for an argument that is of some types."""
    names = [m.name for m in setting.members if setting.fits(m.name, types)]
    size = {g: sum(setting.fits(n, types) for n in some) for g, some in setting.groups.items()}
    if not names:
        return "[^\\s\\S]"
    one = f"({_one_of(names)})"
    every = [m.name for m in setting.members]
    narrowed = f"( (not )?({_one_of(s.name for s in setting.can_be)})( ({_one_of(every)}))?)?"
    listed = f"{one}( or {one}){{1,5}}"

    def groups(least: int) -> str:
        return f"({_one_of(g for g, n in size.items() if n >= least)}){narrowed}"

    most = min(9, max(size.values()))
    some = [f"(all|any of|each of|which of) ({groups(1)}|{listed})"]
    some += [f"(all|any of|each of|which of|[2-9] of) {groups(2)}( except {one}( and {one}){{0,3}})"] * (most > 1)
    some += [f"{n} of ({groups(n)}|{listed})" for n in range(2, most + 1)]
    return f"{one}|{one}( and {one}){{1,7}}|{listed}|{'|'.join(some)}"


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
