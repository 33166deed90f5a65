"""What stands around a passage, through the whole pipeline: the trace, the context, the citations and the log."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from apps.audit.admin.events.trace import STAGES, _hit
from apps.intents.baseline import baseline_snapshot
from apps.intents.contracts import IntentDecision, KindGrant
from apps.retrieval.admin.ask_details import AddedRow, Panel, Way, panel_of
from apps.retrieval.admin.ask_fates import fates
from apps.retrieval.admin.ask_rankings import found_in, hit_ids
from apps.retrieval.contracts import Candidate, ContextBlock
from apps.retrieval.pipeline import PipelineResult, answer
from apps.retrieval.services.recording import recorded_hits
from apps.retrieval.stage_settings import StageSettings
from apps.retrieval.trace import CandidateList, Stage, StageRecord, StageStatus
from tests.retrieval.builders import CAPEX_QUESTION, CASH_FLOWS, budget, candidate, document, entry
from tests.retrieval.doubles import ListRetriever, asked, dependencies

NOTE = "Capital expenditure rose to $1,577 million in 2018, as plants were enlarged."
HELD = [
    candidate("Amounts are in millions.", 1, page=59),
    candidate(CASH_FLOWS, 2, page=60),
    candidate(NOTE, 3, page=61),
    candidate("Elsewhere, capital expenditure was 9.", 4, facts=document(2), page=1),
]
FOUND = [HELD[1]]


def ask(*, expand_top_k: int = 5, cap_chars: int = 2000, found: list[Candidate] = FOUND) -> PipelineResult:
    deps = dependencies(
        HELD,
        dense=ListRetriever("dense", found),
        sparse=ListRetriever("sparse", found),
        budgets=[budget(cap_chars=cap_chars)],
        entries=[entry("Northwind", 2018)],
        settings=StageSettings(expand_top_k=expand_top_k),
    )
    return answer(asked(CAPEX_QUESTION), deps=deps)


def stage(result: PipelineResult) -> StageRecord:
    record = result.trace.record(Stage.EXPAND)
    assert record is not None
    return record


def context(result: PipelineResult) -> ContextBlock:
    block = result.trace.output(ContextBlock)
    assert block is not None
    return block


def test_the_trace_shows_what_was_added_and_around_which_passage() -> None:
    record = stage(ask())
    assert isinstance(record.output, CandidateList)
    lines = [(line.page, line.around, line.ranks) for line in record.output.candidates if line.around]
    origin = HELD[1].hit.chunk_id
    assert lines == [(59, origin, ()), (61, origin, ())]
    assert (record.status, record.count_in, record.count_out) == (StageStatus.RAN, 1, 3)
    assert "2 passages added around the first 1" in record.notes[0]


def test_as_shipped_only_the_first_passage_brings_what_stands_around_it() -> None:
    record = stage(ask(expand_top_k=StageSettings().expand_top_k, found=[HELD[1], HELD[3]]))
    assert isinstance(record.output, CandidateList)
    assert {line.around for line in record.output.candidates if line.around} == {HELD[1].hit.chunk_id}


def test_where_it_is_switched_off_it_says_so() -> None:
    record = stage(ask(expand_top_k=0))
    assert (record.status, record.output) == (StageStatus.SKIPPED, None)
    assert record.notes == ("Switched off: no neighbours of the passages are added.",)


def test_what_was_added_is_in_the_context_under_its_own_page_and_can_be_cited() -> None:
    block = context(ask())
    assert [(each.ref_id, each.chunk.page_start) for each in block.passages] == [
        ("northwind-1|p60|c2", 60),
        ("northwind-1|p59|c1", 59),
        ("northwind-1|p61|c3", 61),
    ]
    for passage in block.passages:
        assert all(passage.chunk.text[each.start : each.end] == each.text for each in passage.excerpts)


def test_a_quote_of_what_was_added_is_cited_with_its_page() -> None:
    silent = [replace(HELD[0], chunk=replace(HELD[0].chunk, text="Of property, plant and equipment."))]
    result = ask(found=silent)
    cited = {(citation.page, citation.ref_id) for citation in result.answer.citations}
    assert cited & {(60, "northwind-1|p60|c2"), (61, "northwind-1|p61|c3")}
    assert (59, "northwind-1|p59|c1") not in cited


def test_another_document_is_not_reached() -> None:
    assert "Elsewhere" not in context(ask()).text


def test_what_was_added_counts_against_the_budget_of_its_kind() -> None:
    sizes = [len(context(ask(cap_chars=cap)).sections[0].text) for cap in (120, 300, 700, 2000)]
    assert all(size <= cap for size, cap in zip(sizes, (120, 300, 700, 2000), strict=True))
    assert all(smaller <= larger for smaller, larger in pairwise(sizes))


def test_the_same_hits_give_the_same_bytes() -> None:
    assert len({context(ask()).sha256 for _ in range(3)}) == 1


def test_the_log_keeps_what_was_added_with_the_passage_that_brought_it() -> None:
    result = ask()
    hits = recorded_hits(result.trace, result.answer.ref_ids)
    found, *added = hits
    assert "around" not in found
    assert [(each["rank"], each["around"], each["ranks"], each["in_context"]) for each in added] == [
        (2, str(HELD[1].hit.chunk_id), {}, True),
        (3, str(HELD[1].hit.chunk_id), {}, True),
    ]
    assert {each["document_id"] for each in hits} == {str(HELD[1].hit.document_id)}


def test_an_event_says_of_a_passage_that_it_was_added_around_another() -> None:
    result = ask()
    found, *added = recorded_hits(result.trace)
    assert _hit(found, ()).how_far == "in the context"
    assert {_hit(each, ()).how_far for each in added} == {"in the context, added around another"}
    assert _hit({**added[0], "in_context": False}, ()).how_far == "left out, added around another"


def test_every_stage_has_a_name_on_the_page_of_an_event() -> None:
    assert {stage.value for stage in Stage} == STAGES.keys()


def test_the_ask_page_shows_what_was_added_and_what_became_of_it() -> None:
    result = ask()
    trace = result.trace
    found = found_in(trace, places={}, fates=fates(trace, result.answer.citations))
    decision, grant = trace.output(IntentDecision), trace.output(KindGrant)
    assert decision is not None
    assert grant is not None
    way = Way(
        trace=trace,
        citations=result.answer.citations,
        decision=decision,
        grant=grant,
        snapshot=baseline_snapshot(),
        found=found,
    )
    panel = panel_of(Stage.EXPAND, [stage(result)], way)
    assert isinstance(panel, Panel)
    assert (panel.name, panel.title) == ("added", "What was added around")
    assert isinstance(panel.details, tuple)
    assert all(isinstance(row, AddedRow) and row.fate.label in ("Cited", "In the context") for row in panel.details)
    assert {HELD[0].hit.chunk_id, HELD[2].hit.chunk_id} <= hit_ids(trace)
