"""Find out what was changed in an event that does not match its leaf, where that is possible.

A leaf is a hash, so it does not contain the original values, but a guess can be compared with it. Two guesses are worth
making: that the event had other scopes, so that people can read it for whom it was not recorded; and that it belongs to
another tenant's log.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import combinations
from typing import Final
from uuid import UUID

from apps.audit.canonical import NotCanonicalError, leaf_hash
from apps.audit.verify.entries import Entry
from apps.audit.verify.findings import FindingClass

# Guess only for this many events, which is enough to explain a log with more altered ones, and combine at most this
# many scopes.
MOST_GUESSED: Final = 1_000
MOST_SCOPES: Final = 64
_ALTERED: Final = "its header or commitments are not those that were sealed"


class Mismatches:
    """Finds out what was changed in events.

    Args: scope_ids: the tenant's. tenants: the tenants whose checkpoints were found among the log's own.
    """

    def __init__(self, scope_ids: Iterable[UUID]) -> None:
        self._scopes = sorted(str(each) for each in scope_ids)[:MOST_SCOPES]
        self._left = MOST_GUESSED
        self.tenants: set[str] = set()

    def told(self, entry: Entry) -> tuple[FindingClass, str]:
        """Return what was changed in an event that does not match its leaf, as a class and in words."""
        header = entry.header
        if header is None or self._left <= 0 or entry.commitments != entry.known:
            return FindingClass.ALTERED_EVENT, _ALTERED
        self._left -= 1
        try:
            for tenant in sorted(self.tenants):
                if leaf_hash({**header, "tenant_id": tenant}, entry.known) == entry.leaf:
                    return FindingClass.FOREIGN_EVENT, f"it was sealed in the log of tenant {tenant}"
            for scopes in guesses(header["scope_ids"], self._scopes, entry.scopes.values()):
                if leaf_hash({**header, "scope_ids": scopes}, entry.known) == entry.leaf:
                    return FindingClass.ALTERED_SCOPES, words_of(header["scope_ids"], scopes)
        except NotCanonicalError:
            pass
        return FindingClass.ALTERED_EVENT, _ALTERED


def words_of(now: Collection[str], before: Collection[str]) -> str:
    if set(now) < set(before):
        return f"its scopes were widened: it was recorded for {len(before)} and can be read with {len(now)} of them"
    return f"its scopes are others than it was recorded for: {len(before)} then, {len(now)} now"


def guesses(now: list[str], known: list[str], told: Iterable[list[str]]) -> Iterator[list[str]]:
    """Yield scopes that the event may have been recorded for.

    Args: now: its current scopes. known: the tenant's scopes, of which there are few. told: the scopes of other rows.
          Each is sorted.
    """
    yield from told
    yield []
    yield known
    for scope in known:
        yield [scope]
        yield sorted({*now} ^ {scope})
    for pair in combinations(known, 2):
        yield list(pair)
