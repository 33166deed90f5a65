"""Requests for erasure and for access, and their letters. What describes people is sealed; the rest is ids, codes."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from apps.privacy.codes.life import RequestState
from apps.privacy.codes.requests import (
    Delivery,
    Extension,
    Ground,
    Language,
    LetterKind,
    LetterState,
    Purpose,
    Refusal,
    Requester,
    SubjectType,
)
from apps.tenants.models.base import TenantForeignKey, TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Sort, reasons


class ErasureRequest(TenantModel):
    """One request. The database enforces who may take it from state to state (apps/audit/sql/requests.sql).

    purpose: erasure, or access to what is held about a person who is named in documents (Article 15). Access has the
        same receipt, deadlines, letters and inventory, but ends with a package and removes nothing
        (apps/privacy/access_packages).
    details: sealed under the request's data key (its DataKey.subject_id is the request's id); see
        apps/privacy/requests/details.py. There is no foreign key to the key, so that the key can be destroyed while the
        request stays as proof of what was done, with nothing readable about the person.
    received_on: the local date of receipt in `zone`, from which the months are counted.
    first_due_on, due_on: the last day of the first month, and the deadline in force (an extension moves it).
    proposed_by_id, approved_by_id: users; never the same one.
    revision: the database counts it up with each change; decided_revision: the one that the second person decided on.
    restricted_at: since when the DPO keeps the documents concerned out of use during the assessment (Article 18).
    """

    year = models.PositiveSmallIntegerField()
    number = models.PositiveIntegerField()
    purpose = models.CharField(max_length=8, choices=Purpose.choices, default=Purpose.ERASURE)
    state = models.CharField(max_length=32, choices=RequestState.choices, default=RequestState.RECEIVED)
    subject_type = models.CharField(max_length=16, choices=SubjectType.choices)
    subject_id = models.UUIDField(null=True)
    requester = models.CharField(max_length=16, choices=Requester.choices)
    language = models.CharField(max_length=2, choices=Language.choices)
    received_at = models.DateTimeField()
    zone = models.CharField(max_length=64)
    received_on = models.DateField()
    first_due_on = models.DateField()
    due_on = models.DateField()
    received_by_id = models.UUIDField()
    data_key_id = models.UUIDField()
    details = models.BinaryField()
    identity_asked_at = models.DateTimeField(null=True)
    identity_confirmed_at = models.DateTimeField(null=True)
    ground = models.CharField(max_length=16, blank=True, choices=Ground.choices)
    extension = models.CharField(max_length=16, blank=True, choices=Extension.choices)
    extended_at = models.DateTimeField(null=True)
    refusal = models.CharField(max_length=16, blank=True, choices=Refusal.choices)
    restricted_at = models.DateTimeField(null=True)
    run_id = models.UUIDField(null=True)
    proposed_by_id = models.UUIDField(null=True)
    proposed_at = models.DateTimeField(null=True)
    approved_by_id = models.UUIDField(null=True)
    approved_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    revision = models.PositiveIntegerField(default=1, db_default=1)
    decided_revision = models.PositiveIntegerField(null=True, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    personal_data = PersonalData(
        Fields(
            "id tenant year number purpose state subject_type requester language received_at zone received_on "
            "first_due_on due_on data_key_id identity_asked_at identity_confirmed_at ground extension "
            "extended_at refusal run_id proposed_at approved_at finished_at revision decided_revision "
            "created_at",
            Sort.NONE,
            because="Ids, codes, counts and times.",
        ),
        Fields("restricted_at", Sort.NONE, because="A time."),
        Fields(
            "subject_id",
            Sort.IDENTIFIER,
            because="The id of the account, document, scope or tenant that the request is about.",
            stays=f"{reasons.ACCOUNTABLE} An id names nobody once what it named is gone.",
            shown_in="erasure_requests",
        ),
        Fields(
            "received_by_id proposed_by_id approved_by_id",
            Sort.IDENTIFIER,
            because="The account of whoever did it.",
            stays=reasons.ACCOUNTABLE,
            withheld=reasons.OWN_ACT,
        ),
        Fields(
            "details",
            Sort.SEALED,
            because="Whom it is about, who asks, what was said.",
            stays="Under a key of the request's own, without which nothing can be read. The row is the proof of it. "
            "Of a request for access the key is destroyed thirty days after its end, or when something is "
            "erased that it found.",
            unsearched=reasons.KEY_OF_REQUEST,
            withheld=reasons.OFFICERS,
        ),
    )

    class Meta:
        app_label = "audit"
        ordering = ("due_on", "year", "number")
        indexes = (
            models.Index(fields=["tenant", "state", "due_on"], name="erasure_request_by_due"),
            models.Index(fields=["tenant", "subject_id"], name="erasure_request_by_subject"),
        )
        constraints = (
            models.UniqueConstraint(fields=["tenant", "year", "number"], name="erasure_request_number_once"),
            models.CheckConstraint(
                condition=models.Q(proposed_by_id__isnull=True)
                | models.Q(approved_by_id__isnull=True)
                | ~models.Q(proposed_by_id=models.F("approved_by_id")),
                name="erasure_request_four_eyes",
            ),
            models.CheckConstraint(
                condition=models.Q(subject_type=SubjectType.DATA_SUBJECT, subject_id__isnull=True)
                | (~models.Q(subject_type=SubjectType.DATA_SUBJECT) & models.Q(subject_id__isnull=False)),
                name="erasure_request_subject_named",
            ),
            models.CheckConstraint(
                condition=models.Q(extended_at__isnull=True, extension="", due_on=models.F("first_due_on"))
                | (models.Q(extended_at__isnull=False) & ~models.Q(extension="")),
                name="erasure_request_extended_with_reason",
            ),
            models.CheckConstraint(
                condition=models.Q(state=RequestState.REFUSED) & ~models.Q(refusal="")
                | (~models.Q(state=RequestState.REFUSED) & models.Q(refusal="")),
                name="erasure_request_refused_with_ground",
            ),
            models.CheckConstraint(
                condition=models.Q(purpose=Purpose.ERASURE)
                | models.Q(
                    purpose=Purpose.ACCESS,
                    subject_type=SubjectType.DATA_SUBJECT,
                    ground="",
                    run_id__isnull=True,
                    restricted_at__isnull=True,
                    state__in=(
                        "received",
                        "identity_pending",
                        "assessing",
                        "inventory_ready",
                        "completed",
                        "refused",
                        "withdrawn",
                    ),
                ),
                name="access_request_removes_nothing",
            ),
        )

    def __str__(self) -> str:
        return self.reference

    @property
    def reference(self) -> str:
        """Return the number used in letters, such as ER-2026-0007, or AR-2026-0008 for a request for access."""
        return f"{'AR' if self.is_access else 'ER'}-{self.year}-{self.number:04}"

    @property
    def is_access(self) -> bool:
        return self.purpose == Purpose.ACCESS


class Letter(TenantModel):
    """A letter to the requester as it was written. Recipient, subject and text are sealed like the request's details.

    sent_at: when the mail server accepted it, or when a person noted that they posted it.
    claimed_at: since when a process has been sending it. If that process dies, a person must settle the letter.
    """

    request = TenantForeignKey(ErasureRequest, on_delete=models.PROTECT, related_name="letters")
    kind = models.CharField(max_length=16, choices=LetterKind.choices)
    language = models.CharField(max_length=2, choices=Language.choices)
    delivery = models.CharField(max_length=8, choices=Delivery.choices)
    state = models.CharField(max_length=16, choices=LetterState.choices)
    ciphertext = models.BinaryField()
    written_by_id = models.UUIDField()
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_try_at = models.DateTimeField(null=True)
    claimed_at = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    problem = models.CharField(max_length=64, blank=True)

    personal_data = PersonalData(
        Fields(
            "id tenant request kind language delivery state created_at attempts next_try_at claimed_at sent_at problem",
            Sort.NONE,
            because="Ids, codes, counts and times.",
        ),
        Fields(
            "ciphertext",
            Sort.SEALED,
            because="The letter with its address.",
            stays="Under the key of its request: without it nothing can be read.",
            unsearched=reasons.KEY_OF_REQUEST,
            shown_in="erasure_requests",
        ),
        Fields(
            "written_by_id",
            Sort.IDENTIFIER,
            because="The account of whoever did it.",
            stays=reasons.ACCOUNTABLE,
            withheld=reasons.OWN_ACT,
        ),
    )

    class Meta:
        app_label = "audit"
        ordering = ("created_at", "id")
        indexes = (models.Index(fields=["tenant", "state", "next_try_at"], name="letter_by_next_try"),)
        constraints = (
            models.CheckConstraint(
                condition=models.Q(state=LetterState.SENT, sent_at__isnull=False)
                | (~models.Q(state=LetterState.SENT) & models.Q(sent_at__isnull=True)),
                name="letter_sent_when",
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_kind_display()} ({self.get_state_display()})"
