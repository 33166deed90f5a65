"""Words for runs of removals: states, reasons, grounds, and what is removed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from apps.erasure.contracts import Origin, RunState, Target, TargetType
from apps.erasure.log_removal import RemovalReason
from apps.erasure.models import RemovalRun, RemovalTarget
from apps.erasure.runs.closing import came_since
from apps.erasure.runs.runs import RejectionReason, target_of
from apps.erasure.runs.staying import EXPIRES, GOES_BY_ITSELF, Reason
from apps.erasure.runs.unproven import Unproven
from apps.tenants.admin.addresses import address

TONES: Final[Mapping[RunState, str]] = {
    RunState.PROPOSED: "warn",
    RunState.REJECTED: "quiet",
    RunState.APPROVED: "busy",
    RunState.EXECUTING: "busy",
    RunState.VERIFYING: "busy",
    RunState.COMPLETED: "good",
    RunState.PARTIALLY_COMPLETED: "warn",
    RunState.FAILED: "bad",
}
REASONS: Final[Mapping[str, str]] = {
    RemovalReason.ERASURE_REQUEST: "Somebody asked for the erasure",
    RemovalReason.RETENTION_ENDED: "It has been kept for as long as it may be",
    RemovalReason.ORDER_OF_AUTHORITY: "An authority ordered it",
    RemovalReason.RECORDED_BY_MISTAKE: "It was recorded by mistake",
    RemovalReason.UPLOADED_BY_MISTAKE: "It was uploaded by mistake",
    RemovalReason.DUPLICATE: "It is a duplicate",
    RemovalReason.WRONG_PLACE: "It is in the wrong scope, or of the wrong kind",
    RemovalReason.NO_LONGER_NEEDED: "It is no longer needed and need not be kept",
}
REJECTIONS: Final[Mapping[str, str]] = {
    RejectionReason.WRONG_TARGETS: "It would remove the wrong things",
    RejectionReason.NOT_DUE: "It is not due yet",
    RejectionReason.MUST_BE_KEPT: "It must be kept",
    RejectionReason.WITHDRAWN: "Withdrawn by the proposer",
}
ERRORS: Final[Mapping[str, str]] = {
    "audit.removal_crashed": "Something unexpected happened; the eraser's own log says what",
    "audit.removal_incomplete": "Something had reappeared when all stores were asked once more",
    "audit.proof_residue": "Every store counts zero, but two scans found traces of what was removed on the disk; the "
    "places are below. It is not tried again automatically",
    "audit.proof_needles_lost": "Everything was removed, but the list of what to search for is lost: nobody can "
    "prove any more that nothing is left on the disk",
    "audit.removal_stuck": "A store holds something that can't be removed; see the row that is not done",
}
UNPROVEN: Final[Mapping[str, str]] = {each.value: str(each.label) for each in Unproven}
GROUNDS: Final[Mapping[str, str]] = {"hold": "Legal hold", "request": "Open request"}
# Addresses of the pages of what runs are proposed for, whichever is installed.
ORIGIN_PAGES: Final[Mapping[str, tuple[str, ...]]] = {
    Origin.PURGE: ("purge", "retention_purge"),
    Origin.LOG: (),
    Origin.REQUEST: ("erasure_request", "privacy_request"),
    Origin.REMOVAL: (),  # the document stands among the targets, and is gone in the end
}
_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    TargetType.DOCUMENT: ("document", "documents"),
    TargetType.EVENT_GROUP: ("part of an event", "parts of events"),
    TargetType.USER: ("person", "people"),
    TargetType.SCOPE: ("scope", "scopes"),
    TargetType.TENANT: ("whole tenant", "tenants"),
}
_PAGES: Final[Mapping[str, str]] = {
    TargetType.DOCUMENT: "corpus_document_change",
    TargetType.EVENT_GROUP: "audit_event_change",
    TargetType.SCOPE: "tenants_scope_change",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRow:
    """url: of its page, where it has one. outcome: in words; empty where the caller knows."""

    kind: str
    id: UUID
    part: str
    url: str
    outcome: str = ""


def counted(targets: Mapping[str, int]) -> str:
    """Such as: 3 documents and 12 parts of events."""
    *first, last = [f"{count:,} {_WORDS[kind][count != 1]}" for kind, count in targets.items()]
    return f"{', '.join(first)} and {last}" if first else last


def came_since_in_words(run: RemovalRun) -> str:
    """What came into the scopes or the tenant of a proposal, and goes too once it is approved; empty where nothing."""
    new = came_since(run) if run.state == RunState.PROPOSED else ()
    return counted(dict(sorted(Counter(target.type for target in new).items()))) if new else ""


def staying_in_words(staying: Iterable[Mapping[str, Any]]) -> list[tuple[int, str]]:
    """What was found of a person and stays: how many places, and on which ground. Args: see RemovalRun.staying."""
    found: Counter[str] = Counter()
    for each in staying:
        is_soon_gone = each["ground"] == EXPIRES
        found[GOES_BY_ITSELF[each["store"]] if is_soon_gone else str(Reason(each["ground"]).label)] += each["places"]
    return [(places, ground) for ground, places in sorted(found.items())]


def target_rows(targets: Iterable[Target | RemovalTarget]) -> list[TargetRow]:
    return [
        _row(target_of(each), each.get_outcome_display()) if isinstance(each, RemovalTarget) else _row(each)
        for each in targets
    ]


def _row(target: Target, outcome: str = "") -> TargetRow:
    page = _PAGES.get(target.type, "")
    return TargetRow(
        kind=_WORDS[target.type][0].capitalize(),
        id=target.id,
        part=target.part,
        url=address(page, target.id) if page else "",
        outcome=outcome,
    )
