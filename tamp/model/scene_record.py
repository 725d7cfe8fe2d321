"""A scene as plain data, for a message or a log."""

from __future__ import annotations

from typing import Any

from tamp.model.scene import Scene, SceneObject, joints_of, poses_of


def told_of(scene: Scene) -> dict[str, Any]:
    """What there is in a scene, as plain data: categories, positions (m) with quaternions w x y z, regions, joint
    values (m, rad) by the end of their part's name, which things are unknown, and the corners of the boxes around
    these and things without regions."""

    def boxed(o: SceneObject) -> bool:
        return not o.regions or o.name in scene.unknown

    return {
        "objects": {o.name: o.category for o in scene},
        "poses": poses_of(scene),
        "regions": {o.name: [r.name for r in o.regions] for o in scene if o.regions},
        "confidence": {name: round(float(c), 3) for name, c in scene.confidence.items()},
        "joints": joints_of(scene),
        "boxes": {o.name: [corner.tolist() for corner in o.bounds()] for o in scene if boxed(o)},
        "unknown": list(scene.unknown),
    }
