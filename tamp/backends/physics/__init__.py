"""A table in physics of one's own, whichever engine computes it."""
