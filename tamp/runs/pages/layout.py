"""Pages from templates: one file of HTML that asks for nothing, and in which nothing that is shown is ever run."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tamp.errors import InputError
from tamp.files.replacing import replace_file

if TYPE_CHECKING:
    from jinja2 import Environment

PACKAGE = "tamp.runs.pages"


@dataclass(frozen=True)
class Layout:
    """Lays pages out. Make one with `of`, for any number of pages."""

    _environment: Environment
    _style: str

    @classmethod
    def of(cls) -> Layout:
        """With the templates of the package."""
        from jinja2 import Environment, PackageLoader, StrictUndefined

        loader = PackageLoader(PACKAGE, "templates")
        made = Environment(
            loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        return cls(made, _asset("page.css"))

    def page(
        self, template: str, scripts: tuple[str, ...], data: Mapping[str, Any], live: bool = False, **shown: Any
    ) -> str:
        """A page. `data` is what its scripts read, `shown` what its template lays out.

        Only the page's own scripts can run: its policy names their hash. It can ask for nothing, but for a `live` one,
        which may ask whoever serves it.
        """
        from markupsafe import Markup

        script = "".join(map(_asset, scripts))
        own = b64encode(sha256(script.encode()).digest()).decode()
        whole = {"style": Markup(self._style), "script": Markup(script), "script_hash": own, "live": live}
        made = self._environment.get_template(template).render(**whole, data=Markup(in_script(data)), **shown)
        return str(made)


def in_script(data: Mapping[str, Any] | str) -> str:
    """Data as JSON that can stand in a script element: with nothing in it that HTML reads as the element's end."""
    told = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return told.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def writable(file: Path) -> None:
    """InputError where no page can be written; a page that is there is written anew."""
    if file.is_dir() or not file.parent.is_dir():
        raise InputError(f"cannot write {file}; valid: a file in a folder that exists")


def write(file: Path, page: str) -> None:
    """Write a page. InputError where the disk does not take it: then the page before is still there."""
    replace_file(file, page.encode("utf-8", errors="replace"))


def _asset(name: str) -> str:
    return files(PACKAGE).joinpath("templates", name).read_text(encoding="utf-8")
