"""The vectors of golden examples: made with the tenant's provider when first needed, then kept."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Final
from uuid import UUID

import numpy as np

from apps.corpus.providers.protocol import EmbeddingProvider
from apps.intents.contracts import GoldenQuestion, PolicySnapshot
from apps.intents.models import GoldenVector, VersionStatus
from apps.intents.scoring import Vector
from apps.tenants.context import current_scope

_KEPT: Final = 64  # matrices; one of the baseline and MiniLM is about 220 kB
_matrices: dict[tuple[UUID, tuple[UUID, ...], str], Vector] = {}
_lock = Lock()


def golden_vectors(*, snapshot: PolicySnapshot, provider: EmbeddingProvider) -> Vector:
    """The embeddings of a policy version's examples, in the snapshot's order.

    Args:    snapshot: of the open tenant.
             provider: the tenant's; examples that its model has not seen are embedded and stored.
    Returns: (n, d) float32, unit norm.
    Raises:  ProviderError: vectors are missing and the provider can't make them.
    Costs:   no query once this process has met the version; else one, and three more where vectors were missing. What
             the version in force has in the same words is taken over: to embed all examples of the baseline takes
             seconds, and a new version changes few of them.
    """
    tenant_id = current_scope().tenant_id
    # By the examples themselves: those of a draft change under the same version's id.
    keep = snapshot.status != "draft"
    key = (tenant_id, tuple(example.id for example in snapshot.examples), provider.model)
    if keep:
        with _lock:
            known = _matrices.get(key)
        if known is not None:
            return known
    stored = {
        row.example_id: row.vector
        for row in GoldenVector.objects.filter(
            example_id__in=[example.id for example in snapshot.examples], model=provider.model
        )
    }
    missing = [example for example in snapshot.examples if example.id not in stored]
    if missing:
        made = _made(missing, provider)
        GoldenVector.objects.bulk_create(
            [
                GoldenVector(tenant_id=tenant_id, example_id=example.id, model=provider.model, vector=vector.tolist())
                for example, vector in zip(missing, made, strict=True)
            ],
            ignore_conflicts=True,  # another process may have made the same ones meanwhile
        )
        stored.update({example.id: vector for example, vector in zip(missing, made, strict=True)})
    matrix = np.array([stored[example.id] for example in snapshot.examples], dtype=np.float32)
    matrix.flags.writeable = False
    if keep:
        with _lock:
            while len(_matrices) >= _KEPT:
                _matrices.pop(next(iter(_matrices)))
            _matrices[key] = matrix
    return matrix


def _made(missing: Sequence[GoldenQuestion], provider: EmbeddingProvider) -> list[Vector]:
    """A vector for each example, in order."""
    in_force = GoldenVector.objects.filter(
        example__intent__version__status=VersionStatus.ACTIVE,
        example__text__in=[example.text for example in missing],
        model=provider.model,
    )
    rows = in_force.values_list("example__text", "vector")
    known = {text: np.asarray(vector, dtype=np.float32) for text, vector in rows}
    new = list(dict.fromkeys(example.text for example in missing if example.text not in known))
    if new:
        known.update(zip(new, provider.embed_documents(new), strict=True))
    return [known[example.text] for example in missing]
