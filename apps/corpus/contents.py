"""The documents that a scope or a tenant contains, which a removal of it removes.

Jobs are removed first (apps/corpus/models/job.py). A worker that processes a document locks its job's row while it
writes, so removing the job waits for the worker's transaction; the worker then finds its lease gone and stops. From
then on no worker adds rows to the stores that are removed later. Within a phase the keys are in the order of the
foreign keys.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection

from apps.erasure.contracts import Target, TargetType
from apps.erasure.stores.rows import ids_of
from apps.tenants.personal_data.stores import OF_SCOPE, OF_TENANT


def documents_of(targets: Sequence[Target]) -> tuple[Target, ...]:
    """Return all versions of the documents in the target scopes (and those below) and target tenants, as targets.

    Other stores, such as the log (event_groups_of), find their rows by document. Costs: one query.
    """
    found_by = {TargetType.SCOPE: OF_SCOPE, TargetType.TENANT: OF_TENANT}
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
