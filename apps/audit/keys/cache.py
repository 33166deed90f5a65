"""The unwrapped data keys that this process used lately. They are only in memory, and are never printed or logged."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from uuid import UUID

MAX_ENTRIES: Final = 2_048
# After a data key is destroyed, or a key-encryption key withdrawn, this process forgets it after this time at the
# latest.
MAX_AGE_S: Final = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DataKeyInUse:
    id: UUID
    key: bytes = field(repr=False)


class Reading(NamedTuple):
    """When a key was read from the database, and how often this process had forgotten keys until then."""

    forgettings: int
    at: float


class KeyCache:
    """Data keys by tenant and name, where the least recently used are dropped first.

    A name is a data key's id, or the period whose current key it is.
    """

    def __init__(self, *, max_entries: int = MAX_ENTRIES, max_age_s: float = MAX_AGE_S) -> None:
        self._max_entries, self._max_age_s = max_entries, max_age_s
        self._entries: OrderedDict[tuple[UUID, str], tuple[float, DataKeyInUse]] = OrderedDict()
        self._lock = threading.Lock()
        self._forgettings = 0

    def get(self, tenant: UUID, name: str) -> DataKeyInUse | None:
        with self._lock:
            entry = self._entries.get((tenant, name))
            if entry is None:
                return None
            if time.monotonic() - entry[0] > self._max_age_s:
                del self._entries[tenant, name]
                return None
            self._entries.move_to_end((tenant, name))
            return entry[1]

    def reading(self) -> Reading:
        """Return what `put` needs to know of a key that is read from now on."""
        return Reading(forgettings=self._forgettings, at=time.monotonic())

    def still_holds(self, read: Reading) -> bool:
        """Return whether what was read then may be used: nothing was forgotten since, and it is not too old."""
        return read.forgettings == self._forgettings and time.monotonic() - read.at <= self._max_age_s

    def put(self, tenant: UUID, names: tuple[str, ...], key: DataKeyInUse, read: Reading | None = None) -> None:
        """Remember a key.

        Args: read: from `reading`, where the key was read a while ago, such as in a transaction that took long. Its age
              counts from then, and what was forgotten meanwhile, by another thread too, is not remembered again.
        """
        read = read or self.reading()
        with self._lock:
            if not self.still_holds(read):
                return
            for name in names:
                self._entries[tenant, name] = (read.at, key)
                self._entries.move_to_end((tenant, name))
            while len(self._entries) > self._max_entries:
                self._entries.popitem(last=False)

    def forget(self, tenant: UUID) -> None:
        with self._lock:
            self._forgettings += 1
            for name in [name for name in self._entries if name[0] == tenant]:
                del self._entries[name]

    def clear(self) -> None:
        with self._lock:
            self._forgettings += 1
            self._entries.clear()
