"""A tenant's Merkle tree as the database holds it: what waits, the leaves, and the roots of whole subtrees."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.tenants.models.base import TenantManager, TenantModel


def _tenant() -> models.ForeignKey[Any, Any]:
    # Without a foreign key: the event has one, and here it would be checked for every event once more.
    return models.ForeignKey(
        "tenants.Tenant", on_delete=models.PROTECT, db_index=False, db_constraint=False, related_name="+"
    )


class Unsealed(models.Model):
    """An event that has no leaf yet. Written with the event, removed by glassbox_worker with the leaf that it makes.

    The database lets no row go whose event has no leaf.
    """

    event_id = models.UUIDField(primary_key=True)
    tenant = _tenant()

    objects: TenantManager[Any] = TenantManager()

    def __str__(self) -> str:
        return f"{self.event_id} waits"


class Leaf(models.Model):
    """An event's place in the log of its tenant. Inserted by glassbox_worker alone, and never changed or removed.

    index counts from 0 without a gap, which the database holds to. hash is canonical.leaf_hash of the event's header
    and commitments, 32 bytes. There is no foreign key to the event: should it be gone, its leaf says that it was.
    """

    event_id = models.UUIDField(primary_key=True)
    tenant = _tenant()
    index = models.BigIntegerField()
    hash = models.BinaryField()
    sealed_at = models.DateTimeField(db_default=Now())

    objects: TenantManager[Any] = TenantManager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["tenant", "index"], name="leaf_in_its_place"),
            models.CheckConstraint(condition=Q(index__gte=0), name="leaf_counts_from_zero"),
        )

    def __str__(self) -> str:
        return f"leaf {self.index}"


class Subtree(TenantModel):
    """The root over the leaves from index * 256**level on, 256**level of them; level >= 1.

    Inserted by glassbox_worker when the last of them is, so that a proof reads at most 256 hashes a level.
    """

    level = models.PositiveSmallIntegerField()
    index = models.BigIntegerField()
    hash = models.BinaryField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["tenant", "level", "index"], name="subtree_in_its_place"),
            models.CheckConstraint(condition=Q(level__gte=1, index__gte=0), name="subtree_is_above_the_leaves"),
        )

    def __str__(self) -> str:
        return f"subtree {self.level}/{self.index}"
