"""LIBERO: tasks, the simulator as a backend, and oracle perception. Every quirk of LIBERO stays in here."""
