"""The settings of the current transaction that hold its tokens, and the key that signs tokens."""

from __future__ import annotations

from collections.abc import Mapping

from django.conf import settings
from django.db import InternalError, connection
from psycopg.pq import TransactionStatus

from apps.tenants.tokens import Bearer
from config.secrets import SigningKey, given


def ends_with_us() -> bool:
    """Whether the next atomic block is a transaction itself, and not a savepoint in one that continues after it."""
    return not connection.in_atomic_block and connection.get_autocommit()


def close_settings(ends: bool, before: Mapping[str, str]) -> None:
    """Restore the previous settings, unless the transaction ends here and discards them.

    After a failure nothing is restored, because the rollback does that.

    Args:   ends: whether the transaction ends with this block. before: the settings to restore.
    Raises: InternalError: a database error was ignored, so that COMMIT would roll everything back without an error.
    """
    if connection.needs_rollback:
        return
    if not ends:
        write_settings(before)
    elif connection.connection.info.transaction_status == TransactionStatus.INERROR:
        raise InternalError("the transaction failed, and whoever was told so went on")


def signing_key() -> SigningKey:
    """Return the newest scope-token key. Older keys stay valid in the database until they are removed there."""
    key: SigningKey = given(settings.GLASSBOX_SCOPE_KEYS, "GLASSBOX_SCOPE_TOKEN_KEYS")[0]
    return key


def read_settings(*names: str) -> tuple[list[str], Bearer]:
    """Return the current values of the settings, and the transaction that a new token would be for. One query."""
    columns = "coalesce(current_setting(%s, true), ''), " * len(names)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns}pg_backend_pid(), authz.transaction_mark()", names)
        *values, backend_pid, mark = cursor.fetchone()
        return values, Bearer(backend_pid=backend_pid, transaction=mark)


def write_settings(values: Mapping[str, str]) -> None:
    """Set these settings for the current transaction. One query."""
    columns = ", ".join(["set_config(%s, %s, true)"] * len(values))
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns}", [part for pair in values.items() for part in pair])
