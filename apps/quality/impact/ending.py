"""End a preview with a result or with a reason, together with its event in one transaction."""

from __future__ import annotations

import hashlib
import json
from typing import Any
from uuid import UUID

from django.utils import timezone

from apps.audit.models import Outcome
from apps.audit.services import record
from apps.erasure.runs.in_flight import being_removed, keep_removals_waiting
from apps.errors import ApplicationError
from apps.intents.models import PolicyVersion
from apps.quality.errors import ImpactError
from apps.quality.events import IMPACT_COMPUTED
from apps.quality.impact.contracts import ImpactResult
from apps.quality.impact.lease import holding_current
from apps.quality.impact.stored import result_to_json
from apps.quality.models import ImpactState, PolicyImpact
from apps.tenants.leased_jobs import Lease, holding


def finish(lease: Lease[PolicyImpact], result: ImpactResult, *, done: int) -> None:
    """Store the result and record its event.

    Raises: LeaseLostError; ImpactError: also where the result would name documents that are being erased.
    """
    with holding_current(lease, done=done) as impact:
        keep_removals_waiting()
        if being_removed(_named(result)):
            raise ImpactError("retrieval.impact_documents_removed")
        document = result_to_json(result)
        impact.result = document
        impact.error_code = impact.error_detail = ""
        _end(impact, ImpactState.DONE)
        canonical = json.dumps(document, sort_keys=True, separators=(",", ":"))
        _record(
            impact,
            Outcome.SUCCESS,
            recorded=result.recorded.total,
            evaluation=result.evaluation.total,
            golden=result.golden.total,
            result_sha256=hashlib.sha256(canonical.encode()).hexdigest(),
        )


def fail(lease: Lease[PolicyImpact], error: ApplicationError) -> None:
    """Store why the preview failed, and drop the result of an earlier run. Raises: LeaseLostError."""
    with holding(lease) as impact:
        impact.result = {}
        impact.error_code, impact.error_detail = error.code, error.detail
        _end(impact, ImpactState.FAILED)
        _record(impact, Outcome.FAILED, code=error.code)


def _named(result: ImpactResult) -> set[UUID]:
    """Return the documents whose passages a result names."""
    shifts = [each.shift for each in result.recorded.changed] + [each.shift for each in result.evaluation.questions]
    return {hit.document_id for shift in shifts for hit in (*shift.appearing, *shift.vanishing)}


def impact_core(impact: PolicyImpact) -> dict[str, Any]:
    """Return the core fields of every event of a preview."""
    numbers = dict(PolicyVersion.objects.filter(id__in=(impact.version_id, impact.base_id)).values_list("id", "number"))
    return {
        "number": numbers[impact.version_id],
        "revision": impact.revision,
        "content_sha256": impact.content_sha256,
        "base_number": numbers[impact.base_id],
        "base_sha256": impact.base_sha256,
    }


def _end(impact: PolicyImpact, state: ImpactState) -> None:
    impact.state = state
    impact.lease_owner, impact.lease_until, impact.next_attempt_at = "", None, None
    impact.finished_at = timezone.now()
    impact.save()


def _record(impact: PolicyImpact, outcome: Outcome, **more: object) -> None:
    record(
        action=IMPACT_COMPUTED,
        core={**impact_core(impact), **more},
        outcome=outcome,
        subject_type="policy_version",
        subject_id=impact.version_id,
    )
