"""Seal what a person asked for its row: under a data key of the tenant, bound to the tenant and to the row's id."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.utils import timezone

from apps.audit.errors import PayloadDamagedError
from apps.audit.keys.data_keys import KEY_BYTES, current_data_key, data_keys
from apps.tenants.ids import TenantId

_NONCE_BYTES: Final = 12
_DOMAIN: Final = b"glassbox.retrieval.kept.v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedText:
    data_key_id: UUID
    ciphertext: bytes


def seal_for(id: UUID, content: bytes, *, tenant: TenantId, part: bytes = b"") -> SealedText:
    """Args: part: what it is of the row, where that has several. Costs: as current_data_key."""
    key = current_data_key(tenant, timezone.now())
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return SealedText(
        data_key_id=key.id, ciphertext=nonce + AESGCM(key.key).encrypt(nonce, content, _place(tenant, id, part))
    )


def unseal(id: UUID, sealed: SealedText, *, tenant: UUID, part: bytes = b"") -> bytes:
    """Raises: PayloadDamagedError: it is not what was sealed there, or its key is gone. Costs: one query at most."""
    key = data_keys(tenant, [sealed.data_key_id]).get(sealed.data_key_id) or bytes(KEY_BYTES)
    nonce, ciphertext = sealed.ciphertext[:_NONCE_BYTES], sealed.ciphertext[_NONCE_BYTES:]
    try:
        return AESGCM(key).decrypt(nonce, ciphertext, _place(tenant, id, part))
    except (InvalidTag, ValueError):
        raise PayloadDamagedError(
            group="kept", event=id, problem="it is not what was sealed there, or its key is destroyed"
        ) from None


def _place(tenant: UUID, id: UUID, part: bytes) -> bytes:
    return b"\0".join((_DOMAIN, tenant.bytes, id.bytes, part))
