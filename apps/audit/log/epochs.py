"""Whose log a checkpoint is of, also after the database was put back to an earlier state.

A restored log lacks what came after its backup, and grows on in another way: signed under the same name, there would be
two logs of one size and one origin. So each restore is an event, which names the last exported checkpoint and how much
of the log is left, and from that event on the log is signed and exported under an origin of its own:

    glassbox/audit/<tenant>                        from the beginning
    glassbox/audit/<tenant>/restored/<event id>    from that event on

All of them begin alike, as far as they were kept. A checkpoint of an earlier origin is compared like one of the newest:
where it holds more than was kept, verification says TRUNCATED or INCONSISTENT, for ever; the event says why.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from apps.audit.models import Event
from apps.tenants.ids import TenantId

RESTORED: Final = "audit.log.restored"
_MARK: Final = "/restored/"


def origin_of(tenant_id: TenantId) -> str:
    """Of a log that was never put back."""
    return f"glassbox/audit/{tenant_id}"


def current_origin(tenant_id: TenantId) -> str:
    """Of the log as it goes on now. Needs the tenant's open scope. Costs: one query."""
    last = Event.objects.filter(action=RESTORED).order_by("-occurred_at", "-id").values_list("id", flat=True).first()
    return origin_of(tenant_id) + (f"{_MARK}{last}" if last else "")


def is_same_log(origin: str, other: str) -> bool:
    """Whether two origins are of one tenant's log, whatever was restored between them."""
    return origin.partition(_MARK)[0] == other.partition(_MARK)[0]


def log_owner(origin: str) -> str:
    """The tenant that an origin of a log names; empty where it is none."""
    prefix, _, tenant = origin.partition(_MARK)[0].rpartition("/")
    return tenant if prefix == "glassbox/audit" else ""


def restore_of(origin: str) -> UUID | None:
    """The event that an origin begins with; None for that of a log that was never put back."""
    event_id = origin.partition(_MARK)[2]
    return UUID(event_id) if event_id else None
