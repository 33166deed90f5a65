"""Comments on a policy version during its review."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from apps.intents.models.version import PolicyVersion
from apps.tenants.models.base import TenantForeignKey, TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Phase, RowStore, Sort, TargetType, Texts, reasons
from apps.tenants.personal_data.stores import OF_TENANT


class ReviewComment(TenantModel):
    """A comment on a version during its review. Its text never changes."""

    version = TenantForeignKey(PolicyVersion, on_delete=models.PROTECT, related_name="comments")
    author_id = models.UUIDField()
    author_label = models.CharField(max_length=255)
    text = models.TextField()
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    personal_data = PersonalData(
        Fields("id tenant version created_at", Sort.NONE, because="Ids and times."),
        Fields(
            "author_id",
            Sort.IDENTIFIER,
            because="The account of whoever said it.",
            stays="When a person is erased: the id names nobody once their account is empty.",
        ),
        Fields(
            "author_label",
            Sort.IDENTIFIER,
            because="Who said it.",
            cleared_by=("intents.comment_authors", "intents.comments"),
        ),
        Fields(
            "text",
            Sort.FREE_TEXT,
            because="What was said about a version.",
            stays=f"When a person is erased. {reasons.RULES_OF_ANSWERS}",
        ),
        cleared_by="intents.comments",
        shown_in="policy_comments",
        stores=(
            RowStore(
                key="intents.comment_authors",
                label="Names of a person on comments about policies",
                phase=Phase.DERIVED,
                found_by={TargetType.USER: "t.author_id = ANY (%(user)s::uuid[]) AND t.author_label <> ''"},
                emptied={"author_label": "''"},
            ),
            RowStore(
                key="intents.comments",
                label="Comments about policies",
                phase=Phase.DERIVED,
                found_by={TargetType.TENANT: OF_TENANT},
            ),
        ),
        texts=Texts("intents.review_comments", "Comments on policy versions", "text author_label"),
    )

    class Meta:
        ordering = ("created_at", "id")

    def __str__(self) -> str:
        return f"{self.author_label} on {self.version}"
