"""`tamp objects`: the library of known things that the camera mode recognises."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from cli import options as opt
from cli.output import emit_json, progress, say
from tamp.files.replacing import replace_file
from tamp.quiet import quiet_stdout

objects_app = typer.Typer(help="The known things that the camera mode recognises.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="A name of `tamp objects list`.", metavar="NAME")]
Folder = Annotated[Path, typer.Argument(help="A folder with one mesh in it.", metavar="DIR")]
Picture = Annotated[Path | None, typer.Option(help="Write a picture of it there.", metavar="FILE.png")]


@opt.command(objects_app)
def build(json_output: opt.Json = False) -> int:
    """Make the library: every thing of LIBERO, and its robot.

    About a minute; what has not changed since is kept, and a build that was interrupted goes on. Says which categories
    of the installed LIBERO cannot be loaded, and why. Things that were added stay.
    """
    from tamp.api import things

    begun = time.perf_counter()
    with quiet_stdout() as out:
        folder, outcomes = things.build(progress)
        if json_output:
            emit_json({"folder": folder, "objects": [asdict(o) for o in outcomes]}, out)
            return 0
        counts = Counter(o.state for o in outcomes)
        seconds = time.perf_counter() - begun
        out.write(f"{counts['made']} made and {counts['kept']} kept in {folder}, {seconds:.0f} s\n")
        out.writelines(f"not usable: {o.name}: {o.reason}\n" for o in outcomes if o.state == "unusable")
    return 0


@opt.command(objects_app, "list")
def list_objects(json_output: opt.Json = False) -> int:
    """List the known things.

    Name, kind, size, symmetry about the vertical, the number of attitudes in which it can lie, moving parts, where it
    comes from.
    """
    from tamp.api import things

    with quiet_stdout() as out:
        library = things.objects()
        rows, robots = things.rows(library), sorted(library.robots)
        if library.stale:
            say(f"tamp: {library.stale}")
        if json_output:
            emit_json({"stale": library.stale, "objects": rows, "robots": robots}, out)
        else:
            _print(rows, robots, out)
    return 0


def _print(rows: list[dict[str, Any]], robots: list[str], out: TextIO) -> None:
    out.write("name, kind, size (cm), symmetry about the vertical, attitudes, moving parts, source\n")
    for r in rows:
        kinds = Counter(j["kind"] for j in r["joints"]).items()
        parts = ", ".join(f"{n} {kind}{'s' if n > 1 else ''}" for kind, n in kinds) or "-"
        out.write(
            f"  {r['name']}  {r['kind']}  {_size(r['size'])}  {_symmetry(r['turns'])}  {r['attitudes']}  {parts}"
            f"  {r['source']}\n"
        )
    out.writelines(f"robot: {name}\n" for name in robots)


def _size(metres: Any) -> str:
    return " x ".join(f"{100 * s:.1f}" for s in metres)


def _place(axis: Any) -> str:
    x, y = 100 * axis.round(3) + 0.0
    return f"through ({x:g}, {y:g}) cm"


def _symmetry(turns: int) -> str:
    return "any turn" if turns == 0 else "none" if turns == 1 else f"1/{turns} turn"


@opt.command(objects_app)
def show(name: Name, picture: Picture = None, json_output: opt.Json = False) -> int:
    """Show all that is known of one thing.

    Names, size, symmetry, attitudes, parts with their joints and thresholds, regions, and with --picture what it looks
    like.
    """
    from tamp.api import things

    with quiet_stdout() as out:
        library = things.objects()
        told = things.described(library, name)
        if picture is not None:
            _write(picture, library.entry(name).picture)
        if json_output:
            emit_json(told, out)
        else:
            _print_told(told, out)
    return 0


def _write(path: Path, content: bytes) -> None:
    replace_file(path, content, "; valid: a file in a folder that exists")
    say(f"tamp: wrote {path}")


def _print_told(t: dict[str, Any], out: TextIO) -> None:
    out.write(f"{t['name']}, {t['kind']}, from {t['source']} ({t['hash'][:12]})\n")
    out.write(f"  called: {', '.join(t['names'])}\n  size: {_size(t['size'])} cm\n")
    out.write(f"  symmetry: {_symmetry(t['turns'])} about the vertical {_place(t['axis'])}\n")
    out.write(f"  lies in {t['attitudes']} attitude{'s' if t['attitudes'] > 1 else ''}\n")
    for p in t["parts"]:
        out.write(f"  part {p['name']}: {p['kind']}, {p['shapes']} shapes, {p['points']} points of skin{_joint(p)}\n")
    for r in t["regions"]:
        behind = f", behind {r['door']}" if r["door"] else ""
        out.write(f"  region {r['name']}: {r['kind']} of {_size(2 * r['half_extent'])} cm{behind}\n")
    out.writelines(f"  note: {remark}\n" for remark in t["remarks"])


def _joint(part: dict[str, Any]) -> str:
    if "joint" not in part:
        return ""
    j = part["joint"]
    unit, scale = ("cm", 100.0) if j["kind"] == "slide" else ("rad", 1.0)
    low, high, active, rest = (scale * v for v in (*j["limits"], j["active"], j["rest"]))
    word, other = ("on", "off") if part["kind"] == "knob" else ("open", "closed")
    return f", {j['kind']} {low:.3g} to {high:.3g} {unit}, {word} at {active:.3g}, {other} at {rest:.3g}"


@opt.command(objects_app)
def add(folder: Folder, json_output: opt.Json = False) -> int:
    """Add a thing of your own from a folder with its mesh.

    The folder's name is the thing's. OBJ, STL or GLB; what is not said in an object.toml is found out: unit, upright
    attitude, symmetry, names, shapes to touch it by. One that was added before by this name is replaced.
    """
    from tamp.api import things

    with quiet_stdout() as out:
        told = things.add(folder)
        if json_output:
            emit_json(told, out)
        else:
            _print_told(told, out)
    return 0
