"""Absences of reviewers, and who deputises for them."""

from __future__ import annotations

from datetime import UTC, datetime

from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.base import TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Phase, RowStore, Sort, TargetType, reasons
from apps.tenants.personal_data.stores import OF_TENANT


class Absence(TenantModel):
    """When a reviewer is away. Only its early end is ever written to it.

    It gives nobody a right: a deputy is a reviewer anyway, and whoever is away may still approve, for themselves alone.
    deputy_id: None where nobody deputises. recorded_by_id, ended_by_id: set by the database (sql/absences.sql).
    """

    member_id = models.UUIDField()
    deputy_id = models.UUIDField(null=True)
    begins_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    recorded_by_id = models.UUIDField(editable=False)
    recorded_at = models.DateTimeField(db_default=Now(), editable=False)
    ended_by_id = models.UUIDField(null=True, editable=False)
    ended_at = models.DateTimeField(null=True, editable=False)

    personal_data = PersonalData(
        Fields("id tenant", Sort.NONE, because="Ids."),
        Fields(
            "member_id begins_at ends_at recorded_at ended_at",
            Sort.IDENTIFIER,
            because="The account of who is away, and when.",
            unsearched="Found by the account, and not by words.",
            withheld="That you were away is listed among the events, with its times.",
        ),
        Fields(
            "deputy_id recorded_by_id ended_by_id",
            Sort.IDENTIFIER,
            because="The accounts of who deputises, and of who recorded and ended it.",
            stays=f"Of somebody else's absence, until that one goes. {reasons.SURROGATE}",
            withheld=reasons.OWN_ACT,
        ),
        cleared_by="intents.absences",
        stores=(
            RowStore(
                key="intents.absences",
                label="Absences of reviewers",
                phase=Phase.DERIVED,
                found_by={TargetType.USER: "t.member_id = ANY (%(user)s::uuid[])", TargetType.TENANT: OF_TENANT},
            ),
        ),
    )

    class Meta:
        ordering = ("-begins_at", "-id")
        indexes = (models.Index(fields=["tenant", "member_id"], name="absence_by_member"),)
        constraints = (
            models.CheckConstraint(condition=models.Q(ends_at__gt=models.F("begins_at")), name="absence_ends_later"),
            # Python's calendar ends with the year 9999, and PostgreSQL's does not: no page could show such a row.
            models.CheckConstraint(
                condition=models.Q(ends_at__lte=datetime.max.replace(tzinfo=UTC)), name="absence_ends_in_the_calendar"
            ),
            models.CheckConstraint(
                condition=models.Q(ended_at__isnull=True) | models.Q(ended_by_id__isnull=False),
                name="absence_ended_by_somebody",
            ),
        )

    def __str__(self) -> str:
        return f"Absence from {self.begins_at:%Y-%m-%d} to {self.ends_at:%Y-%m-%d}"
