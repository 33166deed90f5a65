"""From a file's bytes to pages of text: `extract` is the only door."""

from apps.corpus.extraction.contracts import (
    Block,
    BlockKind,
    ExtractedDocument,
    ExtractionWarning,
    HowPageRead,
    Limits,
    MediaType,
    Page,
    WarningCode,
)
from apps.corpus.extraction.errors import ExtractionError
from apps.corpus.extraction.extract import extract

__all__ = [
    "Block",
    "BlockKind",
    "ExtractedDocument",
    "ExtractionError",
    "ExtractionWarning",
    "HowPageRead",
    "Limits",
    "MediaType",
    "Page",
    "WarningCode",
    "extract",
]
