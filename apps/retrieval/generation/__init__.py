"""Writing an answer from a context block: quoted without a model, or with an OpenAI-compatible one."""
