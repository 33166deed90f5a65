"""Mending a log that was spoilt: what stands in it beside what was recorded goes, by two people and with an event.

Rows that nobody could remove would keep a verification from ever saying "intact" again, and so hide what comes later.
What is removed here was put into the log past the application, or is not what was recorded: a removal that a sealed
event authorises takes it out (apps/erasure/log_removal.py), and both verifiers go by that event. An event that was
written without the group that says who acted is disowned in the same way: it stays in its place, without a name beside
it.
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
        "Nothing stands in this log that can be taken out of it: what a verification finds besides is an event, a leaf "
        "or a checkpoint that is not what it was, and no removal mends that."
    )


def parts_to_mend(tenant: TenantId) -> list[Target]:
    """Parts of sealed events that the event was written without, that are not what was recorded, or that are there
    though their removal was authorised; and the actors of events that were written without.

    The core of an event that authorises removals is never among them. Costs: a verification with contents.
    """
    with snapshot(tenant, "find what spoils the log"):
        reader = LogReader(contents=True)
        # The newest events count as well: what they authorise is under way, though no checkpoint covers them yet.
        authorised = Authorised(reader, covered=stored_size())
        return sorted(
            Target(type=TargetType.EVENT_GROUP, id=entry.event_id, part=part)
            for entry in reader.entries(0)
            if entry.is_there
            for part in entry.groups.keys() | {str(Group.ACTOR)}
            if _is_wrong(entry, part, authorised)
        )


def mend_propose(principal: Principal) -> RemovalRun:
    """Propose, in the principal's own name, to take all of these out. Another person approves the run on its page.

    Raises: NothingToMendError; what run_propose raises.
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
