"""The time up to which changes can be read without missing any that are not committed yet.

A transaction that writes a row of a followed table holds a shared advisory lock until it ends. There is one lock for
each tenant and each ten seconds (apps/corpus/sql/changes.sql). The runtime roles may not read pg_locks, so the reader
tries each of these locks and releases it at once. A lock that the reader does not get is held by a transaction that
has not committed. PostgreSQL releases a lock only after the rows are visible. So all changes before the earliest ten
seconds with a held lock can be read, or all changes until now if no lock is held.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from django.db import connection

from apps.sql_files import read_statements
from apps.tenants.context import current_scope

_SQL: Final = read_statements(__file__)
_SECONDS: Final = 10
# No transaction of ours that writes such rows stays open for as long as a day.
_LONGEST: Final = 24 * 3600 // _SECONDS

_UNTIL: Final = _SQL["until"]


def changes_until(since: datetime) -> datetime:
    """Return the time up to which all changes of the open tenant since `since` are committed or rolled back.

    Call it before reading the changes, in a transaction that sees what was committed meanwhile.

    Costs: one query: 0.3 ms for the last hour, 2.5 ms at most.
    """
    asked: dict[str, Any] = {
        "seconds": _SECONDS,
        "longest": _LONGEST,
        "since": since,
        "tenant": str(current_scope().tenant_id),
    }
    with connection.cursor() as cursor:
        cursor.execute(_UNTIL, asked)
        row = cursor.fetchone()
    if row is None or not isinstance(row[0], datetime):
        raise TypeError("the server has no time")
    return row[0]
