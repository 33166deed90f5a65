"""The category of documents that the person uploaded."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from apps.corpus.models import IngestJob
from apps.privacy.my_data.account import at
from apps.privacy.my_data.contracts import Category, Page, Person
from apps.tenants.principals import PrincipalKind

_BATCH: Final = 500


def _documents(person: Person, after: object | None) -> Page:
    jobs = IngestJob.objects.filter(
        actor_kind=PrincipalKind.USER.value, actor_id=person.id, requested_at__lte=person.until
    ).order_by("id")
    if isinstance(after, UUID):
        jobs = jobs.filter(id__gt=after)
    rows = list(jobs[:_BATCH])
    return Page(
        entries=[
            {
                "at": at(row.requested_at),
                "document_id": str(row.document_id),
                "stage": row.get_stage_display(),
                "state": row.get_state_display(),
                "finished_at": at(row.finished_at),
                "by_key": str(row.actor_key_id) if row.actor_key_id else None,
                "your_name_then": row.actor_label,
                "id": str(row.id),
            }
            for row in rows
        ],
        after=rows[-1].id if len(rows) == _BATCH else None,
    )


DOCUMENTS: Final = Category(
    key="documents",
    title="Documents that you uploaded",
    about="That you uploaded them, when, and how far processing got; not their content.",
    purpose="To know on whose authority a document was ingested, and whom to ask about it.",
    legal_basis="6(1)(f) legitimate interest: where a document comes from",
    source="The system, when you uploaded them.",
    retention="As long as the document; your name is removed when your account is erased.",
    fields={
        "at": "When",
        "document_id": "Document",
        "stage": "Stage",
        "state": "State",
        "finished_at": "Finished",
        "by_key": "By your key",
        "your_name_then": "Your name then",
        "id": "Id of the job",
    },
    read=_documents,
)
