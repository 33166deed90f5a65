"""Companies and their figures, for people."""
