"""`tamp scene categories`: what a scene.toml can have in it."""

from __future__ import annotations

import html as markup
from base64 import b64encode
from pathlib import Path
from typing import Any, TextIO

from cli.output import emit_json, progress, say
from tamp.api import pages, things
from tamp.quiet import quiet_stdout

STYLE = (
    "body{font:15px sans-serif;margin:2em;max-width:75em}"
    ".all{display:grid;grid-template-columns:repeat(auto-fill,14em);gap:1.5em}"
    "img{background:#fff;border:1px solid #ccc;border-radius:6px}code{font-size:13px}"
    "td,th{text-align:left;padding-right:2em}"
)


def categories(html: Path | None, json_output: bool) -> int:
    """Print every category whose files load, and the tables; with `html` write a page with a picture of each."""
    if html is not None:
        pages.writable(html)
    with quiet_stdout() as out:
        told = things.categories(progress, pictures=html is not None)
        if html is not None:
            pages.write(html, _page(told))
            say(f"tamp: wrote {html}")
        for category in told["categories"]:
            category.pop("picture", None)
        if json_output:
            emit_json(told, out)
        else:
            _print(told, out)
    return 0


def _print(told: dict[str, Any], out: TextIO) -> None:
    out.write("categories: name, kind, size (cm), regions of a thing NAME\n")
    for c in told["categories"]:
        out.write(f"  {c['name']}  {c['kind']}  {_size(c)}{_regions(c)}\n")
    out.write("\ntables: name, symbol in goals, x, y (m), height of the top (m)\n")
    for t in told["tables"]:
        out.write(f"  {t['name']}  {t['symbol']}  {_range(t['x'])}  {_range(t['y'])}  {t['z']:g}\n")
    if told["unusable"]:
        names = ", ".join(u["name"] for u in told["unusable"])
        out.write(f"\nnot usable, their files are missing or broken (--json says which): {names}\n")


def _size(c: dict[str, Any]) -> str:
    return " x ".join(f"{100 * s:.0f}" for s in c["size"])


def _regions(c: dict[str, Any]) -> str:
    told = [f"NAME_{r['name']} ({r['type']})" for r in c["regions"]]
    return f"  {', '.join(told)}" if told else ""


def _range(values: list[float]) -> str:
    return f"{values[0]:g} to {values[1]:g}"


def _page(told: dict[str, Any]) -> str:
    cards = "\n".join(_card(c) for c in told["categories"])
    rows = "\n".join(
        f"<tr><td><code>{t['name']}</code><td><code>{t['symbol']}</code><td>{_range(t['x'])}<td>{_range(t['y'])}"
        for t in told["tables"]
    )
    return (
        f"<!doctype html>\n<meta charset=utf-8><title>Categories</title><style>{STYLE}</style>\n"
        f"<h1>What a scene.toml can have in it</h1>\n<div class=all>\n{cards}\n</div>\n<h2>Tables</h2>\n"
        f"<table><tr><th>table<th>in goals<th>x (m)<th>y (m)\n{rows}\n</table>\n"
    )


def _card(c: dict[str, Any]) -> str:
    image = b64encode(c["picture"]).decode()
    regions = "".join(f"<br><code>NAME_{r['name']}</code> {r['type']}" for r in c["regions"])
    name = markup.escape(c["name"])
    return (
        f'<div><img width=200 height=200 alt="{name}" src="data:image/png;base64,{image}">'
        f"<br><b><code>{name}</code></b><br>{c['kind']}, {_size(c)} cm{regions}</div>"
    )
