"""Documents that a redacted version takes the place of: which of them go as a whole, and which stay as decided.

A redacted version is made of what was decided until then: what is said of the old version later would reach nothing, so
nothing can be said of it. Nor does it need to be, once the redacted version is there: the whole old version is removed
by the same request, and what still stands in the redacted one is found there, by the search of that version, and
decided there. One function says which old versions these are, both for what is not counted (selectors.standing) and for
what goes (proposals.targets.found_targets), so that no place is passed over in a document that stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from apps.erasure.contracts import TargetType
from apps.erasure.models import RemovalTarget
from apps.privacy.codes.inventory import Treatment
from apps.privacy.inventory.asking import ASSESSED
from apps.privacy.inventory.documents import RedactedState, redacted_states, versions_before
from apps.privacy.models import ErasureRequest, InventoryTreatment
from apps.privacy.requests.whole import whole_tenant


def going_documents(request: ErasureRequest) -> frozenset[UUID]:
    """The documents that go as a whole since a redacted version stands for them: it is ready. Over all scopes.

    With the one that was redacted go all versions before it. A redacted version that is still being made takes nothing
    away, nor does one that failed, or that somebody removed since. From the proposal on it is what was proposed, and of
    a request that ended without one, nothing.

    Costs: a query; four more while the request is assessed and something is redacted.
    """
    with whole_tenant():
        if request.state not in ASSESSED:
            return _proposed(request)
        asked = _asked(request)
        ready = {id for id, state in _states(asked).items() if state.is_ready}
        before = versions_before(ready) if ready else ()
    # By their own ids too: of two documents that read alike without the person, one redacted version is made.
    redacted = {document_id for document_id, redacted_id in asked.items() if redacted_id in ready}
    return frozenset(redacted | {target.id for target in before})


def fixed_documents(request: ErasureRequest) -> frozenset[UUID]:
    """The documents whose redacted version is being made, or made: what was decided of them stays. Over all scopes.

    Not those of which it failed, or was removed since: these are decided on like all others. Costs: three queries.
    """
    with whole_tenant():
        asked = _asked(request)
        states = _states(asked)
    made_of = {None, *(id for id, state in states.items() if not state.is_failed)}
    return frozenset(document_id for document_id, redacted_id in asked.items() if redacted_id in made_of)


def is_unasked(treatment: InventoryTreatment, states: Mapping[UUID, RedactedState]) -> bool:
    """Whether a redacted version is to be asked for: none was, it could not be made, or somebody removed it since.

    Args: states: of all redacted versions of the request that are there.
    """
    return not treatment.is_asked or (treatment.redacted_id is not None and treatment.redacted_id not in states)


def _asked(request: ErasureRequest) -> Mapping[UUID, UUID | None]:
    """By document: its redacted version, None as long as there is none."""
    rows = InventoryTreatment.objects.filter(
        request=request, treatment=Treatment.REDACT, asked_at__isnull=False, error_code=""
    )
    return dict(rows.values_list("document_id", "redacted_id"))


def _states(asked: Mapping[UUID, UUID | None]) -> Mapping[UUID, RedactedState]:
    ids = [id for id in asked.values() if id is not None]
    return redacted_states(ids) if ids else {}


def _proposed(request: ErasureRequest) -> frozenset[UUID]:
    if request.run_id is None:
        return frozenset()
    rows = RemovalTarget.objects.filter(run_id=request.run_id, type=TargetType.DOCUMENT)
    return frozenset(rows.values_list("item_id", flat=True))
