"""Measure the rate of the embedding model alone, which is the upper bound for the rate of an ingest."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from apps.corpus.models import Chunk
from apps.corpus.providers.local import model_path
from apps.corpus.providers.profiles import EMBEDDING_PROFILES, Backend
from apps.corpus.reader.reading import searched_text
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId, TenantId

SAMPLE_PASSAGES = 512
_WARM_UP_PASSAGES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class BareRate:
    """The rate of model.encode with its own defaults, on all cores, over a sample of the ingested passages."""

    passages: int
    passages_per_s: float


def bare_rate(
    *, tenant_id: TenantId, scope_id: ScopeId, document_ids: Sequence[UUID], profile: str, reason: str
) -> BareRate | None:
    """Encode a random sample and time it.

    Return None if the provider is not a local model, or if the documents have no passages.
    """
    configured = EMBEDDING_PROFILES.named(profile)
    if configured.backend is not Backend.SENTENCE_TRANSFORMERS:
        return None
    with open_scope(tenant=tenant_id, scopes=[scope_id], reason=reason):
        sample = Chunk.objects.filter(document_id__in=document_ids, is_parent=False).order_by("?")[:SAMPLE_PASSAGES]
        texts = [searched_text(chunk) for chunk in sample]
    if not texts:
        return None
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(model_path(configured), device="cpu", local_files_only=True)
    model.encode(texts[:_WARM_UP_PASSAGES], show_progress_bar=False)
    started = time.perf_counter()
    model.encode(texts, show_progress_bar=False)
    return BareRate(passages=len(texts), passages_per_s=len(texts) / (time.perf_counter() - started))
