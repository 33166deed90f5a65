"""The vectors of golden examples, made with the tenant's provider when first needed and then stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Final
from uuid import UUID

import numpy as np
from django.db import connection

from apps.corpus.providers.protocol import EmbeddingProvider
from apps.intents.contracts import GoldenQuestion, PolicySnapshot
from apps.intents.models import GoldenVector, PolicyVersion
from apps.intents.scoring import Vector
from apps.sql_files import read_statements
from apps.tenants.context import current_scope, open_scope
from apps.tenants.ids import TenantId

_SQL: Final = read_statements(__file__)
_KEPT: Final = 64  # matrices; the one of the baseline with MiniLM has about 220 kB
_TAKE_OVER: Final = _SQL["take_over"]
_STORE: Final = _SQL["store"]
_matrices: dict[tuple[UUID, tuple[UUID, ...], str], Vector] = {}
_lock = Lock()


def golden_vectors(
    *, snapshot: PolicySnapshot, provider: EmbeddingProvider, tenant_id: TenantId | None = None
) -> Vector:
    """Return the embeddings of a policy version's examples, in the snapshot's order.

    Args:    snapshot: of the tenant.
             provider: the tenant's; examples that its model has not seen are embedded and stored.
             tenant_id: None for the open tenant. Without an open scope no transaction is open while the provider works.
    Returns: (n, d) float32, unit norm.
    Raises:  ProviderError: vectors are missing and the provider can't make them.
    Costs:   no query if this process has read the version before; else one, and some more if vectors were missing. An
             example whose text the version in force has too gets a copy of that vector, because embedding all
             examples of the baseline takes seconds and a new version changes few of them.
    """
    tenant_id = tenant_id or current_scope().tenant_id
    # The key consists of the examples, because those of a draft change under the same version id.
    keep = snapshot.status != "draft"
    key = (tenant_id, tuple(example.id for example in snapshot.examples), provider.model)
    if keep:
        with _lock:
            known = _matrices.get(key)
        if known is not None:
            return known
    stored = _stored(tenant_id, [example.id for example in snapshot.examples], provider.model)
    missing = [example for example in snapshot.examples if example.id not in stored]
    if missing:
        taken = _take_over(tenant_id, snapshot.version_id, [example.id for example in missing], provider.model)
        new = [example for example in missing if example.id not in taken]
        stored |= taken | (_made(tenant_id, snapshot.version_id, new, provider) if new else {})
    matrix = np.array([stored[example.id] for example in snapshot.examples], dtype=np.float32)
    matrix.flags.writeable = False
    if keep:
        with _lock:
            while len(_matrices) >= _KEPT:
                _matrices.pop(next(iter(_matrices)))
            _matrices[key] = matrix
    return matrix


def _stored(tenant_id: TenantId, example_ids: Sequence[UUID], model: str) -> dict[UUID, Sequence[float]]:
    with _platform(tenant_id):
        rows = GoldenVector.objects.filter(example_id__in=example_ids, model=model).values_list("example_id", "vector")
        return dict(rows)


def _take_over(
    tenant_id: TenantId, version_id: UUID, example_ids: Sequence[UUID], model: str
) -> dict[UUID, Sequence[float]]:
    """Copy, within the database, the vectors that the version in force has for examples with the same text."""
    with _unchanging(tenant_id, version_id), connection.cursor() as cursor:
        cursor.execute(_TAKE_OVER, {"tenant": tenant_id, "examples": list(example_ids), "model": model})
        return dict(cursor.fetchall())


def _made(
    tenant_id: TenantId, version_id: UUID, missing: Sequence[GoldenQuestion], provider: EmbeddingProvider
) -> dict[UUID, Sequence[float]]:
    """Embed the missing examples and store their vectors; embed each distinct text once.

    An example that its author removed while the provider worked is embedded, but not stored.
    """
    texts = list(dict.fromkeys(example.text for example in missing))
    vectors = dict(zip(texts, provider.embed_documents(texts), strict=True))
    with _unchanging(tenant_id, version_id), connection.cursor() as cursor:
        cursor.execute(
            _STORE,
            {
                "tenant": tenant_id,
                "model": provider.model,
                "examples": [example.id for example in missing],
                "vectors": [_as_text(vectors[each.text]) for each in missing],
            },
        )
    return {example.id: vectors[example.text] for example in missing}


@contextmanager
def _platform(tenant_id: TenantId) -> Iterator[None]:
    """Open the tenant as the system. Only the system may write vectors; otherwise a user could store arbitrary ones."""
    with open_scope(tenant=tenant_id, scopes=[], reason="keep the vectors of review examples"):
        yield


@contextmanager
def _unchanging(tenant_id: TenantId, version_id: UUID) -> Iterator[None]:
    """Open the tenant as the system while the version's content does not change: its author's change locks it too.

    Otherwise a vector could be attached to an example that is being removed, and the author's change would fail.
    """
    with _platform(tenant_id):
        list(PolicyVersion.objects.select_for_update(no_key=True).filter(id=version_id).values_list("id"))
        yield


def _as_text(vector: Vector) -> str:
    """Return a vector as an array literal for PostgreSQL; the ORM would process each number several times.

    Nine digits distinguish any two numbers of single precision, so PostgreSQL reads exactly the written number.
    """
    numbers = vector.tolist()
    return "{" + ",".join(["%.9g"] * len(numbers)) % tuple(numbers) + "}"
