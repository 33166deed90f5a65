"""What of this floor, and of the one below, webhooks can be told of. Subjects: things, never a person or an account."""

from __future__ import annotations

from apps.audit.webhooks.offered import offer_to_webhooks

_REMOVAL = ("proposed", "approved", "rejected", "started", "ended", "failed")
_REQUEST = (
    *("received", "identity_confirmed", "assessed", "extended", "refused", "withdrawn", "proposed", "restricted"),
    *("executing", "completed", "partially_completed", "failed"),
)
_ACCESS = ("received", "identity_confirmed", "prepared", "extended", "refused", "withdrawn", "completed", "expired")


def offer_of_these_floors() -> None:
    offer_to_webhooks(
        *(f"audit.removal.{name}" for name in _REMOVAL),
        *(f"audit.request.{name}" for name in _REQUEST),
        *(f"audit.access.{name}" for name in _ACCESS),
        "audit.certificate.issued",
        "audit.hold.placed",
        "audit.hold.released",
        "audit.document.restricted",
        "audit.document.restriction_lifted",
        "audit.purge.proposed",
        "audit.retention.activated",
        "audit.verification.finished",
        "tenants.api_key.created",
        "tenants.api_key.rotated",
        "tenants.api_key.revoked",
        "tenants.scope.created",
        "tenants.tenant.configured",
    )
