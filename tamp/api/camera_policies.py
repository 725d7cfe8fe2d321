"""`--perception camera`: a policy that sees pictures, in a process of its own, and what has to be there for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tamp.api import arguments, language
from tamp.api.configs import LANGUAGE_PLANNER, PolicyConfig, ServeConfig, SolveConfig
from tamp.api.options import keywords

if TYPE_CHECKING:
    from tamp.agent.camera_perceiver import PerceiverFactory
    from tamp.api.sources import Say
    from tamp.backends.libero.cameras import Noise
    from tamp.runs.policy.policy import Diary, Policy
    from tamp.runs.policy.remote import PolicyProcess


def _camera_perceivers() -> PerceiverFactory:
    from tamp.agent.camera_perceiver import camera_perceivers

    return camera_perceivers()


@dataclass(frozen=True)
class PolicyRecipe:
    """What a policy is made of, in the process that it is to live in. `llm` None: it reads no words."""

    domain: str
    planner: str
    llm: str | None
    assume_first: bool = False
    searches: bool = True
    perceivers: Callable[[], PerceiverFactory] = _camera_perceivers

    def __call__(self, diary: Diary) -> Policy:
        """The policy, which writes into a diary."""
        from tamp.runs.policy.policy import Policy

        model = None if self.llm is None else language.model(self.llm)
        read = language.reader(model, self.assume_first)
        return Policy(
            arguments.domain(self.domain),
            self.perceivers(),
            read,
            language.planner(self.planner, model),
            journal=diary,
            publish=diary.take,
            searches=self.searches,
        )


def recipe(config: SolveConfig | PolicyConfig, words: bool) -> PolicyRecipe:
    """The policy for these options; without words, and nothing else to ask it, it has no model."""
    llm = config.llm if words or config.planner == LANGUAGE_PLANNER else None
    return PolicyRecipe(str(config.domain), config.planner, llm, config.assume_first, config.searches)


@keywords(PolicyConfig)
def camera_policy(config: PolicyConfig) -> Policy:
    """Make a policy that sees pictures, in this process, for an evaluation loop of one's own (docs/policy.md).

    It knows nothing but observations and the instruction: `policy.reset(instruction, calibration)`, then
    `policy.act(observation)`, LIBERO's standard action (7,) in [-1, 1], until `policy.outcome` is there.

    Returns:
        The policy.

    Raises:
        InputError: For a domain, planner or model that there is not, and without a library of known objects
            (`tamp objects build`).

    >>> import tamp
    >>> tamp.camera_policy(planner="fast-downwards")
    Traceback (most recent call last):
        ...
    tamp.errors.InputError: unknown planner 'fast-downwards'; did you mean 'fast-downward'? ...
    """
    from tamp.perception.library import read_index
    from tamp.runs.policy.policy import Diary

    arguments.check_planner(config.planner)
    read_index()
    return recipe(config, words=True)(Diary())


def process(made: PolicyRecipe) -> PolicyProcess:
    """The process for it, not started yet."""
    from tamp.runs.policy.remote import PolicyProcess

    return PolicyProcess(made)


def noise(kind: str, *seeds: int) -> Noise:
    """What is done to pictures; the same `seeds` give the same noise."""
    from tamp.backends.libero.cameras import no_noise

    if kind == "clean":
        return no_noise
    import numpy as np

    from tamp.backends.libero.cameras import CameraNoise

    return CameraNoise(kind, np.random.default_rng(seeds))  # type: ignore[arg-type]


def serve(config: ServeConfig, about: dict[str, object], ready: Callable[[int], None], say: Say) -> None:
    """Serve a policy at a port of 127.0.0.1, 0 for a free one, until Ctrl-C. `ready` is called with the port; clients
    get what it says `about` itself. InputError when the port is taken."""
    from tamp.backends.libero import rendering
    from tamp.perception.library import read_index
    from tamp.runs.policy.policy import Diary
    from tamp.runs.policy.remote import Answering
    from tamp.runs.policy.server import serve as listen
    from tamp.runs.spoken import spoken

    read_index()
    rendering.prepare(video=False, may=True)
    diary = Diary(also=spoken(say))
    listen(Answering(recipe(config, words=True)(diary), diary), about, "127.0.0.1", config.port, ready)
