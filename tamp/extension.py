"""What the Python of a domain folder is written with: observers in `observers.py`, skills in `skills.py`.

    from tamp.extension import GuidedSkill, Hand, Spec, View, observes

docs/extending.md says what each of them does. Everything else of the toolkit may change without notice.
"""

from __future__ import annotations

from motion.poses import from_rpy, inverse, pose, rotation_about
from tamp.model.skill_spec import Spec
from tamp.perception.observers import Moment, Observer, Things, View, observes
from tamp.skills.guided import GuidedSkill, Hand

__all__ = [
    "GuidedSkill",
    "Hand",
    "Moment",
    "Observer",
    "Spec",
    "Things",
    "View",
    "from_rpy",
    "inverse",
    "observes",
    "pose",
    "rotation_about",
]
