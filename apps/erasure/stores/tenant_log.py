"""How the log of a tenant that is erased ends: its events stay, what they say goes, and its keys after that.

Events, leaves and checkpoints are ids, codes, times and digests: the fact of what happened, by which the log still
verifies. Everything else is authorised by one event, audit.log.emptied, which names what stays (what a legal hold is
on) and the keys that go. It is recorded under a key of its own (keys/data_keys.py, end_data_key): from then on the
other keys seal nothing new. Once it is sealed, the database removes what the events before it say, in parts, and then
the keys. A key goes only when nothing is sealed by it any more; whatever copies of payloads there are in WAL, replicas
and backups can't be opened after that.

What was written under an earlier key meanwhile, by a process that remembered it, or after a hold had kept the log from
being emptied as a whole, is seen by the count, and another such event is recorded for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from django.db import connection

from apps.audit.keys.data_keys import END, end_data_key, forget_keys
from apps.audit.models import DataKey, Event, Leaf, Payload
from apps.audit.registry import Group
from apps.audit.services import record
from apps.audit.terms import KEPT
from apps.erasure.contracts import Phase, RunState, Target, TargetType
from apps.erasure.events import LOG_EMPTIED
from apps.erasure.models import RemovalTarget, TargetOutcome
from apps.erasure.registry import kept_within
from apps.erasure.stores.tenant_rows import names_tenant
from apps.sql_files import read_statements
from apps.tenants.context import current_scope

_SQL: Final = read_statements(__file__)
_TYPES: Final = frozenset({TargetType.TENANT})
_TO_GO: Final = _SQL["to_go"]
_DESTROY: Final = "SELECT audit_destroy_keys(%(said)s)"


class LogContents:
    """See Store. What no sealed event authorises yet is not cleared: it waits for the sealer."""

    key = "audit.log_contents"
    label = "Contents of the events in the log"
    phase = Phase.LOG
    types = _TYPES

    def count(self, targets: Sequence[Target]) -> int:
        """Costs: two queries and those of kept_within; it reads the tenant's log."""
        if not names_tenant(targets):
            return 0
        kept = _kept(targets)
        parameters = {
            "tenant": current_scope().tenant_id,
            "newest": _newest_end(),
            "events": [target.id for target in kept],
            "groups": [target.part for target in kept],
        }
        return _number(_TO_GO, parameters)

    def clear(self, targets: Sequence[Target], *, limit: int) -> int:
        if not names_tenant(targets):
            return 0
        # Another process may have made a key for the end since this one last looked.
        forget_keys(current_scope().tenant_id)
        said = _said()
        if said is None or _kept_by(said) != _kept(targets):
            _say(targets)
            return 0
        if not _is_sealed(said):
            return 0
        removed = _number("SELECT audit_empty_log(%(said)s, %(limit)s)", {"said": said, "limit": limit})
        if not removed and self.count(targets):
            _say(targets)
        return removed


class DataKeys:
    """See Store. Which of them may go is said by the event that emptied the log.

    All of them stay as long as something is held: what is held is sealed by one of them.
    """

    key = "audit.data_keys"
    label = "Keys that seal the log's payloads"
    phase = Phase.KEYS
    types = _TYPES
    waits_for_holds = True

    def count(self, targets: Sequence[Target]) -> int:
        """Costs: two queries; none where no tenant is among the targets."""
        if not names_tenant(targets):
            return 0
        return int(DataKey.objects.exclude(id=_newest_end()).count())

    def clear(self, targets: Sequence[Target], *, limit: int) -> int:
        """All at once: there are four a year, and one a request for erasure.

        Where something was sealed by one of them since the log was emptied, it is emptied of that first.
        """
        if not names_tenant(targets):
            return 0
        forget_keys(current_scope().tenant_id)
        said = _said()
        removed = _number(_DESTROY, {"said": said}) if said is not None and _is_sealed(said) else 0
        if not removed and self.count(targets):
            return LogContents().clear(targets, limit=limit)
        return removed


def _say(targets: Sequence[Target]) -> None:
    """Record what goes and what stays, under a new key."""
    tenant = current_scope().tenant_id
    going = sorted(str(id) for id in DataKey.objects.values_list("id", flat=True))
    end_data_key(tenant)
    # None after a restore: which run it was, the restored database does not know (apps/operations/backup/repeating.py).
    run_id = (
        RemovalTarget.objects.filter(
            type=TargetType.TENANT, item_id=tenant, outcome=TargetOutcome.PENDING, run__state=RunState.EXECUTING
        )
        .values_list("run_id", flat=True)
        .first()
    )
    record(
        action=LOG_EMPTIED,
        core={
            "run_id": None if run_id is None else str(run_id),
            "kept": [{"event_id": str(each.id), "group": each.part} for each in _kept(targets)],
            "keys": going,
        },
        subject_type="tenant",
        subject_id=tenant,
    )


def _kept(targets: Sequence[Target]) -> list[Target]:
    """The parts of events in the tenant that must stay."""
    kept = {item for items in kept_within(targets).values() for item in items}
    return sorted(item for item in kept if item.type is TargetType.EVENT_GROUP)


def _said() -> UUID | None:
    """The newest event that says so."""
    return Event.objects.filter(action=LOG_EMPTIED).order_by("-id").values_list("id", flat=True).first()


def _is_sealed(event_id: UUID) -> bool:
    return bool(Leaf.objects.filter(event_id=event_id).exists())


def _kept_by(event_id: UUID) -> list[Target]:
    """What the event says that stays, by the terms beside its core: the eraser opens no payload."""
    terms = Payload.objects.filter(event_id=event_id, group=Group.CORE).values_list("terms", flat=True).first() or []
    named = [term.split(":") for term in terms if term.startswith(f"{KEPT}:")]
    return sorted(Target(type=TargetType.EVENT_GROUP, id=UUID(id), part=part) for _, id, part in named)


def _newest_end() -> UUID | None:
    ends = DataKey.objects.filter(epoch__startswith=END, subject_id=None)
    return ends.order_by("-id").values_list("id", flat=True).first()


def _number(query: str, parameters: dict[str, Any]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return int(cursor.fetchone()[0])
