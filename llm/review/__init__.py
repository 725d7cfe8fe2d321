"""Whether an instruction bears out what a model made of it."""
