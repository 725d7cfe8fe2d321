"""PDDL as people write it: files, where something stands in them, and what is wrong with it.

unified-planning parses and evaluates; this package reads the files, and says what it found at the right place.
"""
