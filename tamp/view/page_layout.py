"""Lay pages out: one file of HTML that loads nothing, and in which nothing that is shown is ever run."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tamp.errors import InputError
from tamp.files.replacing import replace_file

if TYPE_CHECKING:
    from jinja2 import Environment

PACKAGE = "tamp.view"
THREE = "space.js"
"""The script that draws with three.js: a page that has it carries the library, too."""


@dataclass(frozen=True)
class Layout:
    """Lays pages out. Make one with `of`, for any number of pages."""

    _environment: Environment

    @classmethod
    def of(cls) -> Layout:
        """With the templates of the package."""
        from jinja2 import Environment, PackageLoader, StrictUndefined

        loader = PackageLoader(PACKAGE, "templates")
        made = Environment(
            loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        made.globals["parts"] = made.get_template("parts.html.j2").module
        return cls(made)

    def page(
        self, template: str, scripts: tuple[str, ...], data: Mapping[str, Any], live: bool = False, **shown: Any
    ) -> str:
        """A page. `data` is what its scripts read, `shown` what its template lays out.

        Only the page's own scripts can run: its policy names their hashes. It can ask for nothing, but for a `live`
        one, which may ask its own server.
        """
        import gzip

        from markupsafe import Markup

        script = "".join(map(_asset, scripts))
        library = three_js() if THREE in scripts else ""
        whole = {
            "style": Markup(_asset("page.css")),
            "script": Markup(script),
            "hashes": [b64encode(sha256(text.encode()).digest()).decode() for text in (script, library) if text],
            "three": b64encode(gzip.compress(library.encode(), mtime=0)).decode() if library else "",
            "data": Markup(in_script(data)),
            "live": live,
        }
        return str(self._environment.get_template(template).render(**whole, **shown))

    def parts(self, template: str, **shown: Any) -> dict[str, str]:
        """The blocks of a template but the whole, `main`, each laid out alone: an open page is brought up to date with
        these."""
        found = self._environment.get_template(template)
        context = found.new_context(shown)
        return {name: "".join(lay_out(context)) for name, lay_out in found.blocks.items() if name != "main"}


@cache
def three_js() -> str:
    """The library three.js (MIT), as trimesh ships it in the page of its own viewer. InputError where it does not."""
    import io
    import zipfile

    try:
        archive = files("trimesh").joinpath("resources", "templates", "viewer.zip").read_bytes()
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            page = opened.read("viewer.html.template").decode()
    except (ModuleNotFoundError, OSError, KeyError) as e:
        raise InputError(f"no three.js for the page's 3-D view: {e}; valid: trimesh 4 or 5, by extra [motion]") from e
    library = page.partition("<script>")[2].partition("\n(function()")[0]
    if "WebGLRenderer" not in library:
        raise InputError("trimesh has no three.js in viewer.zip; valid: trimesh 4 or 5, by extra [motion]")
    return library


def in_script(data: Mapping[str, Any] | str) -> str:
    """Data as JSON that can stand in a script element: with nothing in it that HTML reads as the element's end."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def writable(file: Path) -> None:
    """InputError where no page can be written; a page that is there is written anew."""
    if file.is_dir() or not file.parent.is_dir():
        raise InputError(f"cannot write {file}; valid: a file in a folder that exists")


def write(file: Path, page: str) -> None:
    """Write a page. InputError where the disk does not take it: then the page before is still there."""
    replace_file(file, page.encode("utf-8", errors="replace"))


def _asset(name: str) -> str:
    return files(PACKAGE).joinpath("templates", name).read_text(encoding="utf-8")
