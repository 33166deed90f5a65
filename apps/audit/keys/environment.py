"""Key-encryption keys from the environment (GLASSBOX_AUDIT_KEKS): several keys by id, of which the first wraps."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings

from apps.audit.errors import DataKeyDamagedError, KeyEncryptionKeyMissingError
from apps.audit.keys.contracts import WrappedKey
from config.secrets import WrappingKey, given

_NONCE_BYTES: Final = 12


class EnvironmentKeys:
    """A key provider with AES-256-GCM. Args: keys: at least one; None uses the keys of the settings."""

    def __init__(self, keys: Sequence[WrappingKey] | None = None) -> None:
        found: Sequence[WrappingKey] = (
            given(settings.GLASSBOX_AUDIT_KEKS, "GLASSBOX_AUDIT_KEKS") if keys is None else keys
        )
        self._keys: Mapping[str, bytes] = {each.kid: each.key for each in found}
        self._current = found[0].kid

    @property
    def current_id(self) -> str:
        return self._current

    def wrap(self, key: bytes, *, context: bytes) -> WrappedKey:
        nonce = secrets.token_bytes(_NONCE_BYTES)
        sealed = AESGCM(self._keys[self._current]).encrypt(nonce, key, context)
        return WrappedKey(kek_id=self._current, wrapped=nonce + sealed)

    def unwrap(self, wrapped: WrappedKey, *, context: bytes) -> bytes:
        key = self._keys.get(wrapped.kek_id)
        if key is None:
            raise KeyEncryptionKeyMissingError(kek=wrapped.kek_id)
        try:
            return AESGCM(key).decrypt(wrapped.wrapped[:_NONCE_BYTES], wrapped.wrapped[_NONCE_BYTES:], context)
        except (InvalidTag, ValueError):
            raise DataKeyDamagedError(kek=wrapped.kek_id) from None
