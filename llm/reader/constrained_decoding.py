"""Constrained decoding: words in a setting to a program, by a language model within a grammar.

The grammar, in the Lark syntax of llguidance, allows programs over the setting's names. Quotations are runs of the
words that were said; what only makes sense of work in progress is there only where there is some.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from llm.models.language_model import Completion, Model, Prompt
from llm.reader import program as form
from llm.reader.expanding import BETWEEN
from llm.reader.program import NotAProgram, Program, Quote, calls, read_program
from llm.reader.sentences import Sentence, nearest, taught
from llm.reader.setting import THING, CallSignature, Setting
from tamp.errors import InputError, Refusal

SURE = 0.5
"""Confidence below which an answer is asked back."""
OWN, SHOWN = 5, 8
"""The most examples of a domain's own that a model is shown; all that one is shown that was not taught the form."""
LONGEST = 8_000
"""Characters of an instruction."""
FIT, MOST = (0.98, 1.57, -0.70), 0.9995
"""Of the logarithms of a probability and of what is missing to 1: fitted to the 473 held-out sentences, of which the
shipped adapter reads 416 rightly (AUC 0.90, Brier score 0.069)."""
TASK = "Write down what the person asks the robot for, in the form that you have learnt."
UNTAUGHT = f"Write down what the person asks the robot for. {form.__doc__}"
"""The task of a model that has not learnt the form."""


@dataclass(frozen=True)
class ProgramReply:
    """A program and the model's probability for it; `other` asks for the next likeliest."""

    program: Program
    probability: float
    other: Callable[[], ProgramReply | None] = lambda: None


def read(
    words: str, setting: Setting, model: Model, own: Sequence[Sentence] = (), image: bytes | None = None
) -> ProgramReply:
    """The program of some words. The model is shown the nearest of a domain's `own` sentences and, unless it was taught
    them, of those that adapters are tuned with. Refusal for words that it makes nothing of."""
    if model.taught:
        chat = prompt(setting, words, own if len(own) <= OWN else nearest(words, own, OWN))
    else:
        chat = untaught_prompt(setting, words, nearest(words, (*taught(), *own), SHOWN))
    try:
        return _reply(model.complete(replace(chat, image=image), grammar(setting, words)), setting)
    except NotAProgram as e:
        raise Refusal(f"the instruction was not understood: {e}", "unclear") from e


def _reply(completion: Completion, setting: Setting) -> ProgramReply:
    def other() -> ProgramReply | None:
        try:
            return None if completion.other is None else _reply(completion.other(), setting)
        except NotAProgram:
            return None

    program = read_program(completion.text, setting)
    program = unquoted(program, lambda name: () if setting.member(name) is None else (name,), setting)
    return ProgramReply(program, completion.probability, other)


def unquoted(program: Program, called: Callable[[str], Sequence[str]], setting: Setting) -> Program:
    """A program with names in place of the quotations that are `called` so: the name, or `which of` several."""
    text = str(program)
    for quote in {a for c in calls(program.lines) for a in c.arguments if isinstance(a, Quote)}:
        names = called(re.sub(r"^(the|a|an|my|your) ", "", quote.words.lower()))
        which = names[0] if len(names) == 1 else f"which of {' or '.join(names)}"
        try:
            text = str(read_program(text.replace(str(quote), which), setting)) if names else text
        except NotAProgram:
            continue
    return read_program(text, setting)


def confidence(probability: float) -> float:
    """How often answers of a probability are right."""
    p = min(max(probability, 1.0 - MOST), MOST)
    constant, certain, open_ = FIT
    return 1.0 / (1.0 + math.exp(-(constant + certain * math.log(p) + open_ * math.log(1.0 - p))))


_TYPED = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201b\u2032\u02bc", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u2033", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014", "-")
)
"""The quotes and dashes of word processors, and what is typed."""


def instruction(text: str) -> str:
    """The instruction with single spaces and typed quotes and dashes; InputError when it is empty or too long."""
    words = " ".join(text.translate(_TYPED).split())
    if not words:
        raise InputError('the instruction is empty; say for example: tamp solve "put the mug in the drawer"')
    if len(text) > LONGEST:
        raise InputError(f"the instruction has {len(text):,} characters; at most {LONGEST:,} are read")
    return words


def setting_text(setting: Setting, own: Sequence[Sentence] = ()) -> str:
    """A setting without what is being done, which changes, and sentences of the domain's own."""
    examples = (f"such as: {s.words} => {BETWEEN.join(s.program.texts)}\n" for s in own)
    return f"{replace(setting, now='')}\n{''.join(examples)}"


def question(now: str, words: str) -> str:
    """What follows a setting's text."""
    return (f"now: {now}\n" if now else "") + f"said: {words}"


def prompt(setting: Setting, words: str, own: Sequence[Sentence] = ()) -> Prompt:
    """The chat for a model that has learnt the form."""
    begins = setting_text(setting, own)
    return Prompt(TASK, (), begins + question(setting.now, words), begins=begins, taught=True)


def untaught_prompt(setting: Setting, words: str, examples: Sequence[Sentence]) -> Prompt:
    """The chat for another model: the definition of the form, and examples."""
    begins = setting_text(setting)
    shown = tuple((setting_text(s.setting) + question(s.setting.now, s.words), str(s.program)) for s in examples)
    return Prompt(UNTAUGHT, shown, begins + question(setting.now, words), begins=begins)


QUOTED, LONG = 14, 400
"""Words of a quotation, and words from which on a text is long: all of its runs make a grammar of a megabyte."""
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
    if len(said) > LONG:
        word = f"({_one_of(sorted({w.strip('.,;:!?') for w in said} - {''}))})"
        return f'"{word}( {word}){{0,{QUOTED - 1}}}"'
    spans = (said[i : i + n] for i in range(len(said)) for n in range(1, 1 + QUOTED))
    runs = {" ".join(span).strip(".,;:!?") for span in spans if "" not in span}
    return f'"({_one_of(sorted(filter(None, runs)))})"'


def _one_of(texts: Iterable[str]) -> str:
    return "|".join(re.sub(r"\\([ '-])", r"\1", re.escape(t)).replace("/", r"\/") for t in texts)
