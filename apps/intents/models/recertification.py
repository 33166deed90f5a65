"""Recertifications: each grant of a selection is confirmed or ended by its owner, by a date."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.base import ScopedModel, TenantForeignKey, TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Phase, RowStore, Sort, TargetType, Texts, reasons
from apps.tenants.personal_data.stores import OF_SCOPE, OF_TENANT
from apps.tenants.roles import Role


class GrantDecision(models.TextChoices):
    """What an owner decided on a grant."""

    WAITING = "", "Waits for its owner"
    CONFIRMED = "confirmed", "Confirmed"
    ENDED = "ended", "Ended"


class Recertification(TenantModel):
    """A campaign. Only its reminder and its end are ever written to it; once closed it never changes.

    roles, scope_ids: what it was narrowed to; empty: all. owner_ids: in this order, who answers for grants.
    grant_count: how many grants it began with, whatever a reader may see of them.
    """

    roles = ArrayField(models.CharField(max_length=32, choices=Role.choices), default=list)
    scope_ids = ArrayField(models.UUIDField(), default=list)
    owner_ids = ArrayField(models.UUIDField())
    grant_count = models.PositiveIntegerField()
    due_at = models.DateTimeField()
    started_by_id = models.UUIDField(editable=False)
    started_at = models.DateTimeField(db_default=Now(), editable=False)
    reminded_at = models.DateTimeField(null=True, editable=False)
    closed_by_id = models.UUIDField(null=True, editable=False)
    closed_at = models.DateTimeField(null=True, editable=False)

    personal_data = PersonalData(
        Fields(
            "id tenant roles scope_ids grant_count due_at started_at reminded_at closed_at",
            Sort.NONE,
            because="Ids, codes, counts and times.",
        ),
        Fields(
            "owner_ids started_by_id closed_by_id",
            Sort.IDENTIFIER,
            because="The accounts of who answers for grants, and who began and ended it.",
            cleared_by="intents.recertifications",
            stays=f"When a person is erased: who answered for access is to be shown. {reasons.SURROGATE}",
            withheld=reasons.OWN_ACT,
        ),
        stores=(
            RowStore(
                key="intents.recertifications",
                label="Recertifications of grants",
                # After the grants of it, which point at it.
                phase=Phase.ACCOUNTS,
                found_by={TargetType.TENANT: OF_TENANT},
            ),
        ),
    )

    class Meta:
        ordering = ("-started_at", "-id")
        constraints = (
            models.CheckConstraint(
                condition=models.Q(closed_at__isnull=True) | models.Q(closed_by_id__isnull=False),
                name="recertification_closed_by_somebody",
            ),
        )

    def __str__(self) -> str:
        return f"Recertification of {self.started_at:%Y-%m-%d}"


class CertifiedGrant(ScopedModel):
    """A grant in a recertification, with what its owner decided. A decision never changes.

    grant_id: without a foreign key, since an erasure removes the grants of a person. holder_id: the person who holds
    it or for whom its key acts; None for a key of the tenant. The database takes it from the grant.
    """

    recertification = TenantForeignKey(Recertification, on_delete=models.PROTECT, related_name="grants")
    grant_id = models.UUIDField()
    role = models.CharField(max_length=32, choices=Role.choices)
    holder_id = models.UUIDField(null=True)
    api_key_id = models.UUIDField(null=True)
    owner_id = models.UUIDField()
    decision = models.CharField(max_length=16, choices=GrantDecision.choices, default=GrantDecision.WAITING, blank=True)
    reason = models.TextField(blank=True)
    decided_by_id = models.UUIDField(null=True, editable=False)
    decided_at = models.DateTimeField(null=True, editable=False)

    personal_data = PersonalData(
        Fields(
            "id tenant scope recertification grant_id role api_key_id decision decided_at",
            Sort.NONE,
            because="Ids, codes and times.",
        ),
        Fields(
            "holder_id owner_id decided_by_id",
            Sort.IDENTIFIER,
            because="The accounts of who holds the grant and who answers for it.",
            cleared_by="intents.certified_grants",
            stays=f"When a person is erased: who answered for access is to be shown. {reasons.SURROGATE}",
            withheld="Beside the grant, which stands among your grants, and the step of somebody else.",
        ),
        Fields(
            "reason",
            Sort.FREE_TEXT,
            because="Why the grant was confirmed or ended.",
            cleared_by=("intents.certified_reasons", "intents.certified_grants"),
            withheld=(
                "Why somebody's access was confirmed or ended, in the words of the person who answers for it. It may "
                "be about others: ask the data protection officer."
            ),
        ),
        stores=(
            RowStore(
                key="intents.certified_reasons",
                label="Reasons why grants were confirmed or ended",
                phase=Phase.DERIVED,
                found_by={
                    TargetType.USER: "(t.holder_id = ANY (%(user)s::uuid[]) "
                    "OR t.decided_by_id = ANY (%(user)s::uuid[])) AND t.reason <> ''"
                },
                emptied={"reason": "''"},
            ),
            RowStore(
                key="intents.certified_grants",
                label="Grants in recertifications",
                phase=Phase.DERIVED,
                found_by={TargetType.SCOPE: OF_SCOPE, TargetType.TENANT: OF_TENANT},
            ),
        ),
        texts=Texts("intents.certified_grants", "Reasons why grants were confirmed or ended", "reason"),
    )

    class Meta:
        ordering = ("recertification", "id")
        constraints = (
            models.UniqueConstraint(
                fields=["tenant", "scope", "recertification", "grant_id"], name="certified_grant_once"
            ),
            models.CheckConstraint(
                condition=models.Q(decision__in=GrantDecision.values), name="certified_grant_known_decision"
            ),
            models.CheckConstraint(
                condition=models.Q(decision="", decided_by_id__isnull=True, decided_at__isnull=True)
                | ~models.Q(decision="") & models.Q(decided_by_id__isnull=False, decided_at__isnull=False),
                name="certified_grant_decided_by_somebody",
            ),
        )
        indexes = (models.Index(fields=["tenant", "scope", "owner_id", "decision"], name="certified_grant_by_owner"),)

    def __str__(self) -> str:
        return f"grant {self.grant_id} in {self.recertification}"
