"""How results say what saw, and where."""

from __future__ import annotations


def label(simulator: str, body: object, perception: str, noise: str = "clean", given: bool = False) -> str:
    """How the results of an episode say what saw, and where."""
    sees = perception == "camera"
    if simulator == "libero":
        return by_camera(given, noise) if sees else "oracle"
    named = None if body is None else str(body)
    return through_sdk(str(body), sees, given) if simulator == "xarm" else in_physics(simulator, named, sees, given)


def in_physics(engine: str, body: str | None, camera: bool = False, given: bool = False) -> str:
    """The state of a simulation other than LIBERO's, or a `camera` there, with a robot or the scene's own.
    `given`: what is wanted was not said in words, which runs with cameras note."""
    return _where(f"{body or 'its own robot'} in {engine}", camera, given)


def through_sdk(body: str, camera: bool = False, given: bool = False) -> str:
    """The emulator's state, or its cameras, of an arm that its maker's SDK moves; `given` as in simulations."""
    return _where(f"{body} through its SDK", camera, given)


def _where(where: str, camera: bool, given: bool) -> str:
    return f"camera, {where}{', given goal' if given else ''}" if camera else f"oracle, {where}"


def by_camera(given: bool, kind: str = "clean") -> str:
    """How results say that cameras saw, and what they were told."""
    return f"camera{', given goal' if given else ''}{'' if kind == 'clean' else f', {kind} noise'}"


def in_words(perception: str) -> str:
    """A label for people: `camera perception, given goal`."""
    what, *more = perception.split(", ")
    return ", ".join([f"{what} perception", *more])
