"""The texts that `tamp new` writes, to be changed by who gets them. Everything in them runs as it is."""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from string import Template

SCENE_TRIED = "mug_in_drawer"
"""The shipped scene in which a template's case is run."""


def function_name(name: str) -> str:
    """What a PDDL name is called in Python: `tap-it` is `tap_it`."""
    said = name.replace("-", "_")
    return f"{said}_" if keyword.iskeyword(said) else said


def class_name(name: str) -> str:
    """What a PDDL name is called as a class: `tap-it` is `TapIt`."""
    said = "".join(part.capitalize() for part in name.replace("_", "-").split("-"))
    return f"{said}_" if keyword.iskeyword(said) else said


DOMAIN_HEAD = Template("""\
; $name: everything of the tabletop domain, and at the end of each part one thing of its own, which is there to be
; changed. The planner knows what is in this file and nothing else; the prompt, the grammar and the checks follow it.
;
;   skills.toml    which skill carries out each operator
;   skills.py      the motion of the skill that is this folder's own
;   observers.py   how its own predicate is seen
;   tests/         what `tamp test` runs

""")

PYTHON_HEAD = {
    "skills.py": '"""Motions of this domain: see docs/extending.md."""\n',
    "observers.py": '"""What this domain sees of its own: see docs/extending.md."""\n',
}

PREDICATE_OF_SKILL = Template("""\

    ; This folder's own: made true by $skill, seen by observers.py.
    ($predicate ?x - item)
""")

OPERATOR_OF_SKILL = Template("""\
  ; This folder's own, to be changed. The planner may take it where :precondition holds, and reckons with :effect
  ; afterwards; skills.toml says which skill does it, observers.py whether it came true.
  (:action $skill
    :parameters (?x - item)
    :precondition (and
$conditions)
    :effect ($predicate ?x))
""")

CONDITIONS_OF_SKILL = (
    ("hand-empty", (), "(hand-empty)"),
    ("unreachable", ("object",), "(not (unreachable ?x))"),
    ("untouchable", ("object",), "(not (untouchable ?x))"),
    ("obstructed", ("object", "item"), "(forall (?y - item) (not (obstructed ?x ?y)))"),
)
"""Conditions, each with the predicate that a domain must have for it and the types of its arguments."""

SKILL = Template('''\
class $cls(GuidedSkill):
    """The closed fingers come straight down on the middle of an item's top, and go up again."""

    # The name for skills.toml, and the types of the operator's first parameters.
    spec = Spec("$skill", ("item",)$facts)
    # What is tried one after the other, until one can be gone: here degrees by which the hand is turned, and leant,
    # with which it reaches further.
    ways = tuple((turn, lean) for lean in (0, -15, -30) for turn in (0, 90))

    def guide(self, hand: Hand, item: str) -> None:
        """Nothing moves in here: every call looks for a free path. Metres and radians, in the world frame."""
        R = hand.down(*np.radians(hand.way))
        x, y, _ = hand.middle(item)
        top = hand.top(item)
        above = hand.at([x, y, top + 0.08], R)
        hand.close()
        hand.go(above)
        hand.line(hand.at([x, y, top + 0.005], R), touching=[item])
        hand.line(above, touching=[item])
''')

OBSERVER_OF_SKILL = Template('''\
@observes("$predicate", unit="m", needs=["object"], keeps=True)  # keeps: once seen, it holds from then on
def $function(view: View, item: str, tolerance: float = 0.02) -> bool:
    """The tip of the closed hand was this near to the middle of the item's top."""
    top = np.append(view.middle(item)[:2], view.top(item))
    closed = [m.T_world_tool[:3, 3] for m in view.trail if m.held is None and m.opening < 0.01]
    return any(np.linalg.norm(p - top) < tolerance for p in closed)
''')

PREDICATE_SEEN = Template("""\

    ; This folder's own: made true by $operator, seen by observers.py.
    ($predicate ?o - item)
""")

OPERATOR_SEEN = Template("""\
  ; This folder's own, to be changed: what pick does, by the same skill, after which ($predicate ?o) is to be seen.
  (:action $operator
    :parameters (?o - item ?from - surface)
    :precondition (and
$conditions)
    :effect (and
      (holding ?o)
      (not (hand-empty))
      (not (on ?o ?from))
      (clear ?from)
      ($predicate ?o)))
""")

CONDITIONS_SEEN = (
    ("hand-empty", (), "(hand-empty)"),
    ("on", ("item", "surface"), "(on ?o ?from)"),
    ("clear", ("surface",), "(clear ?o)"),
    ("no-grasp", ("item",), "(not (no-grasp ?o))"),
    ("untouchable", ("object",), "(not (untouchable ?o))"),
    ("obstructed", ("object", "item"), "(forall (?x - item) (not (obstructed ?o ?x)))"),
)
NEEDED_SEEN = (("hand-empty", 0), ("on", 2), ("clear", 1), ("holding", 1))
"""Predicates that the operator above cannot do without, and how many arguments they have."""

OBSERVER_SEEN = Template('''\
@observes("$predicate", unit="m", needs=["object"])
def $function(view: View, item: str, tolerance: float = 0.02) -> bool:
    """It is in the hand, and further than this from where it was at the start."""
    return view.held == item and view.moved(item) > tolerance
''')

OBSERVER_GIVEN = Template('''\
@observes("$predicate", unit="m", keeps=True)  # keeps: once seen, it holds from then on
def $function(view: View, $symbols, tolerance: float = 0.1) -> bool:
    """The tool was this near to the first of them: to be changed to what ($predicate …) is to mean."""
    low, high = view.box($first)
    tools = [m.T_world_tool[:3, 3] for m in view.trail]
    return any(np.linalg.norm(p - np.clip(p, low, high)) < tolerance for p in tools)
''')
"""Of a predicate that the domain has, and that is about something."""

OBSERVER_GIVEN_BARE = Template('''\
@observes("$predicate", unit="m", keeps=True)  # keeps: once seen, it holds from then on
def $function(view: View, tolerance: float = 0.1) -> bool:
    """The tool has been further than this from where it began: to be changed to what ($predicate) is to mean."""
    tools = [m.T_world_tool[:3, 3] for m in view.trail]
    return any(np.linalg.norm(p - tools[0]) > tolerance for p in tools)
''')

CASE = Template("""\
# `tamp test` runs this: in the scene, as each of the seeds draws it, the goal is to be reached.
scene = "$scene"  # `tamp scene list` names others, `tamp scene show $scene` what is in this one
goal = "$goal"  # or in words: instruction = "…"
seeds = [0]
expect = "reached"  # or "refused": nothing moves, and a reason is told
""")

SCENE = """\
# A scene: what there is, where it is drawn, and what to do. Metres; x points away from the robot, y to its left.
instruction = "put the mug on the plate"
goal = "(on mug_1 plate_1)"

[things.mug_1]                     # what it is called in goals
category = "porcelain_mug"         # `tamp scene categories` lists them
on = "table"                       # anywhere on it, as the seed draws it

[things.plate_1]
category = "plate"
region = [-0.1, 0.1, 0.1, 0.25]    # x_min y_min x_max y_max on the table
"""


def lines(conditions: Sequence[str]) -> str:
    """Conditions, one a line, as they stand in an operator."""
    return "\n".join(f"      {c}" for c in conditions)
