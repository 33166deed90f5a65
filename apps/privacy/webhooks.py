"""The privacy events that webhooks can subscribe to. Their subjects are things, never a person or an account."""

from __future__ import annotations

from apps.audit.registry import offer_to_webhooks

_REQUEST = (
    *("received", "identity_confirmed", "assessed", "extended", "refused", "withdrawn", "proposed", "restricted"),
    *("executing", "completed", "partially_completed", "failed"),
)
_ACCESS = ("received", "identity_confirmed", "prepared", "extended", "refused", "withdrawn", "completed", "expired")


def offer_events() -> None:
    offer_to_webhooks(*(f"audit.request.{name}" for name in _REQUEST), *(f"audit.access.{name}" for name in _ACCESS))
