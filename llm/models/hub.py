"""Models of the hub, for users who can reach it: which are recommended, and how they are fetched."""

from __future__ import annotations

import re

from llm.models.chat import one_line, require
from tamp.errors import InputError

RECOMMENDED: dict[str, bool] = {"Qwen/Qwen2.5-VL-7B-Instruct": True, "Qwen/Qwen2.5-Coder-7B-Instruct": False}
"""The documented choices, and whether each takes images; any other name of the hub will do as well."""


def is_name(name: str) -> bool:
    """Whether it reads OWNER/MODEL."""
    return re.fullmatch(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", name) is not None


def sees(name: str) -> bool:
    """Whether the model takes images, as far as it is known here; a model file can say so of others."""
    return RECOMMENDED.get(name, False)


def pull(name: str) -> str:
    """Fetch a model into the hub library's own cache and return its folder. InputError when it cannot be had."""
    require("huggingface_hub")
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        return str(snapshot_download(name))
    except RepositoryNotFoundError as e:
        raise InputError(f"the hub has no public model {name!r}; recommended: {', '.join(RECOMMENDED)}") from e
    except (OSError, ValueError) as e:
        reason = one_line(e.__cause__ or e)
        raise InputError(f"cannot fetch {name} from the hub: {reason}; without the hub: tamp model list") from e
