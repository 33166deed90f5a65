"""An answer as the API, the commands and the admin show it: the same words and fields everywhere."""

from __future__ import annotations

from typing import Any

from apps.retrieval.contracts import Citation
from apps.retrieval.serialise import to_json
from apps.retrieval.services.ask import Asked

Json = dict[str, Any]


def asked_json(asked: Asked, *, trace: bool = False) -> Json:
    """The answer as JSON values; with trace, every stage of the way as well."""
    answer = asked.result.answer
    body: Json = {
        "question": asked.text,
        "answer": answer.text,
        "refused": answer.refused,
        "refusal": to_json(answer.refusal),
        "grounding": answer.grounding.value if answer.grounding else None,
        "repair": answer.repair.value,
        "citations": [citation_json(citation) for citation in answer.citations],
        "intent": {
            "name": asked.decision.intent or "unrecognised",
            "label": asked.decision.label,
            "recognised": asked.decision.recognised,
            "reason": asked.decision.reason,
            "score": round(asked.decision.score, 4),
            "margin": round(asked.decision.margin, 4),
        },
        "kinds": {
            "permitted": [kind.value for kind in asked.grant.permitted],
            "withheld": [kind.value for kind in asked.grant.withheld],
        },
        "policy_version": asked.grant.policy_version,
        "generator": answer.generator,
        "model": answer.model,
        "degraded": [to_json(each) for each in answer.degradations],
        "notices": list(answer.notices),
        "audit_event_id": str(asked.event.id),
        "elapsed_ms": round(asked.result.trace.elapsed_ms, 3),
    }
    if trace:
        body["trace"] = to_json(asked.result.trace)
    return body


def citation_json(citation: Citation) -> Json:
    return {
        "ref_id": citation.ref_id,
        "document": {
            "id": str(citation.document_id),
            "title": citation.document_title,
            "version": citation.version,
            "kind": citation.kind,
        },
        "page": citation.page,
        "section": citation.section,
        "quote": citation.quote,
        "columns": citation.columns,
        "char_start": citation.char_start,
        "char_end": citation.char_end,
    }
