"""Present an answer to the API, the commands and the admin with the same words and fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from apps.intents.contracts import IntentDecision, KindGrant
from apps.retrieval.contracts import (
    Candidate,
    ChunkId,
    Citation,
    ContextBlock,
    DenseHit,
    ProfileCheck,
    QueryAnalysis,
    Ranking,
    Refusal,
    SparseHit,
)
from apps.retrieval.serialise import to_json
from apps.retrieval.services.ask import Asked, Searched
from apps.retrieval.stages.ranking.assemble import ref_id
from apps.retrieval.trace import Trace, page_url

Json = dict[str, Any]
Scores = Mapping[tuple[str, ChunkId], DenseHit | SparseHit]


def asked_json(asked: Asked, *, trace: bool = False) -> Json:
    """Return the answer as JSON values; if `trace` is true, with every stage of the pipeline."""
    answer, read_with = asked.result.answer, asked.read_with
    return {
        "question": read_with.typed if read_with else asked.text,
        "asked_as": read_with.asked_as if read_with else None,
        "answer": answer.text,
        "outcome": answer.outcome.value,
        "refused": answer.refused,
        "refusal": to_json(answer.refusal),
        "grounding": answer.grounding.value if answer.grounding else None,
        "relevance": to_json(answer.relevance),
        "repair": answer.repair.value,
        "disclaimers": to_json(answer.disclaimers),
        "citations": [citation_json(citation) for citation in answer.citations],
        **_decided(asked.decision, asked.grant, asked.result.trace),
        "generator": answer.generator,
        "model": answer.model,
        **_ended(asked.result.trace, asked.event.id, trace_shown=trace),
    }


def searched_json(searched: Searched, *, trace: bool = True) -> Json:
    """Return what was found as JSON values: the passages from which an answer would be written, best first."""
    found = searched.result.found
    refusal = found.outcome if isinstance(found.outcome, Refusal) else None
    used = {each.chunk.chunk_id for each in found.outcome.passages} if isinstance(found.outcome, ContextBlock) else ()
    scores = {
        (ranking.name, hit.chunk_id): hit for ranking in searched.result.trace.outputs(Ranking) for hit in ranking.hits
    }
    return {
        "question": searched.text,
        "refused": refusal is not None,
        "refusal": to_json(refusal),
        "passages": [
            _passage(candidate, scores, in_context=candidate.hit.chunk_id in used) for candidate in found.candidates
        ],
        **_decided(found.decision, found.grant, searched.result.trace),
        **_ended(searched.result.trace, searched.event.id, trace_shown=trace),
    }


def citation_json(citation: Citation) -> Json:
    return {
        "ref_id": citation.ref_id,
        "chunk_id": str(citation.chunk_id),
        "url": page_url(citation.document_id, citation.page),
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
        "row": to_json(citation.row),
        "record": to_json(citation.record),
        "char_start": citation.char_start,
        "char_end": citation.char_end,
    }


def _passage(candidate: Candidate, scores: Scores, *, in_context: bool) -> Json:
    chunk, hit = candidate.chunk, candidate.hit
    return {
        "ref_id": ref_id(chunk),
        "chunk_id": str(chunk.chunk_id),
        "url": page_url(chunk.document.document_id, chunk.page_start),
        "document": {
            "id": str(chunk.document.document_id),
            "title": chunk.document.title,
            "version": chunk.document.version,
            "kind": chunk.document.kind,
        },
        "page": chunk.page_start,
        "section": chunk.section,
        "text": chunk.text,
        "char_start": chunk.char_start,
        "char_end": chunk.char_start + len(chunk.text),
        "in_context": in_context,
        "around": str(candidate.around) if candidate.around else None,
        "scores": {
            "rankings": _ranked(candidate, scores),
            "rrf_score": hit.rrf_score,
            "boost": candidate.boost,
            "rerank_score": candidate.rerank_score,
        },
    }


def _ranked(candidate: Candidate, scores: Scores) -> list[Json]:
    """Return the candidate's rank and score in each ranking that found it."""
    found = ((each, scores[each.ranking, candidate.hit.chunk_id]) for each in candidate.hit.ranks)
    return [
        {
            "ranking": each.ranking,
            "rank": each.rank,
            "cosine_similarity": hit.cosine_similarity if isinstance(hit, DenseHit) else None,
            "bm25_score": hit.bm25_score if isinstance(hit, SparseHit) else None,
        }
        for each, hit in found
    ]


def _decided(decision: IntentDecision, grant: KindGrant, trace: Trace) -> Json:
    """Return what the question could reach, and what narrowed it."""
    return {
        "intent": {
            "name": decision.intent or "unrecognised",
            "label": decision.label,
            "recognised": decision.recognised,
            "reason": decision.reason,
            "score": round(decision.score, 4),
            "margin": round(decision.margin, 4),
        },
        "kinds": {
            "permitted": [kind.value for kind in grant.permitted],
            "withheld": [kind.value for kind in grant.withheld],
        },
        "filters": _filters(trace),
        "profile": [to_json(finding) for check in trace.outputs(ProfileCheck) for finding in check.findings],
        "policy_version": grant.policy_version,
    }


def _filters(trace: Trace) -> list[Json]:
    analysis = trace.output(QueryAnalysis)
    if analysis is None:
        return []
    given = [(each.field.value, each.values, "given", each.unmet) for each in analysis.given]
    read = [(each.field.value, each.values, each.certainty.value, each.reason) for each in analysis.filters]
    relaxed = [(each.filter.field.value, each.filter.values, "relaxed", each.reason) for each in analysis.relaxed]
    return [
        {"field": field, "values": list(values), "certainty": certainty, "reason": reason}
        for field, values, certainty, reason in (*given, *read, *relaxed)
    ]


def _ended(trace: Trace, event_id: UUID, *, trace_shown: bool = False) -> Json:
    analysis = trace.output(QueryAnalysis)
    body: Json = {
        "degraded": [to_json(each) for each in trace.degradations],
        "notices": list(analysis.notices) if analysis else [],
        "audit_event_id": str(event_id),
        "elapsed_ms": round(trace.elapsed_ms, 3),
    }
    if trace_shown:
        body["trace"] = to_json(trace)
    return body
