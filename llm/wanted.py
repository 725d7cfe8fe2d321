"""Whether a fact is what an instruction asks for: the model is put the question for each fact by itself.

English can deny with any verb, noun or adjective ("the plate is the wrong place for it", "call the pudding off"), so
that no list of words holds them all; and who writes an answer from such a sentence writes what is denied. To judge a
fact that stands there is easier than to write it. It never leads to another answer, only to none.
"""

from __future__ import annotations

from llm.model import Model, Prompt

TASK = "Somebody tells a robot something. Do they ask for this, or not?"
WANTED, UNWANTED = "wanted", "unwanted"
EXAMPLES: tuple[tuple[str, str, bool], ...] = (
    ("grab the doll from the sofa and drop it into the toy chest", "the doll is in the toy chest", True),
    ("keep the dog off the carpet", "the dog is on the carpet", False),
    ("could you hang the coat on the hook?", "the coat is on the hook", True),
    ("take the book away from the shelf", "the book is on the shelf", False),
    ("the lamp belongs in the crate", "the lamp is in the crate", True),
    ("it is forbidden to have the kite in the shed", "the kite is in the shed", False),
    ("the drum goes up to the attic, forget the flute", "the flute is in the attic", False),
    ("the drum goes up to the attic, forget the flute", "the drum is in the attic", True),
    ("I want the window shut", "the window is closed", True),
    ("the piano is no place for a vase", "the vase is on the piano", False),
    ("everything but the rake belongs in the shed", "the spade is in the shed", True),
    ("everything but the rake belongs in the shed", "the rake is in the shed", False),
    ("the hat lies on the bench: move it over to the peg", "the hat is on the peg", True),
    ("stop that radio", "the radio is turned on", False),
    ("the coat, the scarf and the cap: all in the wardrobe", "the scarf is in the wardrobe", True),
    ("prevent the ladder from standing in the yard", "the ladder is in the yard", False),
    ("find a place for the trophy in the showcase", "the trophy is in the showcase", True),
    ("don't touch the drawer, just get the comb to the sink", "the drawer is open", False),
    ("don't touch the drawer, just get the comb to the sink", "the comb is on the sink", True),
    ("who put the boots on the rug?", "the boots are on the rug", False),
    ("pillow on the bed and heater on", "the pillow is on the bed", True),
    ("the gate wants shutting; leave the wheelbarrow to me", "the wheelbarrow is in the yard", False),
    ("lay the rope in the trunk and finish by switching on the fan", "the fan is turned on", True),
    ("careful with the violin near the radiator", "the violin is on the radiator", False),
    ("open the suitcase, pack the gown and shut it again", "the suitcase is open", True),
    ("I changed my mind about the towel in the hamper", "the towel is in the hamper", False),
    ("lift the saw off the shelf", "the saw is held", True),
    ("let go of the kite", "the kite is held", False),
)
"""What is said, a fact, and whether it is asked for. Invented, far from any benchmark's wording."""
LEAST = 0.6
"""Probability below which a fact is not taken for asked for: of 44 denied and 136 asked ones that may be looked at
(problems/meaning/denial-develop.jsonl, paraphrases, LIBERO's), 82 % and 5 % are below."""


def wanted(model: Model, text: str, fact: str) -> float:
    """How likely the instruction `text` asks for a `fact` in words, as the model sees it (0 to 1)."""
    reply = model.complete(wanted_prompt(text, fact), "", f"({WANTED}|{UNWANTED})")
    return reply.probability if reply.text.strip() == WANTED else 1.0 - reply.probability


def wanted_prompt(text: str, fact: str) -> Prompt:
    """The chat that asks it."""
    shown = tuple((_question(said, so), WANTED if is_so else UNWANTED) for said, so, is_so in EXAMPLES)
    return Prompt(TASK, shown, _question(text, fact))


def _question(text: str, fact: str) -> str:
    return f"Said: {text}\nResult: {fact}"
