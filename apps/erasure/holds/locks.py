"""Placing a hold and removing what it is on, kept apart: whoever comes second sees what the first one did.

Removing takes the tenant's lock shared, so removals go on beside one another; placing takes it alone. Both hold it
until their transaction ends.
"""

from __future__ import annotations

from django.db import connection

from apps.tenants.advisory import advisory_key
from apps.tenants.context import current_scope


def keep_removals_out() -> None:
    """Wait for removals that go on in this tenant, and let none begin before the transaction ends."""
    _lock("pg_advisory_xact_lock")


def keep_holds_out() -> None:
    """Wait for a hold that is being placed in this tenant, and let none be placed before the transaction ends."""
    _lock("pg_advisory_xact_lock_shared")


def _lock(function: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(%s)", [advisory_key("holds", current_scope().tenant_id)])
