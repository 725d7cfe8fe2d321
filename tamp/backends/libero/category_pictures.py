"""What a category looks like."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamp.backends.libero.categories import Category

SIZE = 200
"""Pixels, width and height."""
FROM = (145.0, -28.0)
"""Azimuth and elevation, in degrees as MuJoCo's cameras have them, that the camera looks in."""
LIGHT = (0.6, 0.6)
"""Ambient and diffuse light from the camera."""
DISTANCE = 1.3
"""Distances of the camera, in lengths of the thing's diagonal."""


def picture(category: Category) -> bytes:
    """A PNG of a category that was loaded whole."""
    import imageio.v3 as imageio

    return bytes(imageio.imwrite("<bytes>", _image(category), extension=".png"))


def _image(category: Category) -> Any:
    import mujoco

    model, data = category.model, category.data
    low, high = category.thing.bounds()
    camera = mujoco.MjvCamera()
    camera.lookat[:] = 0.5 * (low + high)
    camera.distance = DISTANCE * float(np.linalg.norm(high - low))
    camera.azimuth, camera.elevation = FROM
    model.vis.global_.offwidth = model.vis.global_.offheight = SIZE
    model.vis.map.znear = 0.001
    model.site_rgba[:, 3] = 0.0
    model.vis.headlight.ambient[:], model.vis.headlight.diffuse[:] = LIGHT
    option = mujoco.MjvOption()
    shown = 1 if (model.geom_group == 1).any() else 0  # what is touched, where there is nothing else to see
    for group in range(len(option.geomgroup)):
        option.geomgroup[group] = int(group == shown)
    with mujoco.Renderer(model, SIZE, SIZE) as renderer:
        renderer.update_scene(data, camera, option)
        image = renderer.render().copy()
        renderer.enable_segmentation_rendering()
        image[renderer.render()[:, :, 0] < 0] = 255
        return image
