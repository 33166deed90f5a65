"""The pipeline over the real tables: what the pure tests can't show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest

from apps.corpus.kinds import Kind
from apps.corpus.models import Document, Embedding384
from apps.intents.fund_house import FundHouse
from apps.intents.retrieval_settings import RetrievalSettings
from apps.retrieval.contracts import FloatVector, QueryAnalysis, Question, Rewriting
from apps.retrieval.dependencies import Slots
from apps.retrieval.optional.diversifiers.mmr import MaximalMarginalRelevance
from apps.retrieval.pipeline import PipelineResult, answer
from apps.retrieval.retrievers.chunks import CorpusChunkStore
from apps.retrieval.retrievers.dense import DenseRetriever
from apps.retrieval.retrievers.inventory import CorpusInventoryReader
from apps.retrieval.retrievers.sparse import SparseRetriever
from apps.retrieval.steps.searching import TERMS_OUTDATED, VECTORS_MISSING
from apps.retrieval.trace import CandidateList, Stage, StageStatus
from apps.tenants.context import open_scope
from tests.factories import Firm, make_firm
from tests.model_server import hashed_vector
from tests.retrieval.builders import budget
from tests.retrieval.doubles import OneVector, ScriptedGate, dependencies
from tests.retrieval.stored import MODEL, store

pytestmark = pytest.mark.django_db


class Hashed(OneVector):
    model, dimension = MODEL, 384

    def embed_query(self, text: str) -> FloatVector:
        return hashed_vector(text, 384)


def ask(
    firm: Firm,
    text: str,
    *,
    kinds: tuple[Kind, ...] = (FundHouse.RUN,),
    slots: Slots | None = None,
    policy: RetrievalSettings | None = None,
    scopes: Iterable[str] = (),
) -> PipelineResult:
    gate = ScriptedGate([budget(kind, 700, position) for position, kind in enumerate(kinds, start=1)])
    deps = replace(
        dependencies([], embedder=Hashed(), gate=gate, slots=slots, policy=policy),
        inventory=CorpusInventoryReader(),
        dense=DenseRetriever(),
        sparse=SparseRetriever(k1=1.2, b=0.75),
        chunks=CorpusChunkStore(),
    )
    scope_ids = tuple(firm.scope_ids(*(scopes or firm.scopes)))
    return answer(Question(text=text, tenant_id=firm.id, scope_ids=scope_ids), deps=deps)


@pytest.fixture
def acme() -> Iterator[Firm]:
    firm = make_firm("acme")
    with open_scope(tenant=firm.id, reason="a test"):
        for year, drawdown in ((2023, "-7.9"), (2024, "-4.2")):
            store(
                firm.scopes["fund:alpha"],
                [
                    f"Alpha Fund, quarterly report. The maximum drawdown of the quarter was {drawdown}%.",
                    "Risk limits were kept at all times of the quarter. The manager made no changes to the strategy.",
                ],
                kind=FundHouse.RUN,
                title=f"Alpha Fund Q4 {year}",
                company="Alpha Fund",
                fiscal_year=year,
                fiscal_quarter=4,
            )
        yield firm


def test_last_quarter_is_answered_from_the_newest_report(acme: Firm) -> None:
    result = ask(acme, "What was last quarter's drawdown?").answer
    assert "-4.2%" in result.text
    assert {citation.document_title for citation in result.citations} == {"Alpha Fund Q4 2024"}
    assert any("was resolved to Q4 2024" in notice for notice in result.notices)


def test_last_quarter_is_answered_from_each_companys_own_newest_report(acme: Firm) -> None:
    for quarter, drawdown in ((1, "-1.1"), (2, "-2.2")):
        store(
            acme.scopes["fund:beta"],
            [f"Beta Fund, quarterly report. The maximum drawdown of the quarter was {drawdown}%."],
            kind=FundHouse.RUN,
            title=f"Beta Fund Q{quarter} 2024",
            company="Beta Fund",
            fiscal_year=2024,
            fiscal_quarter=quarter,
        )
    result = ask(acme, "What was last quarter's drawdown?")
    found = {line.document_title for each in result.trace.outputs(CandidateList) for line in each.candidates}
    assert found == {"Alpha Fund Q4 2024", "Beta Fund Q2 2024"}
    assert any("Q4 2024 for Alpha Fund, Q2 2024 for Beta Fund" in notice for notice in result.answer.notices)
    assert "-2.2%" in ask(acme, "What was the Beta Fund's drawdown last quarter?").answer.text


def test_named_quarter_is_answered_from_its_own_report(acme: Firm) -> None:
    assert "-7.9%" in ask(acme, "What was the drawdown in Q4 2023?").answer.text


def test_kind_without_a_grant_is_not_answered_from(acme: Firm) -> None:
    assert ask(acme, "What was last quarter's drawdown?", kinds=(FundHouse.METHODOLOGY,)).answer.refused


def test_nothing_of_another_tenant_is_found(acme: Firm) -> None:
    with open_scope(tenant=(other := make_firm("other")).id, reason="a test"):
        assert ask(other, "What was last quarter's drawdown?").answer.refused


def test_question_costs_a_handful_of_queries(acme: Firm, django_assert_max_num_queries) -> None:
    # inventory, dense, sparse; chunks and documents of what was found, and of what stands around the first; facts
    with django_assert_max_num_queries(8):
        ask(acme, "What was last quarter's drawdown?")


def test_near_duplicate_years_stay_apart_under_mmr_when_the_year_is_named(acme: Firm) -> None:
    slots, policy = Slots(diversifier=MaximalMarginalRelevance(trade_off=0.5)), RetrievalSettings(mmr_enabled=True)
    for year, drawdown in ((2023, "-7.9%"), (2024, "-4.2%")):
        result = ask(acme, f"What was the drawdown of Alpha Fund in {year}?", slots=slots, policy=policy)
        record = result.trace.record(Stage.DIVERSIFY)
        assert record is not None
        assert (record.status, record.count_in, record.count_out) == (StageStatus.RAN, 4, 4)
        assert isinstance(record.output, CandidateList)
        assert record.output.candidates[0].document_title == f"Alpha Fund Q4 {year}"
        assert not any("no stored vector" in note for note in record.notes)
        assert drawdown in result.answer.text


# --- vectors that are missing ---


def missing(result: PipelineResult) -> list[str]:
    """What the answer says of missing vectors."""
    return [each.message for each in result.answer.degradations if each.code == VECTORS_MISSING]


def test_a_whole_corpus_is_not_called_degraded(acme: Firm) -> None:
    assert missing(ask(acme, "What was last quarter's drawdown?")) == []


def test_missing_vectors_are_said_and_the_question_is_answered_by_words(acme: Firm) -> None:
    Embedding384.objects.update(model="an earlier model")
    result = ask(acme, "What was last quarter's drawdown?")
    (said,) = missing(result)
    assert f"1 of 1 documents in reach have no vectors of the model {MODEL}" in said
    assert "Corpus, Jobs" in said
    assert "-4.2%" in result.answer.text


def test_the_trace_shows_it_at_its_stage(acme: Firm) -> None:
    Embedding384.objects.update(model="an earlier model")
    record = ask(acme, "What was last quarter's drawdown?").trace.record(Stage.DENSE)
    assert record is not None
    assert record.status is StageStatus.DEGRADED
    assert any(MODEL in note for note in record.notes)


def test_some_missing_vectors_are_said_too(acme: Firm) -> None:
    store(
        acme.scopes["fund:alpha"],
        ["The drawdown of the Beta Fund was -9.9%."],
        kind=FundHouse.RUN,
        title="Beta Fund",
        model="an earlier model",
    )
    (said,) = missing(ask(acme, "What was the drawdown?"))
    assert said.startswith("1 of 3 documents")


def test_it_is_said_once_however_many_wordings_are_searched(acme: Firm) -> None:
    class Doubling:
        name = "doubling"

        def rewrite(self, analysis: QueryAnalysis) -> Rewriting:
            return Rewriting(texts=("largest loss of the fund",), model="test-model", region="eu")

    Embedding384.objects.update(model="an earlier model")
    assert len(missing(ask(acme, "What was last quarter's drawdown?", slots=Slots(rewriter=Doubling())))) == 1


# --- terms that an older analysis cut apart ---


def outdated(result: PipelineResult) -> list[str]:
    """What the answer says of documents that an earlier release indexed."""
    return [each.message for each in result.answer.degradations if each.code == TERMS_OUTDATED]


NAMES_A_RULE = "Which drawdown does Rule 10b-5 allow?"


def test_a_question_that_names_what_was_cut_apart_says_how_many_documents_may_be_missed(acme: Firm) -> None:
    assert outdated(ask(acme, NAMES_A_RULE)) == []
    Document.objects.update(terms_version=1)
    (said,) = outdated(ask(acme, NAMES_A_RULE))
    assert "documents in reach were indexed by an earlier release" in said
    assert "manage.py corpus reindex" in said


def test_a_question_that_an_older_analysis_reads_alike_is_not_degraded(acme: Firm) -> None:
    Document.objects.update(terms_version=1)
    assert outdated(ask(acme, "What was last quarter's drawdown?")) == []


def test_documents_of_other_scopes_do_not_show_through(acme: Firm) -> None:
    store(acme.scopes["fund:beta"], ["Rule 10b-5 applies."], kind=FundHouse.RUN, title="Elsewhere")
    Document.objects.filter(title="Elsewhere").update(terms_version=1)
    assert outdated(ask(acme, NAMES_A_RULE, scopes=["fund:alpha"])) == []
    assert len(outdated(ask(acme, NAMES_A_RULE, scopes=["fund:beta"]))) == 1
