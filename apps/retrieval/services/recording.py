"""Record an answered or searched question in the log: the facts that verify it, and its text if the policy permits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict
from typing import Any

from django.utils import timezone

from apps.audit.digests import epoch, keyed_digest
from apps.audit.models import Event, Outcome
from apps.audit.services import record
from apps.corpus.terms import TERMS_VERSION
from apps.intents.contracts import IntentDecision, KindGrant, RecordingMode
from apps.intents.profile.means import DIRECT
from apps.retrieval.contracts import (
    Answer,
    ChunkId,
    ContextBlock,
    FusedHit,
    ProfileCheck,
    QueryAnalysis,
    Ranking,
    Refusal,
)
from apps.retrieval.events import ANSWERED, SEARCHED
from apps.retrieval.given_record import filters_recorded
from apps.retrieval.pipeline import FindResult, PipelineResult
from apps.retrieval.serialise import to_json
from apps.retrieval.stage_settings import StageSettings
from apps.retrieval.trace import (
    CandidateLine,
    CandidateList,
    EmbeddedQuery,
    FusedRanking,
    HealedList,
    Rewritten,
    Stage,
    Trace,
    ValidatedQuestion,
)
from apps.tenants.context import current_scope
from apps.tenants.ids import TenantId

Json = dict[str, Any]


def question_digest(text: str, tenant_id: TenantId | None = None) -> Json:
    """Return what the log keeps of the question: its digest under the tenant's key of this epoch, and its length.

    Args: tenant_id: None for the open tenant.
    """
    period = epoch(timezone.now())
    return {
        "hmac_sha256": keyed_digest(text, tenant=tenant_id or current_scope().tenant_id, epoch=period),
        "key_epoch": period,
        "length_chars": len(text),
    }


def answer_record(
    text: str,
    result: PipelineResult,
    decision: IntentDecision,
    grant: KindGrant,
    settings: StageSettings,
    calls: Sequence[str] = (),
    *,
    research_mode: str = DIRECT,
) -> Event:
    """Record an answered (or refused) question in the current transaction.

    Args: calls: the ids of the events of its requests to a model.
          research_mode: of the research that it is a step of.
    """
    trace, answer = result.trace, result.answer
    return record(
        action=ANSWERED,
        outcome=_outcome(answer.refusal, trace),
        core={
            **_core(trace, decision, grant, settings),
            "generator": answer.generator,
            "model": answer.model,
            "answer_outcome": answer.outcome.value,
            "relevance": answer.relevance.status.value if answer.relevance else "",
            **named_calls(calls),
            **({"research_mode": research_mode} if research_mode != DIRECT else {}),
        },
        question=_question(text, trace, decision, grant),
        answer=_answer(trace, answer),
        passages={"hits": recorded_hits(trace, answer.ref_ids)},
        scopes=current_scope().scope_ids,
    )


def search_record(text: str, result: FindResult, settings: StageSettings, calls: Sequence[str] = ()) -> Event:
    """Record in the current transaction a question that was searched for without writing an answer.

    Args: calls: as in answer_record.
    """
    trace, found = result.trace, result.found
    refusal = found.outcome if isinstance(found.outcome, Refusal) else None
    return record(
        action=SEARCHED,
        outcome=_outcome(refusal, trace),
        core={**_core(trace, found.decision, found.grant, settings), **named_calls(calls)},
        question=_question(text, trace, found.decision, found.grant),
        answer=_context(trace, refusal),
        passages={"hits": recorded_hits(trace)},
        scopes=current_scope().scope_ids,
    )


def named_calls(event_ids: Sequence[str]) -> Json:
    """Return the events of a question's requests to a model; nothing where no model was asked."""
    return {"calls": list(event_ids)} if event_ids else {}


def _outcome(refusal: Refusal | None, trace: Trace) -> Outcome:
    if refusal is not None:
        return Outcome.REFUSED
    return Outcome.DEGRADED if trace.degradations else Outcome.SUCCESS


def _question(text: str, trace: Trace, decision: IntentDecision, grant: KindGrant) -> Json:
    kept = {"text": text} if grant.recording_mode is RecordingMode.ENCRYPTED_TEXT else {}
    analysis = trace.output(QueryAnalysis)
    given = {"given_filters": filters_recorded(analysis.given)} if analysis and analysis.given else {}
    return {**question_digest(text), "intent_reason": decision.reason, **kept, **given}


def _core(trace: Trace, decision: IntentDecision, grant: KindGrant, settings: StageSettings) -> Json:
    analysis = trace.output(QueryAnalysis)
    return {
        "intent": decision.intent,
        "intent_score": round(decision.score, 6),
        "intent_margin": round(decision.margin, 6),
        "policy_version": grant.policy_version,
        "policy_version_id": str(grant.policy_version_id),
        "recording_mode": grant.recording_mode.value,
        "permitted_kinds": [kind.value for kind in grant.permitted],
        "withheld_kinds": [kind.value for kind in grant.withheld],
        # Only the fields that narrowed the search are recorded. Their values are words of the question.
        "filters": [
            *(f"{each.field}:given" for each in analysis.given),
            *(f"{each.field}:{each.certainty}" for each in analysis.filters),
        ]
        if analysis
        else [],
        "relaxed_filters": [each.filter.field.value for each in analysis.relaxed] if analysis else [],
        "excluded": {
            stage.stage.value: dict(Counter(each.reason for each in stage.exclusions))
            for stage in trace.stages
            if stage.exclusions and stage.stage not in (Stage.GATE, Stage.ANALYSE)
        },
        "embedding": to_json(trace.output(EmbeddedQuery)),
        "terms_version": TERMS_VERSION,
        **_describe_rewording(trace),
        "degradations": [{"stage": each.stage, "code": each.code} for each in trace.degradations],
        "elapsed_ms": round(trace.elapsed_ms, 3),
        "stage_ms": {stage.stage.value: round(stage.elapsed_ms, 3) for stage in trace.stages},
        "stage_settings": asdict(settings),
        **({"deadline": to_json(trace.deadline)} if trace.deadline else {}),
        **_profile(trace),
        **_read_with(trace),
    }


def _profile(trace: Trace) -> Json:
    """Return the keys of the profile's rules that fired on the question or the answer, or stand under it."""
    told: Json = {}
    for stage, where in ((Stage.PROFILE, "question"), (Stage.SUITABILITY, "answer")):
        record = trace.record(stage)
        check = record.output if record else None
        if isinstance(check, ProfileCheck):
            told |= {where: [f"{each.key}:{each.effect}" for each in check.findings]} if check.findings else {}
            told |= {"disclaimers": [each.key for each in check.disclaimers]} if check.disclaimers else {}
    return {"profile_rules": told} if told else {}


def _read_with(trace: Trace) -> Json:
    """Return that a question came with earlier ones, how many, and whether it was read with one; never their texts."""
    validated = trace.output(ValidatedQuestion)
    told = validated.read_with if validated else None
    if told is None:
        return {}
    return {
        "earlier_questions": {"sent": told.sent, "read_with": told.asked_as is not None, "unclear": bool(told.notes)}
    }


def _describe_rewording(trace: Trace) -> Json:
    """Return by which model, where and how often further wordings were searched for, but never the wordings."""
    told: Json = {}
    if rewritten := trace.output(Rewritten):
        told |= {
            "rewriter": rewritten.rewriter,
            "model": rewritten.rewriting.model,
            "region": rewritten.rewriting.region,
            "texts": len(rewritten.rewriting.texts),
        }
    if healed := trace.output(HealedList):
        told |= {
            "healer": healed.healer,
            "rounds": len(healed.rounds),
            "rounds_by_model": sum(bool(each.by) for each in healed.rounds),
            "passages": sum(each.added for each in healed.rounds),
            "coverage": round(healed.coverage, 3),
        }
    return {"rewording": told} if told else {}


def _context(trace: Trace, refusal: Refusal | None) -> Json:
    context = trace.output(ContextBlock)
    return {
        "refusal": refusal.reason.value if refusal else "",
        "context_sha256": context.sha256 if context else "",
        "context_chars": context.size_chars if context else 0,
    }


def _answer(trace: Trace, answer: Answer) -> Json:
    return {
        **_context(trace, answer.refusal),
        "grounding": answer.grounding.value if answer.grounding else "",
        "repair": answer.repair.value,
        "ref_ids": list(answer.ref_ids),
        "answer_hmac_sha256": question_digest(answer.text)["hmac_sha256"],
    }


def recorded_hits(trace: Trace, cited: Collection[str] = ()) -> list[Json]:
    """Return every fused hit with its rank in each ranking, and how far it came.

    Hits that only a search for missing parts found follow the rest, in the order in which they were found. Passages
    that were read in a statement without being found come next, and passages that were added around another passage,
    with the id of that passage. These two have no rank in any ranking.

    Args: cited: the ref_ids that the answer cites; empty where no answer was written, as in a replay.
    """
    hits: dict[ChunkId, FusedHit] = {}
    for fused in trace.outputs(FusedRanking):
        for hit in fused.hits:
            hits.setdefault(hit.chunk_id, hit)
    lines = {
        line.chunk_id: line
        for stage in trace.stages
        if isinstance(stage.output, CandidateList)
        for line in stage.output.candidates
    }
    for line in lines.values():
        unranked = FusedHit(
            chunk_id=line.chunk_id, document_id=line.document_id, kind=line.kind, rrf_score=0.0, ranks=()
        )
        hits.setdefault(line.chunk_id, unranked)
    context = trace.output(ContextBlock)
    used = {passage.chunk.chunk_id for passage in context.passages} if context else set()
    names = {ranking.name for ranking in _rankings(trace)}
    return [
        {
            "rank": rank,
            "chunk_id": str(hit.chunk_id),
            "document_id": str(hit.document_id),
            "kind": hit.kind,
            "ref_id": lines[hit.chunk_id].ref_id if hit.chunk_id in lines else "",
            "content_sha256": lines[hit.chunk_id].content_sha256 if hit.chunk_id in lines else "",
            "ranks": {each.ranking: each.rank for each in hit.ranks if each.ranking in names},
            "rrf_score": round(hit.rrf_score, 9),
            "in_context": hit.chunk_id in used,
            "cited": hit.chunk_id in lines and lines[hit.chunk_id].ref_id in cited,
            **_describe_neighbour(lines.get(hit.chunk_id)),
        }
        for rank, hit in enumerate(hits.values(), start=1)
    ]


def _describe_neighbour(line: CandidateLine | None) -> Json:
    return {} if line is None or line.around is None else {"around": str(line.around)}


def _rankings(trace: Trace) -> list[Ranking]:
    return [stage.output for stage in trace.stages if isinstance(stage.output, Ranking)]
