"""Access packages as a store of personal data: erasing something that a package names erases the package.

The erasure also destroys the keys that seal what is known of the people who asked, once their requests have ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from django.db import connection

from apps.erasure.contracts import Phase, Target, TargetType
from apps.erasure.stores.rows import ids_of
from apps.privacy.requests.services.forgetting import remove_packages
from apps.sql_files import read_statements
from apps.tenants.personal_data.stores import SCOPES_BELOW

_SQL: Final = read_statements(__file__)
_TYPES: Final = frozenset(TargetType)
_ABOUT: Final = _SQL["about"].format(scopes_below=SCOPES_BELOW)
_OF_ACCESS: Final = f"r.tenant_id = %(open_tenant)s AND r.purpose = 'access' AND {_ABOUT}"
_PACKAGES: Final = f"""
    SELECT p.id, p.data_key_id FROM audit_accesspackage p
      JOIN audit_erasurerequest r ON r.tenant_id = p.tenant_id AND r.id = p.request_id
     WHERE {_OF_ACCESS}"""  # noqa: S608
_KEY: Final = "SELECT FROM audit_datakey k WHERE k.tenant_id = %(open_tenant)s AND k.id = {}"
# Open requests are left out: the person is owed an answer, and the search needs the sealed details until then.
_REQUESTS: Final = f"""
    SELECT r.id FROM audit_erasurerequest r
     WHERE {_OF_ACCESS} AND r.state IN ('completed', 'refused', 'withdrawn') AND EXISTS ({_KEY.format("r.data_key_id")})
       AND NOT EXISTS (SELECT FROM audit_letter l
                        WHERE l.tenant_id = r.tenant_id AND l.request_id = r.id AND l.state <> 'sent')"""  # noqa: S608
_COUNT: Final = f"""
    WITH packages AS ({_PACKAGES})
    SELECT (SELECT count(*) FROM packages)
         + (SELECT count(*) FROM packages p WHERE EXISTS ({_KEY.format("p.data_key_id")}))
         + (SELECT count(*) FROM ({_REQUESTS}) requests)"""  # noqa: S608


class AccessPackages:
    """See Store. It counts packages, their keys, and the keys of requests for access that have ended."""

    key = "audit.access_packages"
    label = "Packages made for access requests, and what is known about the requester, once the request is answered"
    phase = Phase.DERIVED
    types = _TYPES
    tables = ("audit_accesspackage", "audit_datakey")

    def count(self, targets: Sequence[Target]) -> int:
        """Costs: one query; none without targets."""
        return int(_rows(_COUNT, ids_of(targets))[0][0]) if targets else 0

    def clear(self, targets: Sequence[Target], *, limit: int) -> int:
        """Costs: at most three queries, and one for each request that is forgotten."""
        if not targets:
            return 0
        parameters = ids_of(targets)
        requests = [UUID(str(row[0])) for row in _rows(f"{_REQUESTS} LIMIT {int(limit)}", parameters)]
        for request in requests:
            _rows("SELECT audit_forget_access(%(request)s)", {"request": request})
        left = limit - len(requests)
        packages = [UUID(str(row[0])) for row in _rows(_PACKAGES, parameters)] if left else []
        return len(requests) + remove_packages(packages, limit=left)


def _rows(query: str, parameters: dict[str, Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return list(cursor.fetchall())
