"""Rerankers behind one Protocol (apps.retrieval.protocols.CandidateStage): what orders the found passages anew."""
