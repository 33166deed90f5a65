"""Finished runs in short: made by the services, of one question whose answer is known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

from apps.corpus.models import Document
from apps.quality.evaluation.contracts import EvaluationQuestion, Expected, Observation, RankedChunk
from apps.quality.evaluation.figures import Judged, by_stage, by_type, latency_of, metrics_of
from apps.quality.evaluation.judging import judge
from apps.quality.evaluation.packs import evaluation_policy
from apps.quality.evaluation.runs import RunFacts, RunFigures, answer_keep, run_finish, run_start
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from tests.factories import Firm
from tests.quality.evaluation.rankings import observation, question


def made(firm: Firm, *, passes: bool, scope: str = "fund:alpha", **changes: Any) -> UUID:
    """A finished run with one question in a scope; its document is one of the firm's that the scope holds."""
    with open_scope(tenant=firm.id, reason="a test"):
        scope_id = ScopeId(firm.scopes[scope].id)
        document = Document.objects.filter(scope_id=scope_id).first()
        assert document is not None
        key = str(document.series_id)
        asked = question("a1", text=f"What does {scope} report?", type="figure")
        asked = _moved(asked, key, scope_id)
        seen = observation("b4", "a1", cited=("a1",), answer="It reported much.") if passes else observation("b4")
        seen = _of(seen, key, document.id)
        judged = [Judged(question=asked, seen=seen, judgement=judge(asked, seen))]
        started = run_start(
            RunFacts(
                dataset="reports",
                settings={"policy": {"sparse_top_k": changes.get("sparse_top_k", 30)}, "stages": {}},
                changes=changes,
                models_used={"embedding": {"model": "hashed", "profile": "local"}, "generation": {"profile": "e"}},
                policy=evaluation_policy(frozenset()),
                corpus_sha256="0" * 64,
                documents=1,
                chunks=4,
                failed_documents=0,
            ),
            [asked],
        )
        answer_keep(started, 1, judged[0], {key: document.title})
        run_finish(
            started,
            RunFigures(
                metrics=metrics_of(judged),
                latency_ms=latency_of([seen]),
                by_stage=by_stage(judged),
                by_type=by_type(judged),
                ablations={"dense only": metrics_of(judged)},
            ),
        )
        return started.id


def _moved(asked: EvaluationQuestion, key: str, scope_id: ScopeId) -> EvaluationQuestion:
    expected = Expected(documents=frozenset({key}), pages=frozenset({(key, 1)}))
    return replace(asked, expected=expected, scope_id=scope_id, scope_ids=(scope_id,))


def _of(seen: Observation, key: str, document_id: UUID) -> Observation:
    """The document a of a made-up ranking becomes the firm's own."""

    def own(chunks: tuple[RankedChunk, ...]) -> tuple[RankedChunk, ...]:
        return tuple(
            replace(each, document=key if each.document == "a" else each.document, document_id=document_id)
            for each in chunks
        )

    return replace(
        seen,
        ranking=own(seen.ranking),
        stages={name: own(each) for name, each in seen.stages.items()},
        citations=tuple(replace(each, page=(key, each.page[1])) for each in seen.citations),
    )
