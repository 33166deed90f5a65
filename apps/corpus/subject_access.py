"""What the corpus holds of the people who bring documents, for their access requests (apps/audit/subject_access)."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from apps.audit.subject_access.account import at
from apps.audit.subject_access.contracts import Category, Page, Person
from apps.audit.subject_access.registry import leave_out, leave_out_columns, register_category
from apps.corpus.models import IngestJob
from apps.tenants.principals import PrincipalKind

_BATCH: Final = 500
_CONTENT: Final = (
    "Documents of the firm, and what is made of them. They are about others, or about you as somebody who is named in "
    "them: for that, ask the data protection officer, who has them searched for you."
)
_MAY_QUOTE: Final = "What went wrong with a document, which may quote it."


def _documents(person: Person, after: object | None) -> Page:
    jobs = IngestJob.objects.filter(
        actor_kind=PrincipalKind.USER.value, actor_id=person.id, created_at__lte=person.until
    ).order_by("id")
    if isinstance(after, UUID):
        jobs = jobs.filter(id__gt=after)
    rows = list(jobs[:_BATCH])
    return Page(
        entries=[
            {
                "at": at(row.created_at),
                "document_id": str(row.document_id),
                "stage": row.get_stage_display(),
                "state": row.get_status_display(),
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
    title="Documents that you brought",
    about="That you brought them, when, and how far they came; not what stands in them.",
    purpose="To know by whose right a document is read in, and whom to ask about it.",
    legal_basis="6(1)(f) legitimate interest: where a document comes from",
    source="The system, when you brought them.",
    retention="As long as the document; your name goes when your account is erased.",
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
    columns=("corpus_ingestjob.actor_id", "corpus_ingestjob.actor_label", "corpus_ingestjob.actor_key_id"),
    read=_documents,
)


def register_subject_access() -> None:
    register_category(DOCUMENTS)
    leave_out_columns(
        "corpus_document",
        "title slug company ticker external_id filename content_sha256 error_detail warnings",
        because=_CONTENT,
    )
    leave_out_columns("corpus_chunk", "text context_header section content_sha256", because=_CONTENT)
    leave_out_columns("corpus_posting", "term chunk_numbers term_frequencies chunk_term_counts", because=_CONTENT)
    leave_out(
        "corpus_sourcefile.content corpus_page.text corpus_embedding384.vector corpus_embedding1536.vector "
        "memory:apps.corpus.terms memory:apps.corpus.extraction.numerals memory:apps.corpus.people.normalise "
        "memory:apps.corpus.people.variants",
        because=_CONTENT,
    )
    leave_out("corpus_ingestjob.error_detail", because=_MAY_QUOTE)
