"""What the Python of a folder says that cannot be, told without running it: what its views and hands do not have, calls
that leave out or add arguments, and names that nothing has. A line that is only run now and then is looked at too."""

from __future__ import annotations

import ast
import builtins
import dataclasses
import difflib
import dis
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, ModuleType

from tamp.errors import InputError
from tamp.perception.observers import View
from tamp.perception.things import Things
from tamp.skills.guided import Hand

KINDS: dict[str, type] = {"View": View, "Hand": Hand, "Things": Things}
"""Classes of arguments that are looked at, as they are annotated."""


def slips(module: ModuleType) -> Iterator[InputError]:
    """What is wrong in a module that was loaded, with file and line."""
    file = Path(str(module.__file__))
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for name, kind in _given(function):
                yield from (InputError(f"{file}:{line}: {told}") for line, told in _misused(function, name, kind))
    known = {*vars(module), *vars(builtins)}
    for line, name in _globals(compile(text, str(file), "exec")):
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            yield InputError(f"{file}:{line}: there is no {name!r}{f'; did you mean {near[0]!r}?' if near else ''}")


def _given(function: ast.FunctionDef) -> Iterator[tuple[str, type]]:
    """The arguments of a function that are views, hands or things."""
    args = [*function.args.posonlyargs, *function.args.args]
    decorated = any(isinstance(d, ast.Call) and _last(d.func) == "observes" for d in function.decorator_list)
    for n, arg in enumerate(args):
        named = arg.annotation.value if isinstance(arg.annotation, ast.Constant) else _last(arg.annotation)
        kind = KINDS.get(str(named))
        if kind is None and decorated and n == 0:
            kind = View
        if kind is None and function.name == "guide" and n == 1:
            kind = Hand
        if kind is not None:
            yield arg.arg, kind


def _last(node: ast.expr | None) -> str | None:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def _misused(function: ast.FunctionDef, name: str, kind: type) -> Iterator[tuple[int, str]]:
    has = {m for m in dir(kind) if not m.startswith("_")} | {f.name for f in dataclasses.fields(kind)}
    for node in ast.walk(function):
        called = node.func if isinstance(node, ast.Call) else node
        if not (isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == name):
            continue
        if called.attr not in has:
            if called is node and not called.attr.startswith("__"):
                near = difflib.get_close_matches(called.attr, has, 1)
                hint = f"did you mean {near[0]!r}?" if near else f"valid: {', '.join(sorted(has))}"
                yield node.lineno, f"a {kind.__name__} has no {called.attr!r}; {hint}"
        elif isinstance(node, ast.Call) and (told := _misfit(node, getattr(kind, called.attr, None))):
            yield node.lineno, f"{name}.{called.attr}: {told}"


def _misfit(call: ast.Call, method: object) -> str | None:
    """Why a method cannot be called so, and how it can."""
    spread = any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords)
    if spread or not inspect.isfunction(method):
        return None
    signature = inspect.signature(method)
    try:
        signature.bind(None, *call.args, **{str(k.arg): k.value for k in call.keywords})
    except TypeError as error:
        return f"{error}; valid: {method.__name__}({', '.join(map(_shown, list(signature.parameters.values())[1:]))})"
    return None


def _shown(parameter: inspect.Parameter) -> str:
    return str(parameter.replace(annotation=inspect.Parameter.empty))


def _globals(code: CodeType) -> Iterator[tuple[int, str]]:
    """Names that functions look up outside of themselves, with their lines."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _globals(constant)
    if code.co_flags & inspect.CO_NEWLOCALS:
        for step in dis.get_instructions(code):
            if step.opname == "LOAD_GLOBAL":
                yield (step.positions.lineno if step.positions else None) or code.co_firstlineno, step.argval
