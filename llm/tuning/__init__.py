"""Teaching a small model the reader's form: sentences to batches, a low-rank adapter, its file for llama.cpp."""

SCALE = 2
"""An adapter's alpha, as a multiple of its rank."""
