"""The page of an access package, and what can be done there."""
