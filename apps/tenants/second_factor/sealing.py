"""An authenticator's secret at rest: AES-256-GCM under a key that is derived from the installation's master key."""

from __future__ import annotations

import secrets
from typing import Final
from uuid import UUID

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from config.secrets import given

_DOMAIN: Final = b"glassbox.tenants.second_factor.v1"
_NONCE_BYTES: Final = 12


def seal(secret: bytes, *, user_id: UUID) -> bytes:
    """Encrypt a secret, bound to its account: in another account's row it can't be decrypted."""
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return nonce + AESGCM(_key()).encrypt(nonce, secret, user_id.bytes)


def unseal(sealed: bytes, *, user_id: UUID) -> bytes:
    """Decrypt a secret.

    Raises: cryptography.exceptions.InvalidTag: the secret is damaged, belongs to another account, or was sealed under
            another master key.
    """
    return AESGCM(_key()).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], user_id.bytes)


def _key() -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=_DOMAIN).derive(
        given(settings.GLASSBOX_AUDIT_KEY, "GLASSBOX_AUDIT_MASTER_KEY")
    )
