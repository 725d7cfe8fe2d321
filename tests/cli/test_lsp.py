"""`tamp lsp` by a real client: what `tamp check` says, of text that is not saved; names, hovers, fixes, renaming."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

import tamp

pytestmark = pytest.mark.process

DOMAIN = """(define (domain d)
  (:requirements :strips :typing)
  (:types block)
  (:predicates (on ?a ?b - block) (clear ?a - block))  ; on and clear
  (:action stack
    :parameters (?a ?b - block)
    :precondition (and (clear ?a) (not (= ?a ?b)) (clear ?b))
    :effect (and (on ?a ?b) (not (clear ?b)))))
"""
PROBLEM = "(define (problem p) (:domain d) (:objects x y - block) (:init (clear x) (clear y)) (:goal (on x y)))"


class Editor(LanguageClient):
    """A client that keeps what it was sent last for each file."""

    def __init__(self) -> None:
        super().__init__("editor", "1")
        self.shown: dict[str, list[lsp.Diagnostic]] = {}
        self.news = asyncio.Event()

        @self.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def keep(params: lsp.PublishDiagnosticsParams) -> None:
            self.shown[Path(params.uri).name] = list(params.diagnostics)
            self.news.set()

    async def heard(self) -> None:
        await asyncio.wait_for(self.news.wait(), 30)
        await asyncio.sleep(0.2)
        self.news.clear()

    async def opened(self, path: Path, text: str) -> str:
        document = lsp.TextDocumentItem(path.as_uri(), "pddl", 1, text)
        self.text_document_did_open(lsp.DidOpenTextDocumentParams(document))
        await self.heard()
        return path.as_uri()

    async def typed(self, uri: str, version: int, text: str) -> None:
        """Replace the whole text by another one that is not saved."""
        document = lsp.VersionedTextDocumentIdentifier(version, uri)
        change = lsp.TextDocumentContentChangeWholeDocument(text)
        self.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))
        await self.heard()


def edited(work: Callable[[Editor], Awaitable[None]]) -> None:
    async def main() -> None:
        editor = Editor()
        await editor.start_io(sys.executable, "-m", "cli", "lsp")
        try:
            await editor.initialize_async(lsp.InitializeParams(capabilities=lsp.ClientCapabilities()))
            editor.initialized(lsp.InitializedParams())
            await work(editor)
            await editor.shutdown_async(None)
            editor.exit(None)
        finally:
            await editor.stop()

    asyncio.run(asyncio.wait_for(main(), 120))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    (tmp_path / "p.pddl").write_text(PROBLEM)
    return tmp_path


WRONG = (
    DOMAIN.replace("(not (clear ?b))", "(not (clera ?b))"),
    DOMAIN.replace("- block) (clear", "- blok) (clear"),
    DOMAIN[: len(DOMAIN) // 2],
    DOMAIN.replace("(?a ?b - block)\n", "(?a ?b ?c - block)\n"),
    "",
    DOMAIN.replace("stack", "st\u00e4ck"),
    DOMAIN,
)


def test_what_is_shown_is_what_tamp_check_says_of_text_that_is_not_saved(folder: Path) -> None:
    async def work(editor: Editor) -> None:
        uri = await editor.opened(folder / "domain.pddl", DOMAIN)
        other = folder / "saved" / "domain.pddl"
        other.parent.mkdir()
        for version, text in enumerate(WRONG, 2):
            await editor.typed(uri, version, text)
            other.write_text(text)
            said = [(f.line, f.column, f.code, f.message) for f in tamp.check(other).findings]
            diagnostics = editor.shown["domain.pddl"]
            starts = [(d.range.start.line + 1, d.range.start.character + 1) for d in diagnostics]
            shown = [(*start, d.code, d.message) for start, d in zip(starts, diagnostics, strict=True)]
            assert shown == said, text
            assert text != "" or shown
        assert (folder / "domain.pddl").read_text() == DOMAIN, "nothing is written"

    edited(work)


def test_a_problem_is_checked_with_the_domain_of_its_folder(folder: Path) -> None:
    async def work(editor: Editor) -> None:
        uri = await editor.opened(folder / "p.pddl", PROBLEM)
        await editor.typed(uri, 2, PROBLEM.replace("(on x y)", "(on x z)"))
        (found,) = editor.shown["p.pddl"]
        assert (found.code, found.severity) == ("unknown-object", lsp.DiagnosticSeverity.Error)
        assert [d.code for d in editor.shown["domain.pddl"]] == ["missing-requirement"]
        await editor.typed(uri, 3, PROBLEM)
        assert editor.shown["p.pddl"] == []

    edited(work)


def test_names_are_completed_found_and_explained(folder: Path) -> None:
    async def work(editor: Editor) -> None:
        uri = await editor.opened(folder / "domain.pddl", DOMAIN)
        document, lines = lsp.TextDocumentIdentifier(uri), DOMAIN.splitlines()
        in_effect = lsp.Position(7, lines[7].index("(clear") + 1)
        found = await editor.text_document_completion_async(lsp.CompletionParams(document, in_effect))
        assert isinstance(found, list)
        assert {"on", "clear", "forall"} <= {i.label for i in found} and "block" not in {i.label for i in found}
        after_dash = lsp.Position(5, lines[5].index("- block") + 2)
        found = await editor.text_document_completion_async(lsp.CompletionParams(document, after_dash))
        assert isinstance(found, list) and [i.label for i in found] == ["block"]
        places = await editor.text_document_definition_async(lsp.DefinitionParams(document, in_effect))
        assert isinstance(places, list)
        (place,) = places
        assert isinstance(place, lsp.Location)
        assert (place.range.start.line, place.range.start.character) == (3, lines[3].index("(clear") + 1)
        hover = await editor.text_document_hover_async(lsp.HoverParams(document, in_effect))
        assert hover is not None
        for said in ("(clear ?a - block)", "made false by stack", "needed by stack"):
            assert said in str(hover.contents)

    edited(work)


def test_a_fix_is_offered_and_a_name_is_changed_in_every_file_but_not_in_comments(folder: Path) -> None:
    async def work(editor: Editor) -> None:
        text = DOMAIN.replace("(clear ?b)))))", "(claer ?b)))))")
        uri = await editor.opened(folder / "domain.pddl", text)
        document = lsp.TextDocumentIdentifier(uri)
        context = lsp.CodeActionContext(editor.shown["domain.pddl"])
        whole = lsp.Range(lsp.Position(0, 0), lsp.Position(9, 0))
        actions = await editor.text_document_code_action_async(lsp.CodeActionParams(document, whole, context))
        assert {a.title for a in actions or ()} == {"write clear", "add :equality"}
        await editor.typed(uri, 2, DOMAIN)
        name = lsp.Position(3, DOMAIN.splitlines()[3].index("on ?a"))
        edit = await editor.text_document_rename_async(lsp.RenameParams(document, name, "above"))
        assert edit is not None and edit.changes is not None
        changed = {Path(file).name: len(edits) for file, edits in edit.changes.items()}
        assert changed == {"domain.pddl": 2, "p.pddl": 1}

    edited(work)
