"""The steps of what two people decide, as somebody takes them who has just read what they are about.

A service wants the revision that was read (and of a proposal its run). Here it is read in the moment before, in the
open scope: for tests that are about something else. Those about revisions are in tests/api/test_api_decided.py.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from apps.corpus.services import documents
from apps.erasure.models import PurgePart, RemovalRun, RetentionSchedule
from apps.erasure.retention import proposing as purging
from apps.erasure.retention import services as retention
from apps.erasure.runs import runs, unproven
from apps.intents.models import PolicyVersion
from apps.intents.services import reviews
from apps.intents.services.checking import version_checked
from apps.privacy.access_packages import packages
from apps.privacy.inventory import redacting
from apps.privacy.models import AccessPackage, ErasureRequest
from apps.privacy.proposals import approving, ending, proposing, without_proof
from apps.privacy.requests.services import steps
from apps.tenants.context import current_scope, open_scope

NOTHING = UUID(int=0)


def document_delete(document_id: UUID) -> None:
    """A document gone, as after a run that two people decided on: for tests that are about what is left then."""
    with open_scope(tenant=current_scope().tenant_id, reason="a test"):
        documents.document_delete(document_id=document_id)


def revision_of(model: Any, id: UUID) -> int:
    """0, which nothing has, where it can't be read."""
    return model.objects.filter(id=id).values_list("revision", flat=True).first() or 0


def proposal_of(request_id: UUID) -> dict[str, Any]:
    run_id = ErasureRequest.objects.filter(id=request_id).values_list("run_id", flat=True).first()
    return {"run_id": run_id or NOTHING, "revision": revision_of(ErasureRequest, request_id)}


def of_run(request_id: UUID) -> dict[str, Any]:
    run_id = proposal_of(request_id)["run_id"]
    return {"run_id": run_id, "revision": revision_of(RemovalRun, run_id)}


def identity_ask(request_id: UUID, **said: Any) -> ErasureRequest:
    return steps.identity_ask(request_id, revision=revision_of(ErasureRequest, request_id), **said)


def identity_confirm(request_id: UUID) -> ErasureRequest:
    return steps.identity_confirm(request_id, revision=revision_of(ErasureRequest, request_id))


def assess(request_id: UUID, **said: Any) -> ErasureRequest:
    return steps.assess(request_id, revision=revision_of(ErasureRequest, request_id), **said)


def extend(request_id: UUID, **said: Any) -> ErasureRequest:
    return steps.extend(request_id, revision=revision_of(ErasureRequest, request_id), **said)


def refuse(request_id: UUID, **said: Any) -> ErasureRequest:
    return ending.refuse(request_id, revision=revision_of(ErasureRequest, request_id), **said)


def withdraw(request_id: UUID, **said: Any) -> ErasureRequest:
    return ending.withdraw(request_id, revision=revision_of(ErasureRequest, request_id), **said)


def request_propose(request_id: UUID, *targets: Any, **said: Any) -> ErasureRequest:
    return proposing.request_propose(request_id, *targets, revision=revision_of(ErasureRequest, request_id), **said)


def inventory_propose(request_id: UUID) -> ErasureRequest:
    return proposing.inventory_propose(request_id, revision=revision_of(ErasureRequest, request_id))


def redactions_prepare(request_id: UUID) -> int:
    return redacting.redactions_prepare(request_id, revision=revision_of(ErasureRequest, request_id))


def request_approve(request_id: UUID) -> ErasureRequest:
    return approving.request_approve(request_id, **proposal_of(request_id))


def request_send_back(request_id: UUID, **said: Any) -> ErasureRequest:
    return approving.request_send_back(request_id, **proposal_of(request_id), **said)


def request_take_back(request_id: UUID) -> ErasureRequest:
    return approving.request_take_back(request_id, **proposal_of(request_id))


def request_ask_without_proof(request_id: UUID, reason: unproven.Unproven) -> ErasureRequest:
    return without_proof.request_ask_without_proof(request_id, reason, **of_run(request_id))


def request_keep_proof(request_id: UUID) -> ErasureRequest:
    return without_proof.request_keep_proof(request_id, **of_run(request_id))


def request_agree_without_proof(request_id: UUID) -> ErasureRequest:
    return without_proof.request_agree_without_proof(request_id, **of_run(request_id))


def run_approve(run_id: UUID) -> RemovalRun:
    return runs.run_approve(run_id, revision=revision_of(RemovalRun, run_id))


def run_reject(run_id: UUID, reason: runs.RejectionReason) -> RemovalRun:
    return runs.run_reject(run_id, reason, revision=revision_of(RemovalRun, run_id))


def run_retry(run_id: UUID) -> RemovalRun:
    return runs.run_retry(run_id, revision=revision_of(RemovalRun, run_id))


def unproven_ask(run_id: UUID, reason: unproven.Unproven) -> RemovalRun:
    return unproven.unproven_ask(run_id, reason, revision=revision_of(RemovalRun, run_id))


def unproven_take_back(run_id: UUID) -> RemovalRun:
    return unproven.unproven_take_back(run_id, revision=revision_of(RemovalRun, run_id))


def unproven_agree(run_id: UUID) -> RemovalRun:
    return unproven.unproven_agree(run_id, revision=revision_of(RemovalRun, run_id))


def package_make(request_id: UUID, **said: Any) -> AccessPackage:
    return packages.package_make(request_id, revision=revision_of(ErasureRequest, request_id), **said)


def package_take_back(request_id: UUID) -> ErasureRequest:
    return packages.package_take_back(request_id, revision=revision_of(ErasureRequest, request_id))


def access_answer(request_id: UUID, **said: Any) -> ErasureRequest:
    return packages.access_answer(request_id, revision=revision_of(ErasureRequest, request_id), **said)


def purge_propose(purge_id: UUID, **said: Any) -> PurgePart:
    number = 1 + PurgePart.objects.filter(purge_id=purge_id).count()
    return purging.purge_propose(purge_id, number=number, **said)


def draft_submit(schedule_id: UUID) -> RetentionSchedule:
    return retention.draft_submit(schedule_id, revision=revision_of(RetentionSchedule, schedule_id))


def draft_discard(schedule_id: UUID) -> None:
    retention.draft_discard(schedule_id, revision=revision_of(RetentionSchedule, schedule_id))


def schedule_take_back(schedule_id: UUID) -> RetentionSchedule:
    return retention.schedule_take_back(schedule_id, revision=revision_of(RetentionSchedule, schedule_id))


def version_submit(version_id: UUID) -> PolicyVersion:
    checked = version_checked(version_id)
    return reviews.version_submit(version_id, revision=revision_of(PolicyVersion, version_id), checked=checked)


def version_approve(version_id: UUID, **said: Any) -> PolicyVersion:
    checked = version_checked(version_id)
    return reviews.version_approve(
        version_id, **{"revision": revision_of(PolicyVersion, version_id), "checked": checked, **said}
    )


def version_reject(version_id: UUID, **said: Any) -> PolicyVersion:
    return reviews.version_reject(version_id, **{"revision": revision_of(PolicyVersion, version_id), **said})


def version_send_back(version_id: UUID, **said: Any) -> PolicyVersion:
    return reviews.version_send_back(version_id, **{"revision": revision_of(PolicyVersion, version_id), **said})


def version_withdraw(version_id: UUID, **said: Any) -> PolicyVersion:
    return reviews.version_withdraw(version_id, **{"revision": revision_of(PolicyVersion, version_id), **said})
