"""The page of what a `scene.toml` can have in it: a picture of each category, and the tables."""

from __future__ import annotations

import html
from base64 import b64encode
from typing import Any

STYLE = (
    "body{font:15px sans-serif;margin:2em;max-width:75em}"
    ".all{display:grid;grid-template-columns:repeat(auto-fill,14em);gap:1.5em}"
    "img{background:#fff;border:1px solid #ccc;border-radius:6px}code{font-size:13px}"
    "td,th{text-align:left;padding-right:2em}"
)


def categories_page(about: dict[str, Any]) -> str:
    """The page; `about` is what `tamp.api.things.categories` gives, with pictures."""
    cards = "\n".join(map(_card, about["categories"]))
    rows = "\n".join(
        f"<tr><td><code>{t['name']}</code><td><code>{t['symbol']}</code><td>{_span(t['x'])}<td>{_span(t['y'])}"
        for t in about["tables"]
    )
    return (
        f"<!doctype html>\n<meta charset=utf-8><title>Categories</title><style>{STYLE}</style>\n"
        f"<h1>What a scene.toml can have in it</h1>\n<div class=all>\n{cards}\n</div>\n<h2>Tables</h2>\n"
        f"<table><tr><th>table<th>in goals<th>x (m)<th>y (m)\n{rows}\n</table>\n"
    )


def _span(values: list[float]) -> str:
    return f"{values[0]:g} to {values[1]:g}"


def _card(c: dict[str, Any]) -> str:
    image = b64encode(c["picture"]).decode()
    regions = "".join(f"<br><code>NAME_{r['name']}</code> {r['type']}" for r in c["regions"])
    name, size = html.escape(c["name"]), " x ".join(f"{100 * s:.0f}" for s in c["size"])
    return (
        f'<div><img width=200 height=200 alt="{name}" src="data:image/png;base64,{image}">'
        f"<br><b><code>{name}</code></b><br>{c['kind']}, {size} cm{regions}</div>"
    )
