"""The Celery tasks of the quality app. They only call impact/runner.py, which does not depend on Celery."""

from __future__ import annotations

import logging
from uuid import UUID

from celery import Task, shared_task

from apps.quality.impact.runner import impact_run
from apps.quality.models import PolicyImpact
from apps.tenants.ids import TenantId

logger = logging.getLogger("glassbox.retrieval")


def _run_impact(tenant_id: str, impact_id: str) -> None:
    outcome = impact_run(impact_id=UUID(impact_id), tenant_id=TenantId(UUID(tenant_id)))
    logger.info("impact %s: %s", impact_id, outcome)


# Registered by a call, because Celery is untyped, and an untyped decorator would remove the types of the functions.
run_impact: Task = shared_task(name=PolicyImpact.task, acks_late=True, reject_on_worker_lost=True, ignore_result=True)(
    _run_impact
)
