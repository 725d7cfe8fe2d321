"""Merge a template's text into the files of a domain folder. No line that is there is changed."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from tamp.errors import InputError
from tamp.files.source import Source, read
from tamp.pddl.tree import Node, tree


def edited(path: Path, edit: Callable[[str], str]) -> str:
    """The text of a file after `edit`, which works on plain line ends; its own line ends and byte order mark stay.

    InputError when the file cannot be read or is not UTF-8 text.
    """
    text = read(path).text
    raw = path.read_bytes().decode("utf-8")
    newline = "\r\n" if "\r\n" in raw else "\n"
    return ("\ufeff" if raw.startswith("\ufeff") else "") + edit(text).replace("\n", newline)


def with_operator(path: Path, predicates: str, operator: str) -> str:
    """The text of a domain file with whole lines of predicates and an operator, each at the end of its section.

    InputError where the domain has no predicates.
    """

    def edit(text: str) -> str:
        top = tree(Source(str(path), text))
        section = next((n for n in top.parts if n.head == ":predicates"), None)
        if section is None:
            raise InputError(f"{path}: it has no (:predicates …) to add to; valid: a domain such as domains/tabletop")
        return _before_end(_before_end(text, top, operator), section, predicates)

    return edited(path, edit)


def _before_end(text: str, node: Node, added: str) -> str:
    """A text with whole lines before the closing parenthesis of a list."""
    end = node.end - 1
    start = text.rfind("\n", 0, end) + 1
    if not text[start:end].strip():  # the parenthesis has a line of its own
        return text[:start] + added + text[start:]
    return f"{text[:end]}\n{added}{'  ' if node.head == ':predicates' else ''}{text[end:]}"


def with_binding(path: Path, operator: str, skill: str, comment: str) -> str:
    """The text of a table of skills with one more operator, before its first `[table]`."""

    def edit(text: str) -> str:
        header = re.search(r"^[ \t]*\[", text, re.MULTILINE)
        head = text[: header.start()] if header else text
        keys = list(re.finditer(r"^(?P<key>[A-Za-z0-9_\"'-]+[ \t]*)=.*", head, re.MULTILINE))
        width = len(keys[-1]["key"]) - 1 if keys else 0
        line = f'{operator:{max(width, len(operator))}} = "{skill}"{comment and f"  # {comment}"}\n'
        if keys:
            at = keys[-1].end() + 1
            return f"{text[:at].rstrip()}\n{line}{text[at:]}"
        return line + text if header else f"{text}{line}"

    return edited(path, edit)


def with_python(path: Path, template: str) -> str:
    """The text of a module with what a template defines at its end, and the template's imports that it lacks; the
    template where there is no such module.

    InputError, with the line, for a module that is not Python, and for a name that it has already.
    """
    if not path.is_file():
        return template

    def edit(text: str) -> str:
        try:
            module = ast.parse(text)
        except SyntaxError as error:
            raise InputError(f"{path}:{error.lineno or 1}: not Python: {error.msg}") from error
        added = ast.parse(template)
        imports = [node for node in added.body if isinstance(node, ast.Import | ast.ImportFrom)]
        defined = template.splitlines()[imports[-1].end_lineno or 0 :]
        bound = _bound(module)
        for name in _bound(ast.parse("\n".join(defined))):
            if name in bound:
                raise InputError(f"{path}:{bound[name]}: there is a {name} already; valid: another name")
        rows = text.rstrip().splitlines()
        at, first = _imports_end(module)
        lacking = list(_lacking(imports, bound))
        rows[at:at] = ["", *lacking] if lacking and first and at else lacking
        return "\n".join([*rows, *defined, ""])

    return edited(path, edit)


def _bound(module: ast.Module) -> dict[str, int]:
    """The names that the lines of a module bind, and the lines."""
    found: dict[str, int] = {}
    for node in module.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(a.asname or a.name).partition(".")[0]: node.lineno for a in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            found[node.name] = node.lineno
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {t.id: node.lineno for t in targets if isinstance(t, ast.Name)}
    return found


def _lacking(imports: Iterable[ast.Import | ast.ImportFrom], bound: Iterable[str]) -> Iterator[str]:
    """Import statements, without the names that are bound."""
    for node in imports:
        node.names = [a for a in node.names if (a.asname or a.name) not in bound]
        if node.names:
            yield ast.unparse(node)


def _imports_end(module: ast.Module) -> tuple[int, bool]:
    """After how many lines an import can be added, and whether it is the first one."""
    imports = [node for node in module.body if isinstance(node, ast.Import | ast.ImportFrom)]
    before = imports or (module.body[:1] if ast.get_docstring(module) is not None else [])
    return (before[-1].end_lineno or 0) if before else 0, not imports
