"""Health, for load balancers and for people who wonder."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils.decorators import method_decorator
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.tenants.api.examples import sample
from apps.tenants.api.probes import HealthStatus, Part, PartState, health
from apps.tenants.api.problems import CONTENT_TYPE, problem_body
from apps.tenants.api.serializers import Field, choices_of
from apps.tenants.api.views import ApiView


class ChecksSerializer(serializers.Serializer[Any]):
    """One field a part."""

    def get_fields(self) -> dict[str, Field]:
        return {part.value: serializers.ChoiceField(choices=choices_of(PartState)) for part in Part}


class HealthSerializer(serializers.Serializer[Any]):
    status = serializers.ChoiceField(
        choices=choices_of(HealthStatus), help_text="degraded: questions are answered, uploads wait or limits are off."
    )
    checks = ChecksSerializer()


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
            "Needs no key. 200 while questions can be answered, 503 while they can't. Names the parts and whether they "
            "work, nothing else; at most two seconds old."
        ),
        auth=[],
        responses=HealthSerializer,
        extensions=sample('curl "{base}/api/v1/health/"'),
    )
    def get(self, request: Request) -> Response:
        found = health()
        if found.status is not HealthStatus.UNAVAILABLE:
            return Response({"status": found.status, "checks": found.checks})
        body = problem_body(
            status=503,
            code="api.unavailable",
            detail="A part that every answer needs does not work; see checks.",
            checks=found.checks,
        )
        return Response(body, status=503, content_type=CONTENT_TYPE, headers={"Retry-After": "5"})
