"""Replies of the real model, replayed: the whole way from an instruction to a goal, without weights.

They answer the very questions that were asked. After a change of prompt, examples, phrases or grammar record anew,
which needs the weights and takes a minute, and look at what the goals have become:

    pytest tests/llm/reader/test_recordings.py --record
"""

import json
from pathlib import Path

import pytest

from llm.models.language_model import Logged
from llm.models.llama import LlamaCpp
from llm.models.load import RecordedModel, digest
from llm.models.weights import DEFAULT, find
from llm.reader.goal_reader import ground
from llm.tuning import adapter
from tamp.errors import Refusal

RECORDING = Path(__file__).parent / "recordings" / "kitchen.jsonl"
BOWL, RIGHT_BOWL, BOTTLE = "akita_black_bowl_1", "akita_black_bowl_2", "wine_bottle_1"
STOVE = "flat_stove_1_cook_region"
TOP, MIDDLE = "wooden_cabinet_1_top_region", "wooden_cabinet_1_middle_region"
KEPT = {"instruction": ("text",), "prompt": ("model", "taught", "digest"), "reply": ("text", "probability")}
CASES = [
    ("kitchen", "put the bowl on the plate", f"(on {BOWL} plate_1)"),
    ("kitchen", "turn on the stove", "(turned-on flat_stove_1)"),
    ("kitchen", "open the top drawer and put the bowl inside", f"(and (open {TOP}) (in {BOWL} {TOP}))"),
    ("kitchen", "put the bowl in the middle drawer and close it", f"(and (in {BOWL} {MIDDLE}) (closed {MIDDLE}))"),
    ("kitchen", "put the wine bottle on top of the cabinet", f"(on {BOTTLE} wooden_cabinet_1_top_side)"),
    ("kitchen", "pick up the wine bottle", f"(holding {BOTTLE})"),
    ("kitchen", "put the bwol in the mdidle darwer", f"(in {BOWL} {MIDDLE})"),
    ("kitchen", "put the bowl to the right of the plate", f"(right-of {BOWL} plate_1)"),
    ("kitchen", "put the wine bottle behind the stove", f"(behind {BOTTLE} flat_stove_1)"),
    ("kitchen", "put the bowl next to the plate", f"(next-to {BOWL} plate_1)"),
    ("kitchen", "put the banana on the plate", "refused: absent"),
    ("kitchen", "banana to plate put", "refused: absent"),
    ("kitchen", "everything but the bottle goes on the stove", f"(and (on {BOWL} {STOVE}) (on plate_1 {STOVE}))"),
    ("kitchen", "put the plate on the stove and not on the cabinet", f"(on plate_1 {STOVE})"),
    ("kitchen", "open the drawer", "refused: ambiguous"),
    ("two_bowls", "put the bowl on the plate", "refused: ambiguous"),
    ("two_bowls", "put the bowl between the plate and the ramekin on the plate", f"(on {BOWL} plate_1)"),
    ("two_bowls", "move the bowl next to the cookie box to the plate", f"(on {RIGHT_BOWL} plate_1)"),
]


@pytest.fixture(scope="module")
def log():
    """Events of all instructions, in this order."""
    return []


@pytest.fixture(scope="module")
def tell(log):
    return lambda kind, **data: log.append({"event": kind, **data})


@pytest.fixture(scope="module")
def model(request, log, tell):
    """The recording; with --record the real model, whose replies are written down in the end."""
    if not request.config.getoption("--record"):
        yield Logged(RecordedModel(RECORDING), tell)
        return
    yield Logged(LlamaCpp(DEFAULT, find(DEFAULT), adapter=adapter(find(DEFAULT))).load(), tell)
    if sum(e["event"] == "instruction" for e in log) < len(CASES):
        pytest.fail("only some instructions were put to the model; the recording is left as it was")
    RECORDING.write_text("".join(json.dumps(e) + "\n" for e in map(compact, log) if e))


def compact(e):
    """What a recording needs of an event, with a digest in place of the messages; {} for nothing."""
    whole = e | {"digest": digest(e["messages"])} if "messages" in e else e
    return {k: whole[k] for k in ("event", *KEPT[e["event"]])} if e["event"] in KEPT else {}


@pytest.mark.parametrize(("scene", "text", "meant"), CASES)
def test_what_the_model_made_of_it(scene, text, meant, model, tell, domain, request):
    tell("instruction", text=text)
    try:
        goal = str(ground(text, *request.getfixturevalue(scene), domain, model, tell=tell).goal)
    except Refusal as e:
        goal = f"refused: {e.kind}"
    assert goal == meant
