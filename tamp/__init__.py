"""Task and motion planning through PDDL: symbols, scenes, skills, refinement, execution."""
