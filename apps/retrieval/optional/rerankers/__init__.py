"""Rerankers, which follow apps.retrieval.protocols.CandidateStage and reorder the passages that were found."""
