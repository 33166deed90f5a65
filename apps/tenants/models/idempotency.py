"""The answers to requests with an Idempotency-Key, kept for a day, so that a repeated request acts only once."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.base import TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Phase, RowStore, Sort, TargetType, Texts, reasons
from apps.tenants.personal_data.stores import OF_TENANT, SCOPES_BELOW


class IdempotentRequest(TenantModel):
    """One request that was carried out. The row is written in the transaction of that request.

    The row holds neither the key nor the body, only keyed digests of them: a client's key may name a person, and a
    short body could be guessed from a plain hash. scope_ids are the scopes of what the request made or changed; a
    client that repeats the request must still hold them all. The answer is kept only if `replayable` is true
    (apps/tenants/api/idempotency.py).
    """

    principal_kind = models.CharField(max_length=16)
    principal_id = models.UUIDField()
    key_digest = models.CharField(max_length=64)
    request_digest = models.CharField(max_length=64)
    scope_ids = ArrayField(models.UUIDField(), default=list)
    subject_id = models.UUIDField(help_text="What was made, changed, removed, or recorded.")
    replayable = models.BooleanField()
    status_code = models.PositiveSmallIntegerField()
    location = models.CharField(max_length=200, blank=True)
    body = models.JSONField(null=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField()

    personal_data = PersonalData(
        Fields(
            "id tenant principal_kind scope_ids subject_id replayable status_code created_at expires_at",
            Sort.NONE,
            because="Ids, codes and times; a row lives for a day.",
        ),
        Fields("principal_id", Sort.IDENTIFIER, because="The account or key that asked."),
        Fields(
            "key_digest request_digest",
            Sort.DERIVED,
            because="Keyed digests of what was asked.",
            withheld=reasons.DIGESTS,
        ),
        Fields("location body", Sort.FREE_TEXT, because="What was answered."),
        cleared_by=("tenants.requests", "corpus.answers_kept"),
        withheld=reasons.MOMENTARY,
        stores=(
            # Of a document: corpus.answers_kept (apps/corpus/models/job.py).
            RowStore(
                key="tenants.requests",
                label="Answers kept for repeated requests",
                phase=Phase.CACHES,
                found_by={
                    TargetType.USER: "t.principal_kind = 'user' AND t.principal_id = ANY (%(user)s::uuid[])",
                    # The answer to who made a scope names it, and lies in the scope above.
                    TargetType.SCOPE: f"(t.scope_ids && {SCOPES_BELOW} OR t.subject_id = ANY ({SCOPES_BELOW}))",
                    TargetType.TENANT: OF_TENANT,
                },
            ),
        ),
        texts=Texts("tenants.idempotent_requests", "Answers kept for repeated requests", "location body"),
    )

    class Meta:
        ordering = ("-created_at", "-id")
        constraints = (
            models.UniqueConstraint(
                fields=["tenant", "principal_kind", "principal_id", "key_digest"], name="idempotency_key_once"
            ),
            models.CheckConstraint(
                condition=models.Q(replayable=True) | models.Q(body__isnull=True), name="idempotency_body_if_replayable"
            ),
        )
        indexes = (models.Index(fields=["tenant", "subject_id"], name="idempotency_by_subject"),)

    def __str__(self) -> str:
        return f"{self.status_code} for {self.principal_kind} {self.principal_id}"
