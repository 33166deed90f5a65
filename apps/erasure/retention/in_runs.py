"""What is proposed already: it is not proposed twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from apps.erasure.contracts import RunState, Target
from apps.erasure.models import RemovalTarget
from apps.erasure.registry import kept

OPEN: Final = (
    RunState.PROPOSED,
    RunState.APPROVED,
    RunState.EXECUTING,
    RunState.VERIFYING,
    RunState.FAILED,
)


def staying(targets: Sequence[Target]) -> Mapping[Target, str]:
    """Of the targets, those that must stay or are on their way out already, with a ground each: `run:<uuid>`, and what
    obstacles answer (apps.erasure.registry.kept), within the current transaction.

    Costs: one query, and those of the obstacles.
    """
    rows = RemovalTarget.objects.filter(
        item_id__in={target.id for target in targets}, run__state__in=[state.value for state in OPEN]
    )
    proposed = {
        (kind, item_id, part): run_id
        for kind, item_id, part, run_id in rows.values_list("type", "item_id", "part", "run_id")
    }
    runs = {
        target: f"run:{proposed[key]}"
        for target in targets
        if (key := (str(target.type), target.id, target.part)) in proposed
    }
    return {**runs, **kept(targets)}
