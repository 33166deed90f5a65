"""The content of an event beyond its header: field groups, sealed separately so that each can be removed alone."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.audit.models.data_key import DataKey
from apps.tenants.models.base import TenantForeignKey, TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Sort, reasons


class Payload(TenantModel):
    """One group of one event. Rows are inserted and read; no running process may change or remove one.

    scope_ids are those of the event, which a foreign key over all three columns enforces: a payload is exactly as hard
    to read as its event. terms: see apps/audit/terms.py.
    """

    event_id = models.UUIDField()
    scope_ids = ArrayField(models.UUIDField())
    group = models.CharField(max_length=16, db_column="field_group")
    ciphertext = models.BinaryField()
    data_key = TenantForeignKey(DataKey, on_delete=models.PROTECT, related_name="+")
    terms = ArrayField(models.CharField(max_length=200), default=list)

    personal_data = PersonalData(
        Fields("id tenant event_id scope_ids group data_key", Sort.NONE, because="Ids and codes."),
        Fields("terms", Sort.NONE, because="Ids and codes of the group that they lie beside, and go with it."),
        Fields(
            "ciphertext",
            Sort.SEALED,
            because="A field group: questions, names, what was found and quoted.",
            cleared_by=("audit.payloads", "audit.log_contents"),
            stays=f"The core alone, until its tenant is erased. {reasons.EVIDENCE}",
            shown_in="events",
        ),
    )

    class Meta:
        constraints = (models.UniqueConstraint(fields=["tenant", "event_id", "group"], name="payload_group_once"),)

    def __str__(self) -> str:
        return f"{self.group} of {self.event_id}"
