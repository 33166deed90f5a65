"""Where the person of a request was found, and what the DPO decided. The rows hold places, never the found text."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.erasure.contracts import Target, TargetType
from apps.erasure.declarations.searched import TextLocation
from apps.erasure.runs.staying import Reason
from apps.privacy.codes.inventory import Decision, InventoryState, Quoting, Treatment
from apps.privacy.models.erasure_request import ErasureRequest
from apps.tenants.models.base import TenantForeignKey, TenantModel
from apps.tenants.models.leased_job import LeasedJob
from apps.tenants.personal_data import Fields, PersonalData, Sort, reasons


class Inventory(LeasedJob):
    """One search by the worker, over all scopes, for the person of a request (inventories.sql says who writes what).

    description: a digest of what was searched for, keyed by the request's data key. If the request's digest differs
        now, the search must be repeated.
    counts: by store, how many certain and uncertain places were found: {"corpus.pages": [3, 1]}.
    unreadable: how many texts could not be read, such as a damaged part of an event.
    unread_files: documents whose file could not be parsed completely, so that not everything outside its pages was
        searched.
    """

    task = "apps.privacy.tasks.run_inventory"
    label = "searches for people"
    in_suspended = True
    counted_as = "searches"
    reason = "search for the person of a request"
    waiting = (InventoryState.WAITING,)
    running = InventoryState.RUNNING

    request = TenantForeignKey(ErasureRequest, on_delete=models.PROTECT, related_name="inventories")
    state = models.CharField(max_length=16, choices=InventoryState.choices, default=InventoryState.WAITING)
    requested_by_id = models.UUIDField()
    requested_at = models.DateTimeField(db_default=Now())
    description = models.CharField(max_length=64)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    counts = models.JSONField(default=dict)
    unreadable = models.PositiveIntegerField(default=0)
    unread_files = ArrayField(models.UUIDField(), default=list)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    personal_data = PersonalData(
        Fields(
            "id tenant attempts next_attempt_at lease_owner lease_until error_code request state requested_at "
            "done total counts unreadable unread_files started_at finished_at",
            Sort.NONE,
            because="Ids, counts, codes and times of a search for a person.",
        ),
        Fields(
            "requested_by_id",
            Sort.IDENTIFIER,
            because="The id of an account.",
            stays=reasons.EVIDENCE,
            withheld=reasons.OWN_ACT,
        ),
        Fields(
            "description",
            Sort.DERIVED,
            because="A digest of whom was looked for, keyed by the request's key.",
            stays="It tells nothing once that key is destroyed, with the last letter of a request that was carried "
            "out.",
            withheld=reasons.OFFICERS,
        ),
    )

    class Meta:
        app_label = "audit"
        ordering = ("-requested_at", "-id")
        constraints = (
            models.UniqueConstraint(
                fields=["tenant", "request"],
                condition=Q(state__in=["waiting", "running"]),
                name="inventory_one_at_a_time",
            ),
        )
        indexes = (models.Index(fields=["tenant", "state", "next_attempt_at"], name="inventory_due"),)

    def __str__(self) -> str:
        return f"inventory of {self.request_id}"

    @property
    def is_moving(self) -> bool:
        return self.state in (InventoryState.WAITING, InventoryState.RUNNING)


class InventoryHit(TenantModel):
    """One place in which the person was found: a stretch of a text, by its offsets, and what was decided about it.

    Each place exists once per request. A later search that finds it again keeps the decision and sets `inventory`;
    places that the newest search did not find are ignored.

    scope_ids: the scopes that the place lies in; a reader must hold all of them.
    words: why it was decided so, sealed under the request's key.
    carried_from_id: the place in an earlier version of the document from which this decision was copied, with the
        person and the time of that decision. Empty again once somebody decides on this place itself.
    quoting: in a request for access, whether the package quotes the words around the place.
    hidden: which of these words are made unreadable because they are about others (Article 15(4)), sealed under the
        request's key.
    """

    request = TenantForeignKey(ErasureRequest, on_delete=models.PROTECT, related_name="inventory_hits")
    inventory = TenantForeignKey(Inventory, on_delete=models.PROTECT, related_name="hits")
    scope_ids = ArrayField(models.UUIDField(), default=list)
    store = models.CharField(max_length=64)
    item_id = models.UUIDField()
    part = models.CharField(max_length=32, blank=True)
    page = models.PositiveIntegerField(null=True)
    target_type = models.CharField(max_length=16, blank=True)
    target_id = models.UUIDField(null=True)
    target_part = models.CharField(max_length=16, blank=True)
    char_start = models.PositiveIntegerField()
    char_end = models.PositiveIntegerField()
    how = models.CharField(max_length=16)
    matched = models.CharField(max_length=16)
    confidence = models.FloatField()
    is_certain = models.BooleanField()
    decision = models.CharField(max_length=16, choices=Decision.choices, default=Decision.OPEN)
    reason = models.CharField(max_length=16, choices=Reason.choices, blank=True)
    words = models.BinaryField(null=True)
    quoting = models.CharField(max_length=16, choices=Quoting.choices, blank=True)
    hidden = models.BinaryField(null=True)
    decided_by_id = models.UUIDField(null=True)
    decided_at = models.DateTimeField(null=True)
    carried_from_id = models.UUIDField(null=True)

    personal_data = PersonalData(
        Fields(
            "id tenant request inventory scope_ids store item_id part page target_type target_id target_part "
            "char_start char_end how matched confidence is_certain decision reason decided_at carried_from_id",
            Sort.NONE,
            because="In which text and where somebody was found, as ids and offsets, and a decision as a code.",
        ),
        Fields("quoting", Sort.NONE, because="A code."),
        Fields(
            "words",
            Sort.SEALED,
            because="Why a place was decided so, under the request's own key.",
            stays="Nobody can read it once that key is destroyed, with the last letter of a request that was carried "
            "out.",
            unsearched=reasons.KEY_OF_REQUEST,
        ),
        Fields(
            "hidden",
            Sort.SEALED,
            because="Words about others that an access package hides, under the request's own key.",
            stays="Nobody can read it once that key is destroyed, thirty days after the end of the request.",
            unsearched=reasons.KEY_OF_REQUEST,
        ),
        Fields(
            "decided_by_id",
            Sort.IDENTIFIER,
            because="The id of an account.",
            stays=reasons.EVIDENCE,
            withheld=reasons.OWN_ACT,
        ),
        withheld=reasons.OFFICERS,
    )

    class Meta:
        app_label = "audit"
        ordering = ("store", "item_id", "char_start", "id")
        constraints = (
            models.UniqueConstraint(
                fields=["tenant", "request", "store", "item_id", "part", "char_start", "char_end"],
                name="inventory_hit_once",
            ),
            models.CheckConstraint(
                condition=Q(decision="open", reason="", decided_by_id__isnull=True, decided_at__isnull=True)
                | (~Q(decision="open") & ~Q(reason="") & Q(decided_by_id__isnull=False, decided_at__isnull=False)),
                name="inventory_hit_decided_by_somebody",
            ),
            models.CheckConstraint(
                condition=Q(quoting="", hidden__isnull=True)
                | (Q(decision="confirmed") & (Q(quoting="quoted") | Q(quoting="left_out", hidden__isnull=True))),
                name="inventory_hit_quoted_if_confirmed",
            ),
            models.CheckConstraint(
                condition=Q(carried_from_id__isnull=True) | Q(decision="cleared"),
                name="inventory_hit_carried_if_cleared",
            ),
        )
        indexes = (models.Index(fields=["tenant", "target_id"], name="inventory_hit_by_target"),)

    def __str__(self) -> str:
        return f"{self.store} {self.item_id} {self.char_start}-{self.char_end}"

    @property
    def target(self) -> Target | None:
        if self.target_id is None:
            return None
        return Target(type=TargetType(self.target_type), id=self.target_id, part=self.target_part)

    @property
    def place(self) -> TextLocation:
        return TextLocation(store=self.store, item_id=self.item_id, part=self.part, target=self.target, page=self.page)


class InventoryTreatment(TenantModel):
    """What happens to a document in which the person was found.

    asked_at: when its redacted version was requested; redacted_id: that version, once it exists; error_code: why it
    could not be made. The redaction of a document is requested once, unless it failed.
    """

    request = TenantForeignKey(ErasureRequest, on_delete=models.PROTECT, related_name="inventory_treatments")
    scope_ids = ArrayField(models.UUIDField(), default=list)
    document_id = models.UUIDField()
    treatment = models.CharField(max_length=16, choices=Treatment.choices)
    chosen_by_id = models.UUIDField()
    chosen_at = models.DateTimeField()
    asked_at = models.DateTimeField(null=True)
    redacted_id = models.UUIDField(null=True)
    error_code = models.CharField(max_length=100, blank=True)

    personal_data = PersonalData(
        Fields(
            "id tenant request scope_ids document_id treatment chosen_at asked_at redacted_id error_code",
            Sort.NONE,
            because="What becomes of a document: ids and codes.",
        ),
        Fields(
            "chosen_by_id",
            Sort.IDENTIFIER,
            because="The id of an account.",
            stays=reasons.EVIDENCE,
            withheld=reasons.OWN_ACT,
        ),
    )

    class Meta:
        app_label = "audit"
        ordering = ("document_id",)
        constraints = (
            models.UniqueConstraint(fields=["tenant", "request", "document_id"], name="inventory_treated_once"),
        )

    def __str__(self) -> str:
        return f"{self.document_id}: {self.treatment}"

    @property
    def is_asked(self) -> bool:
        return self.asked_at is not None and not self.error_code
