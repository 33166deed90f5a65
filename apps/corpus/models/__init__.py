from apps.corpus.models.chunk import Chunk, Page, Posting
from apps.corpus.models.document import PUBLISHED, Document, DocumentStatus, SourceFile
from apps.corpus.models.embedding import EMBEDDING_MODELS, Embedding384, Embedding768, Embedding1536
from apps.corpus.models.job import IngestJob, JobStage, JobState

__all__ = [
    "EMBEDDING_MODELS",
    "PUBLISHED",
    "Chunk",
    "Document",
    "DocumentStatus",
    "Embedding384",
    "Embedding768",
    "Embedding1536",
    "IngestJob",
    "JobStage",
    "JobState",
    "Page",
    "Posting",
    "SourceFile",
]
