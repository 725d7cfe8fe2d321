"""`tamp lsp` by a real client: what `tamp check` says, of text that is not saved; names, hovers, fixes, renaming."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

import tamp
from tests.editor import editing

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
    DOMAIN.replace("(:action", "; a page\f, and a line\u2028 of its own\r\n(:axion"),
    DOMAIN.replace("(clear ?a)", "\ud83d"),
    DOMAIN,
)


def test_what_is_shown_is_what_tamp_check_says_of_text_that_is_not_saved(folder: Path) -> None:
    with editing() as (editor, run):
        uri = run(editor.opened(folder / "domain.pddl", DOMAIN))
        other = folder / "saved" / "domain.pddl"
        other.parent.mkdir()
        for version, text in enumerate(WRONG, 2):
            run(editor.typed(uri, version, text))
            other.write_bytes(text.encode("utf-8", "surrogatepass"))
            said = [(f.line, f.column, f.code, f.message) for f in tamp.check(other).findings]
            diagnostics = editor.shown["domain.pddl"]
            starts = [(d.range.start.line + 1, d.range.start.character + 1) for d in diagnostics]
            shown = [(*start, d.code, d.message) for start, d in zip(starts, diagnostics, strict=True)]
            assert shown == said, text
            assert text != "" or shown
        assert (folder / "domain.pddl").read_text() == DOMAIN, "nothing is written"


def test_a_problem_is_checked_with_the_domain_of_its_folder(folder: Path) -> None:
    with editing() as (editor, run):
        uri = run(editor.opened(folder / "p.pddl", PROBLEM))
        run(editor.typed(uri, 2, PROBLEM.replace("(on x y)", "(on x z)")))
        (found,) = editor.shown["p.pddl"]
        assert (found.code, found.severity) == ("unknown-object", lsp.DiagnosticSeverity.Error)
        assert [d.code for d in editor.shown["domain.pddl"]] == ["missing-requirement"]
        domain = run(editor.opened(folder / "domain.pddl", DOMAIN.replace("block) (clear", "block) (free")))
        assert {d.code for d in editor.shown["domain.pddl"]} >= {"unknown-predicate", "missing-requirement"}
        assert {d.code for d in editor.shown["p.pddl"]} == {"unknown-object", "unknown-predicate"}
        run(editor.typed(domain, 2, DOMAIN.replace(":typing", ":typing :equality")))
        assert editor.shown["domain.pddl"] == [] and len(editor.shown["p.pddl"]) == 1
        run(editor.closed(uri))
        assert editor.shown["p.pddl"] == [], "it is not looked at any more"


def test_a_table_that_is_not_open_is_cleared_when_the_domain_fits_it_again(folder: Path) -> None:
    (folder / "skills.toml").write_text('stack = "place"\n')
    with editing() as (editor, run):
        uri = run(editor.opened(folder / "domain.pddl", DOMAIN))
        before = [d.code for d in editor.shown.get("skills.toml", [])]
        run(editor.typed(uri, 2, DOMAIN.replace("action stack", "action put")))
        assert [d.code for d in editor.shown["skills.toml"]] == [*before, "unknown-operator"]
        run(editor.typed(uri, 3, DOMAIN))
        assert [d.code for d in editor.shown["skills.toml"]] == before


def test_a_plan_is_judged_by_the_problem_of_its_folder(folder: Path) -> None:
    with editing() as (editor, run):
        uri = run(editor.opened(folder / "made.plan", "(stack x y)\n"))
        assert editor.shown["made.plan"] == []
        for version, (text, wanted) in enumerate(
            {
                "; why\n(stack x y)\n(stack x y)\n": [(2, "needs (clear y)")],
                "(stack x\n": [(0, "not a step of a plan")],
                "(stack x z)": [(0, "there is no object 'z'")],
                "; none\n": [(0, "the goal needs (on x y)")],
            }.items(),
            2,
        ):
            run(editor.typed(uri, version, text))
            shown = [(d.range.start.line, d.message) for d in editor.shown["made.plan"]]
            assert [line for line, _ in shown] == [line for line, _ in wanted], shown
            assert all(part in message for (_, message), (_, part) in zip(shown, wanted, strict=True)), shown


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_columns_are_counted_as_the_editor_counts_them(folder: Path, encoding: str) -> None:
    def units(text: str) -> int:
        return len(text.encode(f"{encoding}-le" if encoding != "utf-8" else encoding)) // (int(encoding[4:]) // 8)

    line = "    :effect (and (on ?a ?b) (not (clear ?b)))))"
    text = DOMAIN.replace(line, line.replace("(not", "(\U0001f34b\u00e4 ?a) (not").replace("(clear", "(claer"))
    wanted = text.splitlines()[7]
    with editing([encoding]) as (editor, run):
        uri = run(editor.opened(folder / "domain.pddl", text))
        (found,) = [d for d in editor.shown["domain.pddl"] if "'claer'" in d.message]
        begin = units(wanted[: wanted.index("claer")])
        assert found.range == lsp.Range(lsp.Position(7, begin), lsp.Position(7, begin + len("claer")))
        document = lsp.TextDocumentIdentifier(uri)
        run(editor.typed(uri, 2, text.replace("claer", "clear")))
        found = run(editor.text_document_completion_async(lsp.CompletionParams(document, lsp.Position(7, begin))))
        assert "on" in {i.label for i in found} and "block" not in {i.label for i in found}, "after a parenthesis"
        edit = run(editor.text_document_rename_async(lsp.RenameParams(document, lsp.Position(7, begin), "free")))
        assert begin in {e.range.start.character for e in edit.changes[uri] if e.range.start.line == 7}


def test_names_are_completed_found_and_explained(folder: Path) -> None:
    with editing() as (editor, run):
        uri = run(editor.opened(folder / "domain.pddl", DOMAIN))
        document, lines = lsp.TextDocumentIdentifier(uri), DOMAIN.splitlines()
        in_effect = lsp.Position(7, lines[7].index("(clear") + 1)
        found = run(editor.text_document_completion_async(lsp.CompletionParams(document, in_effect)))
        assert {"on", "clear", "forall"} <= {i.label for i in found} and "block" not in {i.label for i in found}
        after_dash = lsp.Position(5, lines[5].index("- block") + 2)
        found = run(editor.text_document_completion_async(lsp.CompletionParams(document, after_dash)))
        assert [i.label for i in found] == ["block"]
        (place,) = run(editor.text_document_definition_async(lsp.DefinitionParams(document, in_effect)))
        assert (place.range.start.line, place.range.start.character) == (3, lines[3].index("(clear") + 1)
        hover = run(editor.text_document_hover_async(lsp.HoverParams(document, in_effect)))
        for said in ("(clear ?a - block)", "made false by stack", "needed by stack"):
            assert said in str(hover.contents)


def test_a_fix_is_offered_and_a_name_is_changed_in_every_file_but_not_in_comments(folder: Path) -> None:
    (folder / "made.plan").write_text("(stack x y)  ; stack\n")
    with editing() as (editor, run):
        uri = run(editor.opened(folder / "domain.pddl", DOMAIN.replace("(clear ?b)))))", "(claer ?b)))))")))
        document = lsp.TextDocumentIdentifier(uri)
        context = lsp.CodeActionContext(editor.shown["domain.pddl"])
        whole = lsp.Range(lsp.Position(0, 0), lsp.Position(9, 0))
        actions = run(editor.text_document_code_action_async(lsp.CodeActionParams(document, whole, context)))
        assert {a.title for a in actions} == {"write clear", "write :requirements :equality"}
        run(editor.typed(uri, 2, DOMAIN))
        for name, there in (("on ?a", {"domain.pddl": 2, "p.pddl": 1}), ("stack", {"domain.pddl": 1, "made.plan": 1})):
            line = next(n for n, text in enumerate(DOMAIN.splitlines()) if name in text)
            place = lsp.Position(line, DOMAIN.splitlines()[line].index(name))
            edit = run(editor.text_document_rename_async(lsp.RenameParams(document, place, "above")))
            assert {Path(file).name: len(edits) for file, edits in edit.changes.items()} == there


def test_files_that_cannot_be_read_or_are_not_there_are_no_fault_of_the_server(folder: Path) -> None:
    (folder / "domain.pddl").write_bytes(DOMAIN.encode("utf-16"))
    (folder / "words.toml").write_bytes(b"\xff\xfe")
    with editing() as (editor, run):
        run(editor.opened(folder / "p.pddl", PROBLEM))
        assert [d.message for d in editor.shown["domain.pddl"]] == ["is UTF-16 text; valid: UTF-8"]
        run(editor.opened(folder / "domain.pddl", DOMAIN))
        assert [d.code for d in editor.shown["words.toml"]] == ["bad-words"]
        lonely = folder / "nowhere" / "p.pddl"
        uri = run(editor.opened(lonely, PROBLEM))
        assert editor.shown["p.pddl"] == [] and not lonely.parent.exists()
        document, place = lsp.TextDocumentIdentifier(uri), lsp.Position(99, 99)
        assert run(editor.text_document_hover_async(lsp.HoverParams(document, place))) is None
        assert run(editor.text_document_definition_async(lsp.DefinitionParams(document, place))) == []
        assert run(editor.text_document_rename_async(lsp.RenameParams(document, place, "x"))) is None
        run(editor.opened(lonely.with_name("domain.pddl"), DOMAIN))
        assert [d.code for d in editor.shown["domain.pddl"]] == ["missing-requirement"], "both are only in the editor"
        assert editor.said == []
    assert editor.code == 0


@pytest.mark.parametrize("changes", [1000, pytest.param(10_000, marks=pytest.mark.thorough)])
def test_after_a_burst_of_changes_the_last_is_shown(changes: int, folder: Path) -> None:
    with editing() as (editor, run):
        uri = run(editor.opened(folder / "domain.pddl", DOMAIN))

        async def burst() -> None:
            for n in range(changes):
                editor.types(uri, n + 2, DOMAIN.replace("(clear ?a) (not", f"(clear{n} ?a) (not"))
            while not any(f"'clear{changes - 1}'" in d.message for d in editor.shown["domain.pddl"]):
                await editor.heard(uri)

        run(burst())


def test_what_is_no_message_and_what_comes_after_a_shutdown_ends_nothing(folder: Path) -> None:
    def message(method: str, number: int | None = None, **params: Any) -> bytes:
        body = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if number is None else {"id": number})
        text = json.dumps(body).encode()
        return b"Content-Length: %d\r\n\r\n%s" % (len(text), text)

    hello = message("initialize", 1, capabilities={}, processId=None, rootUri=None)
    noise = b'Content-Length: 9\r\n\r\n{"jsonrpc' + b"Content-Length: x\r\n\r\n" + message("no/such", 2)
    late = message(
        "textDocument/hover", 4, textDocument={"uri": "file:///d.pddl"}, position={"line": 0, "character": 0}
    )
    whole = hello + noise + message("shutdown", 3) + late + message("exit")
    for given in (whole, hello[:-20]):
        command = [sys.executable, "-m", "cli", "lsp"]
        done = subprocess.run(command, input=given, capture_output=True, timeout=60, check=False)
        assert done.returncode == 0 and b"Traceback" not in done.stdout
        assert (b'"id": 3' in done.stdout) == (given == whole), done
