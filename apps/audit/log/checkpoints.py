"""Sign the state of a tenant's log and export it to where the database can't rewrite it. Runs as glassbox_worker."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.db import connection

from apps.audit.errors import CheckpointExportError, LogError, MissingNodesError
from apps.audit.log.epochs import current_origin, is_same_log, origin_of, restore_of
from apps.audit.log.export.contracts import LATEST, CheckpointPlace, checkpoint_place, note_name
from apps.audit.log.export.state import note_exported, note_problem
from apps.audit.log.notes import Checkpoint as SignedState
from apps.audit.log.notes import InvalidNoteError, SigningKey, opened, signed
from apps.audit.log.storage import root_at, stored_consistency_path, stored_size
from apps.audit.log.tombstone_place import tombstone_place
from apps.audit.log.tree import proves_consistency
from apps.audit.models import Checkpoint
from apps.errors import ApplicationError
from apps.tenants.advisory import advisory_key
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.sweeping import Sweep, each_tenant

_REASON: Final = "sign and export a checkpoint of the log"


def checkpoint_all() -> int:
    """Sign and export a checkpoint of every tenant whose log grew. Returns: how many were signed.

    A failure is logged and shown, and tried again at the next run. It does not delay the other tenants.
    """
    return each_tenant(checkpoint_tenant, doing=Sweep.CHECKPOINTS)


def checkpoint_tenant(tenant_id: TenantId) -> bool:
    """Sign a checkpoint if the log grew, and export every checkpoint that the outside place lacks.

    Before signing, check that the log continues both the newest stored checkpoint and the newest exported one, as their
    signed notes state them. A log that was rewritten is not signed.

    Returns: whether a checkpoint was signed.
    Raises:  LogError; CheckpointExportError: the checkpoint is signed and stored,
             and the next run exports it.
    """
    try:
        made = _signed_and_exported(tenant_id)
    except ApplicationError as error:
        note_problem(tenant_id, code=error.code)
        raise
    return made


def _signed_and_exported(tenant_id: TenantId) -> bool:
    with open_scope(tenant=tenant_id, reason=_REASON):
        origin = current_origin(tenant_id)
    try:
        place = checkpoint_place()
        outside = place.get(origin, LATEST)
        if outside is None:
            _refuse_unvouched(origin)
    except CheckpointExportError:
        # The log can't be compared with the exported checkpoint, so it is compared with the stored one and signed: the
        # chain goes on.
        _signed_now(tenant_id, origin, None)
        raise
    made = _signed_now(tenant_id, origin, outside)
    _export(tenant_id, origin, place, outside)
    return made


def _refuse_unvouched(origin: str) -> None:
    """Raise unless `manage.py restore` vouched, outside the database, for the restore that this origin names.

    Otherwise an attacker who can write to the database could cut the log off and claim that it was restored.

    Raises: LogError; TombstonesUnavailableError, TombstonesDamagedError.
    """
    event_id = restore_of(origin)
    if event_id is not None and not tombstone_place().is_vouched(event_id):
        problem = f"event {event_id} tells of a restore that manage.py restore knows nothing of"
        raise LogError("audit.log_inconsistent", which="exported", size="?", problem=problem)


def _signed_now(tenant_id: TenantId, origin: str, outside: str | None) -> bool:
    """Sign and store a checkpoint in a separate transaction, so that only committed checkpoints are exported."""
    key: SigningKey | None = settings.GLASSBOX_LOG_SIGNING_KEY
    if key is None:
        raise LogError("audit.signing_key_missing")
    with open_scope(tenant=tenant_id, reason=_REASON):
        if not _locked(tenant_id):
            return False
        size = stored_size()
        last: Checkpoint | None = Checkpoint.objects.order_by("-size").first()
        if outside is not None:
            _refuse_other_history(tenant_id, "exported", outside, size)
        if last is not None:
            told = _refuse_other_history(tenant_id, "stored", last.note, size)
            if told.size == size:
                return False
        if size == 0:
            return False
        root = _root(size)
        note = signed(SignedState(origin=origin, size=size, root=root), key)
        Checkpoint.objects.create(tenant_id=tenant_id, size=size, root=root, note=note)
        return True


def _locked(tenant_id: TenantId) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [advisory_key("checkpoint", tenant_id)])
        return bool(cursor.fetchone()[0])


def _root(size: int) -> bytes:
    try:
        return root_at(size)
    except MissingNodesError as error:
        raise LogError("audit.log_inconsistent", which="present", size=size, problem=str(error)) from error


def _refuse_other_history(tenant_id: TenantId, which: str, note: str, size: int) -> SignedState:
    """Raise LogError unless the log of `size` leaves begins with what the note says."""
    try:
        told = opened(note, settings.GLASSBOX_LOG_VERIFY_KEYS)
    except InvalidNoteError as error:
        raise LogError(
            "audit.log_inconsistent", which=which, size="?", problem=f"its note can't be trusted: {error}"
        ) from error
    if not is_same_log(told.origin, origin_of(tenant_id)):
        raise LogError("audit.log_inconsistent", which=which, size=told.size, problem="it is of another log")
    if told.size > size:
        raise LogError("audit.log_inconsistent", which=which, size=told.size, problem=f"there are only {size} leaves")
    if told.size == 0:
        return told
    try:
        path = stored_consistency_path(told.size, size)
        root = root_at(size)
    except MissingNodesError as error:
        raise LogError("audit.log_inconsistent", which=which, size=told.size, problem=str(error)) from error
    if not proves_consistency(first=told.size, second=size, path=path, first_root=told.root, second_root=root):
        raise LogError(
            "audit.log_inconsistent", which=which, size=told.size, problem="its leaves are not the same any more"
        )
    return told


def _export(tenant_id: TenantId, origin: str, place: CheckpointPlace, outside: str | None) -> None:
    """Export the missing checkpoints in order, writing `latest` after each.

    An interrupted export resumes after `latest`.
    """
    done = opened(outside, settings.GLASSBOX_LOG_VERIFY_KEYS).size if outside is not None else 0
    with open_scope(tenant=tenant_id, reason=_REASON):
        waiting = list(Checkpoint.objects.filter(size__gt=done).order_by("size").values_list("size", "note"))
    for size, note in waiting:
        # A checkpoint from before a restore lies under its own origin, if it was exported.
        if not note.startswith(f"{origin}\n"):
            continue
        place.put(origin, note_name(size), note)
        place.put(origin, LATEST, note)
        done = size
    note_exported(tenant_id, size=done)
