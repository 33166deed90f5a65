"""What the corpus holds of a document, a scope or a tenant, and of whoever brought a document.

Jobs go first of all: a worker that is on a document holds its job's row while it writes, so removing the job waits for
what is being written, and the worker then finds its lease gone and stops. From there on nothing is added to what the
later stores remove. Within a phase the keys' order is that of the foreign keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.db import connection

from apps.erasure.contracts import Phase, Target, TargetType
from apps.erasure.registry import register_store
from apps.erasure.stores.rows import OF_DOCUMENT, OF_SCOPE, OF_TENANT, Rows, ids_of

_FOUND_BY: Final = {
    TargetType.DOCUMENT: OF_DOCUMENT,
    TargetType.SCOPE: OF_SCOPE,
    TargetType.TENANT: OF_TENANT,
}

# What was answered to the upload, or to starting a job again, repeats the title. By scope, person and tenant:
# tenants.requests.
KEPT_ANSWERS: Final = Rows(
    key="corpus.answers_kept",
    label="Answers kept for repeated uploads of the document",
    phase=Phase.CACHES,
    table="tenants_idempotentrequest",
    found_by={
        TargetType.DOCUMENT: (
            "t.subject_id = ANY (%(document)s::uuid[]) OR t.subject_id = ANY (ARRAY("
            "SELECT j.id FROM corpus_ingestjob j "
            "WHERE j.tenant_id = %(open_tenant)s AND j.document_id = ANY (%(document)s::uuid[])))"
        )
    },
)
JOBS: Final = Rows(
    key="corpus.jobs",
    label="Ingest jobs",
    phase=Phase.CACHES,
    table="corpus_ingestjob",
    found_by=_FOUND_BY,
    document_column="document_id",
)
# The job itself is the document's, and stays with it; its surrogate id names nobody once the account is empty.
JOB_ACTORS: Final = Rows(
    key="corpus.job_actors",
    label="Names of a person on their ingest jobs",
    phase=Phase.ACCOUNTS,
    table="corpus_ingestjob",
    found_by={
        TargetType.USER: ("t.actor_kind = 'user' AND t.actor_id = ANY (%(user)s::uuid[]) AND t.actor_label <> ''")
    },
    emptied={"actor_label": "''"},
)
EMBEDDINGS_384: Final = Rows(
    key="corpus.embeddings_384",
    label="Vectors of passages (384 dimensions)",
    phase=Phase.SEARCH,
    table="corpus_embedding384",
    found_by=_FOUND_BY,
    document_column="document_id",
)
EMBEDDINGS_1536: Final = Rows(
    key="corpus.embeddings_1536",
    label="Vectors of passages (1536 dimensions)",
    phase=Phase.SEARCH,
    table="corpus_embedding1536",
    found_by=_FOUND_BY,
    document_column="document_id",
)
POSTINGS: Final = Rows(
    key="corpus.postings",
    label="Search terms",
    phase=Phase.SEARCH,
    table="corpus_posting",
    found_by=_FOUND_BY,
    document_column="document_id",
)
# Of a document, children before the parents that they point at: each part may be a transaction of its own. In the order
# of an index (chunk_number_once): sorted otherwise, each part reads all passages of the tenant that are left.
CHUNKS: Final = Rows(
    key="corpus.chunks",
    label="Passages",
    phase=Phase.PASSAGES,
    table="corpus_chunk",
    found_by=_FOUND_BY,
    document_column="document_id",
    order="t.scope_id, t.document_id, t.is_parent",
)
PAGES: Final = Rows(
    key="corpus.pages",
    label="Pages",
    phase=Phase.PASSAGES,
    table="corpus_page",
    found_by=_FOUND_BY,
    document_column="document_id",
)
FILES: Final = Rows(
    key="corpus.document_files",
    label="Original files",
    phase=Phase.DOCUMENTS,
    table="corpus_sourcefile",
    found_by=_FOUND_BY,
    document_column="document_id",
)
DOCUMENTS: Final = Rows(
    key="corpus.documents",
    label="Documents",
    phase=Phase.DOCUMENTS,
    table="corpus_document",
    found_by={**_FOUND_BY, TargetType.DOCUMENT: "t.id = ANY (%(document)s::uuid[])"},
    document_column="id",
)


def register_stores() -> None:
    register_store(
        KEPT_ANSWERS,
        JOBS,
        JOB_ACTORS,
        EMBEDDINGS_384,
        EMBEDDINGS_1536,
        POSTINGS,
        CHUNKS,
        PAGES,
        FILES,
        DOCUMENTS,
    )


def documents_of(targets: Sequence[Target]) -> tuple[Target, ...]:
    """The documents, all versions, in the scopes (and those below) and the tenant among the targets, as targets.

    What concerns them elsewhere, such as in the log (event_groups_of), is found by documents. Costs: one query.
    """
    found_by = {type: _FOUND_BY[type] for type in (TargetType.SCOPE, TargetType.TENANT)}
    conditions = [f"({found_by[type]})" for type in sorted({target.type for target in targets} & found_by.keys())]
    if not conditions:
        return ()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT t.id FROM corpus_document t "  # noqa: S608 (constants)
            f"WHERE t.tenant_id = %(open_tenant)s AND ({' OR '.join(conditions)}) ORDER BY t.id",
            ids_of(targets),
        )
        return tuple(Target(type=TargetType.DOCUMENT, id=row[0]) for row in cursor.fetchall())
