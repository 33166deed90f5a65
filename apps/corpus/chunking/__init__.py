"""Cut pages into chunks; `chunk_document` is the only entry point."""

from apps.corpus.chunking.chunker import chunk_document
from apps.corpus.chunking.contracts import ChunkDraft, DocumentFacts

__all__ = ["ChunkDraft", "DocumentFacts", "chunk_document"]
