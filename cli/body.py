"""`tamp body`: which robots there are, what a robot file comes to, and the names in a model that one can be made of."""

from __future__ import annotations

from typing import Annotated, Any, TextIO

import typer

from cli import options as opt
from cli.output import emit_json
from tamp.quiet import quiet_stdout

body_app = typer.Typer(help="The robots that work at a table.", no_args_is_help=True)

What = Annotated[
    str, typer.Argument(help="A robot: a name, a .toml file; or a model: .urdf, .xml, package:file.", metavar="NAME")
]


@opt.command(body_app, "list")
def list_bodies(json_output: opt.Json = False) -> int:
    """List the robots that are shipped."""
    from tamp.api import robots

    with quiet_stdout() as out:
        names = robots.names()
        if json_output:
            emit_json({"bodies": names}, out)
        else:
            out.writelines(f"{name}\n" for name in names)
    return 0


@opt.command(body_app)
def show(name: What, json_output: opt.Json = False) -> int:
    """Print what a robot comes to: joints, posture, tool, hand; or which joints and links a model has."""
    from tamp.api import robots

    with quiet_stdout() as out:
        told: dict[str, Any]
        if robots.is_model(name):
            told, write = robots.model(name), _print_model
        else:
            told, write = robots.robot(name), _print_robot
        if json_output:
            emit_json(told, out)
        else:
            write(told, out)
    return 0


def _print_model(told: dict[str, Any], out: TextIO) -> None:
    out.write("joints: name, kind, limits (rad or m), the link that it moves\n")
    for j in told["joints"]:
        limits = "{:.4g} to {:.4g}".format(*j["limits"]) if j["limits"] else "no limits"
        out.write(f"  {j['name']}  {j['kind']}  {limits}  {j['link']}\n")
    out.write("links: name, what it is on, size of what collides (m), shapes, kg\n")
    for link in told["links"]:
        size = " x ".join(f"{v:.3f}" for v in link["size"]) if link["shapes"] else "-"
        shapes = ", ".join(link["shapes"]) or "-"
        out.write(f"  {link['name']}  {link['on'] or 'the base'}  {size}  {shapes}  {link['mass']:g}\n")


def _print_robot(told: dict[str, Any], out: TextIO) -> None:
    out.write(f"{told['name']}: {len(told['joints'])} joints, reach {told['reach']:g} m, {told['mass']:g} kg move\n")
    stands = " ".join(f"{v:.2f}" for v in told["stands"])
    turned = f", turned {told['yaw']:.2f} rad" if told["yaw"] else ""
    out.write(f"stands {stands} m from where a Panda would{turned}\n".replace("-0.00", "0.00"))
    out.write("joints: name, limits, posture (rad)\n")
    for j in told["joints"]:
        low, high = j["limits"]
        out.write(f"  {j['name']}  {low:.2f} to {high:.2f}  {j['posture']:.2f}\n")
    tool = told["tool"]
    out.write("tool at the posture, seen from the base: x y z (m)\n")
    for name, key in (("at", "position"), ("fingers close along", "x"), ("hand points to", "z")):
        out.write(f"  {name}  {' '.join(f'{v:.2f}' for v in tool[key])}\n".replace("-0.00", "0.00"))
    out.write(f"hand: opens {told['opening']:.3f} m; seen from the tool, open: x, y, z (m)\n")
    for name in ("pads", "fingers", "palm"):
        if None not in told[name][0]:
            spans = (f"{a:.3f} to {b:.3f}" for a, b in zip(*told[name], strict=True))
            out.write(f"  {name}  {'  '.join(spans)}\n")
    out.write(f"{told['watched']} pairs of its shapes are watched for touching\n")
