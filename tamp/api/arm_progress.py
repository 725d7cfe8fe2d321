"""What a person sees of a run while it goes on: a line for every step, and now and then how far the checking is."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tamp.api.sources import Say
from tamp.backends.xarm.arm_result import STANDS

EVERY = 2.0
"""Seconds between two lines about what is only gone through."""


@dataclass
class Progress:
    """Passes events on to the log, and says of the `total` steps what becomes of them."""

    log: Callable[..., None]
    total: int
    say: Say
    _said: float = field(default_factory=time.monotonic, init=False)
    _begun: bool = field(default=False, init=False)
    _internal: bool = field(default=False, init=False)

    def event(self, name: str, /, **fields: Any) -> None:
        """Take an event as the log does."""
        self.log(name, **fields)
        if name == "done":
            near = f", nearest {fields['nearest'] * 1000:.0f} mm" if fields["nearest"] is not None else ""
            self.say(f"{fields['action']}: done ({fields['number']} of {self.total}; {fields['seconds']:.1f} s{near})")
        elif name == "jumped":
            moved = f"{fields['label']} has moved {fields['metres'] * 1000:.0f} mm since it was approached"
            self.say(f"{moved}: approaching it anew")
        elif name == "warning":
            self.say(f"warning: {fields['message']}")
        elif name == "abort":
            self._internal = fields["why"] == "internal"
        elif name == "halted" and self._internal:  # an error follows, and no summary
            self.say(STANDS[fields["acknowledged"]])
        elif name == "step":
            self._begun = True
        elif name == "second_look" and not self._begun and time.monotonic() - self._said > EVERY:
            self._said = time.monotonic()
            self.say(f"checking step {fields['number']} of {self.total}")
