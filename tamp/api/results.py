"""What episodes came to, from what they left behind."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tamp.runs.endings import Ending


def results(*paths: str | Path) -> tuple[Ending, ...]:
    """Read how episodes ended, from their logs.

    Args:
        paths: Folders of episodes, folders of such folders, or `episode.jsonl` files. Each log is read once.

    Returns:
        An ending for each episode: what was `said` and the `goal` of it, the `verdict` (`success`, `no`, `interrupted`
        or `error`), `steps`, `seconds`, and the `stage` and `reason` of what is no success. A run that was killed has
        one, too, as far as its log goes.

    Raises:
        InputError: For a path without a log, and for what is no log.

    >>> import tamp
    >>> tamp.results("no/such/episode")
    Traceback (most recent call last):
        ...
    tamp.errors.InputError: ...
    """
    from tamp.runs.endings import read_ending
    from tamp.runs.episode_log import logs

    found = dict.fromkeys(log.resolve() for path in paths for log in logs(Path(path)))
    return tuple(map(read_ending, found))
