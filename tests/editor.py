"""An editor: pygls' own client, which starts `tamp lsp` and talks with it over standard input and output."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

T = TypeVar("T")
LONGEST = 120.0
"""Seconds for which diagnostics are waited for."""
MOMENT = 0.2
"""Seconds within which those of the other files of a folder come, too."""


class Editor(LanguageClient):
    """A client that keeps what it was sent last for each file, by its name."""

    def __init__(self) -> None:
        super().__init__("editor", "1")
        self.shown: dict[str, list[lsp.Diagnostic]] = {}
        self.said: list[str] = []
        self.code: int | None = None
        self._news: asyncio.Queue[tuple[str, float]] = asyncio.Queue()

        @self.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def keep(params: lsp.PublishDiagnosticsParams) -> None:
            self.shown[Path(params.uri).name] = list(params.diagnostics)
            self._news.put_nowait((params.uri, time.perf_counter()))

        @self.feature(lsp.WINDOW_SHOW_MESSAGE)
        def hear(params: lsp.ShowMessageParams) -> None:
            self.said.append(params.message)

    async def server_exit(self, server: asyncio.subprocess.Process) -> None:
        """Keep its exit code."""
        self.code = server.returncode

    async def heard(self, uri: str) -> float:
        """Wait for the diagnostics of a file: for how many seconds."""
        begun = time.perf_counter()
        while (news := await asyncio.wait_for(self._news.get(), LONGEST))[0] != uri:
            pass
        await asyncio.sleep(MOMENT)
        while not self._news.empty():
            self._news.get_nowait()
        return news[1] - begun

    async def opened(self, path: Path, text: str) -> str:
        """Open a file, and wait for its diagnostics: its address."""
        document = lsp.TextDocumentItem(path.as_uri(), "pddl", 1, text)
        self.text_document_did_open(lsp.DidOpenTextDocumentParams(document))
        await self.heard(document.uri)
        return document.uri

    def types(self, uri: str, version: int, text: str) -> None:
        """Replace the whole text by another one that is not saved."""
        document = lsp.VersionedTextDocumentIdentifier(version, uri)
        change = lsp.TextDocumentContentChangeWholeDocument(text)
        self.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))

    async def typed(self, uri: str, version: int, text: str) -> float:
        """The same, and wait for the diagnostics: for how many seconds."""
        self.types(uri, version, text)
        return await self.heard(uri)

    async def closed(self, uri: str) -> None:
        """Close a file without saving it."""
        self.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(uri)))
        await self.heard(uri)


Run = Callable[[Coroutine[Any, Any, T]], T]


@contextmanager
def editing(encodings: Sequence[lsp.PositionEncodingKind | str] | None = None) -> Iterator[tuple[Editor, Run[Any]]]:
    """An editor that counts characters in the first of some `encodings`, and what has it work."""

    async def begun() -> Editor:
        editor = Editor()
        await editor.start_io(sys.executable, "-m", "cli", "lsp")
        general = lsp.GeneralClientCapabilities(position_encodings=encodings)
        await editor.initialize_async(lsp.InitializeParams(capabilities=lsp.ClientCapabilities(general=general)))
        editor.initialized(lsp.InitializedParams())
        return editor

    with asyncio.Runner() as runner:
        editor = runner.run(begun())
        try:
            yield editor, lambda work: runner.run(asyncio.wait_for(work, LONGEST))
            runner.run(editor.shutdown_async(None))
        finally:
            editor.exit(None)
            runner.run(editor.stop())
