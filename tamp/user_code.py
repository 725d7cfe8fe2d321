"""Run the Python of a domain folder: errors name its file and line, and endless loops end."""

from __future__ import annotations

import contextlib
import inspect
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from tamp.errors import InputError, TampError


class OutOfTime(BaseException):
    """Code of a folder took too long. No Exception, so that an `except Exception` in it does not swallow it."""


@contextlib.contextmanager
def user_code(owner: Any, what: str, seconds: float | None = None) -> Iterator[None]:
    """Run code of a user's folder inside; `owner` is the function, class or file that it belongs to.

    InputError with file and line for what it raises, and when it takes more than `seconds`. ModuleNotFoundError passes
    where this toolkit itself lacks something.
    """
    file = owner if isinstance(owner, Path) else Path(inspect.getfile(owner))
    try:
        with _bounded(seconds):
            yield
    except OutOfTime as error:
        late = f"{what} takes more than {seconds:g} s; is this a loop without end?"
        raise InputError(f"{_place(error, file)}: {late}") from None
    except InputError as error:
        if str(error).startswith(str(file.parent)):
            raise
        raise InputError(f"{_place(error, file)}: {error}") from error
    except TampError:
        raise
    except ModuleNotFoundError as error:
        if _ours(error, file):
            raise
        raise _failed(error, file, what) from error
    except (Exception, SystemExit) as error:
        raise _failed(error, file, what) from error


def _failed(error: BaseException, file: Path, what: str) -> InputError:
    return InputError(f"{_place(error, file)}: {what} fails: {type(error).__name__}: {error}")


def _ours(error: ModuleNotFoundError, file: Path) -> bool:
    """Whether what is not there is needed by this toolkit, and not by the folder."""
    frames = [Path(f.filename) for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith("<")]
    return frames[-1].resolve().parent != file.resolve().parent and frames[-1].is_relative_to(Path(__file__).parents[1])


def _place(error: BaseException, file: Path) -> str:
    """`file:line` of the innermost line of the folder that led to an error; the line that is no Python for a
    SyntaxError."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno or 1}"
    folder = file.resolve().parent  # modules are imported from there, however the folder was named
    own = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).resolve().parent == folder]
    return f"{own[-1].filename}:{own[-1].lineno}" if own else f"{file}:1"


@contextlib.contextmanager
def _bounded(seconds: float | None) -> Iterator[None]:
    """Ends what runs inside after some seconds, where it is; only in the main thread, which alone gets signals."""
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(number: int, frame: FrameType | None) -> None:
        raise OutOfTime

    before: Callable[..., Any] | int | None = signal.signal(signal.SIGALRM, late)
    others = signal.setitimer(signal.ITIMER_REAL, seconds)  # another alarm goes on afterwards
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, *others)
