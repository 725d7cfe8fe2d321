"""`--perception camera`: a policy that sees pictures, in a process of its own, and what has to be there for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tamp.agent.recovery_options import REFLEXES
from tamp.api import arguments, language
from tamp.pddl.engines import usual

if TYPE_CHECKING:
    from tamp.agent.camera_perceiver import PerceiverFactory
    from tamp.api.language import Model
    from tamp.backends.libero.cameras import Noise
    from tamp.runs.policy.policy import Diary, Policy
    from tamp.runs.policy.remote import PolicyProcess
    from tamp.runs.worlds import Cameras


def _camera_perceivers() -> PerceiverFactory:
    from tamp.agent.camera_perceiver import camera_perceivers

    return camera_perceivers()


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
    perceivers: Callable[[], PerceiverFactory] = _camera_perceivers

    def __call__(self, diary: Diary) -> Policy:
        """The policy, which writes into a diary."""
        from tamp.runs.policy.policy import Policy

        model = None if self.llm is None else language.model(self.llm)
        read = language.reader(model, self.assume_first)
        domain = arguments.domain(self.domain)
        return Policy(
            domain,
            self.perceivers(),
            read,
            language.planner(self.planner, model),
            journal=diary,
            publish=diary.take,
            searches=self.searches,
            reflexes=self.reflexes,
            advise=language.advisor(model, domain, diary) if self.advised and model is not None else None,
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
    asked = words or language.plans(planner) or repair is not None
    return Recipe(domain, planner, llm if asked else None, assume_first, searches, advised=repair is not None)


def camera_policy(
    *,
    domain: str | Path = "tabletop",
    planner: str | None = None,
    llm: str | None = None,
    assume_first: bool = False,
    searches: bool = True,
) -> Policy:
    """Make a policy that sees pictures, in this process, for an evaluation loop of one's own (docs/policy.md).

    It knows nothing but observations and the instruction: `policy.reset(instruction, calibration)`, then
    `policy.act(observation)`, LIBERO's standard action (7,) in [-1, 1], until `policy.outcome` is there.

    Args:
        domain: A name under `domains/`, or a folder with a `domain.pddl`. The Python of the folder runs.
        planner: An engine of unified-planning, by default Fast Downward; or `qwen`: the language model plans.
        llm: The language model, by default the one that `make model` fetches.
        assume_first: Of several things that the words fit, take the first.
        searches: Look for what is not seen, and again at what is doubtful, before acting.

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
    from tamp.runs.policy.policy import Diary

    planner = planner or usual()
    arguments.planner(planner)
    check()
    model = language.DEFAULT if llm is None else llm
    return recipe(str(domain), planner, model, True, assume_first, searches)(Diary())


def cameras(model: Model | None, assume_first: bool = False, searches: bool = True) -> Cameras:
    """What reads and perceives in an episode outside LIBERO's simulator; without a model no words are read."""
    from tamp.runs.worlds import Cameras

    return Cameras(language.reader(model, assume_first), searches)


def process(made: Recipe) -> PolicyProcess:
    """The process for it, not started yet."""
    from tamp.runs.policy.remote import PolicyProcess

    return PolicyProcess(made)


def check() -> None:
    """InputError where the library of objects is missing."""
    from tamp.perception.library import read_index

    read_index()


def noise(kind: str, *seeds: int) -> Noise:
    """What is done to pictures; the same `seeds` give the same noise."""
    from tamp.backends.libero.cameras import no_noise

    if kind == "clean":
        return no_noise
    import numpy as np

    from tamp.backends.libero.cameras import CameraNoise

    return CameraNoise(kind, np.random.default_rng(seeds))  # type: ignore[arg-type]


def serve(
    made: Recipe, told: dict[str, object], port: int, ready: Callable[[int], None], say: Callable[[str], None]
) -> None:
    """Serve a policy at a port of 127.0.0.1, 0 for a free one, which `ready` is told, until Ctrl-C. `told` is what who
    connects is told of it. InputError when the port is taken."""
    from tamp.backends.libero import rendering
    from tamp.runs.policy.answering import Answering
    from tamp.runs.policy.policy import Diary
    from tamp.runs.policy.server import serve as listen
    from tamp.runs.spoken import spoken

    rendering.prepare(video=False, may=True)
    diary = Diary(also=spoken(say))
    listen(Answering(made(diary), diary), told, "127.0.0.1", port, ready)
