"""What can go wrong with an arm that is driven, in words."""

from __future__ import annotations

from tamp.errors import TampError

_API = {
    -9: "the controller was stopped",
    -8: "a value is out of range",
    -7: "joint limits",
    -6: "limits of the tool pose",
    -2: "it is not enabled",
    -1: "not connected",
    1: "the controller has an error that is not cleared",
    2: "the controller has a warning that is not cleared",
    9: "it is not ready to move",
    10: "what was sent is not what it takes",
}
"""Codes that the SDK's calls return, where there is more to say than the number."""


class ArmFault(TampError):
    """The arm cannot go on. `kind` is a word for counting:

    `infeasible` (no way; `step` is the number of the step), `unreachable` (no connection), `lost` (it broke),
    `frozen` (no answer in time), `error` (the controller's own),
    `taken` (something else stopped it or changed its mode), `refused` (a command was not accepted),
    `tracking_error` (not where it must be), `stopped` (on demand), `unseen` (detections), `hand` (the hand controller).
    """

    exit_code = 1

    def __init__(self, kind: str, message: str, step: int | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.step = step


def api_meaning(code: int) -> str:
    """What a code that a call of the SDK returned means."""
    return f"code {code}: {_API[code]}" if code in _API else f"code {code}"


def error_meaning(code: int) -> str:
    """A controller's error in the words of the SDK, with what it advises."""
    from xarm.core.config.x_code import ControllerError

    known = ControllerError(code)
    title, advice = (str(text.get("en", "")).strip() for text in (known.title, known.description))
    words = " ".join(f"{title}: {advice}".split()).strip(": ")
    return f"C{code}, {words}" if words else f"C{code}"


def warning_meaning(code: int) -> str:
    """A controller's warning in the words of the SDK."""
    from xarm.core.config.x_code import ControllerWarn

    words = " ".join(str(ControllerWarn(code).title.get("en", "")).split())
    return f"W{code}, {words}" if words else f"W{code}"


def meanings(error: int, warning: int) -> str:
    """An error and a warning in words; empty for neither."""
    parts = [error_meaning(error)] if error else []
    return "; ".join([*parts, warning_meaning(warning)] if warning else parts)
