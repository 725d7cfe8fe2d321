"""What the page of an episode shows, from its folder: read once, told without a browser."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tamp.errors import InputError
from tamp.runs import episode_log
from tamp.runs.endings import Ending, ending
from tamp.runs.goal_origin import GoalOrigin, origin_told
from tamp.runs.pages import telling
from tamp.runs.pages.failing import Failing, failing_of, no_motion
from tamp.runs.pages.fields import Event, names, number, table, words
from tamp.runs.pages.follow import PlanAccount, account
from tamp.runs.pages.listing import Listing, listed
from tamp.runs.pages.moments import Moments, moments_of, period_of
from tamp.runs.pages.paths import Course, courses_of
from tamp.runs.pages.places import Thing, things
from tamp.runs.pages.timeline import Bar, Deed, bars, deeds
from tamp.runs.pages.troubles import Rejected, Trouble, rejected, troubles
from tamp.runs.robot_shape import robots_of

VIDEO = "video.mp4"
MOST_ASKED = 800_000
"""Bytes of all prompts together that a page has; the list of events has the beginning of each."""

MOST_OF_FILE = 100_000
"""Characters of a PDDL file or a plan that a page has."""
MOST_FILES = 10
"""Such files: a session can have many problems."""

MOST_SHOWN = {"deeds": 300, "bars": 900, "rejected": 50, "troubles": 300, "orders": 200, "looks": 60}
"""Entries of each list that a page has: of more, the last ones."""


@dataclass(frozen=True)
class SeenRow:
    """A fact that changed, and whether it was seen at each of the looks."""

    fact: str
    seen: tuple[bool, ...]


@dataclass(frozen=True)
class Story:
    """An episode as it is shown; `left_out` says of each list in `MOST_SHOWN` how many entries before the first one it
    does not have. `notes` say what is wrong with its log; `looks` name the moments of `seen`.

    `origin` says where the goal comes from, None where the log does not.
    `account` says of the actions of the plan what each needs and makes true, those that were begun first.
    `why_no_account` says why that is empty. `folder` is where the log, the video if `has_video`, and the PDDL files
    are. `period` are the seconds of a control period. `obstacles` show in space what each of the plans `rejected`
    failed for, `failing` what the episode failed for.
    """

    folder: Path
    ending: Ending
    verdict: str
    eyes: str
    title: str
    instruction: str
    origin: GoalOrigin | None
    parts: tuple[telling.GoalPart, ...]
    plan_steps: tuple[str, ...]
    orders: tuple[tuple[float, str, str | None], ...]
    about: tuple[tuple[str, str], ...]
    seconds: tuple[tuple[str, float], ...]
    versions: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    files: tuple[tuple[str, str], ...]
    has_video: bool
    bars: tuple[Bar, ...]
    deeds: tuple[Deed, ...]
    account: PlanAccount
    why_no_account: str
    rejected: tuple[Rejected, ...]
    obstacles: tuple[Failing, ...]
    failing: Failing | None
    troubles: tuple[Trouble, ...]
    looks: tuple[str, ...]
    seen: tuple[SeenRow, ...]
    period: float
    moments: Moments
    courses: tuple[Course, ...]
    things: tuple[Thing, ...]
    exchanges: tuple[telling.Exchange, ...]
    listing: Listing
    left_out: Mapping[str, int]


def story_of(log: Path) -> Story:
    """The story of an episode from its log and the files beside it. InputError when the log cannot be read."""
    events: list[dict[str, Any]] = episode_log.read(log)
    if not events:
        raise InputError(f"{log} holds no event")
    folder, moments = log.parent, moments_of(events)
    begun, given_up = deeds(events, moments), rejected(events, moments)
    courses, placed = courses_of(events, moments, robots_of(events)), things(events, moments)
    ended = ending(folder.name if log.name == episode_log.LOG else log.name, events)
    start = next((e for e in events if e["event"] == "start"), {})
    outcome: Event = next((e for e in reversed(events) if e["event"] == "outcome"), {})
    world: Event = next((e for e in events if e["event"] == "world"), {})
    said, ordered = ended.said or words(start, "instruction"), telling.orders(events)
    followed, why = _account(folder, events, begun)
    looks, seen = _seen(events)
    told = troubles(events, moments)
    shown = bars(events, begun)
    whole = {"deeds": begun, "bars": shown, "rejected": given_up, "troubles": told, "orders": ordered, "looks": looks}
    left_out = {name: max(0, len(some) - MOST_SHOWN[name]) for name, some in whole.items()}
    given_up = given_up[left_out["rejected"] :]
    return Story(
        folder=folder,
        ending=ended,
        verdict=telling.verdict_of(ended),
        eyes=telling.eyes_of(ended.perception),
        title=telling.title_of(said, ended.goal, names(start, "steps"), bool(ordered)),
        instruction=said,
        origin=origin_told(start),
        parts=telling.goal_parts(ended.goal, events),
        plan_steps=names(start, "steps"),
        orders=ordered[left_out["orders"] :],
        about=_about({**world, **start}),
        seconds=tuple(
            (k, s) for k in table(outcome, "seconds") if (s := number(table(outcome, "seconds"), k)) is not None
        ),
        versions=telling.versions(events),
        notes=_notes(log, events, start, ended),
        files=_files(folder),
        has_video=(folder / VIDEO).is_file(),
        bars=shown[left_out["bars"] :],
        deeds=begun[left_out["deeds"] :],
        account=followed,
        why_no_account=why,
        rejected=given_up,
        obstacles=tuple(no_motion(r, placed, courses) for r in given_up),
        failing=None if ended.verdict == "success" else failing_of(given_up, begun, placed, courses, ended.stage),
        troubles=told[left_out["troubles"] :],
        looks=looks[left_out["looks"] :],
        seen=tuple(SeenRow(row.fact, row.seen[left_out["looks"] :]) for row in seen),
        period=period_of(events),
        moments=moments,
        courses=courses,
        things=placed,
        exchanges=_exchanges(events),
        listing=listed(events),
        left_out=left_out,
    )


def _about(start: Event) -> tuple[tuple[str, str], ...]:
    """What ran, by name."""
    shown = ("task", "scene_instruction", "backend", "body", "planner", "seed", "init_state", "world", "arm", "clock")
    return tuple((key.replace("_", " "), str(start[key])) for key in shown if start.get(key) is not None)


def _notes(log: Path, events: Sequence[Event], start: Event, ended: Ending) -> tuple[str, ...]:
    told = []
    schema = start.get("schema")
    if not start:
        told.append("The log has no beginning: what was run is not known.")
    elif schema != episode_log.SCHEMA and "world" not in start:
        known = f"this version of tamp knows {episode_log.SCHEMA}"
        told.append(f"The log is of schema {schema}, {known}: the page shows as much of it as it understands.")
    if not log.read_bytes().endswith(b"\n"):
        told.append("The last line of the log is only half written, and left out.")
    if ended.verdict == "interrupted":
        told.append("The log has no outcome: the run was killed, or is not over yet.")
    return tuple(told)


def _files(folder: Path) -> tuple[tuple[str, str], ...]:
    """The PDDL files and plans beside a log, as text."""
    found = []
    for path in sorted((*folder.glob("*.pddl"), *folder.glob("plan*.txt")))[:MOST_FILES]:
        try:
            found.append((path.name, _shortened(path.read_text(encoding="utf-8", errors="replace"))))
        except OSError as e:
            found.append((path.name, f"cannot be read: {e.strerror}"))
    return tuple(found)


def _shortened(text: str) -> str:
    left = len(text) - MOST_OF_FILE
    return text if left <= 0 else f"{text[:MOST_OF_FILE]}\n… {left} characters more in the file"


def _exchanges(events: Sequence[Event]) -> tuple[telling.Exchange, ...]:
    """What the model was asked and answered, without the prompts once there are too many."""
    found, left = list[telling.Exchange](), MOST_ASKED
    for e in telling.exchanges(events):
        left -= sum(len(text.encode(errors="replace")) for _, text in e.messages)
        told = e.messages if left >= 0 else (("", "Left out for the size of this page: the log has it."),)
        found.append(replace(e, messages=told))
    return tuple(found)


def _account(folder: Path, events: Sequence[Event], begun: Sequence[Deed]) -> tuple[PlanAccount, str]:
    """What each action needs and makes true: those that were begun, then those of the last plan that were not."""
    from tamp.files.source import Source
    from tamp.pddl.reading import read_problem
    from tamp.plans.resolve import resolve
    from tamp.plans.text_plans import read_text

    domain, problem = folder / "domain.pddl", folder / "problem.pddl"
    if not (domain.is_file() and problem.is_file()):
        return PlanAccount(), "There is no domain.pddl and problem.pddl beside the log."
    actions = [(d.action, d.how == "done") for d in begun] + [(a, True) for a in _left(events)]
    if not actions:
        return PlanAccount(), "No plan was found."
    try:
        parsed = read_problem(domain, problem)[2]
        plan = read_text(Source("the log", "\n".join(a for a, _ in actions)), "pddl")
        return account(parsed, resolve(plan, parsed), [taken for _, taken in actions], _after(events)), ""
    except InputError as e:
        return PlanAccount(), f"The plan cannot be followed: {e}"


def _after(events: Sequence[Event]) -> list[frozenset[str] | None]:
    """What was seen after each action that was begun, None where nobody looked before the next one."""
    seen = list[frozenset[str] | None]()
    for e in _by_its_own_names(events):
        if e["event"] == "action":
            seen.append(None)
        elif seen and e["event"] in ("state", "final") and isinstance(e.get("atoms"), list):
            seen[-1] = frozenset(names(e, "atoms"))
    return seen


def _by_its_own_names(events: Sequence[Event]) -> Iterator[Event]:
    """The events, without the last facts of a log of cameras: these are the simulator's, by the simulator's names."""
    cameras = any(e["event"] == "matched" for e in events)
    return (e for e in events if not (cameras and e["event"] == "final"))


def _left(events: Sequence[Event]) -> tuple[str, ...]:
    """The actions of the last plan that was found, less those that were done since."""
    plan, done = tuple[str, ...](), 0
    for e in events:
        if e["event"] == "plan" and names(e, "plan"):
            plan, done = names(e, "plan"), 0
        elif e["event"] == "result" and e.get("success") is True:
            done += 1
    return plan[done:]


def _seen(events: Sequence[Event]) -> tuple[tuple[str, ...], tuple[SeenRow, ...]]:
    """The moments at which facts were seen, and those facts that are not the same at all of them."""
    looks, states, last = list[str](), list[frozenset[str]](), "start"
    for e in _by_its_own_names(events):
        if e["event"] == "result":
            last = f"after {words(e, 'action')}"
        elif e["event"] in ("state", "final") and isinstance(e.get("atoms"), list):
            looks.append("end" if e["event"] == "final" else last)
            states.append(frozenset(names(e, "atoms")))
    facts = sorted(frozenset().union(*states))
    rows = (SeenRow(f, tuple(f in s for s in states)) for f in facts)
    return tuple(looks), tuple(row for row in rows if len(set(row.seen)) > 1)
