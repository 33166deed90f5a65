"""Questions without an answer that somebody sent to the compliance officers, and what they decided."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.tenants.models.base import TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Phase, RowStore, Sort, TargetType, reasons
from apps.tenants.personal_data.stores import OF_TENANT, SCOPES_BELOW


class SentState(models.TextChoices):
    SENT = "sent", "Waits for an officer"
    ANSWERED = "answered", "Answered by an officer"
    EXAMPLE = "example", "Made a review example"
    MISSING = "missing", "A document is missing"
    WITHHELD = "withheld", "Withheld by the policy on purpose"


class SentQuestion(TenantModel):
    """A question that its asker consented to have kept for the officers of its scopes.

    The database shows it to its asker and to whoever edits policies and holds all of its scopes.

    event_id: the event of the question.
    sealed: the question and the note; reply_sealed: what the officer says to the asker. Both under a data key of the
        tenant.
    """

    scope_ids = ArrayField(models.UUIDField(), default=list)
    event_id = models.UUIDField()
    asker_id = models.UUIDField()
    data_key_id = models.UUIDField()
    sealed = models.BinaryField()
    state = models.CharField(max_length=16, choices=SentState.choices, default=SentState.SENT)
    sent_at = models.DateTimeField(db_default=Now(), editable=False)
    decided_by_id = models.UUIDField(null=True)
    decided_at = models.DateTimeField(null=True)
    reply_key_id = models.UUIDField(null=True)
    reply_sealed = models.BinaryField(null=True)

    personal_data = PersonalData(
        Fields(
            "id tenant scope_ids event_id data_key_id state sent_at decided_at reply_key_id",
            Sort.NONE,
            because="Ids, a code and times.",
        ),
        Fields("asker_id", Sort.IDENTIFIER, because="The account that asked."),
        Fields(
            "decided_by_id",
            Sort.IDENTIFIER,
            because="The account of the officer who decided.",
            stays=reasons.SURROGATE,
            withheld=reasons.OWN_ACT,
        ),
        Fields(
            "sealed reply_sealed",
            Sort.SEALED,
            because="What a person asked, and what an officer told them.",
            unsearched=(
                "Only who asked and the officers can read it. Who asked can take it back at any time; it is removed "
                "90 days after the decision, and before that with its asker and with its part of the log."
            ),
        ),
        cleared_by="retrieval.sent_questions",
        shown_in="sent_questions",
        stores=(
            RowStore(
                key="retrieval.sent_questions",
                label="Questions sent to the officers",
                phase=Phase.DERIVED,
                found_by={
                    TargetType.EVENT_GROUP: "t.event_id = ANY (%(event_group)s::uuid[])",
                    TargetType.USER: "t.asker_id = ANY (%(user)s::uuid[])",
                    TargetType.SCOPE: f"t.scope_ids && {SCOPES_BELOW}",
                    TargetType.TENANT: OF_TENANT,
                },
            ),
        ),
    )

    class Meta:
        ordering = ("-sent_at", "-id")
        constraints = (
            models.UniqueConstraint(fields=["tenant", "asker_id", "event_id"], name="question_sent_once"),
            models.CheckConstraint(
                condition=~Q(state="answered") | Q(reply_sealed__isnull=False), name="sent_question_answered"
            ),
        )

    def __str__(self) -> str:
        return f"question {self.event_id}, {self.state}"
