"""Convert shipped packs to a policy snapshot, the type that is also read from a tenant's tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from apps.intents.contracts import PolicySnapshot
from apps.intents.packs.catalogue import DEFAULT_PACKS, chosen_packs, packs_content
from apps.intents.snapshots.content import read_content

BASELINE_REASON: Final = "The shipped baseline, put in force when the tenant was created."


def baseline_snapshot(packs: Sequence[str] = DEFAULT_PACKS) -> PolicySnapshot:
    """Return shipped packs as one snapshot, which is equal at every call; by default the fund house, the baseline.

    Raises: UnknownPackError, PacksCollideError.
    """
    return read_content(
        packs_content(packs), number=1, status="active", origin="baseline", reason=baseline_reason(packs)
    )


def baseline_reason(packs: Sequence[str]) -> str:
    """Return the reason of a version 1 that comes of these packs."""
    if tuple(packs) == DEFAULT_PACKS:
        return BASELINE_REASON
    names = " and ".join(pack.name for pack in chosen_packs(packs))
    return f"Shipped for {names}, put in force when the tenant was created."
