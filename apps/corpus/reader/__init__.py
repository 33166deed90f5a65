"""Read an untrusted file in a separate process, within limits."""

from apps.corpus.reader.contracts import ReadDocument, ReadPassage, ReadPosting, ReadRequest
from apps.corpus.reader.drawing import picture_contained
from apps.corpus.reader.process import hidden_contained, pages_contained, read_contained

__all__ = [
    "ReadDocument",
    "ReadPassage",
    "ReadPosting",
    "ReadRequest",
    "hidden_contained",
    "pages_contained",
    "picture_contained",
    "read_contained",
]
