"""What holds are on, as the rooms above know it: the log can name a document, and only the corpus can show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from apps.erasure.contracts import Target, TargetType

HOLDABLE = (TargetType.DOCUMENT, TargetType.EVENT_GROUP)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A thing that can be held, in words for its page.

    page: the name of its page in the admin, which takes page_id.
    scope_ids: where it lies.
    """

    target: Target
    name: str
    detail: str
    page: str
    page_id: UUID
    scope_ids: tuple[UUID, ...]


class Items(Protocol):
    """One type of things that can be held. All of it runs in the open scope, and finds what that may see."""

    def describe(self, targets: Sequence[Target], *, lock: bool = False) -> Mapping[Target, Item]:
        """Those of the targets that are there. lock: nobody removes them until the transaction ends."""
        ...

    def search(self, words: str, *, limit: int) -> Sequence[Item]:
        """Those that a person means by these words, best first."""
        ...

    def withdraw(self, ids: Sequence[UUID]) -> None:
        """They are restricted now: forget copies that the policies of their own tables don't reach."""
        ...
