"""A policy version as one JSON object, and its digest. The same object serves the command, the API and the record."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from apps.intents.contracts import UNRECOGNISED, PolicySnapshot


def policy_content(snapshot: PolicySnapshot) -> dict[str, Any]:
    """Return the policy's content without its author and times: equal policies give equal content."""
    return {
        "intents": [
            {
                "name": rule.name,
                "label": rule.label,
                "description": rule.description,
                "kinds": [kind.value for kind in rule.kinds],
                "recording_mode": rule.recording_mode.value,
                "decisive_terms": [term.text for term in rule.terms if term.decisive],
                "terms": [term.text for term in rule.terms if not term.decisive],
                "examples": [example.text for example in snapshot.examples if example.intent == rule.name],
            }
            for rule in snapshot.intents
        ],
        "fallback": {
            "label": snapshot.fallback.label,
            "description": snapshot.fallback.description,
            "kinds": [kind.value for kind in snapshot.fallback.kinds],
            "recording_mode": snapshot.fallback.recording_mode.value,
            "examples": [example.text for example in snapshot.examples if example.intent == UNRECOGNISED],
        },
        "budgets": [
            {"kind": budget.kind.value, "label": budget.label, "cap_chars": budget.cap_chars}
            for budget in sorted(snapshot.budgets, key=lambda budget: budget.position)
        ],
        "total_cap_chars": snapshot.total_cap_chars,
        "classifier": {name: getattr(snapshot.classifier, name) for name in snapshot.classifier.__dataclass_fields__},
        "retrieval": snapshot.retrieval.as_json(),
    }


def policy_json(snapshot: PolicySnapshot) -> dict[str, Any]:
    """Return the whole version as JSON: its author, status and times, and its content."""
    return {
        "version": snapshot.number,
        "version_id": str(snapshot.version_id),
        "status": snapshot.status,
        "origin": snapshot.origin,
        "author": snapshot.author_label,
        "approver": snapshot.approver_label,
        "reason": snapshot.reason,
        "valid_from": snapshot.valid_from.isoformat() if snapshot.valid_from else None,
        "valid_to": snapshot.valid_to.isoformat() if snapshot.valid_to else None,
        "content_sha256": policy_sha256(snapshot),
        **policy_content(snapshot),
    }


def policy_sha256(snapshot: PolicySnapshot) -> str:
    """Return the digest of the content: SHA-256 over its JSON with sorted keys and no spaces."""
    canonical = json.dumps(policy_content(snapshot), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()
