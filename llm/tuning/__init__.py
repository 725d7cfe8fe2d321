"""Teaching a small model the reader's form: sentences to batches, a low-rank adapter, its file for llama.cpp."""
