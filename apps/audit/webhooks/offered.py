"""Of which classes of events a webhook can be told. Every app offers its own, in AppConfig.ready.

A delivery names what an event was done to. So a class whose subject is a person, or an account, is not offered: its
deliveries would be a record of who did what when, out of the reach of any erasure.
"""

from __future__ import annotations

from apps.audit.registry import event_class

_offered: dict[str, None] = {}


def offer_to_webhooks(*actions: str) -> None:
    """Offer registered classes. Raises UnregisteredActionError."""
    for action in actions:
        event_class(action)
        _offered[action] = None


def offered_actions() -> tuple[str, ...]:
    return tuple(sorted(_offered))
