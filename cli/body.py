"""`tamp body`: which robots there are, what a robot file comes to, and the names in a model that one can be made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cli.output import Output
from tamp.api import robots
from tamp.api.tool_configs import ListBodiesConfig, ShowBodyConfig


def list_bodies(config: ListBodiesConfig, out: Output) -> int:
    """Print the robots that are shipped."""
    names = robots.names()
    out.answer({"bodies": names}, names)
    return 0


def show(config: ShowBodyConfig, out: Output) -> int:
    """Print what a robot comes to, or what a model has."""
    about = robots.described(config.name)
    out.answer(about, _model(about) if "links" in about else _robot(about))
    return 0


def _model(about: dict[str, Any]) -> Iterator[str]:
    yield "joints: name, kind, limits (rad or m), the link that it moves"
    for j in about["joints"]:
        limits = "{:.4g} to {:.4g}".format(*j["limits"]) if j["limits"] else "no limits"
        yield f"  {j['name']}  {j['kind']}  {limits}  {j['link']}"
    yield "links: name, what it is on, size of what collides (m), shapes, kg"
    for link in about["links"]:
        size = " x ".join(f"{v:.3f}" for v in link["size"]) if link["shapes"] else "-"
        shapes = ", ".join(link["shapes"]) or "-"
        yield f"  {link['name']}  {link['on'] or 'the base'}  {size}  {shapes}  {link['mass']:g}"


def _robot(about: dict[str, Any]) -> Iterator[str]:
    yield f"{about['name']}: {len(about['joints'])} joints, reach {about['reach']:g} m, {about['mass']:g} kg move"
    turned = f", turned {about['yaw']:.2f} rad" if about["yaw"] else ""
    yield f"stands {_numbers(about['stands'])} m from where a Panda would{turned}"
    yield "joints: name, limits, posture (rad)"
    for j in about["joints"]:
        yield "  {}  {:.2f} to {:.2f}  {:.2f}".format(j["name"], *j["limits"], j["posture"])
    yield "tool at the posture, seen from the base: x y z (m)"
    for name, key in (("at", "position"), ("fingers close along", "x"), ("hand points to", "z")):
        yield f"  {name}  {_numbers(about['tool'][key])}"
    yield f"hand: opens {about['opening']:.3f} m; seen from the tool, open: x, y, z (m)"
    for name in ("pads", "fingers", "palm"):
        if None not in about[name][0]:
            spans = (f"{a:.3f} to {b:.3f}" for a, b in zip(*about[name], strict=True))
            yield f"  {name}  {'  '.join(spans)}"
    yield f"{about['watched']} pairs of its shapes are watched for touching"


def _numbers(values: list[float]) -> str:
    return " ".join(f"{v:.2f}" for v in values).replace("-0.00", "0.00")
