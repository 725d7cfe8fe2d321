"""UFACTORY's own SDK object: connected, quiet, and with every wait bounded."""

from __future__ import annotations

import contextlib
import io
import logging
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, wait
from typing import Any

from tamp.backends.xarm.arm_stop import ArmFault

REPLY = 1.0
"""Seconds in which the controller has to answer."""
PAUSE = 0.05
"""Seconds between two looks at whether an answer has come."""
NO_ANSWER = 3
"""The code of a call that the controller did not answer."""


def opened(host: str, port: int, seconds: float) -> Any:
    """The SDK's own object, connected and quiet, within so many seconds. It takes the port for all of a process.
    ArmFault `unreachable` where there is none.

    The SDK connects in a thread: it tries for 12 s where the connection breaks while it is set up, and its bare
    `except:` would swallow a KeyboardInterrupt.
    """
    attempt: Future[Any] = Future()
    until = time.monotonic() + seconds
    with _socket_default(), contextlib.redirect_stdout(io.StringIO()):  # which it prints to
        api = _made(host, port)
        threading.Thread(target=_connect, args=(api, attempt), name=f"connecting to {host}", daemon=True).start()
        while not attempt.done() and time.monotonic() < until and not _broken(api):
            wait([attempt], PAUSE)
    if not attempt.done():
        attempt.add_done_callback(lambda late: api.disconnect())
        raise ArmFault("unreachable", f"no arm answers at {host} within {seconds:g} s, or the connection broke")
    if (error := attempt.exception()) is not None or not api.connected:
        raise ArmFault("unreachable", f"no arm answers at {host}: {error or 'not connected'}") from error
    _bounded(api)
    return api


def _made(host: str, port: int) -> Any:
    from xarm.core.config.x_config import XCONF
    from xarm.core.utils.log import logger, origin_logger
    from xarm.wrapper import XArmAPI

    logger.setLevel(logging.CRITICAL)
    origin_logger.setLevel(logging.CRITICAL)
    XCONF.SocketConf.TCP_CONTROL_PORT = port
    api = XArmAPI(host, is_radian=True, do_not_open=True, forbid_uds=True, check_joint_limit=False)
    api.set_timeout(REPLY)
    return api


def _connect(api: Any, attempt: Future[Any]) -> None:
    try:
        attempt.set_result(api.connect())
    except BaseException as e:  # it raises bare Exception
        attempt.set_exception(e)


def _broken(api: Any) -> bool:
    """Whether a connection that was there is gone."""
    stream = api._arm._stream
    return stream is not None and not stream.connected


def _bounded(api: Any) -> None:
    """Have every reply waited for as long as `REPLY`, and no longer than there is a connection.

    The SDK gives moves 10 s whatever its time-out is, and waits as long for a connection that it knows to be broken:
    meanwhile an arm would move unwatched.
    """
    commands = api._arm.arm_cmd
    wait, port = commands.recv_modbus_response, commands.arm_port

    def bounded(unit: int, transaction: int, size: int, timeout: float, *more: Any, **options: Any) -> Any:
        until = time.monotonic() + min(timeout, REPLY)
        while True:
            left = until - time.monotonic()
            answer = wait(unit, transaction, size, min(left, PAUSE), *more, **options)
            if answer[0] != NO_ANSWER or left <= PAUSE or not port.connected:
                return answer

    commands.recv_modbus_response = bounded


@contextlib.contextmanager
def _socket_default() -> Iterator[None]:
    """The SDK sets the time-out of all sockets of the process; they get back what they had."""
    before = socket.getdefaulttimeout()
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)
