"""What is said of a run at its end: ids, counts, codes, digests and times. No name, nothing of what was removed.

It is written into the event that ends the run (audit.removal.ended, core), so that the log vouches for it before
anybody signs. Numbers are whole ones, times in UTC to the second.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings

from apps.erasure.certificate import manifest
from apps.erasure.certificate.checking import FORMAT, FORMAT_BEFORE
from apps.erasure.contracts import Phase
from apps.erasure.models import RemovalRun, RemovalStep, RemovalTarget, TargetOutcome
from apps.erasure.registry import stores
from apps.erasure.runs.runs import target_of


def statement_of(
    run: RemovalRun,
    *,
    targets: Sequence[RemovalTarget],
    steps: Sequence[RemovalStep],
    reviews: Mapping[UUID, date],
) -> dict[str, Any]:
    """Args: run: with its state and time of the end set. reviews: by hold, when it is looked at again."""
    found = run.verification
    retained = [each for each in targets if each.outcome == TargetOutcome.RETAINED]
    leaves = manifest.leaves_of(target_of(each) for each in targets)
    return {
        # A run that an earlier release prepared does not say which names still stand: it is certified as then.
        "format": FORMAT if run.is_unproven or "standing" in found else FORMAT_BEFORE,
        "tenant": str(run.tenant_id),
        "run": str(run.id),
        "end": len(run.end_events) + 1,
        "origin": run.origin,
        "origin_id": str(run.origin_id),
        "reason": run.reason_code,
        "outcome": run.state,
        "subject": dict(sorted(Counter(each.type for each in targets).items())),
        "targets": {"count": len(targets), "removed": len(targets) - len(retained), "retained": len(retained)},
        "manifest": manifest.root(leaves),
        "stores": [_store(step) for step in steps],
        "keys_destroyed": _keys_destroyed(steps),
        "retained": _retained(retained, reviews),
        "staying": run.staying,
        # Not said where nobody knows: a run that an earlier release proposed.
        **({} if run.redacted is None else {"redacted": run.redacted}),
        **(_unproven(run) if run.is_unproven else _proven(found)),
        "backups": _backups(run.finished_at),
        "people": {"proposed_by": str(run.proposed_by), "approved_by": str(run.approved_by)},
        "times": {
            "proposed": _text(run.proposed_at),
            "approved": _text(run.approved_at),
            "prepared": _text(run.prepared_at),
            "begun": _text(run.started_at),
            "counted_zero": _text(run.verifying_at),
            "ended": _text(run.finished_at),
        },
        "software": {"glassbox": release(), "postgresql": "" if run.is_unproven else found["physical"]["server"]},
    }


def _proven(found: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "unproven": None,
        "needles": found["needles"],
        **({"standing": found["standing"]} if "standing" in found else {}),
        "control": found["control"],
        "physical": found["physical"],
        "scan": {key: value for key, value in found["scan"].items() if key != "hits"} | {"hits": 0},
    }


def _unproven(run: RemovalRun) -> dict[str, Any]:
    """That nothing was shown of the disk, why, and who decided so. What was begun of a proof is none."""
    return {
        "unproven": {
            "code": run.unproven_code,
            "asked_by": str(run.unproven_asked_by),
            "agreed_by": str(run.unproven_agreed_by),
            "asked": _text(run.unproven_asked_at),
            "agreed": _text(run.unproven_agreed_at),
        },
        "needles": None,
        "standing": None,
        "control": None,
        "physical": None,
        "scan": None,
    }


def release() -> str:
    """The version of this installation."""
    content = (settings.BASE_DIR / "pyproject.toml").read_text(encoding="utf-8")
    return str(tomllib.loads(content)["project"]["version"])


def _store(step: RemovalStep) -> dict[str, Any]:
    """after: what the store counted last: of what was to go zero, and what must stay."""
    labels = {store.key: store.label for store in stores()}
    return {
        "store": step.store,
        "label": labels.get(step.store, step.store),
        "before": step.before,
        "removed": step.removed,
        "remaining": step.remaining,
        "retained": step.retained,
    }


def _keys_destroyed(steps: Sequence[RemovalStep]) -> dict[str, int]:
    of_keys = {store.key for store in stores() if store.phase is Phase.KEYS}
    return {step.store: step.removed for step in steps if step.store in of_keys and step.removed}


def _retained(retained: Sequence[RemovalTarget], reviews: Mapping[UUID, date]) -> list[dict[str, Any]]:
    """By ground. review_on: when a hold is looked at again; it lasts until somebody releases it."""
    counts = Counter(each.ground for each in retained)
    found = []
    for ground, count in sorted(counts.items()):
        code, _, id = ground.partition(":")
        review = reviews.get(UUID(id)) if id else None
        found.append(
            {"ground": code, "id": id, "targets": count, "review_on": None if review is None else review.isoformat()}
        )
    return found


def _backups(ended: datetime | None) -> dict[str, Any]:
    days: int = settings.GLASSBOX_BACKUP_RETENTION_DAYS
    until = (ended + timedelta(days=days)).date().isoformat() if ended and days else None
    return {"retention_days": days or None, "may_hold_it_until": until}


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
