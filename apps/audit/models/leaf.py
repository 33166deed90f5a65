"""A tenant's Merkle tree as the database holds it: the queue, the leaves, and the roots of whole subtrees."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.tenants.models.base import TenantManager, TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Sort


def _tenant() -> models.ForeignKey[Any, Any]:
    # There is no foreign key in the database: the event has one, and another would be checked again for every event.
    return models.ForeignKey(
        "tenants.Tenant", on_delete=models.PROTECT, db_index=False, db_constraint=False, related_name="+"
    )


class Unsealed(models.Model):
    """An event that has no leaf yet. The row is written with the event, and glassbox_worker removes it with making the
    leaf.

    The database refuses to delete a row whose event has no leaf.
    """

    event_id = models.UUIDField(primary_key=True)
    tenant = _tenant()

    objects: TenantManager[Any] = TenantManager()

    personal_data = PersonalData(
        Fields("event_id tenant", Sort.NONE, because="Ids."),
    )

    def __str__(self) -> str:
        return f"{self.event_id} waits"


class Leaf(models.Model):
    """An event's place in the log of its tenant. Only glassbox_worker inserts it; it is never changed or removed.

    index counts from 0 without a gap, which the database enforces. hash is canonical.leaf_hash of the event's header
    and commitments, 32 bytes. There is no foreign key to the event: if the event disappears, its leaf proves that it
    existed.
    """

    event_id = models.UUIDField(primary_key=True)
    tenant = _tenant()
    index = models.BigIntegerField()
    hash = models.BinaryField()
    sealed_at = models.DateTimeField(db_default=Now())

    objects: TenantManager[Any] = TenantManager()

    personal_data = PersonalData(
        Fields("event_id tenant index sealed_at", Sort.NONE, because="Ids, places, times."),
        Fields("hash", Sort.NONE, because="Digests over headers and commitments, which stay, and signatures of them."),
    )

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["tenant", "index"], name="leaf_in_its_place"),
            models.CheckConstraint(condition=Q(index__gte=0), name="leaf_counts_from_zero"),
        )

    def __str__(self) -> str:
        return f"leaf {self.index}"


class Subtree(TenantModel):
    """The root over 256**level leaves, from the leaf index * 256**level on; level >= 1.

    glassbox_worker inserts it with the last of these leaves, so that a proof reads at most 256 hashes per level.
    """

    level = models.PositiveSmallIntegerField()
    index = models.BigIntegerField()
    hash = models.BinaryField()

    personal_data = PersonalData(
        Fields("id tenant level index", Sort.NONE, because="Ids and places."),
        Fields("hash", Sort.NONE, because="Digests over headers and commitments, which stay, and signatures of them."),
    )

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["tenant", "level", "index"], name="subtree_in_its_place"),
            models.CheckConstraint(condition=Q(level__gte=1, index__gte=0), name="subtree_is_above_the_leaves"),
        )

    def __str__(self) -> str:
        return f"subtree {self.level}/{self.index}"
