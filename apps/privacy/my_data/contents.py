"""What a package holds, in its order, from the account to what was done with it; and what nobody decided on.

Whatever is classified as more than ids, counts and times is in a category or left out with a reason: undecided() finds
the rest, and a test fails on it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from apps.erasure.declarations.classified import Classified, Sort
from apps.erasure.registry import classified
from apps.privacy.my_data.account import ACCOUNT, GRANTS, KEYS, MEMBERSHIPS
from apps.privacy.my_data.acts import EVENTS
from apps.privacy.my_data.asked import REQUESTS
from apps.privacy.my_data.contracts import Category
from apps.privacy.my_data.documents import DOCUMENTS
from apps.privacy.my_data.evaluation import EVALUATION
from apps.privacy.my_data.left_out import LEFT_OUT
from apps.privacy.my_data.policies import COMMENTS, VERSIONS

CATEGORIES: Final[tuple[Category, ...]] = (
    *(ACCOUNT, MEMBERSHIPS, GRANTS, KEYS, EVENTS, REQUESTS),
    *(DOCUMENTS, VERSIONS, COMMENTS, EVALUATION),
)


def decided() -> frozenset[str]:
    """Return the names of all columns and places that are in a category or left out."""
    left_out = {name for each in LEFT_OUT for name in each.names}
    return frozenset(left_out | {column for category in CATEGORIES for column in category.columns})


def undecided(*, known: Collection[Classified] | None = None) -> list[str]:
    """Return the names of what may hold something of a person, of which nobody said whether it is in their package.

    Args: known: instead of what the apps classified.
    """
    of = classified() if known is None else known
    return sorted({each.name for each in of if each.sort is not Sort.NONE} - decided())
