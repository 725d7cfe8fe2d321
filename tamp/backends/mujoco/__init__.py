"""Scenes in MuJoCo: what is read out of its models, scenes that people wrote as MJCF, and a table in its physics."""
