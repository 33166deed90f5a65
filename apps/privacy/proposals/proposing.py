"""A request becomes a run of removals: proposed here, approved and carried out there (apps/erasure/runs)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from apps.erasure.contracts import Origin, Target
from apps.erasure.log_removal import RemovalReason
from apps.erasure.runs.runs import run_propose
from apps.privacy.codes.life import RequestState
from apps.privacy.codes.requests import SubjectType
from apps.privacy.inventory.asking import require_assessed
from apps.privacy.inventory.errors import NotProposableError
from apps.privacy.inventory.restricting import restrict_run
from apps.privacy.inventory.selectors import open_beyond
from apps.privacy.models import ErasureRequest
from apps.privacy.proposals.problems import places_are, problems_of
from apps.privacy.proposals.staying import redacted_documents, staying_by_code
from apps.privacy.proposals.targets import all_that_goes, found_targets, targets_of
from apps.privacy.requests.services.stepping import (
    change,
    locked_request,
    require_erasure,
    require_manager,
    require_step,
)

S = RequestState
# What is named and little is out of use from its proposal on: an answer that quotes it meanwhile would be recorded, and
# is in no frozen target. A whole scope or tenant stays in use until somebody has approved.
_OUT_OF_USE_FROM_PROPOSAL: Final = (SubjectType.DATA_SUBJECT, SubjectType.DOCUMENT)


def inventory_propose(request_id: UUID, *, revision: int) -> ErasureRequest:
    """Propose what was found and confirmed, or what follows from the subject, with all that concerns it elsewhere.

    Args:   revision: of the request that was read.
    Raises: PermissionDeniedError, RequestPersonNeededError, RequestNotFoundError, RequestChangedError;
            NotProposableError: something is open, not ready or missing; RequestStepError; what run_propose raises.
    """
    require_manager()
    with transaction.atomic():
        request = locked_request(request_id, revision=revision)
        require_erasure(request)
        if request.subject_type != SubjectType.DATA_SUBJECT:
            return request_propose(request_id, revision=revision)
        require_assessed(request)
        if problems := problems_of(request):
            raise NotProposableError(problems=" ".join(problems))
        if request.state == RequestState.ASSESSING:
            change(request, "inventoried", to=RequestState.INVENTORY_READY)
        targets = found_targets(request)
        # What was not counted goes with these: looked at once more, since its redacted version may be gone by now.
        if left := open_beyond(request, targets):
            raise NotProposableError(problems=f"{left} {places_are(left)} open: look at it again.")
        return request_propose(
            request_id,
            targets,
            revision=request.revision,
            staying=staying_by_code(request),
            redacted=redacted_documents(request, targets),
        )


def request_propose(
    request_id: UUID,
    targets: Sequence[Target] | None = None,
    *,
    revision: int,
    staying: Sequence[Mapping[str, Any]] = (),
    redacted: Sequence[Mapping[str, Any]] = (),
) -> ErasureRequest:
    """Propose the erasure to a second person: its targets are frozen, and nothing is removed before they approve.

    Documents of a person's request, and a document that is the subject itself, are out of use from here on.

    Args:   revision: of the request that was read.
            targets: those that were found and confirmed; what follows from the subject where none are given. What goes
                along with them is added (apps/erasure/runs/expansion.py).
            staying, redacted: what was found of a person and stays, and documents that stay without: see RemovalRun.
    Raises: RequestChangedError, RequestStepError, InventoryMissingError; what run_propose raises.
    """
    person = require_manager()
    with transaction.atomic():
        request = locked_request(request_id, revision=revision)
        require_erasure(request)
        require_step(request, S.AWAITING_APPROVAL, step="proposed")
        run = run_propose(
            origin=Origin.REQUEST,
            origin_id=request.id,
            targets=all_that_goes(targets or targets_of(request)),
            reason=RemovalReason.ERASURE_REQUEST,
            staying=staying,
            redacted=redacted,
        )
        if request.subject_type in _OUT_OF_USE_FROM_PROPOSAL:
            restrict_run(request.id, run.id)
        return change(
            request,
            "proposed",
            to=S.AWAITING_APPROVAL,
            told={"run_id": str(run.id)},
            run_id=run.id,
            proposed_by_id=person,
            proposed_at=timezone.now(),
        )
