"""The error root. A message says what was wrong, where, and what would have been valid."""

from __future__ import annotations


class TampError(Exception):
    """Root of every error that a user can cause or mend; `exit_code` is what the command returns."""

    exit_code = 2


class InputError(TampError):
    """The input is not valid: an unknown name, a malformed goal, a file that does not parse."""

    exit_code = 2


class Refusal(TampError):
    """The input is valid and the honest answer is no."""

    exit_code = 1
