"""A policy version as one JSON object, and its digest. The same object serves the command, the API and the record."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from apps.intents.contracts import PolicySnapshot
from apps.intents.snapshots.content import policy_content


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
    return content_sha256(policy_content(snapshot))


def content_sha256(content: Mapping[str, Any]) -> str:
    """Return the digest of a content, such as policy_content writes it."""
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()
