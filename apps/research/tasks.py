"""Celery's way into research. The work itself lies in runs/."""

from __future__ import annotations

import logging
from uuid import UUID

from celery import Task, shared_task

from apps.research.models import ResearchRun
from apps.research.runs.forgetting import forget_tenant
from apps.research.runs.runner import run_carry_out
from apps.tenants.ids import TenantId
from apps.tenants.sweeping import Sweep, each_tenant

logger = logging.getLogger("glassbox.research")


def _carry_out(tenant_id: str, run_id: str) -> None:
    outcome = run_carry_out(run_id=UUID(run_id), tenant_id=TenantId(UUID(tenant_id)))
    logger.info("research %s: %s", run_id, outcome)


carry_out_run: Task = shared_task(
    name=ResearchRun.task, acks_late=True, reject_on_worker_lost=True, ignore_result=True
)(_carry_out)


def _forget() -> None:
    each_tenant(forget_tenant, doing=Sweep.RESEARCH)


forget_runs: Task = shared_task(name="apps.research.tasks.forget_runs", ignore_result=True)(_forget)
