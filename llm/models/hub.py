"""Models of the hub, for users who can reach it: which are recommended, and how they are fetched."""

from __future__ import annotations

import re
from dataclasses import dataclass

from llm.models.chat import require
from tamp.errors import InputError


@dataclass(frozen=True)
class HubModel:
    """A documented choice; any other name of the hub will do as well."""

    name: str
    vision: bool


CHOICES: tuple[HubModel, ...] = (
    HubModel("Qwen/Qwen2.5-VL-7B-Instruct", vision=True),
    HubModel("Qwen/Qwen2.5-Coder-7B-Instruct", vision=False),
)


def is_name(name: str) -> bool:
    """Whether it reads OWNER/MODEL."""
    return re.fullmatch(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", name) is not None


def sees(name: str) -> bool:
    """Whether the model takes images, as far as it is known here; a model file can say so of others."""
    return any(choice.vision for choice in CHOICES if choice.name == name)


def pull(name: str) -> str:
    """Fetch a model into the hub library's own cache and return its folder. InputError when it cannot be had."""
    require("huggingface_hub")
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        return str(snapshot_download(name))
    except RepositoryNotFoundError as e:
        raise InputError(f"the hub has no public model {name!r}; recommended: {_recommended()}") from e
    except (OSError, ValueError) as e:
        reason = " ".join(str(e.__cause__ or e).split())[:300]
        raise InputError(f"cannot fetch {name} from the hub: {reason}; without the hub: tamp model list") from e


def _recommended() -> str:
    return ", ".join(choice.name for choice in CHOICES)
