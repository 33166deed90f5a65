"""What each column of the database, and each store beside it, holds of people; and what becomes of that in an erasure.

Models declare it (apps/tenants/personal_data), and declared.py collects it. What nobody declared is found by
findings(), which compares with what is really there: a test fails on it, and `manage.py erasure registry` prints the
whole.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from apps.erasure.declarations.classified import Classified
from apps.erasure.registry import classified, stores
from apps.tenants.personal_data import Sort


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Gap:
    name: str
    problem: str

    def __str__(self) -> str:
        return f"{self.name}: {self.problem}"


def findings(there: Collection[str], *, known: Collection[Classified] | None = None) -> list[Gap]:
    """What is wrong with the classification: what nobody classified, what is gone, what would stay without a ground.

    Args: there: the names of all that there is (places.py).
          known: instead of what the apps registered.
    """
    entries = {each.name: each for each in (classified() if known is None else known)}
    keys = {store.key for store in stores()}
    gaps = [
        Gap(name=name, problem="nobody declared it: see docs/extend/table.md") for name in set(there) - entries.keys()
    ]
    gaps += [
        Gap(name=name, problem="it is classified, and not there any more")
        for name in entries.keys() - set(there)
        # Made when it is first needed.
        if not name.startswith("folder:")
    ]
    for entry in entries.values():
        gaps += [
            Gap(name=entry.name, problem=f"the store that clears it is not registered: {key}")
            for key in entry.cleared_by
            if key not in keys
        ]
        if entry.sort is not Sort.NONE and not entry.cleared_by and not entry.stays:
            gaps.append(
                Gap(name=entry.name, problem="it is personal, no store clears it, and no ground says why it stays")
            )
    named = {key for entry in entries.values() for key in entry.cleared_by}
    gaps += [Gap(name=key, problem="nothing classified is cleared by this store") for key in keys - named]
    return sorted(gaps)
