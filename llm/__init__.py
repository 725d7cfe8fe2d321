"""From an instruction to a checked goal."""
