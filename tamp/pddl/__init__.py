"""PDDL: read and check files, plan, judge plans and explain; unified-planning parses, plans and simulates.

reading -> lint            files into unified-planning's Problem; findings with file, line and column
engines -> compiling -> planner -> ask         a problem to plans, in this process or in one of its own
reach -> unsolvable        why there is no plan
plan_formats -> plan_file -> judges           a plan file to a verdict
simulation -> verdict, repair  what a step lacks, and what would help
"""
