"""What went wrong between prompt and goal or plan, from hand-written logs."""

import pytest

from llm.failures import FailureReport


def event(kind, **data):
    return {"event": kind, "t": 0.0, **data}


def asked(text="the lamp is held."):
    return [event("prompt", model="m", messages=[]), event("reply", text=text, probability=0.5)]


def instruction(text="put the bowl on the plate"):
    return event("instruction", text=text)


def language():
    return event("language", goal="(on b p)", reply="the bowl is on the plate")


def refused(why, message="no"):
    return event("refused", why=why, message=message)


def attempt(number, error=None, reply="[]"):
    return event("plan_attempt", attempt=number, error=error, message="so" if error else "", reply=reply)


def report(*logs):
    told = FailureReport()
    for number, events in enumerate(logs):
        told.add(f"e{number}", list(events))
    return told


def groups(told):
    """Of each type: how often, in how many episodes, mended by what."""
    return {": ".join(g.name): (len(g.failures), g.episodes, g.mended) for g in told.groups()}


RIGHT = [instruction(), *asked(), language()]
MENDED = [*RIGHT, *asked(), attempt(1, "goal"), *asked(), attempt(2, "loop"), *asked(), attempt(3)]


def test_nothing_went_wrong():
    told = report(RIGHT, [event("start", instruction="x"), event("plan", status="found")])
    assert groups(told) == groups(report([*RIGHT, event("error", message="the simulator broke")])) == {}
    assert (told.logs, told.language, told.asked, told.goal, told.refused) == (2, 1, 1, 1, 0)
    assert report().as_dict()["plans"]["first_try_share"] is None


def test_what_a_later_attempt_mended():
    """Examples are of many episodes."""
    told = report(MENDED, [*RIGHT, attempt(1)], [*RIGHT, *asked(), attempt(1, "goal"), *asked(), attempt(2)])
    assert groups(told) == {
        "plan_attempt: goal": (2, 2, {"attempt 2": 1, "attempt 3": 1}),
        "plan_attempt: loop": (1, 1, {"attempt 3": 1}),
    }
    assert (told.asked, told.goal, told.plans, told.found, told.found_first) == (3, 3, 3, 3, 1)
    assert told.as_dict()["plans"]["first_try_share"] == pytest.approx(1 / 3, abs=1e-4)
    assert [f.episode for f in told.groups()[0].examples(2)] == ["e0", "e2"]


def test_refusals_by_why():
    """`tamp solve` writes one down as the refusal of the reading, and as how the episode ended: it is counted once."""
    told = report(
        [instruction("put the banana away"), refused("absent", "no banana"), event("refused", message="no")],
        [instruction(), *asked(), *asked("the bowl is held."), refused("unsolvable")],
    )
    assert groups(told) == {
        "refused: absent": (1, 1, {}),
        "refused: unsolvable": (1, 1, {}),
    }
    assert (told.language, told.asked, told.goal) == (2, 1, 0)
    shown = {": ".join(g.name): g.examples(1)[0] for g in told.groups()}
    absent, unsolvable = shown["refused: absent"], shown["refused: unsolvable"]
    assert (absent.instruction, absent.reply, absent.message) == ("put the banana away", "", "no banana")
    assert (unsolvable.episode, unsolvable.reply) == ("e1", "the bowl is held.")


def test_what_a_person_at_the_terminal_mended():
    other_words = [instruction("put the tin away"), refused("absent"), *MENDED]
    chosen = event("chosen", by="user", goal="(open d)")
    told = report(other_words, [instruction("open the drawer"), *asked(), refused("ambiguous"), chosen])
    assert groups(told)["refused: absent"] == (1, 1, {"other words": 1})
    assert groups(told)["refused: ambiguous"] == (1, 1, {"choice": 1})
    assert (told.asked, told.goal) == (2, 1)


@pytest.mark.parametrize("end", [event("refused", message="no server"), event("error", message="no server")])
def test_a_model_that_gave_no_answer(end):
    told = report([instruction(), *asked()[:1], end, event("error", message="no server")])
    assert groups(told) == {"error: no answer": (1, 1, {})}


def test_a_log_that_breaks_off():
    for n in range(1, len(MENDED)):
        told = report(MENDED[:n])
        assert told.language == 1
        assert all(g.mended == {} for g in told.groups())


def test_the_verdict_on_a_goal():
    """`tamp bench --stage goal` knows what was meant."""
    wrong = event("scored", success=False, refuse=False, reaches=True, reason="decoded (a), the task's is (b)")
    due = event("scored", success=False, refuse=True, reason="not refused, decoded (a)")
    rightly = [instruction(), refused("absent"), event("scored", success=True, refuse=True, reason=None)]
    wrongly = [instruction(), refused("absent"), event("scored", success=False, refuse=False, reason="absent: no")]
    told = report([*RIGHT, wrong], [*RIGHT, due], rightly, wrongly)
    assert groups(told) == {
        "refused: absent": (1, 1, {}),
        "scored: not refused": (1, 1, {}),
        "scored: other goal": (1, 1, {}),
    }
    assert told.refused == 1
    (other,) = (g.examples(1)[0] for g in told.groups() if g.name == ("scored", "other goal"))
    said = "decoded (a), the task's is (b) (a plan for it reaches the task's goal)"
    assert (other.reply, other.message) == ("the bowl is on the plate", said)


def test_plans():
    told = report(
        [event("start", instruction="stack them"), attempt(1, "precondition"), attempt(2), attempt(1)],
        [instruction("tidy up"), *asked(), language(), attempt(1, "goal"), attempt(2, "goal"), attempt(3, "loop")],
    )
    assert groups(told) == {
        "plan_attempt: goal": (2, 1, {}),
        "plan_attempt: loop": (1, 1, {}),
        "plan_attempt: precondition": (1, 1, {"attempt 2": 1}),
    }
    assert (told.plans, told.found, told.found_first, told.language) == (3, 2, 1, 1)
    assert {g.name[1]: g.examples(1)[0].instruction for g in told.groups()} == {
        "goal": "tidy up",
        "loop": "tidy up",
        "precondition": "stack them",
    }
