"""Execution as a step function: asked for its next command each control period, it can be stopped anywhere.

Every command comes from the observation just made. Nothing here knows how long an action should take: a
segment ends when the tool has arrived or the fingers have stopped.

A motion that was planned for where things were seen is led to where they are seen now (position-based visual servoing).
The plan stays as it is; the tool is observed, and commanded, in a frame that has moved as the thing has which it goes
to, and with what it holds where that has moved to in the hand. What was free of collisions by centimetres is so by
millimetres less, and the look-ahead goes on watching.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from motion import servo
from motion.lookahead import Lookahead, Veto
from motion.poses import Array, displaced, error, inverse, pose, rotation_vector_to_matrix
from motion.robot import ServoGains
from motion.timing import Trajectory
from motion.world import State
from tamp.model.backend import Command
from tamp.model.motions import Grip, Motion, Timeline
from tamp.model.scene import RobotState
from tamp.model.situation import modulo_turns

GRIP_STILL, GRIP_WINDOW = 0.012, 0.05
"""Metres a second below which the fingers count as stopped, and the seconds over which that is measured."""
GRIP_SECONDS = (0.15, 1.2)
"""Least and most seconds that closing or opening may take."""
FREED = 0.016
"""Metres that the fingers open until what they held counts as let go of; less where they cannot open so far."""
EARLY = (0.2, 0.03, 0.15)
"""Fingers begin to close this long (s) before the end of a motion, if the tool is this near (m, rad) by then: they
need longer to touch anything."""
EARLY_RELEASE = (0.1, 0.008, 0.1)
"""The same for fingers that open: they press for a while before they let go."""
PATIENCE = 0.5
"""Seconds for which the reference waits for an arm that has fallen behind and does not catch up."""
MOST_LATE = 2.0
"""Seconds after the end of a motion when an arm that still moves is waited for no longer."""
VETOED = 0.5
"""Seconds of one motion that may be vetoed before it is given up."""
FAR_OFF = (0.05, 0.5)
"""Metres and radians from the end of a motion beyond which an arm that does not get there is given up."""
STUCK = 0.5
"""Seconds for which an arm that should move has not moved until it is reported."""
LEVER = 0.2
"""Metres that a radian of rotation counts as, where it is measured how far the arm is behind."""
HELD_UP = 0.04
"""Metres a second below which a tool that should be moving counts as held up."""
IGNORED = (0.001, 0.02)
"""Metres and radians up to which a thing is where it was."""
SPEED = (0.04, 0.4)
"""Metres and radians a second with which a frame follows a thing."""


@dataclass(eq=False)
class Shift:
    """How a frame has moved: `offset` (6,) [metres, radians] about `pivot` (3,), on its way to where it is `wanted`."""

    pivot: Array = field(default_factory=lambda: np.zeros(3))
    offset: Array = field(default_factory=lambda: np.zeros(6))
    wanted: Array = field(default_factory=lambda: np.zeros(6))

    def lead(self, T_planned: Array, T_seen: Array, turns: int) -> bool:
        """Follow a thing from where it was taken to be to where it is seen (4, 4), both of it; `turns` as in
        `tamp.model.scene.SceneObject`. Whether that is another place than before."""
        own = T_planned[:3, :3].T @ error(T_planned, T_seen)[3:]
        own[2] = modulo_turns(own[2], turns)
        e = np.concatenate([T_seen[:3, 3] - T_planned[:3, 3], T_planned[:3, :3] @ own])
        if np.linalg.norm(e[:3]) < IGNORED[0] and np.linalg.norm(e[3:]) < IGNORED[1]:
            e = np.zeros(6)
        changed = not np.allclose(e, self.wanted, atol=IGNORED[0])
        self.pivot, self.wanted = T_planned[:3, 3].copy(), e
        return changed

    def advance(self, period: float) -> None:
        """One control period later."""
        left = self.wanted - self.offset
        for part, speed in ((slice(0, 3), SPEED[0]), (slice(3, 6), SPEED[1])):
            size = float(np.linalg.norm(left[part]))
            self.offset[part] += left[part] * min(1.0, speed * period / size) if size > 0.0 else 0.0

    @property
    def T(self) -> Array:
        """What has become of the frame (4, 4)."""
        return self.moved(self.offset)

    def moved(self, by: Array) -> Array:
        """The frame (4, 4) after an offset (6,)."""
        R = rotation_vector_to_matrix(by[3:])
        return pose(self.pivot + by[:3] - R @ self.pivot, R)


@dataclass(eq=False)
class Correction:
    """`world`: how what the motion leads to has moved, world axes; `in_hand`: what is held, tool axes."""

    world: Shift = field(default_factory=Shift)
    in_hand: Shift = field(default_factory=Shift)

    def leave(self) -> None:
        """Go back to the motion as it was planned."""
        self.world.wanted, self.in_hand.wanted = np.zeros(6), np.zeros(6)

    def advance(self, period: float) -> None:
        """One control period later."""
        self.world.advance(period)
        self.in_hand.advance(period)

    @property
    def _none(self) -> bool:
        return not (self.world.offset.any() or self.in_hand.offset.any())

    def planned(self, T_world_tool: Array) -> Array:
        """Where the tool (4, 4) is in the plan's world, holding what it holds as it was planned."""
        if self._none:
            return T_world_tool
        return inverse(self.world.T) @ T_world_tool @ self.in_hand.T

    def commanded(self, displacement: Array, T_world_tool: Array) -> Array:
        """The displacement (6,) of the tool, now at (4, 4), that is one (6,) in the plan's world."""
        if self._none:
            return displacement
        after = displaced(self.planned(T_world_tool), displacement)
        return error(T_world_tool, self.world.T @ after @ inverse(self.in_hand.T))

    def led(self, trajectory: Trajectory) -> Trajectory:
        """A planned trajectory, its tool poses where they are now."""
        if self._none:
            return trajectory
        return replace(trajectory, T_world_tool=self.world.T @ trajectory.T_world_tool @ inverse(self.in_hand.T))

    def held(self, state: State) -> State:
        """A state in which motions were planned, with what is held where in the hand it is seen."""
        if state.T_tool_held is None or not self.in_hand.wanted.any():
            return state
        # where the thing is on its way to be led, it is already
        return replace(state, T_tool_held=self.in_hand.moved(self.in_hand.wanted) @ state.T_tool_held)


@dataclass
class TrajectoryTracker:
    """Runs a timeline. `step` gives the next command, or None when all is done; `finished` counts its actions
    that have ended.

    `veto` is why the last command is another than the servo's, if it is. When a motion has been vetoed for too
    many steps the arm is `halted` for good, with actions unfinished.
    """

    timeline: Timeline
    opening: float
    period: float = 0.05
    gains: ServoGains = field(default_factory=ServoGains)
    watch: Lookahead | None = None
    veto: Veto | None = None
    halted: bool = False
    correction: Correction = field(default_factory=Correction)
    """Where what the motions were planned for has moved to since."""
    why: str = ""
    """Why it is halted, in words."""
    index: int = 0
    finished: int = field(init=False)
    _t: float = 0.0
    _hold: Array | None = None
    _waited: int = 0
    _lag: float = 0.0
    _openings: list[float] = field(default_factory=list)
    _vetoed: int = 0
    _before: RobotState | None = None
    _unmoved: float = 0.0
    """Seconds for which the arm has not moved though it should have."""
    _early: float | None = None
    """The opening at which fingers began a grip before the motion towards it had ended."""

    def __post_init__(self) -> None:
        self.finished = self.timeline.ends.get(-1, 0)

    @property
    def stage(self) -> str:
        """What is going on: `move`, `grip`, `halted` or `done`."""
        if self.halted:
            return "halted"
        if self.index >= len(self.timeline.segments):
            return "done"
        return "grip" if isinstance(self.timeline.segments[self.index], Grip) else "move"

    @property
    def hindrance(self) -> str:
        """Why it is not further, in words; empty while it goes on."""
        if self.veto is not None:
            return f"the look-ahead objects: {self.veto}"
        if self._unmoved >= STUCK:
            return f"the arm does not move where it should go, for {self._unmoved:.1f} s"
        return ""

    @property
    def working(self) -> bool:
        """Whether what is going on is more than getting out of the way at the end."""
        segment = self.timeline.segments[min(self.index, len(self.timeline.segments) - 1)]
        return isinstance(segment, Grip) or segment.precise or segment.handover is not None

    def seconds_until(self, index: int) -> float:
        """Seconds of motion that are left before the segment `index` begins; 0 once it has."""
        ahead = self.timeline.segments[self.index : index]
        left = sum(s.trajectory.duration for s in ahead if isinstance(s, Motion))
        return max(0.0, float(left) - self._t) if ahead else 0.0

    def ahead(self, index: int) -> Array:
        """Where the tool is still to go (n, 3) before the segment `index` begins."""
        way = []
        for number, segment in enumerate(self.timeline.segments[self.index : index]):
            if isinstance(segment, Motion):
                first = int(np.searchsorted(segment.trajectory.times, 0.0 if number else self._t))
                way.append(segment.trajectory.T_world_tool[first:, :3, 3])
        return np.concatenate(way) if way else np.zeros((0, 3))

    def step(self, robot: RobotState) -> Command | None:
        """The command for this control period, from the observation just made."""
        self.veto = None
        self.correction.advance(self.period)
        while self.index < len(self.timeline.segments) and not self.halted:
            segment = self.timeline.segments[self.index]
            command = self._grip(segment, robot) if isinstance(segment, Grip) else self._move(segment, robot)
            if command is not None:
                self._before = robot
                return command
            if self.halted:
                break
            self.finished += self.timeline.ends.get(self.index, 0)
            self.index += 1
            self._t, self._hold, self._waited, self._vetoed, self._openings = 0.0, None, 0, 0, []
        return None

    def stand(self, robot: RobotState) -> Command:
        """The command to stand still in the middle of things, the fingers as they are."""
        if self._hold is None:
            self._hold = robot.T_world_tool
        return Command(error(robot.T_world_tool, self._hold), self.opening)

    def _periods(self, seconds: float) -> int:
        """Control periods in so many seconds, at least one."""
        return max(1, round(seconds / self.period))

    def _move(self, segment: Motion, robot: RobotState) -> Command | None:
        trajectory, gains = segment.trajectory, self.gains
        self._set_opening(segment, robot)
        if self._arrived(segment, robot) or self.halted:
            return None
        T = self.correction.planned(robot.T_world_tool)
        command = self.correction.commanded(servo.displacement(T, trajectory, self._t, gains), robot.T_world_tool)
        self._watch_for_motion(robot.T_world_tool, command)
        pace = self._pace(T, trajectory)
        instead = self._instead(segment, robot, command, pace)
        if instead is not None:  # the reference waits
            return None if self.halted else Command(instead, self.opening)
        t, handover = self._t, segment.handover
        self._t += self.period * pace
        self.finished += handover is not None and t < handover.time <= self._t
        return Command(command, self.opening)

    def _instead(self, segment: Motion, robot: RobotState, displacement: Array, pace: float) -> Array | None:
        """What to ask for instead (6,) when the look-ahead vetoes a command; None when it does not."""
        if self.watch is None or segment.state is None:
            return None
        trajectory, state = self.correction.led(segment.trajectory), self.correction.held(segment.state)
        found = self.watch.veto(self._before, robot, displacement, trajectory, self._t, pace, state)
        if found is None:
            return None
        self.veto, instead = found
        self._vetoed += 1
        if self._vetoed > self._periods(VETOED):
            self.halted, self.why = True, str(self.veto)
        return instead

    def _set_opening(self, segment: Motion, robot: RobotState) -> None:
        """The action's own opening; at its end already that of a grip which follows and closes."""
        handover = segment.handover
        opening = handover.opening if handover is not None and self._t >= handover.time else segment.opening
        following = self.timeline.segments[self.index + 1 : self.index + 2]
        if following and isinstance(following[0], Grip):
            closes = following[0].opening < robot.opening
            seconds, metres, radians = EARLY if closes else EARLY_RELEASE
            T, T_goal = self.correction.planned(robot.T_world_tool), segment.trajectory.T_world_tool[-1]
            near = servo.arrived(T, T_goal, (metres, radians))
            if self._t >= segment.trajectory.duration - seconds and near:
                opening = following[0].opening
                self._early = robot.opening if self._early is None else self._early
        if opening is not None:
            self.opening = opening

    def _arrived(self, segment: Motion, robot: RobotState) -> bool:
        trajectory, gains = segment.trajectory, self.gains
        T, T_goal = self.correction.planned(robot.T_world_tool), trajectory.T_world_tool[-1]
        if self._t < trajectory.duration - (0.0 if segment.precise else gains.lead):
            return False
        late = self._t - trajectory.duration
        near = servo.arrived(T, T_goal, FAR_OFF)
        if late > MOST_LATE:
            return self._given_up(near)
        moved = error(self._before.T_world_tool, robot.T_world_tool) if self._before is not None else np.zeros(6)
        still = self._t > 0 and np.linalg.norm(moved[:3]) < HELD_UP * self.period
        if still and segment.yielding and servo.arrived(T, T_goal, gains.coarse):
            return True
        if still and late > gains.patience:
            return self._given_up(near)
        return servo.arrived(T, T_goal, gains.fine if segment.precise else gains.coarse)

    def _given_up(self, near: bool) -> bool:
        """Whether an arm that gets no further has arrived all the same; else it is halted."""
        if not near:
            self.halted, self.why = True, "the arm does not get to where it should go"
        return near

    def _watch_for_motion(self, T_world_tool: Array, displacement: Array) -> None:
        """Count the time for which the arm does not move though it is asked to."""
        if self._before is None:
            return
        moved, asked = error(self._before.T_world_tool, T_world_tool), _size(displacement)
        still = _size(moved) < HELD_UP * self.period
        self._unmoved = self._unmoved + self.period if still and asked > self.gains.fine[0] else 0.0

    def _pace(self, T_world_tool: Array, trajectory: Trajectory) -> float:
        """How fast the reference goes on, from 0 to 1: slower for an arm that is behind, since it would cut corners,
        the more so with little left to go; at full speed again when waiting has not helped for a while."""
        if self._t >= trajectory.duration:
            return 1.0
        T_reference = trajectory.tool_at(self._t)
        behind = _behind(T_world_tool, T_reference, trajectory.tool_at(self._t + self.period))
        left = float(np.linalg.norm(error(T_reference, trajectory.T_world_tool[-1])[:3]))
        stops = float(np.clip(self.gains.lag_share * left, *self.gains.lag))
        pace = float(np.clip(2.0 * (1.0 - behind / stops), 0.0, 1.0))
        helped, self._lag = behind < self._lag - HELD_UP * self.period, behind
        self._waited = 0 if pace > 0.5 else self._waited + (not helped)
        return 1.0 if self._waited > self._periods(PATIENCE) else pace

    def _grip(self, segment: Grip, robot: RobotState) -> Command | None:
        self.opening = segment.opening
        self._openings.append(robot.opening)
        n, (least, most), window = len(self._openings) - 1, map(self._periods, GRIP_SECONDS), self._periods(GRIP_WINDOW)
        first = self._openings[0] if self._early is None else self._early
        opens, opened = segment.opening > first, robot.opening - first
        began = not opens or opened > GRIP_STILL * GRIP_SECONDS[0]  # fingers that press take a while to let go
        moved = np.ptp(self._openings[-1 - window :])
        still = n >= least and began and moved < GRIP_STILL * window * self.period
        freed = opens and opened > min(FREED, 0.6 * (segment.opening - first))
        if still or freed or n >= most:
            self._early = None
            return None
        return self.stand(robot)


def _size(twist: Array) -> float:
    """Metres of a displacement (6,), a radian counting as `LEVER`."""
    return float(np.linalg.norm(twist[:3])) + LEVER * float(np.linalg.norm(twist[3:]))


def _behind(T: Array, T_reference: Array, T_next: Array) -> float:
    """How far the tool is off its reference, in metres, a radian counting as `LEVER`; being ahead does not count."""
    off, way = error(T, T_reference), T_next[:3, 3] - T_reference[:3, 3]
    if (step := float(np.linalg.norm(way))) > 1e-6:
        off[:3] -= min(0.0, float(off[:3] @ way) / step) * way / step
    return max(float(np.linalg.norm(off[:3])), LEVER * float(np.linalg.norm(off[3:])))
