"""`tamp objects`: the library of known things that the camera mode recognises."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from cli.output import Output, note, progress
from tamp.api import things
from tamp.api.tool_configs import AddObjectConfig, BuildObjectsConfig, ListObjectsConfig, ShowObjectConfig
from tamp.files.replacing import replace_file


def build(config: BuildObjectsConfig, out: Output) -> int:
    """Make the library, and say what was made, kept, and cannot be loaded."""
    begun = time.perf_counter()
    folder, outcomes = things.build(progress)
    counts, seconds = Counter(o.state for o in outcomes), time.perf_counter() - begun
    summary = f"{counts['made']} made and {counts['kept']} kept in {folder}, {seconds:.0f} s"
    unusable = [f"not usable: {o.name}: {o.reason}" for o in outcomes if o.state == "unusable"]
    out.answer({"folder": folder, "objects": [asdict(o) for o in outcomes]}, [summary, *unusable])
    return 0


def list_objects(config: ListObjectsConfig, out: Output) -> int:
    """Print a line a thing."""
    library = things.objects()
    if library.stale:
        note(library.stale)
    rows, robots = things.rows(library), sorted(library.robots)
    out.answer({"stale": library.stale, "objects": rows, "robots": robots}, _rows(rows, robots))
    return 0


def _rows(rows: list[dict[str, Any]], robots: list[str]) -> Iterator[str]:
    yield "name, kind, size (cm), symmetry about the vertical, attitudes, moving parts, source"
    for r in rows:
        kinds = Counter(j["kind"] for j in r["joints"]).items()
        parts = ", ".join(f"{n} {kind}{'s' if n > 1 else ''}" for kind, n in kinds) or "-"
        about = (r["name"], r["kind"], _size(r["size"]), _symmetry(r["turns"]), str(r["attitudes"]), parts, r["source"])
        yield f"  {'  '.join(about)}"
    for name in robots:
        yield f"robot: {name}"


def _size(metres: Any) -> str:
    return " x ".join(f"{100 * s:.1f}" for s in metres)


def _symmetry(turns: int) -> str:
    return "any turn" if turns == 0 else "none" if turns == 1 else f"1/{turns} turn"


def show(config: ShowObjectConfig, out: Output) -> int:
    """Print all that is known of one thing, and write its picture."""
    library = things.objects()
    about = things.described(library, config.name)
    if config.picture is not None:
        picture = library.entry(config.name).picture
        replace_file(config.picture, picture, "; valid: a file in a folder that exists")
        note(f"wrote {config.picture}")
    out.answer(about, _lines(about))
    return 0


def add(config: AddObjectConfig, out: Output) -> int:
    """Add a thing, and print all that is known of it."""
    about = things.add(config.folder)
    out.answer(about, _lines(about))
    return 0


def _lines(t: dict[str, Any]) -> Iterator[str]:
    x, y = 100 * t["axis"].round(3) + 0.0
    yield f"{t['name']}, {t['kind']}, from {t['source']} ({t['hash'][:12]})"
    yield f"  called: {', '.join(t['names'])}"
    yield f"  size: {_size(t['size'])} cm"
    yield f"  symmetry: {_symmetry(t['turns'])} about the vertical through ({x:g}, {y:g}) cm"
    yield f"  lies in {t['attitudes']} attitude{'s' if t['attitudes'] > 1 else ''}"
    for p in t["parts"]:
        yield f"  part {p['name']}: {p['kind']}, {p['shapes']} shapes, {p['points']} points of skin{_joint(p)}"
    for r in t["regions"]:
        behind = f", behind {r['door']}" if r["door"] else ""
        yield f"  region {r['name']}: {r['kind']} of {_size(2 * r['half_extent'])} cm{behind}"
    for remark in t["remarks"]:
        yield f"  note: {remark}"


def _joint(part: dict[str, Any]) -> str:
    if "joint" not in part:
        return ""
    j = part["joint"]
    unit, scale = ("cm", 100.0) if j["kind"] == "slide" else ("rad", 1.0)
    low, high, active, rest = (scale * v for v in (*j["limits"], j["active"], j["rest"]))
    word, other = ("on", "off") if part["kind"] == "knob" else ("open", "closed")
    return f", {j['kind']} {low:.3g} to {high:.3g} {unit}, {word} at {active:.3g}, {other} at {rest:.3g}"
