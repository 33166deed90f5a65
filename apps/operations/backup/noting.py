"""What a replay writes into a log: that it was put back, what was removed again, and that all of it is done.

A replay can be killed after any of its commits, so each of these goes by what the log says already, and not by what a
process remembers: a restore is told of once, what is removed in the transaction that removes it, and the end once,
with all that was removed by then, whichever process it was.
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
    """The same for every replay of the same tombstones in the same database.

    Args: identity: of the database (gate.py). through: the number of the last tombstone.
    """
    return uuid5(NAMESPACE_URL, f"urn:glassbox:restore:{identity}:{through}")


def note_restore(restore_id: UUID, *, place: TombstonePlace, was_closed: bool, backup_id: UUID | None) -> int:
    """Record in the open tenant's log that it was put back, once, and vouch for the event outside.

    Args:    was_closed: whether the database could not be served; a log that lacks nothing is told of in such a one
                 alone.
    Returns: how many leaves it lacks of those that were exported.
    Raises:  CheckpointExportError, TombstonesUnavailableError.
    """
    origin, size = current_origin(current_scope().tenant_id), stored_size()
    exported = _exported(origin)
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
    """As the event says, whose log goes on under a name of its own since; nothing where it was emptied."""
    core = payloads_of([noted], groups=(Group.CORE,))[noted.id].get(Group.CORE, {})
    return max(0, int(core.get("exported_size") or 0) - int(core.get("leaves") or 0))


def _exported(origin: str) -> Checkpoint | None:
    note = checkpoint_place().get(origin, LATEST)
    return None if note is None else opened(note, settings.GLASSBOX_LOG_VERIFY_KEYS)


def note_removed(restore_id: UUID, *, store: str, removed: int) -> None:
    """Record in the transaction that removes them that so many items of a store are gone again."""
    record(action=REPEATED, core={"store": store, "removed": removed}, subject_type=_SUBJECT, subject_id=restore_id)


def note_done(
    restore_id: UUID, *, through: int, removed: Mapping[str, int], targets: int, kept: int, stayed: Mapping[str, int]
) -> None:
    """Mark, in the open transaction, that the open tenant has all tombstones; record it where there was anything to do.

    Args: removed: by store, by this process; what one before it removed and was killed is added from the log, but for
              what was emptied with the tenant.
          targets, kept, stayed: see replay.TenantReplay.
    """
    said = _not_ended_yet(restore_id)
    if said:
        core: dict[str, Any] = {
            "through": through,
            "targets": targets,
            "removed": {key: count for key, count in sorted((Counter(removed) | _removed(said)).items()) if count},
            "kept": kept,
            "stayed": dict(stayed),
        }
        record(action=REPLAYED, core=core, subject_type=_SUBJECT, subject_id=restore_id)
    if through and not TombstoneMark.objects.filter(number=through, kind=MARK).exists():
        TombstoneMark.objects.create(tenant_id=current_scope().tenant_id, number=through, kind=MARK)


def _not_ended_yet(restore_id: UUID) -> list[Event]:
    """What the log says of this replay since it last said that one was done."""
    events: QuerySet[Event] = Event.objects.filter(subject_id=restore_id).order_by("id")
    last = events.filter(action=REPLAYED).values_list("id", flat=True).last()
    told = events.filter(action__in=(RESTORED, REPEATED))
    return list(told if last is None else told.filter(id__gt=last))


def _removed(said: list[Event]) -> Counter[str]:
    """By store, what the events tell of."""
    found: Counter[str] = Counter()
    repeated = [event for event in said if event.action == REPEATED]
    for groups in payloads_of(repeated, groups=(Group.CORE,)).values():
        if core := groups.get(Group.CORE):
            found[str(core["store"])] += int(core["removed"])
    return found
