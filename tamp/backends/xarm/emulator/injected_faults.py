"""Faults on demand: what can go wrong, and when it does."""

from __future__ import annotations

from dataclasses import dataclass

from tamp.backends.xarm.emulator.controller import ArmController
from tamp.errors import InputError
from tamp.fields import is_number, shown

ERRORS = {"collision": 31, "overspeed": 24, "joint_limit": 23, "emergency": 2, "kinematic": 21, "self_collision": 22}
"""Faults of the arm, and the error that the controller reports; "servo" is one of them, with 10 + joint."""
LINE_FAULTS = ("drop", "freeze", "garbage", "half", "delay")
"""Faults of the connection."""
KINDS = (*ERRORS, "servo", *LINE_FAULTS)
FIELDS = {"fault", "motion", "share", "seconds", "joint"}
LONGEST = 600.0
"""Seconds that a freeze or a delay may last."""
MOST = 1000
"""Faults that wait."""


@dataclass(frozen=True)
class InjectedFault:
    """What happens, and when: now (`motion` 0), at the motion command that is the `motion`-th from here on, or when
    that one has gone a `share` of its way.

    `seconds`: how long a freeze lasts (0: until cleared) or how late replies are, and for how long connections are
    refused after a drop. `joint` of a servo error.
    """

    kind: str
    motion: int = 0
    share: float | None = None
    seconds: float = 0.0
    joint: int = 1

    def due(self, since: int, controller: ArmController) -> bool:
        """Whether its time has come; motion commands are counted from the `since`-th."""
        if self.motion == 0:
            return True
        if self.share is None:
            return controller.submitted >= since + self.motion
        return controller.progress(since + self.motion) >= self.share


def read_fault(order: dict[str, object]) -> InjectedFault:
    """A fault from its JSON object. Raises InputError that says what would be valid."""
    unknown = set(order) - FIELDS
    if unknown:
        raise InputError(f"{', '.join(sorted(unknown))}: a fault has the fields {', '.join(sorted(FIELDS))}")
    kind = order.get("fault")
    if kind not in KINDS:
        raise InputError(f"fault {shown(kind)}: there are {', '.join(KINDS)}")
    share = _number(order, "share", 0.0, 0.0, 1.0) if "share" in order else None
    motion = int(_number(order, "motion", 1 if share is not None else 0, 0, 1e6))
    if share is not None and motion == 0:
        raise InputError("share: of which motion? 1 is the next")
    seconds, joint = _number(order, "seconds", 0.0, 0.0, LONGEST), int(_number(order, "joint", 1, 1, 7))
    return InjectedFault(str(kind), motion, share, seconds, joint)


def _number(order: dict[str, object], name: str, default: float, low: float, high: float) -> float:
    value = order.get(name, default)
    if not is_number(value):
        raise InputError(f"{name}: {shown(value)} is no number")
    if not low <= value <= high:
        raise InputError(f"{name}: {shown(value)} is not within {low:g} to {high:g}")
    return float(value)


@dataclass
class LineFaults:
    """What is wrong with the connections: `frozen` and `refused` until times of the clock, replies `late` by seconds,
    the next one cut in `half`."""

    frozen: float = 0.0
    refused: float = 0.0
    late: float = 0.0
    half: bool = False


class InjectedFaults:
    """Faults that wait for their time. The clock's owner takes those that are due, and carries them out; `line` has
    those of the connections."""

    def __init__(self) -> None:
        self.line = LineFaults()
        self._armed: list[tuple[InjectedFault, int]] = []
        self.happened: list[dict[str, object]] = []
        """Those that have: the kind, when by the emulator's clock, and the joint angles then."""

    @property
    def waiting(self) -> int:
        """How many have not happened yet."""
        return len(self._armed)

    def arm(self, fault: InjectedFault, controller: ArmController) -> None:
        """From now on; motion commands are counted from here. InputError when too many wait."""
        if len(self._armed) >= MOST:
            raise InputError(f"{MOST} faults wait already; valid: clear faults first")
        self._armed.append((fault, controller.submitted))

    def clear(self) -> None:
        """None will happen, has happened, or goes on."""
        self.line = LineFaults()
        self._armed.clear()
        self.happened.clear()

    def due(self, controller: ArmController) -> list[InjectedFault]:
        """Those whose time has come; they happen once."""
        found = [(fault, since) for fault, since in self._armed if fault.due(since, controller)]
        self._armed = [entry for entry in self._armed if entry not in found]
        q = [float(v) for v in controller.encoders] if found else []
        self.happened += [{"fault": fault.kind, "at": controller.now, "joints": q} for fault, _ in found]
        return [fault for fault, _ in found]


def fail(fault: InjectedFault, controller: ArmController) -> None:
    """Carry out a fault of the arm."""
    if fault.kind == "servo":
        controller.fail(10 + fault.joint, fault.joint)
    else:
        controller.fail(ERRORS[fault.kind])
