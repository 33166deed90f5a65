"""A person's history: their questions with the answers, kept for as many days as the policy says."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.base import TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Phase, RowStore, Sort, TargetType
from apps.tenants.personal_data.stores import OF_TENANT, SCOPES_BELOW


class KeptAnswer(TenantModel):
    """A question with its answer, for the person who asked. Its id is that of the question's event.

    The database shows the row to its asker, and to whoever holds all of its scopes once the asker shared it.

    sealed: question, answer and citations, under a data key of the tenant.
    document_ids: the documents that the answer was written from; the row goes with any of them.
    shared_at: since when others may read it; null while it is the asker's alone.
    """

    scope_ids = ArrayField(models.UUIDField(), default=list)
    document_ids = ArrayField(models.UUIDField(), default=list)
    asker_id = models.UUIDField()
    data_key_id = models.UUIDField()
    sealed = models.BinaryField()
    asked_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField()
    shared_at = models.DateTimeField(null=True)

    personal_data = PersonalData(
        Fields(
            "id tenant scope_ids document_ids data_key_id asked_at expires_at shared_at",
            Sort.NONE,
            because="Ids and times.",
        ),
        Fields("asker_id", Sort.IDENTIFIER, because="The account that asked."),
        Fields(
            "sealed",
            Sort.SEALED,
            because="What a person asked, and what they were answered.",
            unsearched=(
                "Only who asked can read it, or share it. It is removed after 90 days at most, and before that with "
                "its asker, with a document that it was answered from, and with its part of the log."
            ),
        ),
        cleared_by="retrieval.kept_answers",
        shown_in="kept_answers",
        stores=(
            RowStore(
                key="retrieval.kept_answers",
                label="Questions and answers kept for who asked",
                phase=Phase.DERIVED,
                found_by={
                    TargetType.DOCUMENT: "t.document_ids && %(document)s::uuid[]",
                    TargetType.EVENT_GROUP: "t.id = ANY (%(event_group)s::uuid[])",
                    TargetType.USER: "t.asker_id = ANY (%(user)s::uuid[])",
                    TargetType.SCOPE: f"t.scope_ids && {SCOPES_BELOW}",
                    TargetType.TENANT: OF_TENANT,
                },
            ),
        ),
    )

    class Meta:
        ordering = ("-asked_at", "-id")
        indexes = (models.Index(fields=["tenant", "asker_id"], name="kept_answer_by_asker"),)

    def __str__(self) -> str:
        return f"answer to {self.id}"
