"""Benchmark runs: jobs given out to workers, their records kept, compared and reported."""
