"""Mend a damaged log: remove what was not recorded, with two people's approval and an event.

If nobody could remove such rows, no later verification could say "intact" again, and later tampering would stay hidden.
What is removed here was put into the log past the application, or differs from what was recorded. A removal that a
sealed event authorises takes it out (apps/erasure/log_removal.py), and both verifiers rely on that event. An event that
was written without the group that says who acted is disowned in the same way: the event stays in its place, without the
actor's name.
"""

from __future__ import annotations

from apps.audit.log.storage import stored_size
from apps.audit.registry import Group
from apps.audit.verify.authorised import Authorised, Removal
from apps.audit.verify.entries import Entry
from apps.audit.verify.reading import LogReader, snapshot
from apps.erasure.contracts import Origin, Target, TargetType
from apps.erasure.log_removal import ERASED, RemovalReason
from apps.erasure.models import RemovalRun
from apps.erasure.runs.runs import run_propose
from apps.errors import ApplicationError
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.principals import Principal


class NothingToMendError(ApplicationError):
    code = "audit.nothing_to_mend"
    status = 409
    message = (
        "This log contains nothing that can be taken out. Anything else that a verification finds is a changed "
        "event, leaf or checkpoint, and no removal can repair that."
    )


def parts_to_mend(tenant: TenantId) -> list[Target]:
    """Return the parts of sealed events that are to be removed to mend the log.

    These are parts that the event was written without, parts that differ from what was recorded, parts that are still
    there although their removal was authorised, and the actors of events that were written without one. The core of an
    event that authorises removals is never among them. Costs: a verification with contents.
    """
    with snapshot(tenant, "find what spoils the log"):
        reader = LogReader(contents=True)
        # Include the newest events, which no checkpoint covers yet: the removals they authorise are in progress.
        authorised = Authorised(reader, covered=stored_size())
        return sorted(
            Target(type=TargetType.EVENT_GROUP, id=entry.event_id, part=part)
            for entry in reader.entries(0)
            if entry.is_there
            for part in entry.groups.keys() | {str(Group.ACTOR)}
            if _is_wrong(entry, part, authorised)
        )


def mend_propose(principal: Principal) -> RemovalRun:
    """Propose a run that removes all parts_to_mend, in the principal's name. Another person approves it on its page.

    Raises: NothingToMendError; every error of run_propose.
    """
    targets = parts_to_mend(principal.tenant_id)
    if not targets:
        raise NothingToMendError
    with open_scope(tenant=principal.tenant_id, principal=principal):
        return run_propose(
            origin=Origin.LOG,
            origin_id=principal.tenant_id,
            targets=targets,
            reason=RemovalReason.RECORDED_BY_MISTAKE,
        )


def _is_wrong(entry: Entry, part: str, authorised: Authorised) -> bool:
    is_named = authorised.removal_of(str(entry.event_id), part, index=entry.index) is Removal.AUTHORISED
    if part not in entry.groups:
        return part not in entry.known and (not is_named or bool(entry.label))
    if entry.action == ERASED and part == Group.CORE:
        return False
    return is_named or part not in entry.known or bool(entry.problem(part))
