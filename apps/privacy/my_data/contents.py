"""The categories of a package, in order, and a check that every classified column was decided on.

Every column or place that is classified as more than ids, counts and times names a category that shows it, or a reason
to leave it out (Fields.shown_in and withheld). undecided() finds the others, and a test fails if there are any.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from apps.erasure.declarations.classified import Classified
from apps.erasure.registry import classified
from apps.privacy.my_data.account import ACCOUNT, GRANTS, KEYS, MEMBERSHIPS
from apps.privacy.my_data.acts import EVENTS
from apps.privacy.my_data.answers import ANSWERS, SENT
from apps.privacy.my_data.asked import REQUESTS
from apps.privacy.my_data.contracts import Category
from apps.privacy.my_data.documents import DOCUMENTS
from apps.privacy.my_data.evaluation import EVALUATION
from apps.privacy.my_data.policies import COMMENTS, VERSIONS
from apps.privacy.my_data.research import RESEARCH
from apps.tenants.personal_data import Sort

CATEGORIES: Final[tuple[Category, ...]] = (
    *(ACCOUNT, MEMBERSHIPS, GRANTS, KEYS, EVENTS, ANSWERS, SENT, RESEARCH, REQUESTS),
    *(DOCUMENTS, VERSIONS, COMMENTS, EVALUATION),
)


def undecided(*, known: Collection[Classified] | None = None) -> list[str]:
    """Return the columns and places that may hold personal data but are neither in a category nor left out.

    Args: known: the classification to check; by default that of the apps.
    """
    keys = {category.key for category in CATEGORIES}
    return sorted(
        each.name
        for each in (classified() if known is None else known)
        if each.sort is not Sort.NONE and not each.withheld and each.shown_in not in keys
    )
