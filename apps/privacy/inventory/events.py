"""The events of an inventory: ids, counts and codes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from apps.audit.models import Outcome
from apps.audit.registry import EventClass, Group, register
from apps.audit.services import record
from apps.privacy.models import ErasureRequest
from apps.privacy.requests.events import SUBJECT
from apps.tenants.roles import Permission

PREFIX: Final = "audit.inventory."
_LABELS: Final[Mapping[str, str]] = {
    "requested": "Inventory: search begun",
    "finished": "Inventory: search finished",
    "failed": "Inventory: search failed",
    "decided": "Inventory: places decided on",
    "carried_over": "Inventory: decisions carried over to a redacted version",
    "treated": "Inventory: what happens to a document",
    "redaction_asked": "Inventory: redacted versions asked for",
    "redacted": "Inventory: a redacted version is being made",
    "redaction_failed": "Inventory: a redacted version could not be made",
    "restricted": "Inventory: documents out of use during the assessment",
    "lifted": "Inventory: documents in use again during the assessment",
}
# Only the platform records these: what its searches find, and the redacted versions that it makes.
_OWN: Final = frozenset({"finished", "failed", "carried_over", "redacted", "redaction_failed"})
_FIELDS: Final = frozenset(
    {
        "reference", "inventory_id", "texts", "places", "certain", "unreadable", "error_code", "decision", "reason",
        "confirmed", "cleared", "opened", "at_once", "document_id", "treatment", "before", "redacted_id", "documents",
        "decided_by",
    }
)  # fmt: skip


def register_inventory_events() -> None:
    register(
        *(
            EventClass(
                action=f"{PREFIX}{name}",
                label=label,
                fields={Group.CORE: _FIELDS},
                permissions=frozenset() if name in _OWN else frozenset({Permission.PRIVACY_MANAGE}),
            )
            for name, label in _LABELS.items()
        )
    )


def tell(name: str, request: ErasureRequest, *, outcome: Outcome = Outcome.SUCCESS, **core: Any) -> None:
    record(
        action=f"{PREFIX}{name}",
        core={"reference": request.reference, **core},
        outcome=outcome,
        subject_type=SUBJECT,
        subject_id=request.id,
    )
