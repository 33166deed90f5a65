"""Celery tasks of the retrieval app: what is removed by the clock, and the ends of requests to a model."""

from __future__ import annotations

from celery import Task, shared_task

from apps.retrieval.kept.history import forget_tenant
from apps.retrieval.sent.services import forget_decided
from apps.retrieval.services.unknown_ends import record_unknown_ends
from apps.tenants.ids import TenantId
from apps.tenants.sweeping import Sweep, each_tenant

record_unknown_model_ends: Task = shared_task(name="apps.retrieval.tasks.record_unknown_ends", ignore_result=True)(
    record_unknown_ends
)


def _forget(tenant_id: TenantId) -> int:
    return forget_tenant(tenant_id) + forget_decided(tenant_id)


def _forget_answers() -> None:
    each_tenant(_forget, doing=Sweep.ANSWERS)


forget_answers: Task = shared_task(name="apps.retrieval.tasks.forget_answers", ignore_result=True)(_forget_answers)
