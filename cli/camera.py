"""`--perception camera`: a policy that sees pictures, in a process of its own, and what has to be there for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cli import inputs, planners
from cli.output import hush_warnings
from llm.weights import DEFAULT
from tamp.execution.tabletop import REFLEXES
from tamp.planning.engine import usual
from tamp.policy.answering import Diary
from tamp.policy.eyes import camera_eyes, check_eyes
from tamp.policy.instruction import nobody_reads
from tamp.policy.policy import Eyes, Policy

if TYPE_CHECKING:
    from llm.model import Model
    from tamp.backends.libero.observing import Noise
    from tamp.backends.physics.seeing import Seeing
    from tamp.policy.process import PolicyProcess


@dataclass(frozen=True)
class Recipe:
    """What a policy is made of, in the process that it is to live in. `llm` None: it reads no words."""

    domain: str
    planner: str
    llm: str | None
    assume_first: bool = False
    searches: bool = True
    reflexes: tuple[str, ...] = REFLEXES
    advised: bool = False
    """Whether the model is asked what to do where nothing else helps."""
    eyes: Callable[[], Eyes] = camera_eyes

    def __call__(self, diary: Diary) -> Policy:
        """The policy, which writes into a diary."""
        from cli.solve import load_model
        from llm.deciding import Advisor
        from llm.instructions import Instructions

        hush_warnings()
        model = None if self.llm is None else load_model(self.llm)
        read = nobody_reads if model is None else Instructions(model, self.assume_first)
        domain = inputs.domain(self.domain)
        return Policy(
            domain,
            self.eyes(),
            read,
            planners.find(self.planner, model),
            journal=diary,
            publish=diary.take,
            searches=self.searches,
            reflexes=self.reflexes,
            advise=Advisor(model, domain, diary) if self.advised and model is not None else None,
        )


def recipe(
    domain: str,
    planner: str,
    llm: str,
    words: bool,
    assume_first: bool = False,
    searches: bool = True,
    repair: str | None = None,
) -> Recipe:
    """The recipe for these options; the model is left out where it has nothing to do."""
    asked = words or planners.asks_model(planner) or repair is not None
    return Recipe(domain, planner, llm if asked else None, assume_first, searches, advised=repair is not None)


def camera_policy(
    domain: str = "tabletop",
    planner: str | None = None,
    llm: str = DEFAULT,
    assume_first: bool = False,
    searches: bool = True,
) -> Policy:
    """A policy in this process, for an evaluation loop of one's own. InputError for what is not there."""
    check_eyes()
    return recipe(domain, planner or usual(), llm, True, assume_first, searches)(Diary())


def seeing(model: Model | None, assume_first: bool = False, searches: bool = True) -> Seeing:
    """Who reads and sees in an episode outside LIBERO's simulator; without a model nobody reads."""
    from llm.instructions import Instructions
    from tamp.backends.physics.seeing import Seeing

    return Seeing(nobody_reads if model is None else Instructions(model, assume_first), searches)


def process(made: Recipe) -> PolicyProcess:
    """The process for it, not started yet."""
    from tamp.policy.process import PolicyProcess

    return PolicyProcess(made)


def check() -> None:
    """InputError where the library of objects is missing."""
    check_eyes()


def noise(kind: str, *seeds: int) -> Noise:
    """What is done to pictures; the same `seeds` give the same noise."""
    from tamp.backends.libero.observing import no_noise

    if kind == "clean":
        return no_noise
    import numpy as np

    from tamp.backends.libero.camera_noise import CameraNoise

    return CameraNoise(kind, np.random.default_rng(seeds))  # type: ignore[arg-type]
