"""What may be meant instead of words that a scene lacks: a few things of it, for people to choose from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from llm.phrases import Vocabulary
from llm.words import content, leads_to, mentioned

FEW = 4
"""Names that are offered."""


def offered(text: str, lacks: Sequence[str], words: Vocabulary) -> str:
    """A few of what there is, "it has: saucer, tin cup": what shares a word with what it `lacks`, else what the
    instruction does not name already; places first where something is to be put there."""
    lacking = Counter(content(" ".join(lacks)))
    heard = Counter(content(text)) - lacking
    free = {s: name for s, name in words.name.items() if not words.is_ground(s)} or words.name
    alike = [s for s, name in free.items() if set(content(name)) & lacking.keys()]
    is_place = bool(lacks) and all(leads_to(some, text.lower()) for some in lacks)
    rest = sorted((s for s in free if not mentioned(free[s], heard)), key=lambda s: (s in words.owner) != is_place)
    names = list(dict.fromkeys(free[s] for s in alike or rest or free))
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return f"it has: {', '.join(names[:FEW])}{more}"
