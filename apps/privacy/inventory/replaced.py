"""Documents that a redacted version replaces: which of them are removed whole, and whose decisions are fixed.

A redacted version is made from the decisions taken until then. A later decision about the old version would have no
effect, so none is accepted. None is needed either once the redacted version is ready: the request removes the whole old
version, and a search finds what the redacted version still holds about the person, to be decided there. One function,
going_documents, says which old versions are removed. Both the places that are not counted (selectors.standing) and the
targets that are removed (proposals.targets.found_targets) use it, so that no place in a document that stays is missed.
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
    """Return the documents that are removed whole because a ready redacted version replaces them, over all scopes.

    They are the redacted versions' sources and all versions before these. A redacted version that is still being made,
    has failed or was removed since replaces nothing. From the proposal on, these are the documents that were proposed;
    for a request that ended without a proposal there are none.

    Costs: a query; four more while the request is assessed and something is redacted.
    """
    with whole_tenant():
        if request.state not in ASSESSED:
            return _proposed(request)
        asked = _asked(request)
        ready = {id for id, state in _states(asked).items() if state.is_ready}
        before = versions_before(ready) if ready else ()
    # Add the sources by their ids: two documents that are equal after redaction share one redacted version.
    redacted = {document_id for document_id, redacted_id in asked.items() if redacted_id in ready}
    return frozenset(redacted | {target.id for target in before})


def fixed_documents(request: ErasureRequest) -> frozenset[UUID]:
    """Return the documents whose redacted version is being made or is made, over all scopes: their decisions are fixed.

    Documents whose redacted version failed, or was removed since, are decided on like all others. Costs: three queries.
    """
    with whole_tenant():
        asked = _asked(request)
        states = _states(asked)
    made_of = {None, *(id for id, state in states.items() if not state.is_failed)}
    return frozenset(document_id for document_id, redacted_id in asked.items() if redacted_id in made_of)


def is_unasked(treatment: InventoryTreatment, states: Mapping[UUID, RedactedState]) -> bool:
    """Return whether a redacted version must be requested: none was, it could not be made, or it was removed since.

    Args: states: the states of all existing redacted versions of the request.
    """
    return not treatment.is_asked or (treatment.redacted_id is not None and treatment.redacted_id not in states)


def _asked(request: ErasureRequest) -> Mapping[UUID, UUID | None]:
    """Return, by document, its redacted version, or None as long as there is none."""
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
