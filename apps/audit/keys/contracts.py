"""What stands between the database and the keys that open it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class WrappedKey:
    """A data key as the database holds it. kek_id names the key-encryption key that wrapped it."""

    kek_id: str
    wrapped: bytes = field(repr=False)


class KeyProvider(Protocol):
    """Wraps and unwraps data keys under key-encryption keys that lie outside PostgreSQL and its backups.

    The environment's is in environment.py; a key management service fits behind the same three.
    """

    @property
    def current_id(self) -> str:
        """The id of the key-encryption key under which new data keys are wrapped."""
        ...

    def wrap(self, key: bytes, *, context: bytes) -> WrappedKey:
        """Wrap a data key under the current one. Args: context: authenticated; unwrap must be given the same."""
        ...

    def unwrap(self, wrapped: WrappedKey, *, context: bytes) -> bytes:
        """Raises: KeyEncryptionKeyMissingError, DataKeyDamagedError."""
        ...
