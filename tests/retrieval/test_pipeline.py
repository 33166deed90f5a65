from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from apps.corpus.extraction.statements import Statement
from apps.corpus.providers.errors import ProviderUnavailableError
from apps.intents.fund_house import FUND_HOUSE, FundHouse
from apps.intents.retrieval_settings import RetrievalSettings
from apps.retrieval.contracts import (
    Candidate,
    ContextBlock,
    CutRule,
    FoundLine,
    GeneratedAnswer,
    GroundingStatus,
    Healing,
    QueryAnalysis,
    Ranking,
    RefusalReason,
    Repair,
    Rewriting,
    SearchBounds,
    SearchQuery,
)
from apps.retrieval.dependencies import Slots
from apps.retrieval.errors import EmptyQuestionError, RerankingError, UnknownStageImplementationError
from apps.retrieval.optional.slots import RERANKERS, SlotParts, slots_for
from apps.retrieval.pipeline import PipelineResult, answer
from apps.retrieval.serialise import to_json
from apps.retrieval.services.recording import recorded_hits
from apps.retrieval.stage_settings import StageSettings
from apps.retrieval.trace import CandidateList, CutLine, LineList, Stage, StageStatus
from tests.retrieval.builders import CAPEX_QUESTION, CASH_FLOWS, budget, candidate, document, entry, written
from tests.retrieval.doubles import (
    DownEmbedder,
    HeldCorpus,
    ListRetriever,
    Reversing,
    ScriptedGate,
    ScriptedGenerator,
    SlowGenerator,
    asked,
    dependencies,
)

FOUND = [
    candidate("Spending on capital goods is described elsewhere in the report.", 1, page=3),
    candidate(CASH_FLOWS, 2, page=60),
    candidate("Apples and pears are sold on the market.", 3, page=9),
]


def status(result: PipelineResult, stage: Stage) -> StageStatus:
    record = result.trace.record(stage)
    assert record is not None
    return record.status


def notes(result: PipelineResult, stage: Stage) -> str:
    record = result.trace.record(stage)
    assert record is not None
    return " ".join(record.notes)


def test_figure_is_answered_with_its_citation() -> None:
    result = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND, entries=[entry("Northwind", 2018)]))
    citation = result.answer.citations[0]
    assert (citation.page, "(1,577)" in citation.quote) == (60, True)
    assert result.answer.grounding is GroundingStatus.GROUNDED
    assert not result.answer.degraded


def test_stages_run_in_their_order() -> None:
    result = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND))
    assert [record.stage for record in result.trace.stages] == list(Stage)


def test_times_come_from_the_clock_that_was_handed_in() -> None:
    result = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND))
    assert {record.elapsed_ms for record in result.trace.stages} == {1000.0}


def test_same_question_same_bytes() -> None:
    first, second = (answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND)) for _ in range(2))
    assert json.dumps(to_json(first.trace)) == json.dumps(to_json(second.trace))
    assert first.answer == second.answer


@pytest.mark.parametrize("stage", [Stage.REWRITE, Stage.DIVERSIFY, Stage.RERANK, Stage.HEAL])
def test_empty_slots_say_that_nothing_is_chosen(stage: Stage) -> None:
    result = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND))
    assert status(result, stage) is StageStatus.NOT_CONFIGURED
    assert notes(result, stage) == "Nothing is chosen here: passed on unchanged."


def test_policy_that_wants_what_is_not_there_is_told() -> None:
    deps = dependencies(FOUND, policy=RetrievalSettings(rerank_enabled=True))
    assert "The policy asks for rerank" in notes(answer(asked(CAPEX_QUESTION), deps=deps), Stage.RERANK)


def test_installed_stage_runs_when_the_policy_wants_it() -> None:
    deps = dependencies(FOUND, policy=RetrievalSettings(rerank_enabled=True), slots=Slots(reranker=Reversing()))
    result = answer(asked(CAPEX_QUESTION), deps=deps)
    record = result.trace.record(Stage.RERANK)
    assert record is not None
    assert (record.status, record.count_in, record.count_out) == (StageStatus.RAN, 3, 2)
    assert [each.reason for each in record.exclusions] == ["Left out by reversing."]


def test_installed_stage_rests_when_the_policy_does_not() -> None:
    result = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND, slots=Slots(diversifier=Reversing())))
    assert status(result, Stage.DIVERSIFY) is StageStatus.SKIPPED


def test_reranker_scores_make_the_cut_adaptive() -> None:
    many = [candidate(f"capital expenditure {number}", number) for number in range(1, 20)]
    deps = dependencies(many, policy=RetrievalSettings(rerank_enabled=True), slots=Slots(reranker=Reversing()))
    cut = answer(asked(CAPEX_QUESTION), deps=deps).trace.output(CutLine)
    assert cut is not None
    assert cut.rule is CutRule.CUMULATIVE_PROBABILITY


def test_unknown_implementation_is_refused_with_the_choices() -> None:
    parts = SlotParts(policy=RetrievalSettings(), tenant_region="eu", tenant_strict=True)
    with pytest.raises(UnknownStageImplementationError, match="cross_encoder, keyword, late_interaction, none"):
        slots_for(StageSettings(reranker="magic"), parts)


def test_optional_stages_are_empty_until_one_is_chosen() -> None:
    parts = SlotParts(policy=RetrievalSettings(), tenant_region="eu", tenant_strict=True)
    assert slots_for(StageSettings(), parts) == Slots()


@pytest.mark.parametrize("name", sorted(RERANKERS))
def test_chosen_reranker_has_its_name_and_the_policys_weight(name: str) -> None:
    parts = SlotParts(policy=RetrievalSettings(rerank_keyword_weight=0.25), tenant_region="eu", tenant_strict=True)
    reranker = slots_for(StageSettings(reranker=name), parts).reranker
    assert reranker is not None
    assert reranker.name == name
    assert "0.75 x" in reranker.note
    assert "0.25 x keywords" in reranker.note


class Failing(Reversing):
    name = "failing"

    def apply(self, analysis: QueryAnalysis, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        raise RerankingError(reranker=self.name, kind="RuntimeError")


def test_reranker_that_fails_is_done_without_and_the_answer_says_so() -> None:
    entries = [entry("Northwind", 2018)]
    deps = dependencies(
        FOUND, entries=entries, policy=RetrievalSettings(rerank_enabled=True), slots=Slots(reranker=Failing())
    )
    result, without = (
        answer(asked(CAPEX_QUESTION), deps=each) for each in (deps, dependencies(FOUND, entries=entries))
    )
    assert status(result, Stage.RERANK) is StageStatus.DEGRADED
    assert [(each.stage, each.code) for each in result.answer.degradations] == [("rerank", "retrieval.reranking")]
    assert "are in the order of the search" in notes(result, Stage.RERANK)
    assert result.answer.citations == without.answer.citations


def ranked_pages(settings: StageSettings) -> list[int]:
    """In page order, 1, 2, 2 and 2 are found; turned round without the last, they are 2, 2 and 1."""
    pages = ((1, 1), (2, 2), (3, 2), (4, 2))
    found = [candidate(f"capital expenditure {number}", number, page=page) for number, page in pages]
    policy = RetrievalSettings(rerank_enabled=True)
    deps = dependencies(found, policy=policy, slots=Slots(reranker=Reversing()), settings=settings)
    record = answer(asked(CAPEX_QUESTION), deps=deps).trace.record(Stage.RERANK)
    assert record is not None
    assert isinstance(record.output, CandidateList)
    return [each.page for each in record.output.candidates]


def test_pages_come_before_further_passages_also_after_a_reranker() -> None:
    assert ranked_pages(StageSettings()) == [2, 1, 2]


def test_reranker_may_keep_its_own_order() -> None:
    assert ranked_pages(StageSettings(page_by_page_reordered=False)) == [2, 2, 1]


def test_embedding_provider_down_is_flagged_and_answered_by_terms() -> None:
    deps = dependencies(FOUND, embedder=DownEmbedder())
    result = answer(asked(CAPEX_QUESTION), deps=deps)
    assert [(each.stage, each.code) for each in result.answer.degradations] == [
        ("embed", ProviderUnavailableError.code)
    ]
    assert (status(result, Stage.EMBED), status(result, Stage.DENSE)) == (StageStatus.DEGRADED, StageStatus.SKIPPED)
    assert result.answer.citations[0].page == 60


def test_intent_by_terms_alone_is_flagged() -> None:
    deps = dependencies(FOUND, gate=ScriptedGate([budget()], degraded=True))
    assert [each.stage for each in answer(asked(CAPEX_QUESTION), deps=deps).answer.degradations] == ["classify"]


def test_generator_down_is_flagged_and_answered_by_quotation() -> None:
    result = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND, generator=SlowGenerator()))
    assert [(each.stage, each.code) for each in result.answer.degradations] == [
        ("generate", "retrieval.generation_timeout")
    ]
    assert result.answer.generator == "extractive"
    assert "1,577" in result.answer.text


def test_ungrounded_answer_of_a_model_is_withheld() -> None:
    generator = ScriptedGenerator(written("It was 9,999 million.", "northwind-1|p60|c2"))
    result = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND, generator=generator))
    assert "9,999" not in result.answer.text
    _assert_quoted_instead(result)


def test_what_does_not_stand_is_taken_out_where_the_rest_still_answers() -> None:
    text = "Purchases of property, plant and equipment were 1,577. They were 15% of revenue."
    generator = ScriptedGenerator(written(text, "northwind-1|p60|c2"))
    result = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND, generator=generator))
    assert (result.answer.text, result.answer.grounding, result.answer.repair) == (
        "Purchases of property, plant and equipment were 1,577.",
        GroundingStatus.GROUNDED,
        Repair.SHORTENED,
    )
    assert "the rest still answers" in notes(result, Stage.GROUND)
    record = result.trace.record(Stage.GROUND)
    assert record is not None
    assert [each.subject for each in record.exclusions] == ["number 15%"]


@pytest.mark.parametrize(
    "text",
    [
        "Purchases of property, plant and equipment were 1,577, up 25%.",
        "Purchases of property, plant and equipment were 1,578. Purchases of treasury stock were 4,870.",
        "Purchases of property, plant and equipment were 1,578. Equipment is property, plant and equipment.",
    ],
)
def test_an_answer_is_withheld_where_the_rest_does_not_answer(text: str) -> None:
    generator = ScriptedGenerator(written(text, "northwind-1|p60|c2"))
    result = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND, generator=generator))
    _assert_quoted_instead(result)


def _assert_quoted_instead(result: PipelineResult) -> None:
    """What the passages say themselves stands in the place of an answer that is withheld, marked as such."""
    assert (result.answer.generator, result.answer.refusal) == ("extractive", None)
    assert [(each.stage, each.code) for each in result.answer.degradations] == [("ground", "retrieval.answer_withheld")]


def test_vague_question_is_refused_before_any_search() -> None:
    dense = ListRetriever("dense", FOUND)
    result = answer(asked("What is it?"), deps=dependencies(FOUND, dense=dense))
    assert result.answer.refusal is not None
    assert dense.seen == []
    assert result.trace.stages[-1].stage is Stage.ANALYSE


def test_unreadable_question_is_an_error() -> None:
    with pytest.raises(EmptyQuestionError):
        answer(asked("  "), deps=dependencies(FOUND))


def test_nothing_found_is_said_with_the_filters() -> None:
    deps = dependencies([], entries=[entry("Northwind", 2018)])
    refusal = answer(asked(CAPEX_QUESTION), deps=deps).answer.refusal
    assert refusal is not None
    assert refusal.reason is RefusalReason.NOTHING_FOUND
    assert "under Northwind, FY2018" in refusal.message


def test_retrievers_are_bound_to_scope_kinds_and_sure_filters() -> None:
    sparse = ListRetriever("sparse", FOUND)
    answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND, sparse=sparse, entries=[entry("Northwind", 2018)]))
    assert len(sparse.seen) == 2  # the statements are ranked by themselves
    for query, bounds in sparse.seen:
        assert (bounds.kinds, bounds.filter.companies) == ((FundHouse.REFERENCE_REPORT,), ("Northwind",))
        assert "capex" not in {each.term for each in query.terms}


def test_a_figure_of_a_statement_makes_the_statements_a_ranking_of_their_own() -> None:
    sparse = ListRetriever("sparse", FOUND)
    result = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND, sparse=sparse))
    assert [query.required_terms for query, _ in sparse.seen] == [(), ("statement:cash_flow_statement",)]
    assert status(result, Stage.STATEMENTS) is StageStatus.RAN


class InOnePass(ListRetriever):
    """Ranks apart in the same pass, as the one in SQL does."""

    def retrieve(self, query: SearchQuery, *, within: SearchBounds, top_k: int) -> Ranking:
        found = ListRetriever.retrieve(self, query, within=within, top_k=top_k)
        return replace(found, apart=found.hits[: query.apart_top_k][1:2]) if query.apart_terms else found


def test_the_statements_are_not_ranked_again_where_the_search_by_words_has_done_so() -> None:
    sparse = InOnePass("sparse", FOUND)
    result = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND, sparse=sparse))
    assert [query.apart_terms for query, _ in sparse.seen] == [("statement:cash_flow_statement",)]
    ranked = {each.name: each for each in result.trace.outputs(Ranking)}
    assert [hit.chunk_id for hit in ranked["statements"].hits] == [FOUND[1].hit.chunk_id]
    assert ranked["sparse"].apart is None
    assert notes(result, Stage.STATEMENTS) == "Ranked in the same pass as the words."


def test_a_question_without_such_a_figure_has_no_ranking_of_statements() -> None:
    sparse = ListRetriever("sparse", FOUND)
    result = answer(asked("Who audits Northwind?"), deps=dependencies(FOUND, sparse=sparse))
    assert [query.required_terms for query, _ in sparse.seen] == [()]
    assert status(result, Stage.STATEMENTS) is StageStatus.SKIPPED


def on_cash_flows(number: int, *, page: int = 60, kind: str = "reference_report") -> Candidate:
    """A further passage of the page, which no ranking finds: the double of a chunk store knows it."""
    made = candidate(CASH_FLOWS, number, page=page, facts=document(1, kind=kind))
    return replace(made, chunk=replace(made.chunk, statements=(Statement.CASH_FLOW_STATEMENT,)))


def test_the_row_of_a_statement_is_read_where_another_passage_of_its_page_was_found() -> None:
    found = [candidate("Consolidated Statement of Cash Flows, continued: capital expenditure", 1, page=60)]
    deps = dependencies(found, entries=[entry("Northwind", 2018)])
    deps = replace(deps, chunks=HeldCorpus(candidates=[*found, on_cash_flows(7)]))
    result = answer(asked(CAPEX_QUESTION), deps=deps)
    assert "(1,577)" in result.answer.text
    assert (result.answer.citations[0].page, result.answer.grounding) == (60, GroundingStatus.GROUNDED)
    read = result.trace.output(LineList)
    assert read is not None
    assert "capital expenditure" in read.wanted
    assert read.found == ("capital expenditure",)
    assert "Found: capital expenditure, in 1 passage." in notes(result, Stage.LINES)
    # The log has every passage that came into the context, also one that no ranking found.
    (row,) = [hit for hit in recorded_hits(result.trace, result.answer.ref_ids) if hit["ranks"] == {}]
    assert (row["in_context"], row["cited"]) == (True, True)


def test_a_statement_is_read_within_the_permitted_kinds_alone() -> None:
    found = [candidate("The capital expenditure is described in the cash flow statement.", 1, page=60)]
    deps = dependencies(found, entries=[entry("Northwind", 2018)])
    deps = replace(deps, chunks=HeldCorpus(candidates=[*found, on_cash_flows(7, kind="run")]))
    assert "1,577" not in answer(asked(CAPEX_QUESTION), deps=deps).answer.text


def test_no_statement_is_read_where_no_line_is_asked_for_or_it_is_switched_off() -> None:
    assert status(answer(asked("Who audits Northwind?"), deps=dependencies(FOUND)), Stage.LINES) is StageStatus.SKIPPED
    off = dependencies(FOUND, settings=StageSettings(line_documents=0))
    assert notes(answer(asked(CAPEX_QUESTION), deps=off), Stage.LINES) == "Switched off: passed on unchanged."


def test_withheld_kinds_are_named_in_the_trace() -> None:
    record = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND)).trace.record(Stage.GATE)
    assert record is not None
    assert {each.subject for each in record.exclusions} == {kind.value for kind in FUND_HOUSE} - {"reference_report"}


def test_kind_that_is_not_permitted_never_reaches_the_context() -> None:
    secret = candidate("The capital expenditure was 4,242.", 9, facts=document(9, kind="run"))
    result = answer(asked("What was the capital expenditure?"), deps=dependencies([secret, *FOUND]))
    assert "4,242" not in result.answer.text
    assert secret.hit.chunk_id not in {p.chunk.chunk_id for p in _context(result).passages}


def test_chunk_that_vanished_since_the_search_is_named() -> None:
    record = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND, gone=[3])).trace.record(Stage.FUSE)
    assert record is not None
    assert [each.reason for each in record.exclusions] == ["It is no longer there."]


def test_hits_below_the_policy_s_similarity_are_left_out_visibly() -> None:
    deps = dependencies(FOUND, policy=RetrievalSettings(dense_minimum_similarity=0.89))
    record = answer(asked(CAPEX_QUESTION), deps=deps).trace.record(Stage.DENSE)
    assert record is not None
    assert (record.count_out, len(record.exclusions)) == (2, 1)


def test_relaxed_filter_is_told_to_the_person() -> None:
    question = CAPEX_QUESTION.replace("FY2018", "FY2025")
    result = answer(asked(question), deps=dependencies(FOUND, entries=[entry("Northwind", 2018)]))
    assert any("No document held has period FY2025" in notice for notice in result.answer.notices)


def test_rewriter_adds_wordings_that_are_searched_and_fused() -> None:
    class Twice:
        name = "twice"

        def rewrite(self, analysis: QueryAnalysis) -> Rewriting:
            return Rewriting(texts=("purchases of equipment",), model="test-model", region="eu")

    sparse = ListRetriever("sparse", FOUND)
    result = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND, sparse=sparse, slots=Slots(rewriter=Twice())))
    assert len([query for query, _ in sparse.seen if not query.required_terms]) == 2
    assert "of 5 rankings" in notes(result, Stage.FUSE)


def test_healer_searches_through_the_same_bounds() -> None:
    class Asking:
        name = "asking"

        def heal(
            self,
            analysis: QueryAnalysis,
            candidates: tuple[Candidate, ...],
            *,
            search: Callable[[str], tuple[Candidate, ...]],
            rounds: int,
            minimum_coverage: float,
        ) -> Healing:
            search("treasury stock")
            return Healing(candidates=candidates, rounds=(), coverage=1.0, ended="Nothing is missing.")

    sparse = ListRetriever("sparse", FOUND)
    deps = dependencies(FOUND, sparse=sparse, slots=Slots(healer=Asking()), policy=RetrievalSettings(heal_rounds=1))
    answer(asked(CAPEX_QUESTION), deps=deps)
    assert [bounds.kinds for _, bounds in sparse.seen] == [(FundHouse.REFERENCE_REPORT,)] * 3


def test_trace_is_json_without_vectors_or_whole_chunks() -> None:
    result = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND, budgets=[budget(cap_chars=200)]))
    text = json.dumps(to_json(result.trace))
    assert "Purchases of property" in text
    assert "treasury stock" not in text
    assert '"vector"' not in text


def test_trace_holds_each_stage_s_output() -> None:
    trace = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND)).trace
    assert all(trace.output(wanted) is not None for wanted in (QueryAnalysis, ContextBlock, CutLine, GeneratedAnswer))


def _context(result: PipelineResult) -> ContextBlock:
    context = result.trace.output(ContextBlock)
    assert context is not None
    return context


def test_a_cited_row_whose_sum_does_not_hold_is_named_in_a_notice() -> None:
    found = [candidate("Consolidated Statement of Cash Flows, continued: capital expenditure", 1, page=60)]
    further = on_cash_flows(7)
    start = further.chunk.text.index("Purchases of property")
    end = further.chunk.text.index("\n", start)
    doubtful = FoundLine(item="capital expenditure", start=start, end=end, doubt="The parts add up to 1,600.")
    corpus = HeldCorpus(candidates=[*found, further], facts=((further.chunk, (doubtful,)),))
    deps = replace(dependencies(found, entries=[entry("Northwind", 2018)]), chunks=corpus)
    result = answer(asked(CAPEX_QUESTION), deps=deps)
    assert "(1,577)" in result.answer.text
    assert [each for each in result.answer.notices if "The parts add up to 1,600." in each]
