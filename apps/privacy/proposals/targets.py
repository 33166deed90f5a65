"""The removal targets of a request: those that its subject determines, or those that were found and confirmed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from apps.erasure.contracts import Target, TargetType
from apps.erasure.runs.expansion import expanded
from apps.privacy.codes.inventory import Decision, Treatment
from apps.privacy.codes.requests import SubjectType
from apps.privacy.inventory.replaced import going_documents
from apps.privacy.inventory.selectors import hits_of, redacted_versions, treatments_of
from apps.privacy.models import ErasureRequest
from apps.privacy.requests.errors import RequestError
from apps.privacy.requests.whole import whole_tenant

_TARGETS: Final[Mapping[SubjectType, TargetType]] = {
    SubjectType.USER: TargetType.USER,
    SubjectType.DOCUMENT: TargetType.DOCUMENT,
    SubjectType.SCOPE: TargetType.SCOPE,
    SubjectType.TENANT: TargetType.TENANT,
}


def targets_of(request: ErasureRequest) -> tuple[Target, ...]:
    """Return the targets that the request's subject determines.

    Raises: RequestError: the request is about a person in documents.
    """
    type = _TARGETS.get(SubjectType(request.subject_type))
    if type is None or request.subject_id is None:
        raise RequestError("audit.request_inventory_missing", reference=request.reference)
    return (Target(type=type, id=request.subject_id),)


def found_targets(request: ErasureRequest) -> Sequence[Target]:
    """Return the targets confirmed for a person, over all scopes.

    They are: documents to be removed, old versions of redacted documents, parts of events that name the person or
    repeat those documents, and accounts. Old versions are removed whatever the last search found in them; that is why
    undecided places in them are not counted.
    """
    # These never include the version that retrieval searches while no redacted version is ready.
    found = {Target(type=TargetType.DOCUMENT, id=id) for id in going_documents(request)}
    with whole_tenant():
        treated = treatments_of(request)
        kept = set(redacted_versions(request))
        for hit in hits_of(request).filter(decision=Decision.CONFIRMED):
            target = hit.target
            if target is None:
                continue
            treatment = treated.get(target.id) if target.type is TargetType.DOCUMENT else None
            if treatment is None or treatment.treatment == Treatment.REMOVE:
                found.add(target)
                # The redaction failed and was withdrawn, so the failed redacted version is removed too.
                if treatment is not None and (left := treatment.redacted_id) is not None and left not in kept:
                    found.add(Target(type=TargetType.DOCUMENT, id=left))
    return all_that_goes(sorted(found))


def all_that_goes(targets: Sequence[Target]) -> tuple[Target, ...]:
    """Return the targets and everything that is removed with them, over all scopes, whoever proposes."""
    with whole_tenant():
        return expanded(targets)
