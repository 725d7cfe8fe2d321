"""Collision-free joint paths: straight lines of the tool or of the joints where they are free, RRT-Connect where not.

`transit` is for robots whose controller follows the tool, `joint_move` for those that are sent their joints.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from motion import kinematics, smoothing
from motion.poses import Array, error, interpolate, pose, travelled
from motion.world import Contact, OutOfBudget, World

JOINT_STEP = 0.05
"""Radians (largest joint) between configurations that RRT-Connect checks, and between waypoints of a joint move."""

RISES = (0.05, 0.12, 0.2)
"""Metres above both ends of a path at which a way across is tried."""
DETOURS = ((0.0, 0.0), (-0.12, 0.0), (0.12, 0.0), (0.0, 0.12), (0.0, -0.12))
"""Displacements (x, y), in metres, of a point between from the middle of the straight line."""
RUNS = 4
"""Runs of RRT-Connect of which the shortest path is taken."""
ATTEMPTS, JOINT_ATTEMPTS = 2, 3
"""Ways round that are planned until one is free also as the arm goes it: as its controller follows the tool, or between
the configurations that RRT-Connect looked at."""
GOALS = 24
"""Configurations for a pose that are looked for."""
SPARE_TURN = np.pi / 2
"""Radians beyond both ends of a joint move within which joints are taken to go round something."""
SHORTCUTS = (60, 20)
"""Most shortcuts tried on a path, and most in a row without gain."""
LEAVING_SLACK = 0.001
"""Metres by which a pair that is too near at the start of a path may still approach."""

OUTSIDE = "workspace"
"""What blocks a path that would leave the box, where a body would be named."""

Check = Callable[[Array], list[Contact]]


@dataclass(frozen=True)
class Blocked:
    """Why there is no path: `unreachable` (no configuration), `stretched` (none but near a singularity, where joints
    leap), or `collision` with the named body. `because_of` are the bodies on whose places alone that depends, wherever
    the arm comes from; None where that is not known."""

    reason: str
    body: str | None = None
    because_of: frozenset[str] | None = None


def checker(world: World, clearance: float = 0.0, ignore: frozenset[str] = frozenset()) -> Check:
    """A check that reports contacts nearer than `clearance`, apart from those with bodies in `ignore`."""
    return lambda q: world.contacts(q, clearance, ignore)


@dataclass(frozen=True, eq=False)
class Workspace:
    """A box along the base's axes, by its `low` and `high` corners (3,), metres."""

    low: Array
    high: Array

    def room(self, p_base: Array) -> float:
        """Metres from a point (3,) to the nearest face; outside, minus the metres beyond the furthest one."""
        return float(np.minimum(p_base - self.low, self.high - p_base).min())


def kept_within(world: World, workspace: Workspace, check: Check, slack: float = 0.0) -> Check:
    """The same check, which also reports the tool point when it is more than `slack` metres outside."""

    def both(q: Array) -> list[Contact]:
        found = check(q)
        room = workspace.room(world.forward(q)[:3, 3])
        return [*found, Contact(world.robot.tool_site, OUTSIDE, room)] if room < -slack else found

    return both


def straight(world: World, q: Array, T_goal: Array, check: Check | None) -> Array | Blocked:
    """Waypoints (k, n), from `q`, along which the tool goes straight and turns evenly to `T_goal`; no check when
    None."""
    T_start, tracking = world.forward(q), world.robot.tracking
    distance = error(T_start, T_goal)
    k = max(
        1,
        int(np.ceil(np.linalg.norm(distance[:3]) / tracking.line)),
        int(np.ceil(np.linalg.norm(distance[3:]) / tracking.turn)),
    )
    return along(world, q, [interpolate(T_start, T_goal, s) for s in np.linspace(0, 1, k + 1)[1:]], check)


def along(world: World, q: Array, poses: list[Array], check: Check | None) -> Array | Blocked:
    """Waypoints (k, n), from `q`, through the given tool poses (4, 4) in order."""
    path = [q]
    for T in poses:
        following = kinematics.solve(world, T, path[-1])
        if following is None:
            return Blocked("unreachable")
        if np.abs(following - path[-1]).max() > world.robot.tracking.jump:
            return Blocked("stretched")
        if check is not None and (met := _met(_between(world, path[-1], following), check)):
            return met
        path.append(following)
    return np.array(path)


def blocked(world: World, path: Array, check: Check) -> Blocked | None:
    """What a joint path (k, n), of one configuration or more, meets first; None when it is free."""
    ways = (_between(world, a, b) for a, b in itertools.pairwise(path))
    return _met(itertools.chain(path[:1], *ways), check)


def _met(configurations: Iterable[Array], check: Check) -> Blocked | None:
    contacts = next(filter(None, map(check, configurations)), None)
    return None if contacts is None else Blocked("collision", contacts[0].other)


def _between(world: World, q: Array, following: Array) -> Array:
    """Configurations (k, n) that are checked on the way to a waypoint: itself alone where the joints move as little as
    on most lines, else some between, since what RRT-Connect looked at is not how a redundant arm then goes."""
    look = world.robot.tracking.look
    if np.abs(following - q).max() <= 2 * look:
        return following[None]
    return densify(np.array([q, following]), look)[1:]


def joint_move(world: World, q: Array, goal: Array, check: Check, seed: int) -> Array | Blocked:
    """Waypoints (k, n) from configuration `q` to `goal`: straight in the joints, or by RRT-Connect round a body.

    Blocked as `unreachable` when the goal is beyond a limit, else as `collision` with what is met at an end or, when
    no way round was found, on the straight line.
    """
    if kinematics.slack(world, goal) < -1e-9:
        return Blocked("unreachable")
    direct = densify(np.array([q, goal]), JOINT_STEP)
    if met := _met((q, goal), check):
        return met
    if (in_the_way := blocked(world, direct, check)) is None:
        return direct
    low, high = world.limits.T
    ends = np.minimum(q, goal), np.maximum(q, goal)  # within the bounds: RRT-Connect waits for ever for one that is not
    lower = np.minimum(np.maximum(ends[0] - SPARE_TURN, low), ends[0])
    upper = np.maximum(np.minimum(ends[1] + SPARE_TURN, high), ends[1])
    for attempt in range(JOINT_ATTEMPTS):
        found = rrt_connect(world, q, goal, check, seed + attempt, bounds=np.column_stack([lower, upper]))
        if found is None:
            continue
        for path in (smoothing.rounded(world, found), densify(found, JOINT_STEP)):
            if blocked(world, path, check) is None:
                return path
    return in_the_way


def goals(world: World, q: Array, T_world_tool: Array) -> list[Array]:
    """Configurations (n,) that put the tool at a pose, different ones and the nearest to `q` (n,) first; at most
    `GOALS`."""
    found: list[Array] = []
    starts = [q, *(q + turn for turn in np.random.default_rng(0).uniform(-np.pi, np.pi, (GOALS - 1, len(q))))]
    for seed, start in enumerate(starts):
        goal = kinematics.solve_near(world, T_world_tool, start, seed=seed)
        if goal is None:
            break  # every restart was tried
        goal = kinematics.nearest_turns(world, goal, q)
        if all(np.abs(goal - other).max() > 1e-3 for other in found):
            found.append(goal)
    return sorted(found, key=lambda goal: float(np.abs(goal - q).max()))


def transit(
    world: World, q: Array, T_goal: Array, check: Check, rng: np.random.Generator, roomy: Check | None = None
) -> Array | Blocked:
    """Waypoints (k, n) from `q` to `T_goal` by whatever way is free.

    Tried in order: the straight line; straight lines by one or two points between; RRT-Connect in joint space. The
    lines are first tried with `roomy`, a stricter check, if there is one.
    """
    if roomy is not None and (path := _by_lines(world, q, T_goal, leaving(q, roomy))) is not None:
        return path
    return _by_any_way(world, q, T_goal, leaving(q, check), rng)


def _by_any_way(world: World, q: Array, T_goal: Array, check: Check, rng: np.random.Generator) -> Array | Blocked:
    first = straight(world, q, T_goal, check)
    if not isinstance(first, Blocked):
        return first
    goal = kinematics.solve_any(world, T_goal, [q, world.robot.posture], rng)
    if goal is None:
        return Blocked("unreachable")
    if contacts := check(goal):
        return Blocked("collision", contacts[0].other)
    by_way = _by_way(world, q, T_goal, check)
    if by_way is not None:
        return by_way
    by_joints = _by_joints(world, q, goal, check, rng)
    return first if by_joints is None else by_joints


def _by_joints(world: World, q: Array, goal: Array, check: Check, rng: np.random.Generator) -> Array | Blocked | None:
    """Waypoints (k, n) as RRT-Connect found them and the arm's controller goes them; None when none were found."""
    blocked = None
    for _ in range(ATTEMPTS):
        found = rrt_connect(world, q, goal, check, seed=int(rng.integers(2**31)))
        if found is None:
            break
        # The arm's controller follows the tool and chooses the rest itself: the way it goes then must be free too.
        path = along(world, q, [world.forward(p) for p in found[1:]], check)
        if not isinstance(path, Blocked):
            return path
        if path.reason != "collision" and kinematics.slack(world, q) < world.robot.tracking.limit_margin:
            return found  # stretched against a joint limit no way of the tool leads on: the joints' way is the way out
        blocked = path
    return blocked


def _by_lines(world: World, q: Array, T_goal: Array, check: Check) -> Array | None:
    path = straight(world, q, T_goal, check)
    return _by_way(world, q, T_goal, check) if isinstance(path, Blocked) else path


def leaving(q: Array, check: Check) -> Check:
    """The same check, but lenient with pairs that are too near already at `q`: they must not get nearer."""
    near: dict[tuple[str, str], float] = {}
    for c in check(q):
        pair = (c.robot, c.other)
        near[pair] = min(near.get(pair, np.inf), c.distance - LEAVING_SLACK)
    if not near:
        return check
    return lambda q: [c for c in check(q) if c.distance < near.get((c.robot, c.other), np.inf)]


def _by_way(world: World, q: Array, T_goal: Array, check: Check) -> Array | None:
    """The shortest free path of those that are straight but for one or two points between: up, across and down; or
    by a point beside or above the middle of the straight line."""
    T_start = world.forward(q)
    ways = [[T_start, *stops, T_goal] for stops in _stops(T_start, T_goal)]
    for way in sorted(ways, key=travelled):
        path = np.array([q])
        for T in way[1:]:
            leg = straight(world, path[-1], T, check)
            if isinstance(leg, Blocked):
                break
            path = np.concatenate([path, leg[1:]])
        else:
            return path
    return None


def _stops(T_start: Array, T_goal: Array) -> list[list[Array]]:
    """Points between: above both ends, and one above or beside the middle of the straight line."""
    middle = 0.5 * (T_start[:3, 3] + T_goal[:3, 3])
    top = max(T_start[2, 3], T_goal[2, 3])
    stops = [[lifted(T, top + rise - T[2, 3]) for T in (T_start, T_goal)] for rise in RISES]
    for x, y in DETOURS:
        for rise in RISES[:2]:
            p = np.array([middle[0] + x, middle[1] + y, top + rise])
            stops += [[pose(p, interpolate(T_start, T_goal, s)[:3, :3])] for s in (0.5, 1.0)]
    return stops


def rrt_connect(
    world: World,
    q: Array,
    goal: Array,
    check: Check,
    seed: int,
    checks: int = 4000,
    bounds: Array | None = None,
) -> Array | None:
    """Waypoints (k, n), the shortest of a few runs of OMPL's RRT-Connect with shortcuts; None when none is found.

    `checks` bounds the configurations that each run looks at, `bounds` (n, 2) where they are: within the joints'
    limits unless given. Nothing is timed, so a seed gives the same path again.
    """
    from ompl import base, geometric, util

    util.noOutputHandler()
    util.RNG.setSeed(seed % (2**31 - 1) + 1)
    n = len(q)
    space = base.RealVectorStateSpace(n)
    limits = base.RealVectorBounds(n)
    for i, (low, high) in enumerate(world.limits if bounds is None else bounds):
        limits.setLow(i, float(low))
        limits.setHigh(i, float(high))
    space.setBounds(limits)
    setup = geometric.SimpleSetup(space)

    looked, most, over = 0, checks, list[OutOfBudget]()

    def valid(state: object) -> bool:
        nonlocal looked
        looked += 1
        try:
            return not over and not check(np.array([state[i] for i in range(n)]))  # type: ignore[index]
        except OutOfBudget as e:  # OMPL is to end before it is raised
            over.append(e)
            return False

    def enough() -> bool:
        return looked > most or bool(over)

    setup.setStateValidityChecker(valid)
    information = setup.getSpaceInformation()
    information.setStateValidityCheckingResolution(JOINT_STEP / space.getMaximumExtent())
    setup.setPlanner(geometric.RRTConnect(information))
    within = np.clip(q, limits.low, limits.high)  # an arm that was pushed past a limit gets out of there
    setup.setStartAndGoalStates(_state(space, within), _state(space, goal))
    found = []
    for _ in range(RUNS):
        setup.clear()
        most = looked + checks
        setup.solve(base.PlannerTerminationCondition(enough))
        if over or not setup.haveExactSolutionPath():
            break
        path = setup.getSolutionPath()
        setup.getPathSimplifier().reduceVertices(path, *SHORTCUTS)
        setup.getPathSimplifier().partialShortcutPath(path, *SHORTCUTS)
        found.append(densify(np.array([[s[i] for i in range(n)] for s in path.getStates()])))
    if over:
        raise over[0]
    return min(found, key=lambda path: travelled(world.forward(q) for q in path)) if found else None


def _state(space: object, q: Array) -> object:
    state = space.allocState()  # type: ignore[attr-defined]
    for i, value in enumerate(q):
        state[i] = float(value)
    return state


def densify(points: Array, step: float = 4 * JOINT_STEP) -> Array:
    """The same polyline with extra points so that no joint moves more than `step` radians between two."""
    out = [points[0]]
    for a, b in itertools.pairwise(points):
        k = max(1, int(np.ceil(np.abs(b - a).max() / step)))
        out.extend(a + (b - a) * s for s in np.linspace(0, 1, k + 1)[1:])
    return np.array(out)


def lifted(T: Array, height: float) -> Array:
    """The pose `height` metres above `T`."""
    return pose(T[:3, 3] + [0.0, 0.0, height], T[:3, :3])


def backed(T_world_tool: Array, distance: float) -> Array:
    """The tool pose `distance` metres back along its own approach axis."""
    return pose(T_world_tool[:3, 3] - distance * T_world_tool[:3, 2], T_world_tool[:3, :3])
