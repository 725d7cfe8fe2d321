"""An instruction to goals in a scene, with all that was said on the way in a journal."""

from __future__ import annotations

from dataclasses import dataclass

from llm.grounding import ground
from llm.logged import Logged
from llm.model import Model
from llm.unknown_things import named
from tamp.model.domain import Domain
from tamp.model.goal import Goal
from tamp.model.grounding import Grounding
from tamp.model.scene import Scene
from tamp.model.state import WorldState
from tamp.planning.engine import Engine
from tamp.planning.search import Journal
from tamp.policy.instruction import Instruction


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
    """What the words ask for in this scene: see `llm.grounding.ground`."""
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
    """Reads for a policy: see `tamp.policy.instruction.Read`. Nobody is asked back.
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
