"""A robot without dynamics, for trying things out and for faults on demand."""
