"""`tamp mcp`: this toolkit as tools of an agent, by the Model Context Protocol.

Each tool runs a `tamp` command of its own, so that a call that is given up takes nothing with it, and answers what the
command's `--json` has. Only orders to a live session can move a real arm, which its operator has to approve.
"""

from __future__ import annotations

import json
import secrets
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from cli.output import Output, note
from tamp.api.live_link import LiveLink
from tamp.errors import InputError, TampError

if TYPE_CHECKING:
    from tamp.api.tool_configs import McpConfig

AT_ONCE, WAITING = 2, 8
"""Commands that run at one time, and that wait as well: more are refused."""
LONGEST = 2_000_000
"""Bytes of a file that is given as a resource."""
FILES = ("domain.pddl", "problem.pddl", "plan.txt", "episode.jsonl", "scene.png")
"""What can be read of an episode."""


def mcp(config: McpConfig, out: Output) -> int:
    """Serve until the client goes, or over HTTP until it is stopped."""
    server = server_of(config)
    if config.http is None:
        server.run("stdio")
        return 0
    token = secrets.token_urlsafe(24)
    note(f"http://127.0.0.1:{config.http}/mcp, for who sends: Authorization: Bearer {token}")
    _serve(server, config.http, token)
    return 0


def _serve(server: MCPServer, port: int, token: str) -> None:
    """Over HTTP on this machine alone, for who has the token. The SDK checks Host and Origin."""
    import uvicorn

    app = server.streamable_http_app(host="127.0.0.1")

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        given = dict(scope.get("headers", ())).get(b"authorization", b"")
        if scope["type"] == "websocket":  # nothing of it is one
            return
        if scope["type"] == "http" and not secrets.compare_digest(given, f"Bearer {token}".encode()):
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": b"no token, or another one"})
            return
        await app(scope, receive, send)

    bounds: Any = {"limit_concurrency": 64, "timeout_graceful_shutdown": 2}  # streams stay open until the client goes
    uvicorn.run(guarded, host="127.0.0.1", port=port, log_level="warning", **bounds)


def server_of(config: McpConfig) -> MCPServer:
    """The server with its tools and resources."""
    server = MCPServer("tamp", instructions=__doc__)
    commands = Commands(config.root.resolve())
    _add_offline(server, commands)
    _add_episodes(server, commands)
    _add_live(server, LiveLink(config.live), commands)
    return server


def _add_offline(server: MCPServer, tamp: Commands) -> None:
    @server.tool()
    async def scene(name: str | None = None, seed: int = 0) -> dict[str, Any]:
        """The scenes there are; with a name, what is in that one and what a goal or an instruction can speak of."""
        if name is None:
            return await tamp("scene list")
        return await tamp("scene show", "--seed", str(seed), "--", tamp.inside(name))

    @server.tool()
    async def ground(instruction: str, scene: str) -> dict[str, Any]:
        """The goal in PDDL that an instruction means in a scene, or why it is not understood. Nothing moves."""
        return await tamp("ground", "--scene", tamp.inside(scene), "--", instruction)

    @server.tool()
    async def plan(domain: str, problem: str) -> dict[str, Any]:
        """A plan for a PDDL problem; where there is none, why not, and what would make one possible.

        A domain is a name such as tabletop, or a file."""
        return await tamp("plan", "--", tamp.inside(domain), tamp.inside(problem))

    @server.tool()
    async def validate(domain: str, problem: str, steps: list[str]) -> dict[str, Any]:
        """Whether steps such as "(pick cup bench)" reach the problem's goal: the first that cannot be taken, what it
        lacks, and what would make the plan valid."""
        given = "\n".join(steps)
        return await tamp("validate", "--", tamp.inside(domain), tamp.inside(problem), "-", given=given)

    @server.tool()
    async def check(domain: str, problems: list[str] | None = None) -> dict[str, Any]:
        """Mistakes in a PDDL domain and problems for it, with lines and columns."""
        return await tamp("check", "--", tamp.inside(domain), *map(tamp.inside, problems or ()))


def _add_episodes(server: MCPServer, tamp: Commands) -> None:
    @server.tool()
    async def solve(
        scene: str, instruction: str | None = None, goal: str | None = None, seed: int | None = None
    ) -> dict[str, Any]:
        """Carry out an instruction, or reach a goal in PDDL, in simulation: no real robot moves. The answer has the
        verdict, the plan, and the reason of what failed; `out` names the episode."""
        words = ["--scene", tamp.inside(scene), *(("--seed", str(seed)) if seed is not None else ())]
        words += ["--goal", goal] if goal is not None else []
        return await tamp("solve", *words, *(("--", instruction) if instruction is not None else ()))

    @server.tool()
    async def explain(episode: str) -> dict[str, Any]:
        """How an episode went: what was asked for, the verdict, and why it failed."""
        return await tamp("report", "--", tamp.inside(episode))

    @server.resource("tamp://domain/{name}")
    def domain(name: str) -> str:
        """A domain's PDDL."""
        from tamp.api.arguments import domain as loaded

        return loaded(tamp.inside(name)).path.read_text(encoding="utf-8")

    @server.resource("tamp://episode/{name}/{file}")
    def episode_file(name: str, file: str) -> bytes:
        """A file of an episode: its domain, problem, plan, log or picture."""
        path = tamp.root / tamp.inside(f"episodes/{name}/{file}")
        if file not in FILES or not path.is_file() or path.stat().st_size > LONGEST:
            raise InputError(f"no {file} of {name}; valid: {', '.join(FILES)}, up to {LONGEST:,} bytes")
        return path.read_bytes()


def _add_live(server: MCPServer, link: LiveLink, tamp: Commands) -> None:
    def answered(ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        try:
            return ask()
        except TampError as e:
            raise ToolError(str(e)) from e

    @server.tool()
    def order(start: str | None = None, say: str | None = None) -> dict[str, Any]:
        """Have the live session begin an action such as "(pick mug_1 table)", or say words to it. On a real arm the
        operator has to approve first: the answer is then the number that waits, and `state` has what became of it."""
        if (start is None) == (say is None):
            raise ToolError("give either start or say")
        return answered(partial(link.order, {"start": start} if start is not None else {"say": say}))

    @server.tool()
    async def stop() -> dict[str, Any]:
        """Stop everything: the live session, and commands that run. It needs no approval."""
        interrupted, free = tamp.interrupt(), anyio.CapacityLimiter(1)  # a thread that no flood of orders has taken
        live = await anyio.to_thread.run_sync(answered, link.stop, limiter=free) if link.path is not None else None
        return {"commands": interrupted, "live": live}

    @server.tool()
    def state() -> dict[str, Any]:
        """What the live session is, and what happened in it last."""
        return answered(link.state)


@dataclass(eq=False)
class Commands:
    """Runs `tamp` in a folder, out of which no path may lead."""

    root: Path
    _running: set[anyio.abc.Process] = field(default_factory=set)
    _waiting: int = 0
    _limiter: anyio.CapacityLimiter | None = None

    def inside(self, name: str) -> str:
        """A name, or a path below the folder. ToolError for another."""
        path = Path(name)
        if path.is_absolute() or name.startswith("-") or not (self.root / path).resolve().is_relative_to(self.root):
            raise ToolError(f"{name} is outside of {self.root}; valid: a name, or a path in there")
        return name

    async def __call__(self, command: str, *words: str, given: str = "") -> dict[str, Any]:
        """What a command answers. ToolError with its message where the input is bad, and while too many wait."""
        self._limiter = self._limiter or anyio.CapacityLimiter(AT_ONCE)
        if self._waiting >= AT_ONCE + WAITING:
            raise ToolError(f"{self._waiting} calls are waiting already; valid: fewer at one time")
        self._waiting += 1
        try:
            async with self._limiter:
                return await self._run([*command.split(), "--json", *words], given)
        finally:
            self._waiting -= 1

    def interrupt(self) -> int:
        """Interrupt what runs; how many commands."""
        for process in self._running:
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGINT)
        return len(self._running)

    async def _run(self, words: Sequence[str], given: str) -> dict[str, Any]:
        # -P: a folder called cli where it runs is not this one
        process = await anyio.open_process([sys.executable, "-P", "-m", "cli", *words], cwd=self.root)
        self._running.add(process)
        answer, said = bytearray(), bytearray()
        try:
            async with process, anyio.create_task_group() as group:
                group.start_soon(_collect, process.stdout, answer)
                group.start_soon(_collect, process.stderr, said)
                assert process.stdin is not None
                await process.stdin.send(given.encode())
                await process.stdin.aclose()
        finally:
            self._running.discard(process)
        try:
            found = json.loads(answer)
        except ValueError:
            lines = [line for line in said.decode(errors="replace").splitlines() if line.strip()]
            raise ToolError(lines[-1].removeprefix("tamp: ") if lines else f"ended with {process.returncode}") from None
        return found if isinstance(found, dict) else {"answer": found}


async def _collect(stream: Any, into: bytearray) -> None:
    async for data in stream:
        into += data
