"""Seal a field group for its place in the database, with the salt of its commitment inside.

AES-256-GCM under the tenant's data key: nonce (12 bytes), then the ciphertext of salt (32 bytes) and canonical JSON,
then the tag. Tenant, event and group are authenticated too, so that a ciphertext opens only in its own place.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from apps.audit.canonical import SALT_BYTES, canonical_bytes, commitment

_NONCE_BYTES: Final = 12
_DOMAIN: Final = b"glassbox.audit.payload.v1"


class SealBrokenError(Exception):
    """The ciphertext is not what was sealed there. The text says how that shows, and nothing of the content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealBinding:
    """The tenant, event and group that a ciphertext belongs to."""

    tenant_id: UUID
    event_id: UUID
    group: str

    def aad(self) -> bytes:
        return b"\0".join((_DOMAIN, self.tenant_id.bytes, self.event_id.bytes, self.group.encode()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """A sealed group. commitment: 32 bytes, for the event. ciphertext: for the payload row."""

    commitment: bytes
    ciphertext: bytes = field(repr=False)


def seal(values: Mapping[str, Any], *, place: SealBinding, key: bytes) -> Sealed:
    """Seal the values of a group. Args: key: the data key, 32 bytes. Raises: NotCanonicalError."""
    salt, nonce = secrets.token_bytes(SALT_BYTES), secrets.token_bytes(_NONCE_BYTES)
    content = canonical_bytes(dict(values))
    return Sealed(
        commitment=commitment(salt=salt, group=place.group, content=content),
        ciphertext=nonce + AESGCM(key).encrypt(nonce, salt + content, place.aad()),
    )


def unsealed(ciphertext: bytes, *, place: SealBinding, key: bytes) -> tuple[bytes, bytes]:
    """Return the salt and the canonical content without checking the commitment. Raises: SealBrokenError."""
    try:
        plain = AESGCM(key).decrypt(ciphertext[:_NONCE_BYTES], ciphertext[_NONCE_BYTES:], place.aad())
    except (InvalidTag, ValueError):
        raise SealBrokenError("it does not decrypt: it was changed, or belongs to another event or group") from None
    return plain[:SALT_BYTES], plain[SALT_BYTES:]


def open_sealed(ciphertext: bytes, *, place: SealBinding, key: bytes, committed: bytes) -> dict[str, Any]:
    """Return the group's values. Args: committed: the event's commitment to this group. Raises: SealBrokenError."""
    salt, content = unsealed(ciphertext, place=place, key=key)
    if not hmac.compare_digest(commitment(salt=salt, group=place.group, content=content), committed):
        raise SealBrokenError("it does not open its commitment: it is not what the event was written with")
    values: dict[str, Any] = json.loads(content)
    return values
