"""Motions carried out, watched, and judged by what is seen."""
