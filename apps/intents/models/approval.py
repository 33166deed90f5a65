"""The approvals of a policy version: one of each person who approved a revision of it."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from apps.intents.models.version import PolicyVersion
from apps.tenants.models.base import TenantForeignKey, TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Phase, RowStore, Sort, TargetType, Texts, reasons


class PolicyApproval(TenantModel):
    """Somebody's approval of a revision, with their note. Where two are wanted, the first leaves the version in review.

    against_id: the version in force then, which the database writes. Once another one is in force, what a version
    changes is another thing, and the approval counts no longer. Its rows never change: the database refuses it
    (sql/reviewers.sql).
    """

    version = TenantForeignKey(PolicyVersion, on_delete=models.PROTECT, related_name="approvals")
    revision = models.PositiveIntegerField()
    against_id = models.UUIDField(null=True, editable=False)
    approver_id = models.UUIDField()
    approver_label = models.CharField(max_length=255)
    note = models.TextField(blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    personal_data = PersonalData(
        Fields("id tenant version revision against_id created_at", Sort.NONE, because="Ids, figures and times."),
        Fields(
            "approver_id",
            Sort.IDENTIFIER,
            because="The account of whoever approved.",
            stays="When a person is erased: the id names nobody once their account is empty.",
        ),
        Fields(
            "approver_label",
            Sort.IDENTIFIER,
            because="Who approved.",
            cleared_by=("intents.approvers", "intents.policies"),
        ),
        Fields(
            "note",
            Sort.FREE_TEXT,
            because="Why it was approved.",
            stays=f"When a person is erased. {reasons.RULES_OF_ANSWERS}",
        ),
        cleared_by="intents.policies",
        shown_in="policy_versions",
        stores=(
            RowStore(
                key="intents.approvers",
                label="Names of a person on approvals of policies",
                phase=Phase.DERIVED,
                found_by={TargetType.USER: "t.approver_id = ANY (%(user)s::uuid[]) AND t.approver_label <> ''"},
                emptied={"approver_label": "''"},
            ),
        ),
        texts=Texts("intents.policy_approvals", "Approvals of policy versions", "note approver_label"),
    )

    class Meta:
        ordering = ("created_at", "id")
        constraints = (
            models.UniqueConstraint(
                fields=["tenant", "version", "revision", "against_id", "approver_id"],
                name="policy_approval_once_a_person",
            ),
        )

    def __str__(self) -> str:
        return f"{self.approver_label} approved {self.version}, revision {self.revision}"
