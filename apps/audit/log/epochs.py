"""Origins: which log a checkpoint is of, also after the database was restored to an earlier state.

A restored log lacks the events after its backup and then grows differently. If it were signed under the same name,
there would be two logs of one size and one origin. So each restore is recorded as an event, which names the last
exported checkpoint and how much of the log is left. From that event on, the log is signed and exported under a new
origin:

    glassbox/audit/<tenant>                        from the beginning
    glassbox/audit/<tenant>/restored/<event id>    from that event on

All of these logs begin alike, as far as their leaves were kept. A checkpoint of an earlier origin is compared like one
of the newest: where it holds more than was kept, verification reports TRUNCATED or INCONSISTENT, for ever. The event
says why.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from apps.audit.models import Event
from apps.tenants.ids import TenantId

RESTORED: Final = "audit.log.restored"
_MARK: Final = "/restored/"


def origin_of(tenant_id: TenantId) -> str:
    """Return the origin of a log that was never restored."""
    return f"glassbox/audit/{tenant_id}"


def current_origin(tenant_id: TenantId) -> str:
    """Return the current origin of the log. Needs the tenant's open scope. Costs: one query."""
    last = Event.objects.filter(action=RESTORED).order_by("-occurred_at", "-id").values_list("id", flat=True).first()
    return origin_of(tenant_id) + (f"{_MARK}{last}" if last else "")


def is_same_log(origin: str, other: str) -> bool:
    """Return whether two origins are of the same tenant's log, regardless of restores between them."""
    return origin.partition(_MARK)[0] == other.partition(_MARK)[0]


def log_owner(origin: str) -> str:
    """Return the tenant id that the origin of a log names, or an empty text if it is no such origin."""
    prefix, _, tenant = origin.partition(_MARK)[0].rpartition("/")
    return tenant if prefix == "glassbox/audit" else ""


def restore_of(origin: str) -> UUID | None:
    """Return the id of the restore event that an origin begins with, or None if the log was never restored."""
    event_id = origin.partition(_MARK)[2]
    return UUID(event_id) if event_id else None
