"""Adding requirements to a domain's text, everything else to the byte."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from tamp.files.replacing import replacing
from tamp.lint.domain_text import DomainText


def add_requirements(domain: DomainText, requirements: Collection[str]) -> None:
    """Write them into the domain's file. InputError when that cannot be written."""
    path = Path(domain.notes.source.name)
    with replacing(path) as partial:
        raw = path.read_bytes().decode("utf-8")
        partial.write_bytes(with_requirements(domain, raw, requirements).encode("utf-8"))


def with_requirements(domain: DomainText, raw: str, requirements: Collection[str]) -> str:
    """The text of a file, with its own line ends and mark at the beginning, and more requirements."""
    sections = domain.sections.get(":requirements")
    if sections:
        offset, added = sections[0].parts[-1].end, "".join(f" {r}" for r in requirements)
    else:
        offset = domain.notes.source.bare().index(")") + 1  # of (domain NAME)
        ends = re.search(r"\r\n|\r|\n", raw)
        added = f"{ends[0] if ends else chr(10)}  (:requirements :strips{''.join(f' {r}' for r in requirements)})"
    at = domain.notes.source.in_raw(raw, offset)
    return raw[:at] + added + raw[at:]
