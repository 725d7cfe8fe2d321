"""What a model is told: examples that keep to what its own answers are held to."""

import json

from llm.arm_checks import excess, missing
from llm.arm_clauses import spoken
from llm.arm_prompt import EXAMPLES, prompt
from tamp.backends.xarm.contract import breaches


def test_the_examples_keep_to_the_contract_and_are_of_no_world_that_ships():
    for names, labels, text, parts in EXAMPLES:
        assert not {*names, *labels} & {"home", "above_table", "bin_drop", "cup", "bottle", "bowl", "banana"}
        for said, steps in parts:
            if steps:
                assert breaches({"goal": text, "steps": steps}) == [], said


def test_the_examples_are_cut_as_instructions_are_and_nothing_speaks_against_them():
    for names, labels, text, parts in EXAMPLES:
        done = [p for p in parts if p[1]]
        cut = {c.text: c for c in spoken(text, names, labels).clauses}
        for said, steps in done:
            if said in cut and not text.startswith("touch the kettle"):
                assert [w for s in steps if (w := excess(cut[said], s))] == [], said
                assert missing(cut[said], steps, it=True) is None, said


def test_the_examples_are_answers_as_they_are_decoded():
    asked = prompt(spoken("touch the cup", ["home"], ["cup"]))
    for _, answer in asked.examples:
        assert all(part.keys() == {"said", "steps"} for part in json.loads(answer))
    assert asked.question == "Places: none\nThings: cup\nInstruction: touch the cup"
