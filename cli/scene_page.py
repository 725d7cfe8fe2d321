"""`tamp scene show --html`: a picture of a scene, with what can be said of it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from html import escape
from typing import Any

STYLE = (
    "body{font:15px sans-serif;margin:2em;max-width:75em}img{border:1px solid #ccc;border-radius:6px}"
    "td,th{text-align:left;padding-right:2em}code{font-size:13px}"
)


def page(told: dict[str, Any], called: dict[str, str], picture: bytes) -> str:
    """One file, complete in itself: of `told`, a scene as plain data, what each symbol is
    `called`, and a `picture`, a PNG."""
    image = b64encode(picture).decode()
    goal = f"<p>goal <code>{escape(told['goal'])}</code>" if told["goal"] else ""
    symbols = _rows((f"<code>{s}</code>", kind, escape(called[s])) for s, kind in told["symbols"].items())
    things = _rows(
        (f"<code>{o['name']}</code>", o["category"], _numbers(o["position"]), _numbers(o["extent"]))
        for o in told["objects"]
    )
    facts = "<br>".join(f"<code>{escape(atom)}</code>" for atom in told["atoms"])
    return (
        f"<!doctype html>\n<meta charset=utf-8><title>{escape(told['scene'])}</title><style>{STYLE}</style>\n"
        f"<h1>{escape(told['scene'])}</h1>\n<p>{escape(told['instruction'])}\n{goal}\n"
        f'<p><img width=512 height=512 alt="seen from the front" src="data:image/png;base64,{image}">\n'
        f"<h2>Symbols</h2>\n<table><tr><th>symbol<th>type<th>words\n{symbols}\n</table>\n"
        f"<h2>Objects</h2>\n<table><tr><th>name<th>category<th>x y z (m)<th>extent (m)\n{things}\n</table>\n"
        f"<h2>Facts</h2>\n<p>{facts}\n"
    )


def _rows(rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join("<tr><td>" + "<td>".join(row) for row in rows)


def _numbers(values: Any) -> str:
    return " ".join(f"{v:.3f}" for v in values)
