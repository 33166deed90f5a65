"""Look claims in words up: each is a search under its sentence's own intent and kinds, with an event of its own."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from apps.research.claims.contracts import Claim, Finding, Verdict
from apps.research.claims.quoted import judge_by_passages
from apps.research.claims.sights import Sight
from apps.retrieval.contracts import GivenFilters, Refusal, RefusalReason
from apps.retrieval.pipeline import Found
from apps.retrieval.retrievers.documents import may_be_read
from apps.retrieval.services.ask import search
from apps.retrieval.services.pinned import Pinned
from apps.tenants.api.throttling import let_through
from apps.tenants.short_scopes import ShortScopes

MAXIMUM_SEARCHES: Final = 20
NOT_LOOKED_UP: Final = f"It is not looked up: of one text {MAXIMUM_SEARCHES} claims in words are."
OVER_THE_RATE: Final = (
    "It is not looked up: each claim in words counts as a search, and you have made as many requests as you may. Check "
    "it again in a minute."
)
_Key = tuple[UUID, str, Pinned]


class WordSearches:
    """The searches of one check. What was found is kept while it may be read, should the check be tried again.

    made: how many searches were made, each with its event.
    """

    def __init__(self, scopes: ShortScopes, keys: Sequence[str], as_of: datetime | None) -> None:
        self._scopes, self._keys, self._as_of = scopes, tuple(keys), as_of
        self._found: dict[_Key, Found] = {}
        self.made = 0

    def forget_gone(self) -> None:
        """Forget what was found in documents that may not be read any more. Call it in the scopes of the check."""
        self._found = {key: found for key, found in self._found.items() if may_be_read(_documents(found))}

    def judge(self, claim: Claim, sight: Sight, version_id: UUID) -> Finding:
        """Return what passages say of a claim. Call it outside of any scope."""
        key = (version_id, claim.text, sight.pinned)
        if key not in self._found:
            if self.made >= MAXIMUM_SEARCHES:
                return Finding(claim=claim, verdict=Verdict.NOT_CHECKABLE, reason=NOT_LOOKED_UP)
            if not let_through(self._scopes.principal):
                return Finding(claim=claim, verdict=Verdict.NOT_CHECKABLE, reason=OVER_THE_RATE)
            self._found[key] = self._search(claim.text, sight.pinned)
        found = self._found[key]
        refused = found.outcome if isinstance(found.outcome, Refusal) else None
        if refused is not None and refused.reason is not RefusalReason.NOTHING_FOUND:
            return Finding(claim=claim, verdict=Verdict.NOT_CHECKABLE, reason=refused.message)
        return judge_by_passages(claim, found.candidates)

    def _search(self, text: str, pinned: Pinned) -> Found:
        self.made += 1
        searched = search(
            text=text,
            scopes=self._keys,
            given=GivenFilters(),
            as_of=self._as_of,
            principal=self._scopes.principal,
            reason=self._scopes.reason,
            pinned=pinned,
        )
        return searched.result.found


def _documents(found: Found) -> set[UUID]:
    return {each.chunk.document.document_id for each in found.candidates}
