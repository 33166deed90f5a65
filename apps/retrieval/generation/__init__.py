"""Write an answer from a context block: by quotation without a model, or with an OpenAI-compatible model."""
