"""The interface between the database and the keys that open its content."""

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

    environment.py holds the provider that reads the environment. A key management service needs only these three
    members.
    """

    @property
    def current_id(self) -> str:
        """The id of the key-encryption key under which new data keys are wrapped."""
        ...

    def wrap(self, key: bytes, *, context: bytes) -> WrappedKey:
        """Wrap a data key under the current key-encryption key.

        Args: context: authenticated with the key; unwrap must be given the same context.
        """
        ...

    def unwrap(self, wrapped: WrappedKey, *, context: bytes) -> bytes:
        """Unwrap a data key. Raises: KeyEncryptionKeyMissingError, DataKeyDamagedError."""
        ...
