"""Ingest the folder through the real services, and ask every question through the real pipeline."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from apps.corpus.jobs import RunOutcome, job_run
from apps.corpus.kinds import Kind
from apps.corpus.models import Document
from apps.corpus.services.ingest import document_ingest
from apps.corpus.services.ingest_manifest import plan
from apps.intents.baseline import baseline_snapshot
from apps.intents.contracts import PolicySnapshot
from apps.retrieval.contracts import Question
from apps.retrieval.pipeline import PipelineResult, answer
from apps.retrieval.services.wiring import dependencies_for
from apps.retrieval.trace import CandidateList, FusedRanking, Stage
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from tests.factories import Firm, make_firm

REASON = "a test"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """A firm that holds the folder; `names` gives a document's id in the folder by its id in the corpus."""

    firm: Firm
    names: dict[Any, str]
    chunks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question's row, and the pages of the candidates that were found, best first, before the tail was cut."""

    query: dict[str, Any]
    result: PipelineResult
    ranking: tuple[tuple[str, int], ...]

    @property
    def wanted(self) -> list[tuple[str, int]]:
        return [(each["document"], each["page"]) for each in self.query["relevant"]]

    @property
    def rank(self) -> int | None:
        """Of the first chunk on a right page, from 1."""
        return next((at for at, page in enumerate(self.ranking, start=1) if page in self.wanted), None)

    @property
    def recall_at_5(self) -> float:
        return sum(page in self.ranking[:5] for page in self.wanted) / len(self.wanted)

    @property
    def documents(self) -> list[str]:
        return [document for document, _ in self.ranking]


def ingest_folder(directory: Path) -> Ingested:
    """One firm, one scope, every file of documents.jsonl in it, read and embedded here."""
    firm = make_firm("evaluation", funds=())
    scope = ScopeId(firm.root.id)
    names: dict[Any, str] = {}
    for planned in plan(paths=[], manifest=directory / "documents.jsonl", defaults={}, default_kind=""):
        assert planned.path is not None, planned.error
        with open_scope(tenant=firm.id, reason=REASON):
            result = document_ingest(
                content=planned.path.read_bytes(),
                filename=planned.path.name,
                scope_id=scope,
                kind=planned.kind,
                metadata=planned.metadata,
            )
        names[result.document.id] = planned.path.stem
        assert job_run(job_id=result.job.id, tenant_id=firm.id) is RunOutcome.SUCCEEDED
    with open_scope(tenant=firm.id, reason=REASON):
        chunks = sum(Document.objects.values_list("chunk_count", flat=True))
    return Ingested(firm=firm, names=names, chunks=chunks)


def ask_all(ingested: Ingested, directory: Path) -> list[Asked]:
    """Every question of queries.jsonl, under a policy whose intents all reach every kind."""
    rows = [json.loads(line) for line in (directory / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    firm = ingested.firm
    with open_scope(tenant=firm.id, reason=REASON):
        dependencies = dependencies_for(firm.tenant, _open_policy())
    return [_asked(ingested, row, dependencies) for row in rows]


def _asked(ingested: Ingested, row: dict[str, Any], dependencies: Any) -> Asked:
    firm = ingested.firm
    question = Question(text=row["text"], tenant_id=firm.id, scope_ids=tuple(firm.scope_ids(*firm.scopes)))
    # A scope for each: one that is open for minutes expires.
    with open_scope(tenant=firm.id, reason=REASON):
        result = answer(question, deps=dependencies)
    record = result.trace.record(Stage.BOOST)
    lines = record.output.candidates if record and isinstance(record.output, CandidateList) else ()
    ranking = tuple((ingested.names[line.document_id], line.page) for line in lines)
    return Asked(query=row, result=result, ranking=ranking)


def _open_policy() -> PolicySnapshot:
    baseline = baseline_snapshot()
    every = tuple(Kind)
    return replace(
        baseline,
        intents=tuple(replace(rule, kinds=every) for rule in baseline.intents),
        fallback=replace(baseline.fallback, kinds=every),
    )


__all__ = ["Asked", "FusedRanking", "Ingested", "ask_all", "ingest_folder"]
