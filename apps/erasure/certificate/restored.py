"""What is said of a restore: which erasures it may have undone, what was there again, and what shows that it is gone.

It is written into an event of the log (audit.restoration.stated, core), as the end of a run is: once when what came
back was removed again, and once more when the disk was looked through. Ids, counts, codes, digests and times.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from apps.erasure.certificate.after_restore import FORMAT
from apps.erasure.certificate.statement import release
from apps.erasure.models import Restoration, RestorationState
from apps.erasure.registry import stores

AWAITING: Final = "awaiting"


class RestoreOutcome(StrEnum):
    NOTHING_CAME_BACK = "nothing_came_back"
    NOT_PROVEN = "not_proven"  # gone from every store; nobody has shown it of the disk
    PROVED = "proved"


OUTCOMES: Final[Mapping[RestorationState, RestoreOutcome]] = {
    RestorationState.UNTOUCHED: RestoreOutcome.NOTHING_CAME_BACK,
    RestorationState.AWAITING: RestoreOutcome.NOT_PROVEN,
    RestorationState.FAILED: RestoreOutcome.NOT_PROVEN,
    RestorationState.UNPROVEN: RestoreOutcome.NOT_PROVEN,
    RestorationState.PROVED: RestoreOutcome.PROVED,
}


def restored_statement(row: Restoration) -> dict[str, Any]:
    """Args: row: with the state and the times that it is to have."""
    outcome = OUTCOMES[RestorationState(row.state)]
    found, labels = row.verification, {store.key: store.label for store in stores()}
    proved = outcome is RestoreOutcome.PROVED
    why = "" if outcome is not RestoreOutcome.NOT_PROVEN else row.error_code or AWAITING
    return {
        "format": FORMAT,
        "tenant": str(row.tenant_id),
        "restoration": str(row.id),
        "restore": str(row.restore_id),
        "end": len(row.end_events) + 1,
        "backup": None if row.backup_id is None else str(row.backup_id),
        "outcome": outcome.value,
        "why": why,
        "runs": row.runs,
        "targets": {"count": row.targets},
        "manifest": row.manifest,
        "stores": [
            {"store": key, "label": labels.get(key, key), "came_back": count, "remaining": 0}
            for key, count in sorted(row.came_back.items())
        ],
        "needles": found["needles"] if proved else None,
        "standing": found["standing"] if proved else None,
        "control": found["control"] if proved else None,
        "physical": found.get("physical"),
        "scan": {key: value for key, value in found["scan"].items() if key != "hits"} | {"hits": 0} if proved else None,
        "times": {
            "backup": _text(row.backup_made_at),
            "restored": _text(row.restored_at),
            "prepared": _text(row.prepared_at),
            "removed": _text(row.removed_at),
            "proved": _text(row.ended_at) if proved else None,
        },
        "software": {"glassbox": release()},
    }


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
