"""Vectors, in one narrow table per dimension, so that a scan reads only vectors."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import models
from pgvector.django import HalfVectorField

from apps.corpus.kinds import KIND_KEY
from apps.corpus.models.chunk import Chunk
from apps.corpus.models.document import Document
from apps.tenants.models.base import ScopedModel, TenantForeignKey
from apps.tenants.personal_data import Fields, PersonalData, Phase, Sort, reasons
from apps.tenants.personal_data.stores import rows_of_document


def _declare(dimensions: int) -> PersonalData:
    store = f"corpus.embeddings_{dimensions}"
    return PersonalData(
        Fields("id tenant scope document chunk kind model", Sort.NONE, because="Ids."),
        Fields(
            "vector",
            Sort.DERIVED,
            because="A passage's meaning, from which parts of its text can be guessed.",
            cleared_by=store,
            withheld=reasons.CONTENT,
        ),
        stores=(
            rows_of_document(store, f"Vectors of passages ({dimensions} dimensions)", Phase.SEARCH, reads="chunk_id"),
        ),
    )


class _Embedding(ScopedModel):
    """A child chunk's unit-norm vector from one model. The migration sets STORAGE PLAIN."""

    document = TenantForeignKey(Document, on_delete=models.CASCADE, related_name="+")
    chunk = TenantForeignKey(Chunk, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=32)
    model = models.CharField(max_length=127)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.model} of chunk {self.chunk_id}"


class Embedding384(_Embedding):
    vector = HalfVectorField(dimensions=384)

    personal_data = _declare(384)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["tenant", "scope", "chunk", "model"], name="embedding_384_once"),
            models.CheckConstraint(condition=models.Q(kind__regex=KIND_KEY), name="embedding_384_kind_key"),
        )


class Embedding768(_Embedding):
    vector = HalfVectorField(dimensions=768)

    personal_data = _declare(768)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["tenant", "scope", "chunk", "model"], name="embedding_768_once"),
            models.CheckConstraint(condition=models.Q(kind__regex=KIND_KEY), name="embedding_768_kind_key"),
        )


class Embedding1536(_Embedding):
    vector = HalfVectorField(dimensions=1536)

    personal_data = _declare(1536)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["tenant", "scope", "chunk", "model"], name="embedding_1536_once"),
            models.CheckConstraint(condition=models.Q(kind__regex=KIND_KEY), name="embedding_1536_kind_key"),
        )


EMBEDDING_MODELS: Mapping[int, type[Embedding384] | type[Embedding768] | type[Embedding1536]] = {
    384: Embedding384,
    768: Embedding768,
    1536: Embedding1536,
}
