"""Demonstrations: episodes with pictures, proprioception and actions, in the formats that policies are trained from."""
