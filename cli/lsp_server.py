"""`tamp lsp`: a language server for domains, problems and their tables, over standard input and output."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from cli.output import Output
from tamp.api import editing

if TYPE_CHECKING:
    from tamp.api.editing import Symbol
    from tamp.api.tool_configs import LspConfig

SEVERITY = {"error": lsp.DiagnosticSeverity.Error, "warning": lsp.DiagnosticSeverity.Warning}
KINDS = {
    "predicate": lsp.CompletionItemKind.Property,
    "function": lsp.CompletionItemKind.Function,
    "type": lsp.CompletionItemKind.Class,
    "action": lsp.CompletionItemKind.Method,
}
WRITTEN = ("and", "or", "not", "when", "forall", "exists", "imply", "=")
"""What a list of PDDL begins with besides predicates."""
PAUSE = 0.05
"""Seconds without another change in a folder after which it is looked at."""


def lsp_server(config: LspConfig, out: Output) -> int:
    """Serve an editor until it is closed."""
    made().start_io()
    return 0


def made() -> LanguageServer:
    """The server with all that it answers. It takes whole texts: pygls counts more characters as line ends than the
    protocol, so that it would put changes of parts elsewhere."""
    server = LanguageServer("tamp", version("tamp-toolkit"), text_document_sync_kind=lsp.TextDocumentSyncKind.Full)
    latest, shown = dict[Path, Any](), dict[Path, set[str]]()

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    async def look(params: Any) -> None:
        path = path_of(params.text_document.uri)
        latest[path.parent] = params
        await asyncio.sleep(PAUSE)
        if latest[path.parent] is params and path.name:
            shown[path.parent] = publish(server, path, shown.get(path.parent, set()))

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["(", "-", " "]))
    def complete(params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        path, before, _ = at(server, params)
        return list(completions(before, editing.symbols(path, texts(server))))

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        path, _, word = at(server, params)
        found = [s for s in editing.symbols(path, texts(server)) if s.name == word]
        said = "\n\n".join(map(described, found))
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, said)) if found else None

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(params: lsp.DefinitionParams) -> list[lsp.Location]:
        path, _, word = at(server, params)
        domain = editing.domain_of(path, texts(server)) or path
        found = [s for s in editing.symbols(path, texts(server)) if s.name == word]
        source, uri = editing.source(domain, texts(server)), uri_of(server, domain)
        return [lsp.Location(uri, span(server, source.line(s.line), s.line, s.column, word)) for s in found]

    @server.feature(lsp.TEXT_DOCUMENT_RENAME)
    def rename(params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        path, _, word = at(server, params)
        if not re.fullmatch(editing.WORD, params.new_name) or all(
            s.name != word for s in editing.symbols(path, texts(server))
        ):
            return None
        edits: dict[str, list[lsp.TextEdit]] = {}
        for file, line, column in editing.occurrences(path, word, texts(server)):
            text = editing.source(file, texts(server)).line(line)
            edit = lsp.TextEdit(span(server, text, line, column, word), params.new_name)
            edits.setdefault(uri_of(server, file), []).append(edit)
        return lsp.WorkspaceEdit(edits)

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION)
    def fixes(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        found, uri = params.context.diagnostics, params.text_document.uri
        return [fix_of(d, d.data, uri) for d in found if isinstance(d.data, str)]

    return server


def publish(server: LanguageServer, path: Path, before: set[str]) -> set[str]:
    """Send the findings of a file's folder, by file; `before` are those that had some, and are cleared. Which have."""
    by_file: dict[str, list[lsp.Diagnostic]] = {uri: [] for uri in before | {uri_of(server, path)}}
    for f in editing.findings(path, texts(server)):
        word = re.match(r"[^\s()]+", f.text[f.column - 1 :])
        where = span(server, f.text, f.line, f.column, word[0] if word else " ")
        by_file.setdefault(uri_of(server, Path(f.file)), []).append(
            lsp.Diagnostic(where, f.message, SEVERITY[f.severity], f.code, source="tamp check", data=f.instead)
        )
    for uri, diagnostics in by_file.items():
        server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, diagnostics))
    return {uri for uri, diagnostics in by_file.items() if diagnostics}


def completions(before: str, symbols: Iterable[Symbol]) -> Iterable[lsp.CompletionItem]:
    """What fits after the text of a line: types after a dash, and what a list can begin with after a parenthesis."""
    if re.search(r"\s-\s+[\w-]*$", before):
        wanted: tuple[str, ...] = ("type",)
    elif re.search(r"\(\s*[\w-]*$", before):
        wanted = ("predicate", "function")
        yield from (lsp.CompletionItem(word, kind=lsp.CompletionItemKind.Keyword) for word in WRITTEN)
    else:
        wanted = tuple(KINDS)
    for s in symbols:
        if s.kind in wanted:
            yield lsp.CompletionItem(s.name, kind=KINDS[s.kind], detail=s.signature)


def described(symbol: Symbol) -> str:
    """A symbol with who produces it and who needs it."""
    listed = (("made true by", symbol.made_true), ("made false by", symbol.made_false), ("needed by", symbol.needed))
    lines = [f"{what} {', '.join(names)}" for what, names in listed if names]
    return "\n\n".join([f"```pddl\n{symbol.signature}\n```", *lines])


def fix_of(found: lsp.Diagnostic, instead: str, uri: str) -> lsp.CodeAction:
    """The edit that writes something else where a finding is."""
    edit, kind = lsp.WorkspaceEdit({uri: [lsp.TextEdit(found.range, instead)]}), lsp.CodeActionKind.QuickFix
    return lsp.CodeAction(f"write {instead}", kind=kind, diagnostics=[found], edit=edit)


def span(server: LanguageServer, text: str, line: int, column: int, word: str) -> lsp.Range:
    """Where a word is, from the text of its line, and line and column from 1, in what the client counts."""
    units = server.workspace.position_codec.client_num_units
    begin = units(text[: column - 1])
    return lsp.Range(lsp.Position(line - 1, begin), lsp.Position(line - 1, begin + units(word)))


def at(server: LanguageServer, params: Any) -> tuple[Path, str, str]:
    """The file of a question, its line up to there, and the word there."""
    path = path_of(params.text_document.uri)
    lines = [f"{line}\n" for line in editing.source(path, texts(server)).text.split("\n")]
    place = server.workspace.position_codec.position_from_client_units(lines, params.position)
    before, after = lines[place.line][: place.character], lines[place.line][place.character :]
    word = "".join(re.findall(r"[\w-]*$", before)[:1] + re.findall(r"^[\w-]*", after))
    return path, before, word.lower()


def texts(server: LanguageServer) -> dict[Path, str]:
    """What is open in the editor, with the line ends of `Source`."""
    documents = server.workspace.text_documents.items()
    return {path: re.sub(r"\r\n?", "\n", d.source) for uri, d in documents if (path := path_of(uri)).name}


def path_of(uri: str) -> Path:
    """The file of an address; `.` where it is not one of a file."""
    return Path(to_fs_path(uri) or "")


def uri_of(server: LanguageServer, path: Path) -> str:
    """The address of a file, as the editor writes it where it is open."""
    return next((uri for uri in server.workspace.text_documents if path_of(uri) == path), from_fs_path(str(path)) or "")
