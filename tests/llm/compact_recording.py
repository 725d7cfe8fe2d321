"""Recordings that are kept: an episode's log, with digests in place of the messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from llm.models.load import digest

KEPT: dict[str, tuple[str, ...]] = {
    "instruction": ("text",),
    "prompt": ("model", "taught", "digest"),
    "reply": ("text", "probability"),
}
"""What a compact recording holds of each event."""


def compact(events: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """What a recording needs of a log: who said what."""
    for e in events:
        if e["event"] in KEPT:
            whole = e | {"digest": digest(e["messages"])} if "messages" in e else e
            yield {"event": e["event"], **{k: whole[k] for k in KEPT[e["event"]] if k in whole}}
