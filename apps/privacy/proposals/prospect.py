"""Preview a proposal: its problems, its targets, and what every store holds of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from apps.erasure.models import RemovalTarget
from apps.erasure.registry import stores
from apps.erasure.runs.expansion import expanded
from apps.erasure.runs.runs import target_of
from apps.privacy.codes.inventory import Treatment
from apps.privacy.codes.life import RequestState
from apps.privacy.codes.requests import SubjectType
from apps.privacy.inventory.asking import ASSESSED
from apps.privacy.inventory.documents import redacted_states
from apps.privacy.inventory.replaced import is_unasked
from apps.privacy.inventory.selectors import treatments_of
from apps.privacy.models import ErasureRequest, InventoryTreatment
from apps.privacy.proposals.problems import ground_missing, problems_of
from apps.privacy.proposals.staying import Staying, staying_in_words
from apps.privacy.proposals.targets import all_that_goes, found_targets, targets_of
from apps.privacy.requests.whole import whole_tenant

S = RequestState
_TO_BE_DECIDED: Final = (S.INVENTORY_READY, S.AWAITING_APPROVAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prospect:
    """The preview of a proposal.

    problems: what must be done first, in sentences; if there are none, the request can be proposed.
    redactions_wait: documents whose redacted version was not requested yet, or failed: the step before the proposal.
    """

    problems: tuple[str, ...]
    targets: Mapping[str, int]
    stores: tuple[tuple[str, int], ...]
    staying: tuple[Staying, ...]
    redactions_wait: int = 0
    redactions_made: int = 0

    @property
    def is_ready(self) -> bool:
        return not self.problems


def prospect(request: ErasureRequest) -> Prospect:
    """Return the preview of a request's proposal. Costs: a few queries for each store and each redacted document."""
    if request.state not in ASSESSED:
        return Prospect(problems=(), targets={}, stores=(), staying=())
    is_person = request.subject_type == SubjectType.DATA_SUBJECT
    problems = problems_of(request) if is_person else ground_missing(request)
    targets = found_targets(request) if is_person else all_that_goes(targets_of(request))
    with whole_tenant():
        counted = tuple((store.label, store.count(targets)) for store in stores()) if targets else ()
    rows = [each for each in treatments_of(request).values() if each.treatment == Treatment.REDACT]
    waits = _waits(rows)
    return Prospect(
        problems=tuple(problems),
        targets=Counter(str(target.type) for target in targets),
        stores=tuple((label, count) for label, count in counted if count),
        staying=staying_in_words(request) if is_person else (),
        redactions_wait=waits,
        redactions_made=len(rows) - waits,
    )


def counts_by_store(request: ErasureRequest) -> Sequence[tuple[str, int]]:
    """Return how much each store holds of what the request erases, by the store's label; leave out empty stores.

    A proposed request is counted by its frozen targets. Before the proposal, only a request whose subject determines
    the targets is counted. Costs: a few queries for each store.
    """
    if request.state not in _TO_BE_DECIDED:
        return ()
    with whole_tenant():
        if request.run_id is not None:
            targets = [target_of(row) for row in RemovalTarget.objects.filter(run_id=request.run_id)]
        elif request.subject_type == SubjectType.DATA_SUBJECT:
            return ()
        else:
            targets = list(expanded(targets_of(request)))
        counted = [(store.label, store.count(targets)) for store in stores()]
    return tuple((label, count) for label, count in counted if count)


def _waits(rows: Sequence[InventoryTreatment]) -> int:
    with whole_tenant():
        states = redacted_states([each.redacted_id for each in rows if each.redacted_id])
    return sum(is_unasked(each, states) for each in rows) + sum(state.is_failed for state in states.values())
