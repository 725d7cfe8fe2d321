"""What there is: `tamp scene` (scenes, what one holds, what can be in one) and `tamp body`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import tamp
from cli.output import Output, note, progress
from tamp.api import pages, scene_info, things
from tamp.api.tool_configs import (
    CategoriesConfig,
    ListBodiesConfig,
    ListScenesConfig,
    ShowBodyConfig,
    ShowSceneConfig,
)
from tamp.view import page_layout

SHOWN = 4
"""Names of one thing that are printed, the shortest first."""


def list_scenes(config: ListScenesConfig, out: Output) -> int:
    """Print the project's scenes, and the suites with the number of their tasks."""
    own, suites = scene_info.own_scenes(), scene_info.suites()
    shown = suites if config.everything else [s for s in suites if s["usable"]]
    scenes = [{"name": t.name, "instruction": t.instruction} for t in own]
    lines = [f"{t.name}  {t.instruction or t.goal or ''}" for t in own]
    out.answer({"scenes": scenes, "suites": suites}, [*lines, *map(_suite, shown)])
    if (hidden := len(suites) - len(shown)) and not out.json:
        note(f"{hidden} suites that lack files are not shown; --all shows them")
    return 0


def _suite(s: dict[str, Any]) -> str:
    if not s["tasks"]:
        return f"{s['name']}  not usable: no tasks"
    lost = f"  not usable: {s['missing']} of {s['tasks']} BDDL files are missing" if s["missing"] else ""
    return f"{s['name']}/0 to {s['tasks'] - 1}{lost}"


def show(config: ShowSceneConfig, out: Output) -> int:
    """Print what perception sees in a scene, and what an instruction can name there; with `html` write a page of it."""
    if config.html is not None:
        page_layout.writable(config.html)
        pages.drawable()
    with tamp.load_scene(
        config.scene,
        seed=config.seed,
        init_state=config.init_state,
        domain=config.domain,
        pictures=config.html is not None,
        say=note,
    ) as loaded:
        seen = tamp.perceive(loaded)
        about = scene_info.described(loaded, seen)
        if config.html is not None:
            pages.write_scene(config.html, loaded, seen)
            note(f"wrote {config.html}")
    out.answer(about, _lines(about))
    return 0


def _lines(about: dict[str, Any]) -> Iterator[str]:
    yield ": ".join(filter(None, (about["scene"], about["instruction"])))
    if about["goal"]:
        yield f"goal {about['goal']}"
    yield "\nobjects: name, category, position, extent (m)"
    for o in about["objects"]:
        yield f"  {o['name']}  {o['category']}  {_numbers(o['position'])}  {_numbers(o['extent'])}"
    yield "\nsymbols: name, type, the phrase that means it alone; other names (--json has all)"
    called = scene_info.called_alone(about)
    for symbol, kind in about["symbols"].items():
        own = about["referring_expressions"][symbol]
        others = sorted((p for p, fits in about["names"].items() if fits == [symbol] and p != own), key=len)
        yield f"  {symbol}  {kind}  {called[symbol]}{'; ' if others else ''}{', '.join(others[:SHOWN])}"
    yield "\nfacts"
    for atom in about["atoms"]:
        yield f"  {atom}"


def _numbers(values: Any, digits: int = 3) -> str:
    return " ".join(f"{round(v, digits) + 0.0:.{digits}f}" for v in values)


def categories(config: CategoriesConfig, out: Output) -> int:
    """Print every category whose files load, and the tables."""
    about = things.categories(progress)
    out.answer(about, _category_lines(about))
    return 0


def _category_lines(about: dict[str, Any]) -> Iterator[str]:
    yield "categories: name, kind, size (cm), regions of a thing NAME"
    for c in about["categories"]:
        regions = ", ".join(f"NAME_{r['name']} ({r['type']})" for r in c["regions"])
        size = " x ".join(f"{100 * s:.0f}" for s in c["size"])
        yield f"  {c['name']}  {c['kind']}  {size}{'  ' if regions else ''}{regions}"
    yield "\ntables: name, symbol in goals, x, y (m), height of the top (m)"
    for t in about["tables"]:
        x, y = ("{:g} to {:g}".format(*t[axis]) for axis in "xy")
        yield f"  {t['name']}  {t['symbol']}  {x}  {y}  {t['z']:g}"
    if about["unusable"]:
        names = ", ".join(u["name"] for u in about["unusable"])
        yield f"\nnot usable, their files are missing or broken (--json says which): {names}"


def list_bodies(config: ListBodiesConfig, out: Output) -> int:
    """Print the robots that are shipped."""
    from tamp.api import robots

    names = robots.names()
    out.answer({"bodies": names}, names)
    return 0


def show_body(config: ShowBodyConfig, out: Output) -> int:
    """Print what a robot comes to, or what a model has."""
    from tamp.api import robots

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
    yield f"stands {_numbers(about['stands'], 2)} m from where a Panda would{turned}"
    yield "joints: name, limits, posture (rad)"
    for j in about["joints"]:
        yield "  {}  {:.2f} to {:.2f}  {:.2f}".format(j["name"], *j["limits"], j["posture"])
    yield "tool at the posture, seen from the base: x y z (m)"
    for name, key in (("at", "position"), ("fingers close along", "x"), ("hand points to", "z")):
        yield f"  {name}  {_numbers(about['tool'][key], 2)}"
    yield f"hand: opens {about['opening']:.3f} m; seen from the tool, open: x, y, z (m)"
    for name in ("pads", "fingers", "palm"):
        if None not in about[name][0]:
            spans = (f"{a:.3f} to {b:.3f}" for a, b in zip(*about[name], strict=True))
            yield f"  {name}  {'  '.join(spans)}"
    yield f"{about['watched']} pairs of its shapes are watched for touching"
