"""Legal holds, which keep things from removal, and restrictions, which hide documents that still exist."""

from __future__ import annotations

from datetime import date

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from apps.tenants.models.base import TenantForeignKey, TenantModel
from apps.tenants.personal_data import (
    Fields,
    PersonalData,
    Phase,
    RowStore,
    Sort,
    TargetType,
    TenantStore,
    Texts,
    reasons,
)
from apps.tenants.personal_data.stores import OF_DOCUMENT


class LegalHold(TenantModel):
    """A duty to keep things: which matter, on what ground, who answers for it, and when it is reviewed.

    The database enforces that people place and release a hold in their own name, that it is released only once, and
    that it is never removed. Only the review date of an open hold can change. Matter, ground and reasons are free text,
    and may name people.
    """

    matter = models.CharField(max_length=200)
    ground = models.TextField()
    owner_id = models.UUIDField(help_text="The member who is responsible for it.")
    review_on = models.DateField()
    placed_by = models.UUIDField(editable=False)
    placed_by_label = models.CharField(max_length=255, editable=False)
    placed_at = models.DateTimeField(db_default=Now(), editable=False)
    released_by = models.UUIDField(null=True, editable=False)
    released_by_label = models.CharField(max_length=255, blank=True, editable=False)
    released_at = models.DateTimeField(null=True, editable=False)
    release_reason = models.TextField(blank=True, editable=False)

    personal_data = PersonalData(
        Fields("id tenant review_on placed_at released_at", Sort.NONE, because="Ids, codes, counts and times."),
        Fields(
            "matter ground release_reason",
            Sort.FREE_TEXT,
            because="What they gave as their reason.",
            withheld=(
                "What is kept for a legal claim, and why: the officers may have to keep that to themselves for a time."
            ),
        ),
        Fields("owner_id placed_by released_by", Sort.IDENTIFIER, because="The account of whoever did it."),
        Fields("placed_by_label released_by_label", Sort.IDENTIFIER, because="Their name of that moment."),
        cleared_by="audit.holds",
        stays=reasons.ACCOUNTABLE,
        withheld=reasons.OWN_ACT,
        stores=(
            TenantStore(
                key="audit.holds",
                label="Legal holds that were released, with their matters and reasons",
                phase=Phase.ACCOUNTS,
                tables=("audit_restriction", "audit_helditem", "audit_legalhold"),
                waits_for_holds=True,
            ),
        ),
        texts=Texts("audit.holds", "Legal holds", "matter ground release_reason placed_by_label released_by_label"),
    )

    class Meta:
        app_label = "audit"
        ordering = ("review_on", "id")
        constraints = (
            models.CheckConstraint(
                condition=Q(released_at__isnull=True, released_by__isnull=True, release_reason="")
                | (Q(released_at__isnull=False, released_by__isnull=False) & ~Q(release_reason="")),
                name="hold_released_by_somebody_for_a_reason",
            ),
            models.CheckConstraint(condition=~Q(matter="") & ~Q(ground=""), name="hold_says_why"),
        )

    def __str__(self) -> str:
        return self.matter

    @property
    def is_open(self) -> bool:
        return self.released_at is None

    def is_overdue(self, today: date | None = None) -> bool:
        return self.is_open and self.review_on <= (today or timezone.now().date())


class HeldItem(TenantModel):
    """One thing under a hold: a document, or one part of an event. Added while the hold is open, and never removed."""

    class Type(models.TextChoices):
        DOCUMENT = TargetType.DOCUMENT.value, "Document"
        EVENT_GROUP = TargetType.EVENT_GROUP.value, "Part of an event"

    hold = TenantForeignKey(LegalHold, on_delete=models.PROTECT, related_name="items")
    type = models.CharField(max_length=16, choices=Type.choices)
    item_id = models.UUIDField()
    part = models.CharField(max_length=16, blank=True)
    added_by = models.UUIDField(editable=False)
    added_at = models.DateTimeField(db_default=Now(), editable=False)

    personal_data = PersonalData(
        Fields("id tenant hold type item_id part added_at", Sort.NONE, because="Ids, codes, counts and times."),
        Fields(
            "added_by",
            Sort.IDENTIFIER,
            because="The account of whoever did it.",
            cleared_by="audit.holds",
            stays=reasons.ACCOUNTABLE,
            withheld=reasons.OWN_ACT,
        ),
    )

    class Meta:
        app_label = "audit"
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(fields=["tenant", "hold", "type", "item_id", "part"], name="held_once_by_a_hold"),
            models.CheckConstraint(
                condition=Q(type="document", part="") | (Q(type="event_group") & ~Q(part="")),
                name="held_part_of_an_event_alone",
            ),
        )
        indexes = (models.Index(fields=["tenant", "type", "item_id", "part"], name="held_by_item"),)

    def __str__(self) -> str:
        return f"{self.type} {self.item_id}"


class Because(models.TextChoices):
    """The reason for a restriction. because_id is the id of the hold or of the erasure request."""

    HOLD = "hold", "Legal hold"
    REQUEST = "request", "Request for erasure"


class Restriction(TenantModel):
    """A document that still exists but is hidden from retrieval and from every reader. One row per document and reason.

    The restriction is in force while the row exists. The database enforces it: apps/corpus/sql/restrictions.sql.
    scope_id is the document's scope, so that nobody learns of restrictions outside their own scopes.
    """

    scope_id = models.UUIDField()
    document_id = models.UUIDField()
    because = models.CharField(max_length=16, choices=Because.choices)
    because_id = models.UUIDField()
    restricted_at = models.DateTimeField(db_default=Now(), editable=False)

    personal_data = PersonalData(
        Fields(
            "id tenant scope_id document_id because because_id restricted_at",
            Sort.NONE,
            because="Ids, codes, counts and times.",
            cleared_by="audit.restrictions",
        ),
        stores=(
            # Of a document that is gone: every reader's query is compared with these. Not before it, or it would be
            # seen once more.
            RowStore(
                key="audit.restrictions",
                label="Restrictions of documents",
                phase=Phase.LOG,
                found_by={TargetType.DOCUMENT: f"{OF_DOCUMENT} AND t.because <> 'hold'"},
            ),
        ),
    )

    class Meta:
        app_label = "audit"
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(
                fields=["tenant", "scope_id", "document_id", "because", "because_id"],
                name="restricted_once_for_a_reason",
            ),
        )
        indexes = (models.Index(fields=["tenant", "because", "because_id"], name="restriction_by_reason"),)

    def __str__(self) -> str:
        return f"document {self.document_id}"
