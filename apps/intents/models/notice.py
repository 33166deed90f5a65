"""Notices within the product: what happened to a policy version, for one person each."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from apps.intents.models.version import PolicyVersion
from apps.tenants.models.base import TenantForeignKey, TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Phase, RowStore, Sort, TargetType
from apps.tenants.personal_data.stores import OF_TENANT


class Happening(models.TextChoices):
    """What a notice is of. Each is the end of an event's action, but for the escalation, which is a reminder's."""

    SUBMITTED = "submitted", "Waits for review"
    COMMENTED = "commented", "Has a new comment"
    FIRST_APPROVED = "first_approved", "Was approved by one of two reviewers"
    APPROVAL_LAPSED = "approval_lapsed", "Lost its first approval, and waits for another"
    APPROVED = "approved", "Was approved for later"
    SENT_BACK = "sent_back", "Was sent back to its author"
    REJECTED = "rejected", "Was rejected"
    WITHDRAWN = "withdrawn", "Was withdrawn"
    ACTIVATED = "activated", "Is in force"
    REMINDED = "reminded", "Still waits for review"
    ESCALATED = "escalated", "Has waited too long for its review"


class Notice(TenantModel):
    """An event of a policy version, for one receiver. It holds no words of anybody: they stand with the version.

    The database shows it to its receiver alone, and takes what happened from the event (sql/notices.sql).
    read_at: null until the receiver has read it.
    """

    version = TenantForeignKey(PolicyVersion, on_delete=models.PROTECT, related_name="notices")
    receiver_id = models.UUIDField()
    event_id = models.UUIDField()
    happening = models.CharField(max_length=16, choices=Happening.choices)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    read_at = models.DateTimeField(null=True, editable=False)

    personal_data = PersonalData(
        Fields("id tenant version event_id happening created_at read_at", Sort.NONE, because="Ids, a code and times."),
        Fields(
            "receiver_id",
            Sort.IDENTIFIER,
            because="The account that it is for.",
            withheld="Notices for you: each says that an event took place that is listed with its policy version.",
        ),
        cleared_by="intents.notices",
        stores=(
            RowStore(
                key="intents.notices",
                label="Notices to a person about policies",
                phase=Phase.DERIVED,
                found_by={TargetType.USER: "t.receiver_id = ANY (%(user)s::uuid[])", TargetType.TENANT: OF_TENANT},
            ),
        ),
    )

    class Meta:
        ordering = ("-created_at", "-id")
        constraints = (
            models.UniqueConstraint(fields=["tenant", "receiver_id", "event_id"], name="notice_once_a_person"),
            models.CheckConstraint(
                condition=models.Q(happening__in=Happening.values), name="notice_of_a_known_happening"
            ),
        )

    def __str__(self) -> str:
        return f"{self.version} {self.get_happening_display().lower()}"
