"""Record that a text was checked: counts and digests, never a word of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from apps.audit.models import Event
from apps.audit.services import record
from apps.intents.contracts import FALLBACK_NAME, PolicySnapshot
from apps.research.claims.comparing import TOLERANCE
from apps.research.claims.contracts import Finding, Reach
from apps.research.claims.presenting import finding_json
from apps.research.events import CLAIMS_CHECKED
from apps.retrieval.services.recording import question_digest


def check_record(
    text: str,
    findings: Sequence[Finding],
    reaches: Sequence[Reach],
    policy: PolicySnapshot,
    *,
    sentences: int,
    facts_read: int,
    searches: int,
) -> Event:
    """Record a check in the current transaction. Returns: its event."""
    told = json.dumps([finding_json(each) for each in findings], ensure_ascii=False, sort_keys=True)
    return record(
        action=CLAIMS_CHECKED,
        core={
            "claims": len(findings),
            "sentences": sentences,
            "verdicts": dict(sorted(Counter(each.verdict.value for each in findings).items())),
            "intents": [each.intent or FALLBACK_NAME for each in reaches],
            "permitted_kinds": sorted({kind.value for each in reaches for kind in each.permitted}),
            "withheld_kinds": sorted({kind.value for each in reaches for kind in each.withheld}),
            "policy_version": policy.number,
            "policy_version_id": str(policy.version_id),
            "facts_read": facts_read,
            "searches": searches,
            "tolerance": str(TOLERANCE),
        },
        question=question_digest(text),
        answer={"result_hmac_sha256": question_digest(told)["hmac_sha256"]},
    )
