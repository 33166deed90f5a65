"""Who and what a document names, and what its sentences say of them: read by rules, without a model."""
