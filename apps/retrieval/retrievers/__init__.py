"""Rankings from PostgreSQL: exact cosine and BM25, inside the granted scopes and permitted kinds."""
