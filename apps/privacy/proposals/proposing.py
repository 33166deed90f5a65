"""Propose a removal run for a request. apps/erasure/runs holds its approval and execution."""

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
from apps.privacy.inventory.errors import InventoryError
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
# Single documents go out of use when they are proposed. Otherwise an answer could quote them in the meantime; the log
# would record that answer, and the frozen targets would not include it. A whole scope or tenant stays in use until the
# approval.
_OUT_OF_USE_FROM_PROPOSAL: Final = (SubjectType.DATA_SUBJECT, SubjectType.DOCUMENT)


def inventory_propose(request_id: UUID, *, revision: int) -> ErasureRequest:
    """Propose the confirmed places of a person, or what the request's subject determines, with all that goes along.

    Args:   revision: the revision of the request that the caller read.
    Raises: PermissionDeniedError, RequestPersonNeededError, RequestError; InventoryError: something is open, not
            ready or missing; what run_propose raises.
    """
    require_manager()
    with transaction.atomic():
        request = locked_request(request_id, revision=revision)
        require_erasure(request)
        if request.subject_type != SubjectType.DATA_SUBJECT:
            return request_propose(request_id, revision=revision)
        require_assessed(request)
        if problems := problems_of(request):
            raise InventoryError("audit.inventory_not_proposable", problems=" ".join(problems))
        if request.state == RequestState.ASSESSING:
            change(request, "inventoried", to=RequestState.INVENTORY_READY)
        targets = found_targets(request)
        # Open places that were not counted must lie in these targets. Check again: a redacted version may be gone now.
        if left := open_beyond(request, targets):
            raise InventoryError(
                "audit.inventory_not_proposable", problems=f"{left} {places_are(left)} open: check the inventory again."
            )
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
    """Propose the erasure to a second person. The targets are frozen, and nothing is removed before the approval.

    From here on, the documents are out of use if the request is about a person or about one document.

    Args:   revision: the revision of the request that the caller read.
            targets: the confirmed targets; by default what the request's subject determines. What goes along with
                them is added (apps/erasure/runs/expansion.py).
            staying: places of the person that were found and stay; redacted: documents that stay in a redacted version.
                See RemovalRun.
    Raises: RequestError; what run_propose raises.
    """
    person = require_manager()
    with transaction.atomic():
        request = locked_request(request_id, revision=revision)
        require_erasure(request)
        require_step(request, "propose")
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
