"""The language models on this machine: which are known, which are there, and how one is fetched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tamp.api.sources import Say, silent
from tamp.errors import InputError

if TYPE_CHECKING:
    from llm.models import weights

Progress = Callable[[int, int], None]
"""Is told of bytes so far, and of bytes in all."""


def unseen(done: int, total: int) -> None:
    """For those who want to see no progress."""


@dataclass(frozen=True)
class KnownModel:
    """A model that can be named. `state` is `present` (at `path`), `missing`, `broken` (a file of a wrong size or
    sha256), or `hub` for one that is fetched from there, of which `path`, `bytes` and `sha256` are not known here."""

    name: str
    default: bool
    state: str
    path: str | None
    bytes: int | None
    sha256: str | None
    vision: bool


def known() -> tuple[KnownModel, ...]:
    """The models that can be pulled, those with weights of this project first."""
    from llm.models import weights

    own = [_described(m) for m in weights.MODELS]
    return (
        *own,
        *(KnownModel(name, False, "hub", None, None, None, sees) for name, sees in weights.RECOMMENDED.items()),
    )


def folder() -> Path:
    """Where weights are: `$TAMP_MODELS`, else `tamp/models` in the user's cache."""
    from llm.models import weights

    return weights.models_dir()


def _described(model: weights.WeightsFile) -> KnownModel:
    from llm.models import weights

    try:
        path, state = str(weights.find(model.name)), "present"
    except InputError:
        path, state = None, "broken" if model.path.exists() else "missing"
    return KnownModel(model.name, model.name == weights.DEFAULT, state, path, model.size, model.sha256, False)


def pull(name: str, *, verify: bool = False, progress: Progress = unseen, say: Say = silent) -> KnownModel:
    """Fetch a model unless it is there. `verify` hashes what is there, too.

    InputError for a name that is not known, weights that cannot be had, and `verify` of a model of the hub, whose hash
    nobody here knows.
    """
    from llm.models import weights

    if weights.is_hub_name(name):
        if verify:
            raise InputError(f"--verify is for weights whose sha256 is known here, {name} is not; see: tamp model list")
        say(f"{name}: asking the hub")
        path = weights.pull_from_hub(name)
        return KnownModel(name, False, "hub", path, None, None, weights.RECOMMENDED.get(name, False))
    weights.pull(name, progress, verify=verify, say=say)
    return _described(weights.known(name))
