"""Embed ready documents again when their tenant changes to another provider.

The vectors of earlier models stay. No query can confuse them: every vector names its model, and a search asks for the
vectors of one model only. A tenant that changes back finds them, so nothing is computed twice. Until the new vectors
are complete, an open pipeline may still search the old ones. They are deleted with their document.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from django.db import connection
from django.db.models import Exists, OuterRef
from django.utils import timezone

from apps.corpus.models import Document, DocumentStatus, IngestJob, JobStage, JobState
from apps.tenants.advisory import advisory_key
from apps.tenants.context import current_scope, open_scope
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.leased_jobs import enqueue
from apps.tenants.models import Tenant
from apps.tenants.principals import Principal, system_principal
from apps.tenants.roles import Permission

_ENDED = (JobState.SUCCEEDED, JobState.FAILED)


def reembed_after_change(before: Tenant, after: Tenant) -> None:
    """Create a job for every ready document of the tenant if its provider changed.

    A document with a job that has not ended needs no other: the job reads the tenant's provider when it begins, and
    `finish` checks again that it was the right one.
    """
    if before.embedding_profile == after.embedding_profile:
        return
    principal = current_scope().principal
    with open_scope(tenant=TenantId(after.id), reason="embed documents again by the tenant's new provider"):
        _lock(TenantId(after.id), "pg_advisory_xact_lock")
        at_work = IngestJob.objects.filter(document=OuterRef("pk")).exclude(state__in=_ENDED)
        ready = Document.objects.filter(status=DocumentStatus.READY).filter(~Exists(at_work)).order_by("created_at")
        reembed(list(ready), principal=principal, profile=after.embedding_profile)


def reembed(documents: Sequence[Document], *, principal: Principal, profile: str) -> list[IngestJob]:
    """Create a job for each document that starts at the embedding stage, in the current transaction.

    The messages to the workers are sent after the commit.
    Args: principal: whose grants the jobs run with. For a document outside these grants the system is the actor,
              because the provider applies to the whole tenant.
    """
    jobs: list[IngestJob] = IngestJob.objects.bulk_create(
        [_job(document, _actor(document, principal), profile) for document in documents]
    )
    for job in jobs:
        enqueue(job)
    return jobs


def await_configuration(tenant_id: TenantId) -> None:
    """Keep a change of the tenant's provider from looking for ready documents until this transaction ends.

    Otherwise neither the change of provider nor the job's final check would notice a document that becomes ready at
    that moment.
    """
    _lock(tenant_id, "pg_advisory_xact_lock_shared")


def _lock(tenant_id: TenantId, function: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(%s)", [advisory_key("reembed", tenant_id)])


def _job(document: Document, actor: Principal, profile: str) -> IngestJob:
    return IngestJob(
        # bulk_create does not return an id that the database generates, and the message needs the id.
        id=uuid.uuid4(),
        tenant_id=document.tenant_id,
        scope_id=document.scope_id,
        document=document,
        actor_kind=actor.kind.value,
        actor_id=actor.id,
        actor_key_id=actor.key_id,
        actor_label=actor.label[:255],
        stage=JobStage.EMBED,
        embedding_profile=profile,
        pages_total=document.page_count,
        chunks_total=document.chunk_count,
        next_attempt_at=timezone.now() + IngestJob.resend_after,
    )


def _actor(document: Document, principal: Principal) -> Principal:
    scope_id = ScopeId(document.scope_id)
    if scope_id in principal.scope_ids and principal.may(Permission.DOCUMENT_ADD):
        return principal
    return system_principal(
        tenant_id=principal.tenant_id,
        scope_ids=frozenset({scope_id}),
        label=f"system: the embedding provider was changed by {principal.label}",
    )
