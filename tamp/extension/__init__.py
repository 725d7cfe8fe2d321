"""What the Python of a domain folder is written with: observers in `observers.py`, skills in `skills.py`.

    from tamp.extension import GuidedSkill, Hand, Spec, View, observes

docs/extending.md says what each of them does. Everything else of the toolkit may change without notice.
"""

from motion.poses import from_rpy, inverse, pose, rotation_about
from tamp.perception.observers import Moment, Observer, View, observes
from tamp.perception.things import Things
from tamp.skills.guided import GuidedSkill, Hand
from tamp.skills.spec import Spec

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
