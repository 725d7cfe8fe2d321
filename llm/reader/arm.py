"""Words to steps of an arm's contract, within what its world has: at once, or beside a session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from llm.models.language_model import Logged, Model
from llm.models.load import load
from llm.reader.constrained_decoding import confidence, instruction, read
from llm.reader.program import Argument, Call, Effect, Handled, NamedThings, Program, Quote, in_words
from llm.reader.setting import CallSignature, Member, Setting
from llm.vocabulary.names import plain
from tamp.backends.xarm.arm_steps import Step, steps_of
from tamp.backends.xarm.contract import breaches_in
from tamp.backends.xarm.workcell import Workcell
from tamp.errors import Refusal
from tamp.model.events import Journal
from tamp.planning.assistant import Assistant
from tamp.planning.deliberation import Thought
from tamp.planning.refinement import never
from tamp.quiet import hush_warnings
from tamp.worker_process import Cancelled

HOVER_MM = RETREAT_MM = 80
"""The contract's own hover, which is also how far an arm lifts that is not told how far."""
LEAST = 0.85
"""Confidence below which a plan is asked back: nobody looks at what an arm does to things."""
_WHICH = ("nth", "near", "surest")
ACTIONS = (
    CallSignature("go above", (frozenset({"label", "pose"}),), ("hover", *_WHICH)),
    CallSignature("touch", (frozenset({"label"}),), _WHICH),
    CallSignature("go to", (frozenset({"pose"}),)),
    CallSignature("go to point", (), ("x", "y", "z", "roll", "pitch", "yaw")),
    CallSignature("lift", (), ("by",)),
    CallSignature("wait", (), ("seconds",)),
)
"""What the contract can say."""


@dataclass(frozen=True)
class ArmNames:
    """What an instruction can name in a world: poses and labels."""

    poses: tuple[str, ...]
    labels: tuple[str, ...]

    @classmethod
    def of(cls, cell: Workcell) -> ArmNames:
        """Those of a world."""
        return cls(tuple(cell.poses), tuple(cell.labels))

    @property
    def setting(self) -> Setting:
        """As a reader is shown them."""
        kinds = (("pose", self.poses), ("label", self.labels))
        members = (Member(plain(name), (), frozenset({kind}), f"{kind}s") for kind, some in kinds for name in some)
        return Setting(tuple(members), (), ACTIONS)

    def called(self, name: str) -> str:
        """The pose or label that a setting's name stands for."""
        return next(n for n in (*self.poses, *self.labels) if plain(n) == name)


def plan_of(text: str, names: ArmNames, model: Model, journal: Journal, cancelled: Cancelled = never) -> dict[str, Any]:
    """The action plan that some words ask for. Refusal where they ask for none; all that was said is in the journal."""
    journal.event("instruction", text=text)
    text, setting = instruction(text), names.setting
    answer = read(text, setting, Logged(model, journal.event, cancelled))
    journal.event("program", text=str(answer.program), probability=answer.probability)
    steps = list(_with_approaches(_steps(answer.program, names)))
    if not steps:
        raise Refusal("the instruction asks for no motion", "nothing")
    if confidence(answer.probability) < LEAST:
        raise Refusal(f"is this meant: {in_words(answer.program)}? Say it in other words", "unsure")
    return {"goal": text, "steps": steps}


def _steps(program: Program, names: ArmNames) -> Iterator[dict[str, Any]]:
    kept = {n for x in program.lines if isinstance(x, Handled) and x.word == "keep" for n in _things(x.things, names)}
    for line, text in zip(program.lines, program.texts, strict=True):
        match line:
            case Effect((Call(acts=True) as call,)):
                for step in _step(call, names):
                    if kept & {*step.get("labels", ())}:
                        raise Refusal(f"{step['labels'][0]!r} is to be left alone and to be moved to", "contradiction")
                    yield step
            case Handled("keep"):
                pass
            case Quote(words):
                raise Refusal(f'"{words}" cannot be said in a plan; it has: {", ".join(map(str, ACTIONS))}', "beyond")
            case _ if text not in ("nothing", "stop", "then"):
                raise Refusal(f'"{text}" cannot be said in a plan: it is a list of steps', "beyond")


def _step(call: Call, names: ArmNames) -> Iterator[dict[str, Any]]:
    """A call as steps of the contract, one for each thing that it is about."""
    options = dict(o.partition(" ")[::2] for o in call.options)
    hover = {"hover_mm": _number(options.get("hover", str(HOVER_MM)))}
    match call.form.name:
        case "lift":
            yield {"action": "RETREAT_Z", "dz_mm": _number(options.get("by", str(RETREAT_MM)))}
        case "wait":
            yield {"action": "SLEEP", "seconds": _number(_said(options, "seconds"))}
        case "go to point":
            xyz, rpy = ([_number(_said(options, n)) for n in some] for some in (("x", "y", "z"), _ANGLES))
            yield {"action": "MOVE_TO_POSE", "pose": {"xyz_mm": xyz, "rpy_deg": rpy}}
        case name:
            for thing in _things(call.arguments[0], names):
                if thing in names.poses:
                    kind = "MOVE_TO_NAMED" if name == "go to" else "APPROACH_NAMED"
                    yield {"action": kind, "name": thing, **(hover if kind == "APPROACH_NAMED" else {})}
                else:
                    kind = "MOVE_TO_OBJECT" if name == "touch" else "APPROACH_OBJECT"
                    which = _which(thing, options, names)
                    yield {"action": kind, **which, **(hover if kind == "APPROACH_OBJECT" else {})}


_ANGLES = ("roll", "pitch", "yaw")


def _things(argument: Argument, names: ArmNames) -> Sequence[str]:
    """The poses and labels that an argument is. Refusal for what is not there, or left open."""
    if isinstance(argument, Quote):
        raise Refusal(f"the world has no {argument}; it has: {', '.join((*names.poses, *names.labels))}", "absent")
    assert isinstance(argument, NamedThings)
    if argument.how == "which" and len(argument.names) > 1:
        raise Refusal(f"which is meant: {' or '.join(argument.names)}?", "ambiguous")
    some = argument.names[:1] if argument.how in ("any", "which") else argument.names
    return [names.called(n) for n in some]


def _which(label: str, options: dict[str, str], names: ArmNames) -> dict[str, Any]:
    poses = {plain(name): name for name in names.poses}
    if "near" in options and options["near"] not in poses:
        raise Refusal(f"{options['near']!r} is no place to be nearest to; places: {', '.join(names.poses)}", "beyond")
    near = {"ref": {"named": poses[options["near"]]}} if "near" in options else {}
    nth = _number(options.get("nth", "1"))
    if nth < 1 or nth != int(nth):
        raise Refusal(f"{options['nth']!r} is no number of a thing; valid: 1 for the nearest", "beyond")
    index = {"index": int(nth) - 1}
    return {"labels": [label], "selector": "highest_conf" if "surest" in options else "nearest", **near, **index}


def _with_approaches(steps: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Steps in which a thing is approached before it is touched."""
    above = dict[str, Any]()
    for step in steps:
        which: dict[str, Any] = {k: v for k, v in step.items() if k in ("labels", "selector", "ref", "index")}
        if step["action"] == "MOVE_TO_OBJECT" and which != above:
            yield {**step, "action": "APPROACH_OBJECT", "hover_mm": HOVER_MM}
        if step["action"] not in ("RETREAT_Z", "SLEEP"):
            above = which
        yield step


def _said(options: dict[str, str], name: str) -> str:
    """An option that a step cannot do without, and that is not to be made up."""
    if name not in options:
        raise Refusal(f"the instruction does not say {name}, which the step needs", "unclear")
    return options[name]


def _number(text: str) -> float:
    """A number without its unit, whole numbers as such. Refusal for what is none."""
    try:
        value = float(text.split(maxsplit=1)[0])
    except (ValueError, IndexError):
        raise Refusal(f"{text!r} is no number", "unclear") from None
    return int(value) if value == int(value) else value


def steps_in(plan: dict[str, Any], cell: Workcell) -> tuple[Step, ...]:
    """The steps of a plan. Refusal where the world does not have room for them."""
    if wrong := breaches_in(plan, cell):
        raise Refusal(f"the plan cannot be carried out in {cell.name}: {wrong[0]}", "infeasible")
    return steps_of(plan)


class ArmReader:
    """Reads words as steps of the contract; the model is loaded when it is made."""

    def __init__(self, llm: str, names: ArmNames, journal: Journal, cancelled: Cancelled) -> None:
        hush_warnings()
        self._names, self._model, self._journal, self._cancelled = names, load(llm), journal, cancelled

    def read(self, text: str) -> dict[str, Any]:
        """The plan that some words ask for."""
        return plan_of(text, self._names, self._model, self._journal, self._cancelled)


class ParallelArmReader:
    """Reads in a process of its own, which is started, and loads the model, at once."""

    def __init__(self, llm: str, cell: Workcell, journal: Journal) -> None:
        self._cell = cell
        self._reader = Assistant(partial(ArmReader, llm, ArmNames.of(cell)), "reading", journal)
        self.close = self._reader.close

    def __call__(self, text: str) -> Thought[Sequence[Step]]:
        """The steps of some words, once they are read. Refusal where the world does not have room for them."""
        return self._reader.ask("read", text, convert=partial(steps_in, cell=self._cell))
