"""From a scene to what holds in it."""
