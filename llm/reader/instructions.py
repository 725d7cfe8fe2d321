"""An instruction to goals in a scene, with all that was said on the way in a journal."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from llm.models.model import Logged, Model, Prompt
from llm.reader.grounding import ground
from tamp.agent.camera_perceiver import Instruction
from tamp.model.domain import Domain
from tamp.model.events import Journal
from tamp.model.goal import Goal
from tamp.model.grounding import Grounding
from tamp.model.scene import Scene
from tamp.model.state import WorldState
from tamp.pddl.planner import Engine


def goals_of(
    text: str,
    scene: Scene,
    state: WorldState,
    domain: Domain,
    model: Model,
    journal: Journal,
    *,
    names: dict[str, str] | None = None,
    assume_first: bool = False,
    image: bytes | None = None,
) -> Grounding:
    """What the words ask for in this scene: see `llm.reader.grounding.ground`."""
    journal.event("instruction", text=text)
    answer = ground(
        text,
        scene,
        state,
        domain,
        Logged(model, journal.event),
        names=names,
        assume_first=assume_first,
        image=image,
        planner=Engine(),
        tell=journal.event,
    )
    journal.event("language", **answer.as_dict())
    return answer


@dataclass(frozen=True, eq=False)
class Instructions:
    """Reads for a policy: see `tamp.agent.camera_perceiver.Read`. Nobody is asked back.
    `assume_first`: of several things that the words fit, the first."""

    model: Model
    assume_first: bool = False

    def __call__(self, said: Instruction) -> tuple[Goal, ...]:
        """The goals, one after the other. Refusal where the words come to none."""
        model = Logged(self.model, said.journal.event)
        known = [o.category.replace("_", " ") for o in said.scene if o.name not in said.scene.unknown]
        unknown = named(said.crops, known, model) if self.model.sees else {}
        return goals_of(
            said.text,
            said.scene,
            said.state,
            said.domain,
            self.model,
            said.journal,
            names={**unknown, **said.names},
            assume_first=self.assume_first,
            image=said.picture if self.model.sees and said.picture else None,
        ).goals


TASK = "You are shown a part of a picture. Name the thing in its middle as people would when they ask for it."
QUESTION = "What is it? One to three words, no article."
NAME = "[a-z]{2,16}( [a-z]{2,16}){0,2}"
"""What an answer may be."""


def named(crops: Mapping[str, bytes], known: Collection[str], model: Model) -> dict[str, str]:
    """Names of things, each with the symbol it is for, from their pictures (PNG) by symbol. A name whose noun is that
    of a `known` thing's is left out, and one that two of them have: it would not tell which is meant."""
    nouns = {name.split()[-1] for name in known if name.split()}
    said = {symbol: model.complete(_prompt(png), "", NAME).text for symbol, png in crops.items()}
    every = list(said.values())
    return {n: symbol for symbol, n in said.items() if every.count(n) == 1 and n.split()[-1] not in nouns}


def _prompt(png: bytes) -> Prompt:
    return Prompt(TASK, (), QUESTION, image=png)
