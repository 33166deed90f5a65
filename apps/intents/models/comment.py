"""Comments on a policy version during its review."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from apps.intents.models.version import PolicyVersion
from apps.tenants.models.base import TenantForeignKey, TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Phase, RowStore, Sort, TargetType, Texts, reasons
from apps.tenants.personal_data.stores import OF_TENANT


class Turn(models.TextChoices):
    """What an answer does to the comment that it answers."""

    SAYS = "", "Says something"
    RESOLVED = "resolved", "Resolves it"
    REOPENED = "reopened", "Opens it again"


class ReviewComment(TenantModel):
    """A comment on a version during its review, on one of its cells, or an answer to a comment. It never changes.

    revision, stood: written by the database: the version's revision, and how the cell stood (apps/intents/cells.py).
    turn: a comment is open until an answer resolves it; the last turn counts.
    """

    version = TenantForeignKey(PolicyVersion, on_delete=models.PROTECT, related_name="comments")
    revision = models.PositiveIntegerField(default=0, editable=False)
    about_intent = models.CharField(max_length=40, blank=True, default="", db_default="")
    about_kind = models.CharField(max_length=32, blank=True, default="", db_default="")
    stood = models.TextField(blank=True, default="", editable=False)
    answers = TenantForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, editable=False, related_name="replies"
    )
    turn = models.CharField(max_length=8, choices=Turn.choices, blank=True, default="", db_default="")
    author_id = models.UUIDField()
    author_label = models.CharField(max_length=255)
    text = models.TextField()
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    personal_data = PersonalData(
        Fields(
            "id tenant version revision about_intent about_kind stood answers turn created_at",
            Sort.NONE,
            because="Ids, short names, figures and times.",
        ),
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
        constraints = (
            models.CheckConstraint(
                condition=models.Q(answers__isnull=False) | models.Q(turn=""), name="review_comment_answer_turns"
            ),
            models.CheckConstraint(
                condition=models.Q(answers__isnull=True) | models.Q(about_intent="", about_kind=""),
                name="review_comment_answer_of_its_cell",
            ),
            models.CheckConstraint(
                condition=models.Q(turn__in=["", "resolved", "reopened"]), name="review_comment_known_turn"
            ),
            models.CheckConstraint(
                condition=~models.Q(text="") | ~models.Q(turn=""), name="review_comment_says_something"
            ),
        )

    def __str__(self) -> str:
        return f"{self.author_label} on {self.version}"
