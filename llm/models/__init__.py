"""What runs language models: one module a backend, all of them a `llm.models.language_model.Model`."""
