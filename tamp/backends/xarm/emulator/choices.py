"""What nobody here could check on hardware: each choice is a field, and a row of the table in docs/xarm.md."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

from tamp.errors import InputError


@dataclass(frozen=True)
class Choices:
    """How the emulated controller behaves where the protocol's facts leave it open; metres, radians, seconds."""

    firmware: str = "2.5.0"
    """Decides what the SDK uses: feedback from 2.0.102, "keep this axis" from 2.4.101, longer IK from 2.7.103."""
    power_on_state: int = 4
    """Reported until the first `set_state(0)`; motors are off."""
    state_after_clean_error: int = 4
    """Reported after `clean_error` until `set_state(0)`; 2 would be ready at once."""
    pause_seconds: float = 0.1
    """To come to rest on the path when paused, and to go on."""
    stop_seconds: float = 0.05
    """To come to rest on the path after `set_state(4)` or an error; nothing of it goes on. A change of mode stops at
    once."""
    deceleration_seconds: float = 0.3
    """The same for `set_state(6)`, which ends in state 4."""
    joint_speed: float = math.pi
    """Of servo motion, and the fastest that a joint may be."""
    overspeed: float = 1.2
    """C24 when a joint is faster than this times `joint_speed`."""
    joint_acceleration: float = 20.0
    """Of joint velocity control, and when a servo target stops coming."""
    rotation_speed: float = math.pi
    """Of the tool in a Cartesian move: a turn on the spot, or one too fast for its distance, is held to it."""
    rotation_acceleration: float = 2 * math.pi
    """The same for the acceleration."""
    servo_jump: float = 0.5
    """C24 when a servo target is this far, in one joint, from the arm; 0 for never."""
    look_ahead: float = 0.02
    """Metres between the places at which a Cartesian move is solved before it starts; 0 for not at all."""
    queue: int = 1024
    """Commands that wait; one more is dropped with warning 11."""
    motor_errors_disable: bool = True
    """Emergency stops and motor errors (C1-3, C10-17) switch the motors off; the others leave them on."""
    gripper_speed: float = 0.5
    """Pulses a second for each unit of the gripper's speed register."""


def choose(settings: list[str]) -> Choices:
    """Choices from `name=value` pairs. Raises InputError that names the valid ones."""
    known = {field.name: field for field in dataclasses.fields(Choices)}
    chosen: dict[str, object] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or name not in known:
            raise InputError(f"--set {setting}: not NAME=VALUE with a name of {', '.join(known)}")
        chosen[name] = _value(setting, value, type(known[name].default))
    return Choices(**chosen)  # type: ignore[arg-type]


def _value(setting: str, text: str, kind: type) -> object:
    """A value of the kind of the default; numbers are finite and not negative."""
    if kind is bool:
        if text in ("true", "false"):
            return text == "true"
        raise InputError(f"--set {setting}: not true or false")
    if kind is str:
        if all(part.isdigit() for part in text.split(".")) and text.count(".") == 2:
            return text
        raise InputError(f"--set {setting}: not a version as 2.5.0")
    try:
        number = kind(text)
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise InputError(f"--set {setting}: not a number from 0")
    return number
