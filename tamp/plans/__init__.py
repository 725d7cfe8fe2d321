"""Plans as files: the formats people have, and the verdict on a plan with what it failed for."""
