"""Jobs: a document's way in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.corpus.api.filters import JobFilter
from apps.corpus.api.serializers import JobSerializer
from apps.corpus.errors import JobNotFoundError
from apps.corpus.models import IngestJob
from apps.corpus.services.ingest.restart import job_restart
from apps.tenants.api.examples import sample
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.pagination import CHANGES, ChangePages
from apps.tenants.api.preconditions import TaggedView
from apps.tenants.api.serializers import require_no_fields
from apps.tenants.api.views import ApiListView, ApiView
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission


class JobListView(ApiListView[IngestJob]):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.DOCUMENT_VIEW}
    serializer_class = JobSerializer
    filterset_class = JobFilter
    ordering = ("-requested_at", "-id")
    pagination_class = ChangePages

    def get_queryset(self) -> QuerySet[IngestJob]:
        return _jobs()

    @extend_schema(
        operation_id="list_jobs",
        tags=["Jobs"],
        summary="List ingest jobs",
        description=f"Newest first. `status=failed` shows what needs attention, each with its reason.\n\n{CHANGES}",
        extensions=sample('curl "{base}/api/v1/jobs/?status=failed" -H "Authorization: Bearer $GLASSBOX_KEY"'),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class JobView(TaggedView):
    tagged = IngestJob
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.DOCUMENT_VIEW}

    @extend_schema(
        operation_id="get_job",
        tags=["Jobs"],
        summary="Show an ingest job",
        description="Ask again every second or so until `status` is `succeeded` or `failed`.",
        responses=JobSerializer,
        extensions=sample('curl "{base}/api/v1/jobs/$JOB_ID/" -H "Authorization: Bearer $GLASSBOX_KEY"'),
    )
    def get(self, request: Request, id: UUID) -> Response:
        return Response(JobSerializer(visible_job(id)).data)


class JobRetryView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"POST": Permission.JOB_RETRY}

    @extend_schema(
        operation_id="retry_job",
        tags=["Jobs"],
        summary="Start a failed job again",
        description=(
            "Starts the job again from the stage that it had reached, in your name. The answer is 409 if the job "
            "is running or done. The request has no body."
        ),
        request=None,
        responses={202: OpenApiResponse(JobSerializer, description="Waiting for a worker.")},
        extensions=sample('curl -X POST "{base}/api/v1/jobs/$JOB_ID/retry/" -H "Authorization: Bearer $GLASSBOX_KEY"'),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        require_no_fields(request)
        job = job_restart(job=visible_job(id))
        return ActResponse(
            JobSerializer(visible_job(id)).data,
            status=202,
            headers={"Location": f"/api/v1/jobs/{id}/"},
            subject_id=id,
            scope_ids=[ScopeId(job.scope_id)],
        )


def visible_job(job_id: UUID) -> IngestJob:
    """Raises JobNotFoundError, alike for one that is not there and one that is not yours."""
    job = _jobs().filter(id=job_id).first()
    if job is None:
        raise JobNotFoundError(job=job_id)
    return job


def _jobs() -> QuerySet[IngestJob]:
    jobs: QuerySet[IngestJob] = IngestJob.objects.select_related("document", "scope")
    return jobs
