"""Read the texts that a residue scan searches for: the names, addresses and numbers of the person in a request.

They are read over the scanning process's connection, because the eraser may not read the details of a request.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

import psycopg

from apps.audit.keys.data_keys import unwrapped
from apps.audit.models import DataKey
from apps.privacy.requests.details import opened_looked_for


def texts_given(connection: psycopg.Connection[Any], tenant_id: UUID, request_id: UUID) -> list[str]:
    """Return the names, addresses and numbers as they were given; an empty list where the request's key is destroyed.

    Raises: KeyEncryptionKeyMissingError, DataKeyDamagedError, PayloadDamagedError.
    """
    row = connection.execute(
        "SELECT r.details, k.id, k.epoch, k.subject_id, k.kek_id, k.wrapped_key FROM audit_erasurerequest r "
        "JOIN audit_datakey k ON k.tenant_id = r.tenant_id AND k.id = r.data_key_id "
        "WHERE r.tenant_id = %s AND r.id = %s",
        [tenant_id, request_id],
    ).fetchone()
    if row is None:
        return []
    details, id, epoch, subject_id, kek_id, wrapped_key = row
    key = DataKey(
        id=id, tenant_id=tenant_id, epoch=epoch, subject_id=subject_id, kek_id=kek_id, wrapped_key=wrapped_key
    )
    return opened_looked_for(bytes(details), key=unwrapped(key), tenant=tenant_id, request=request_id)
