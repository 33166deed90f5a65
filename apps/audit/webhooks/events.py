"""The events that the log records of webhooks, of which only the test is sent to one; and those that webhooks may
send.
"""

from __future__ import annotations

from typing import Any, Final

from apps.audit.models import Event, Outcome, Webhook
from apps.audit.registry import EventClass, Group, offer_to_webhooks, register
from apps.audit.services import record
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission

PREFIX: Final = "audit.webhook."
SUBJECT: Final = "webhook"
# Action after the prefix -> label, and its fields besides those that all of them have.
_BY_PEOPLE: Final = {
    "created": ("Webhook made", ()),
    "changed": ("Webhook changed", ()),
    "resumed": ("Webhook sent to again", ()),
    "rotated": ("Webhook given a new secret", ()),
    "deleted": ("Webhook deleted", ("waiting",)),
    "tested": ("Webhook tested", ()),
    "redelivered": ("Event sent to a webhook again", ("delivery_id", "event_id")),
}
_BY_EITHER: Final = {"paused": ("Webhook paused", ("because",))}
_BY_PLATFORM: Final = {
    "gave_up": ("Event not taken by a webhook: given up", ("delivery_id", "event_id", "attempts", "error"))
}
_EVERY: Final = ("host", "actions", "scope_ids")


def register_webhook_events() -> None:
    manages = frozenset({Permission.TENANT_MANAGE})
    register(
        *(
            EventClass(
                action=f"{PREFIX}{name}",
                label=label,
                fields={Group.CORE: frozenset((*_EVERY, *fields))},
                permissions=permissions,
            )
            for classes, permissions in (
                (_BY_PEOPLE, manages),
                (_BY_EITHER, manages),
                (_BY_PLATFORM, frozenset[Permission]()),
            )
            for name, (label, fields) in classes.items()
        )
    )


def offer_events() -> None:
    """Offer events of this package and of apps.tenants to webhooks.

    Their subjects are things, never a person or an account.
    """
    offer_to_webhooks(
        "audit.verification.finished",
        "tenants.api_key.created",
        "tenants.api_key.rotated",
        "tenants.api_key.revoked",
        "tenants.scope.created",
        "tenants.tenant.configured",
    )


def tell_webhook(name: str, webhook: Webhook, *, outcome: Outcome = Outcome.SUCCESS, **more: Any) -> Event:
    """Record what happened to an endpoint, readable by holders of its scopes. Args: more: the class's own fields."""
    from apps.audit.webhooks.addresses import host_of

    core = {
        "host": host_of(webhook.url),
        "actions": sorted(webhook.actions),
        "scope_ids": sorted(str(each) for each in webhook.scope_ids),
        **more,
    }
    return record(
        action=f"{PREFIX}{name}",
        core=core,
        outcome=outcome,
        subject_type=SUBJECT,
        subject_id=webhook.id,
        scopes=[ScopeId(each) for each in webhook.scope_ids],
    )
