"""Rankings from PostgreSQL: exact cosine similarity and BM25, within the granted scopes and permitted kinds."""
