"""Health, for load balancers and for people who wonder."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils.decorators import method_decorator
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.tenants.alarm_mail import tell_operators_beside
from apps.tenants.api.examples import sample
from apps.tenants.api.probes import HealthStatus, Part, PartState, health
from apps.tenants.api.problems import CONTENT_TYPE, problem_body
from apps.tenants.api.serializers import Field, choices_of
from apps.tenants.api.views import ApiView
from apps.tenants.clock import late_tasks
from apps.tenants.waiting import counted_kinds, waiting_now


class ChecksSerializer(serializers.Serializer[Any]):
    """One field a part."""

    def get_fields(self) -> dict[str, Field]:
        return {part.value: serializers.ChoiceField(choices=choices_of(PartState)) for part in Part}


class LogHealthSerializer(serializers.Serializer[Any]):
    sealing_lag_s = serializers.IntegerField(
        allow_null=True, help_text="How long the oldest event has waited for its place in a log; above 5 is late."
    )
    verification_age_s = serializers.IntegerField(
        allow_null=True, help_text="How long ago the least recently verified log was verified."
    )


class QueueHealthSerializer(serializers.Serializer[Any]):
    waiting = serializers.IntegerField()
    oldest_s = serializers.IntegerField(help_text="How long the oldest item has waited; above 1,800 is long.")


class QueuesSerializer(serializers.Serializer[Any]):
    """One field a kind of job."""

    def get_fields(self) -> dict[str, Field]:
        return {
            kind.counted_as: QueueHealthSerializer(allow_null=True, help_text=kind.label) for kind in counted_kinds()
        }


class HealthSerializer(serializers.Serializer[Any]):
    status = serializers.ChoiceField(
        choices=choices_of(HealthStatus),
        help_text="degraded: questions are answered, but uploads wait, limits are off, a log is late, was not "
        "verified in the last 26 hours or did not verify, an approved removal does not continue, a "
        "scheduled task did not run, or something waits too long for a worker.",
    )
    checks = ChecksSerializer()
    log = LogHealthSerializer(help_text="Over all tenants together; null if unknown.")
    queues = QueuesSerializer(help_text="What waits for a worker, over all tenants together.")
    late = serializers.ListField(
        child=serializers.CharField(),
        help_text="Scheduled tasks that did not succeed in time, by their names in the schedule.",
    )


def _queues() -> dict[str, dict[str, int] | None]:
    there = waiting_now()
    return {
        kind.counted_as: {"waiting": there[kind].count, "oldest_s": there[kind].oldest_s} if kind in there else None
        for kind in counted_kinds()
    }


# Without a transaction: opening one is what fails first when the database is down.
@method_decorator(transaction.non_atomic_requests, name="dispatch")
class HealthView(ApiView):
    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()

    @extend_schema(
        operation_id="get_health",
        tags=["Health"],
        summary="Is everything up",
        description=(
            "Needs no key. The status is 200 while questions can be answered and 503 while they can't. The answer "
            "says which parts work, how far behind the log and the queues are over all tenants, and which scheduled "
            "tasks are late. It contains nothing about any tenant, and is at most two seconds old."
        ),
        auth=[],
        responses=HealthSerializer,
        extensions=sample('curl "{base}/api/v1/health/"'),
    )
    def get(self, request: Request) -> Response:
        found = health()
        tell_operators_beside(found.alarms)
        log = {"sealing_lag_s": found.sealing_lag_s, "verification_age_s": found.verification_age_s}
        more = {"log": log, "queues": _queues(), "late": [late.task.rpartition(".")[2] for late in late_tasks()]}
        if found.status is not HealthStatus.UNAVAILABLE:
            return Response({"status": found.status, "checks": found.checks, **more})
        body = problem_body(
            status=503,
            code="api.unavailable",
            detail="A part that every answer needs does not work; see checks.",
            checks=found.checks,
            **more,
        )
        return Response(body, status=503, content_type=CONTENT_TYPE, headers={"Retry-After": "5"})
