"""The categories of a package, in order, and a check that every classified column was decided on.

Every column or place that is classified as more than ids, counts and times must be in a category, or be left out with a
reason. undecided() finds the others, and a test fails if there are any.
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
    """Return the columns and places that may hold personal data but are neither in a category nor left out.

    Args: known: the classification to check; by default that of the apps.
    """
    of = classified() if known is None else known
    return sorted({each.name for each in of if each.sort is not Sort.NONE} - decided())
