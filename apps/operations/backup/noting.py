"""What a replay records in a log: that it was restored, what was removed again, and that the replay is complete.

A replay can be killed after any of its commits, so each record depends on what the log says already, and not on the
memory of a process. A restore is recorded once. A removal is recorded in the transaction that removes. The end is
recorded once, with everything that was removed by then, by whichever process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final
from uuid import NAMESPACE_URL, UUID, uuid5

from django.conf import settings
from django.db.models import QuerySet

from apps.audit.log.epochs import RESTORED, current_origin
from apps.audit.log.export.contracts import LATEST, checkpoint_place
from apps.audit.log.notes import Checkpoint, opened
from apps.audit.log.storage import stored_size
from apps.audit.log.tombstone_place import TombstonePlace
from apps.audit.models import Event, Unsealed
from apps.audit.registry import Group
from apps.audit.selectors import payloads_of
from apps.audit.services import record
from apps.erasure.models import TombstoneMark
from apps.erasure.tombstones.writing import REPLAYED as MARK
from apps.tenants.context import current_scope

REPEATED: Final = "audit.tombstones.repeated"
REPLAYED: Final = "audit.tombstones.replayed"
_SUBJECT: Final = "restore"


def restore_id_of(identity: str, through: int) -> UUID:
    """Return an id that is the same for every replay of the same tombstones in the same database.

    Args: identity: of the database (gate.py). through: the number of the last tombstone.
    """
    return uuid5(NAMESPACE_URL, f"urn:glassbox:restore:{identity}:{through}")


def note_restore(restore_id: UUID, *, place: TombstonePlace, was_closed: bool, backup_id: UUID | None) -> int:
    """Record once in the open tenant's log that it was restored, and vouch for the event outside the database.

    Args:    was_closed: whether the database could not be served. The restore of a log that lacks nothing is recorded
             only in such a database.
    Returns: how many of the exported leaves the log lacks.
    Raises:  CheckpointExportError, TombstonesUnavailableError.
    """
    origin, size = current_origin(current_scope().tenant_id), stored_size()
    exported = _read_exported(origin)
    lost = max(0, exported.size - size) if exported else 0
    noted = Event.objects.filter(action=RESTORED, subject_id=restore_id).order_by("id").last()
    if not lost and noted is not None:
        return _lost(noted)
    if not lost and not was_closed:
        return 0
    event = record(
        action=RESTORED,
        core={
            "backup_id": None if backup_id is None else str(backup_id),
            "leaves": size,
            "unsealed": Unsealed.objects.count(),
            "exported_size": exported.size if exported else None,
            "exported_root": exported.root.hex() if exported else None,
            "exported_origin": origin,
        },
        subject_type=_SUBJECT,
        subject_id=restore_id,
    )
    place.vouch(event.id)
    return lost


def _lost(noted: Event) -> int:
    """Return how many leaves were lost according to the event, or 0 if its content was removed.

    The log has continued under another origin since that event.
    """
    core = payloads_of([noted], groups=(Group.CORE,))[noted.id].get(Group.CORE, {})
    return max(0, int(core.get("exported_size") or 0) - int(core.get("leaves") or 0))


def _read_exported(origin: str) -> Checkpoint | None:
    note = checkpoint_place().get(origin, LATEST)
    return None if note is None else opened(note, settings.GLASSBOX_LOG_VERIFY_KEYS)


def note_removed(restore_id: UUID, *, store: str, removed: int) -> None:
    """Record how many items of a store were removed again, in the transaction that removes them."""
    record(action=REPEATED, core={"store": store, "removed": removed}, subject_type=_SUBJECT, subject_id=restore_id)


def note_done(
    restore_id: UUID, *, through: int, removed: Mapping[str, int], targets: int, kept: int, stayed: Mapping[str, int]
) -> None:
    """Mark in the open transaction that all tombstones were applied to the open tenant, and record it if there was any
    work.

    Args: removed: by store, by this process. What an earlier, killed process removed is added from the log, except for
              events that were emptied with the tenant.
          targets, kept, stayed: see replay.TenantReplay.
    """
    said = _not_ended_yet(restore_id)
    if said:
        core: dict[str, Any] = {
            "through": through,
            "targets": targets,
            "removed": {
                key: count for key, count in sorted((Counter(removed) | _count_removed(said)).items()) if count
            },
            "kept": kept,
            "stayed": dict(stayed),
        }
        record(action=REPLAYED, core=core, subject_type=_SUBJECT, subject_id=restore_id)
    if through and not TombstoneMark.objects.filter(number=through, kind=MARK).exists():
        TombstoneMark.objects.create(tenant_id=current_scope().tenant_id, number=through, kind=MARK)


def _not_ended_yet(restore_id: UUID) -> list[Event]:
    """Return the events of this replay since the log last recorded the end of one."""
    events: QuerySet[Event] = Event.objects.filter(subject_id=restore_id).order_by("id")
    last = events.filter(action=REPLAYED).values_list("id", flat=True).last()
    told = events.filter(action__in=(RESTORED, REPEATED))
    return list(told if last is None else told.filter(id__gt=last))


def _count_removed(said: list[Event]) -> Counter[str]:
    """Return the removals that the events record, by store."""
    found: Counter[str] = Counter()
    repeated = [event for event in said if event.action == REPEATED]
    for groups in payloads_of(repeated, groups=(Group.CORE,)).values():
        if core := groups.get(Group.CORE):
            found[str(core["store"])] += int(core["removed"])
    return found
