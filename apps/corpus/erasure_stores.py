"""The stores in which the corpus holds data of a document, a scope, a tenant or the person who uploaded a document.

Jobs are removed first. A worker that processes a document locks its job's row while it writes, so removing the job
waits for the worker's transaction; the worker then finds its lease gone and stops. From then on no worker adds rows to
the stores that are removed later. Within a phase the keys are in the order of the foreign keys.
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

# The stored responses to an upload or to a restart of a job repeat the title. The store tenants.requests removes them
# by scope, person and tenant.
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
# The job stays with its document. The actor's surrogate id identifies nobody once the account is emptied.
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
# Within a document, children come before the parents that they refer to, because each part may be a separate
# transaction. The order is that of an index (chunk_number_once): with another order, each part would read all remaining
# passages of the tenant.
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
    """Return all versions of the documents in the target scopes (and those below) and target tenants, as targets.

    Other stores, such as the log (event_groups_of), find their rows by document. Costs: one query.
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
