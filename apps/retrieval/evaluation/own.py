"""What is searched when a tenant's own evaluation questions are asked: all that it holds."""

from __future__ import annotations

import hashlib
from typing import Final

from apps.corpus.models import Document, DocumentStatus
from apps.retrieval.evaluation.runner import Corpus

DATASET: Final = "own questions"


def own_corpus() -> Corpus:
    """Of the open scope. One query."""
    rows = list(
        Document.objects.filter(status=DocumentStatus.READY)
        .order_by("series_id")
        .values_list("series_id", "kind", "content_sha256", "title", "chunk_count")
    )
    lines = "\n".join(f"{series} {kind} {content}" for series, kind, content, _, _ in rows)
    return Corpus(
        dataset=DATASET,
        documents=len(rows),
        chunks=sum(row[4] for row in rows),
        sha256=hashlib.sha256(lines.encode()).hexdigest(),
        names={str(series): title for series, _, _, title, _ in rows},
    )
