"""Store the facts of a document."""
