"""What can run a language model: one module a backend, all of them a `llm.model.Model`."""
