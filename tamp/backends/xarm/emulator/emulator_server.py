"""The emulator's sockets, on one event loop with one clock."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import random
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from motion.arms import Arm
from tamp.backends.xarm.address import CONTROL_PORT
from tamp.backends.xarm.emulator import report_frames
from tamp.backends.xarm.emulator.controller import ArmController
from tamp.backends.xarm.emulator.physics import Physics
from tamp.backends.xarm.emulator.protocol import (
    ProtocolError,
    ProtocolRequest,
    byte,
    encode_feedback,
    encode_reply,
    split,
)
from tamp.backends.xarm.emulator.registers import SET_FEEDBACK_TYPE, answer
from tamp.backends.xarm.emulator.side_channel import (
    LINE_FAULTS,
    EmulatedArm,
    InjectedFault,
    InjectedFaults,
    Later,
    NoOrder,
    PlacedThings,
    detection_line,
    read_order,
)
from tamp.backends.xarm.emulator.tool_body import warm
from tamp.errors import InputError, TampError

MakeWorld = Callable[[ArmController], Physics]
"""Makes the world that a controller's arm is in."""
TICK = 0.005
"""Seconds between two steps of the clock."""
DETECTIONS_PERIOD = 0.1
"""Seconds between two lines of detections."""
REPORTS: dict[int, tuple[Callable[[ArmController], bytes], float]] = {
    30001: (report_frames.normal, 0.2),
    30002: (report_frames.rich, 0.2),
    30003: (report_frames.real, 0.01),
}
"""Report ports: the frame, and seconds between two."""
CLIENTS = 32
"""Connections at a time; one more is closed."""
UNREAD = 1 << 16
"""Bytes that a client may leave unread before reports to it are dropped, and twice that before it is cut off."""
HELD = 4096
"""Requests that are held during a freeze."""
LINE = 1 << 16
"""Bytes of a line on the side channel."""
GARBAGE = 64
"""Random bytes on each control connection."""
GONE = (OSError, asyncio.CancelledError)
"""How a connection ends that is not closed politely, also when the emulator itself ends."""

Accept = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any]
Writers = set[asyncio.StreamWriter]


@dataclass(frozen=True)
class Address:
    """Where the emulator listens; a fault port of 0 is any that is free.

    `detections`: host and port at which its oracle detector says what is there; None for no detector.
    """

    host: str = "127.0.0.2"
    port: int = CONTROL_PORT
    fault_port: int = 0
    detections: tuple[str, int] | None = None


@dataclass
class _Client:
    """A control connection: `kinds` of feedback that it wants."""

    number: int
    writer: asyncio.StreamWriter
    kinds: int = 0


class Server:
    """An emulated arm with its sockets, in a `world` or in an empty one."""

    def __init__(self, arm: Arm, address: Address, things: PlacedThings, world: MakeWorld | None = None) -> None:
        self.controller = ArmController(arm)
        self.emulated = EmulatedArm(self.controller, things, world(self.controller) if world else None)
        self.address, self.fault_port = address, address.fault_port
        self._drawing = asyncio.Lock()
        self._clients: dict[int, _Client] = {}
        self._readers: dict[int, Writers] = {port: set() for port in REPORTS}
        self._controls: Writers = set()
        self._sides: Writers = set()
        self._watchers: Writers = set()
        self._held: list[tuple[_Client, ProtocolRequest]] = []
        self._next, self._started = 1, time.monotonic()

    def serve(self, ready: Callable[[Server], None], seconds: float | None = None) -> int:
        """Emulate until SIGTERM or for some seconds (0), or until SIGINT (130); `ready` is called once it listens.

        Raises InputError when a port cannot be had.
        """
        return asyncio.run(self._run(ready, seconds))

    async def _run(self, ready: Callable[[Server], None], seconds: float | None) -> int:
        warm(self.controller.arm)
        ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 0)):
            asyncio.get_running_loop().add_signal_handler(number, _end, ended, code)
        async with contextlib.AsyncExitStack() as stack:
            for host, port, accept in self._ports():
                server = await stack.enter_async_context(await _bound(host, port, accept))
                if accept == self._side:
                    self.fault_port = server.sockets[0].getsockname()[1]
            ticking = asyncio.create_task(self._tick())
            ready(self)
            waited: set[asyncio.Future[Any]] = {ended, ticking}
            await asyncio.wait(waited, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            self._close_all()
            if self.emulated.physics is not None:
                self.emulated.physics.close()
            _abort(self._sides | self._watchers)
            if ticking.done():
                ticking.result()
            ticking.cancel()
        return ended.result() if ended.done() else 0

    def _ports(self) -> list[tuple[str, int, Accept]]:
        host = self.address.host
        ports: list[tuple[str, int, Accept]] = [(host, self.address.port, self._control)]
        ports += [(host, port, partial(self._listen, self._readers[port])) for port in REPORTS]
        ports.append((host, self.address.fault_port, self._side))
        if self.address.detections is not None:
            ports.append((*self.address.detections, partial(self._listen, self._watchers)))
        return ports

    # --- connections ----------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _kept(self, among: Writers, writer: asyncio.StreamWriter, refused: bool) -> Iterator[None]:
        """Keep a connection among others for as long as it is there; OSError where there are too many, or a fault
        refuses it."""
        if len(among) >= CLIENTS or (refused and self._now() < self._faults.refused):
            writer.transport.abort()
            raise ConnectionRefusedError
        among.add(writer)
        try:
            yield
        finally:
            among.discard(writer)
            writer.close()

    async def _control(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        pending = b""
        with contextlib.suppress(*GONE, ProtocolError), self._kept(self._controls, writer, refused=True):
            client = _Client(self._next, writer)
            self._clients[client.number], self._next = client, self._next + 1
            try:
                while received := await reader.read(4096):
                    requests, pending = split(pending + received)
                    for request in requests:
                        self._request(client, request)
                    if writer.transport.get_write_buffer_size() > 2 * UNREAD:
                        break
            finally:
                del self._clients[client.number]

    async def _listen(self, readers: Writers, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A connection that only listens."""
        with contextlib.suppress(*GONE), self._kept(readers, writer, refused=True):
            while await reader.read(4096):
                pass

    async def _side(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(*GONE, ValueError, NoOrder), self._kept(self._sides, writer, refused=False):
            while line := await reader.readline():
                self._advance()
                writer.write(await self._obeyed(line, writer) + b"\n")
                await writer.drain()

    async def _obeyed(self, line: bytes, writer: asyncio.StreamWriter) -> bytes:
        """The answer to a line, or what is wrong with it; the clock goes on while one is made. NoOrder, once that is
        answered, for what is no order at all."""
        try:
            reply: dict[str, Any] | Later = self.emulated.reply(read_order(line))
            self._cause_faults()
            if not isinstance(reply, dict):
                async with self._drawing:
                    return await asyncio.to_thread(reply)
        except NoOrder as error:
            writer.write(json.dumps({"error": str(error)}).encode() + b"\n")
            raise
        except (TampError, RuntimeError) as error:
            reply = {"error": str(error)}
        return json.dumps(reply).encode()

    # --- requests -------------------------------------------------------------------------------------------------

    def _request(self, client: _Client, request: ProtocolRequest) -> None:
        if self._frozen:
            if len(self._held) < HELD:
                self._held.append((client, request))
            return
        self._advance()
        if request.register == SET_FEEDBACK_TYPE:
            client.kinds = byte(request.data, 0, 0)
        status, data = answer(self.controller, replace(request, client=client.number, kinds=client.kinds))
        # a fault that is due with this command comes before its reply
        self._cause_faults()
        if self._frozen:
            return
        self._send(client, encode_reply(request, status, data))
        self._send_feedback()

    def _send_feedback(self) -> None:
        feedback, self.controller.feedback = self.controller.feedback, []
        for each in feedback:
            if each.request.client in self._clients:
                self._send(self._clients[each.request.client], encode_feedback(each))

    def _send(self, client: _Client, frame: bytes) -> None:
        if self._faults.half:
            self._faults.half = False
            client.writer.write(frame[: len(frame) // 2])
            client.writer.close()
        elif self._faults.late > 0:
            asyncio.get_running_loop().call_later(self._faults.late, _write, client.writer, frame)
        else:
            _write(client.writer, frame)

    # --- the clock ------------------------------------------------------------------------------------------------

    def _now(self) -> float:
        return time.monotonic() - self._started

    def _advance(self) -> None:
        self.controller.advance(self._now())

    async def _tick(self) -> None:
        """Steps of the clock and reports, each at its time; what is late is not made up for."""
        due, next_report, next_look = self._now(), dict.fromkeys(REPORTS, self._now()), self._now()
        while True:
            due = max(due + TICK, self._now())
            await asyncio.sleep(due - self._now())
            self._advance()
            if self.emulated.physics is not None:
                self.emulated.physics.advance()
            self._cause_faults()
            if self._now() >= next_look:
                next_look = self._now() + DETECTIONS_PERIOD
                _broadcast(self._watchers, detection_line(time.time(), self.emulated.things.there))
            if self._frozen:
                continue
            held, self._held = self._held, []
            for client, request in held:  # what was requested during a freeze is carried out now
                self._request(client, request)
            self._send_feedback()
            for port, (frame, period) in REPORTS.items():
                if self._now() >= next_report[port] - TICK / 2:
                    next_report[port] = max(next_report[port] + period, self._now())
                    if self._readers[port]:
                        _broadcast(self._readers[port], frame(self.controller))

    # --- faults ---------------------------------------------------------------------------------------------------

    @property
    def _faults(self) -> InjectedFaults:
        return self.emulated.faults

    @property
    def _frozen(self) -> bool:
        return self._now() < self._faults.frozen

    def _cause_faults(self) -> None:
        for fault in self._faults.due(self.controller):
            if fault.kind in LINE_FAULTS:
                self._break(fault)
            else:
                fault.cause(self.controller)

    def _break(self, fault: InjectedFault) -> None:
        if fault.kind == "drop":
            self._faults.refused = self._now() + fault.seconds
            self._close_all()
        elif fault.kind == "freeze":
            self._faults.frozen = self._now() + (fault.seconds or float("inf"))
        elif fault.kind == "delay":
            self._faults.late = fault.seconds
        elif fault.kind == "half":
            self._faults.half = True
        else:
            for writer in self._controls:
                _write(writer, random.Random(0).randbytes(GARBAGE))

    def _close_all(self) -> None:
        _abort(self._controls.union(*self._readers.values()))


def _end(ended: asyncio.Future[int], code: int) -> None:
    if not ended.done():
        ended.set_result(code)


async def _bound(host: str, port: int, accept: Accept) -> asyncio.Server:
    try:
        return await asyncio.start_server(accept, host, port, limit=LINE)
    except (OSError, OverflowError) as error:
        elsewhere = "not an address of this machine; valid is for example 127.0.0.2"
        why = {
            errno.EADDRINUSE: "the port is in use; end what uses it, or take another --host such as 127.0.0.3",
            errno.EACCES: f"not permitted; ports below 1024 need root, take another --port than {port}",
            errno.EPERM: f"not permitted; ports below 1024 need root, take another --port than {port}",
            errno.EADDRNOTAVAIL: elsewhere,
            None: elsewhere,  # from Python 3.13 on asyncio gives no number
        }.get(getattr(error, "errno", 0), str(error))
        raise InputError(f"cannot listen at {host}:{port}: {why}") from error


def _broadcast(readers: Writers, frame: bytes) -> None:
    for writer in readers:
        if writer.transport.get_write_buffer_size() <= UNREAD:
            _write(writer, frame)


def _write(writer: asyncio.StreamWriter, frame: bytes) -> None:
    if not writer.is_closing():
        writer.write(frame)


def _abort(writers: Writers) -> None:
    for writer in writers:
        writer.transport.abort()
