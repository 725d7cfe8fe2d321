"""`tamp lsp`: a language server for domains, problems and their tables, over standard input and output."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from cli.output import Output
from tamp.api import editing

if TYPE_CHECKING:
    from tamp import Finding
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
INSTEAD = re.compile(r"did you mean '([^']+)'")
LACKING = re.compile(r"(:[a-z-]+) is missing")


def lsp_server(config: LspConfig, out: Output) -> int:
    """Serve an editor until it is closed."""
    made().start_io()
    return 0


def made() -> LanguageServer:
    """The server with all that it answers."""
    server = LanguageServer(
        "tamp", version("tamp-toolkit"), text_document_sync_kind=lsp.TextDocumentSyncKind.Incremental
    )

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def look(params: Any) -> None:
        publish(server, params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["(", "-", " "]))
    def complete(params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        path, line, _ = at(server, params)
        before = line[: params.position.character]
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
        domain = editing.domain_of(path, texts(server))
        found = [s for s in editing.symbols(path, texts(server)) if s.name == word]
        return [lsp.Location(uri_of(domain), span(s.line, s.column, s.name)) for s in found if domain is not None]

    @server.feature(lsp.TEXT_DOCUMENT_RENAME)
    def rename(params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        path, _, word = at(server, params)
        if not re.fullmatch(editing.WORD, params.new_name) or all(
            s.name != word for s in editing.symbols(path, texts(server))
        ):
            return None
        edits: dict[str, list[lsp.TextEdit]] = {}
        for file, line, column in editing.occurrences(path, word, texts(server)):
            edits.setdefault(uri_of(file), []).append(lsp.TextEdit(span(line, column, word), params.new_name))
        return lsp.WorkspaceEdit(edits)

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION)
    def fixes(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        document = server.workspace.get_text_document(params.text_document.uri)
        return [fix for d in params.context.diagnostics if (fix := fix_of(d, document.uri, document.lines)) is not None]

    return server


def publish(server: LanguageServer, uri: str) -> None:
    """Send the findings of a file's folder, by file; those that have none any more are cleared."""
    path, edited = path_of(uri), texts(server)
    by_file: dict[str, list[Finding]] = {uri_of(file): [] for file in edited if file.parent == path.parent}
    for finding in editing.findings(path, edited):
        by_file.setdefault(uri_of(Path(finding.file)), []).append(finding)
    for file, found in by_file.items():
        server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(file, [diagnostic(f) for f in found]))


def diagnostic(finding: Finding) -> lsp.Diagnostic:
    """A finding as editors show it, under the word at which it is."""
    word = re.match(r"[^\s()]+", finding.text[finding.column - 1 :])
    return lsp.Diagnostic(
        span(finding.line, finding.column, word[0] if word else " "),
        finding.message,
        severity=SEVERITY[finding.severity],
        code=finding.code,
        source="tamp check",
    )


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


def fix_of(found: lsp.Diagnostic, uri: str, lines: Sequence[str]) -> lsp.CodeAction | None:
    """The edit that corrects a finding, where its message says one."""
    edit = None
    if instead := INSTEAD.search(found.message):
        title, edit = f"write {instead[1]}", lsp.TextEdit(found.range, instead[1])
    elif lacking := LACKING.match(found.message):
        title, place = f"add {lacking[1]}", found.range.start
        begin = lines[place.line].find(":requirements", place.character) if place.line < len(lines) else -1
        if begin >= 0:
            after = lsp.Position(place.line, begin + len(":requirements"))
            edit = lsp.TextEdit(lsp.Range(after, after), f" {lacking[1]}")
    if edit is None:
        return None
    kind = lsp.CodeActionKind.QuickFix
    return lsp.CodeAction(title, kind=kind, diagnostics=[found], edit=lsp.WorkspaceEdit({uri: [edit]}))


def span(line: int, column: int, word: str) -> lsp.Range:
    """Where a word is, from its line and column, both from 1."""
    begin = lsp.Position(line - 1, column - 1)
    return lsp.Range(begin, lsp.Position(line - 1, column - 1 + len(word)))


def at(server: LanguageServer, params: Any) -> tuple[Path, str, str]:
    """The file of a question, the line, and the word in it."""
    document = server.workspace.get_text_document(params.text_document.uri)
    n = params.position.line
    line = document.lines[n].rstrip("\r\n") if n < len(document.lines) else ""
    word = document.word_at_position(params.position, re.compile(r"[\w-]*$"), re.compile(r"^[\w-]*"))
    return path_of(document.uri), line, word.lower()


def texts(server: LanguageServer) -> dict[Path, str]:
    """What is open in the editor."""
    return {path_of(uri): document.source for uri, document in server.workspace.text_documents.items()}


def path_of(uri: str) -> Path:
    """The file of an address."""
    return Path(to_fs_path(uri) or "")


def uri_of(path: Path) -> str:
    """The address of a file."""
    return from_fs_path(str(path)) or ""
