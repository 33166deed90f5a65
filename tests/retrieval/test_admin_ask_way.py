"""What the Ask page makes of a trace, before any template sees it."""

from __future__ import annotations

import pytest

from apps.intents.contracts import KindGrant
from apps.intents.fund_house import FundHouse
from apps.retrieval.admin.ask_context import budget_rows
from apps.retrieval.admin.ask_details import slope_chart
from apps.retrieval.admin.ask_fates import FateKind, fates
from apps.retrieval.admin.ask_latency import latency_view
from apps.retrieval.admin.ask_rankings import found_in, hit_ids, ranking_title
from apps.retrieval.admin.ask_sentences import TITLES, counts, sentence
from apps.retrieval.admin.ask_way import GROUPS
from apps.retrieval.contracts import (
    ContextBlock,
)
from apps.retrieval.pipeline import PipelineResult, answer
from apps.retrieval.selectors.passages import PassagePlace
from apps.retrieval.trace import FusedRanking, Stage, StageRecord, StageStatus, Trace
from tests.retrieval.builders import budget, candidate, document
from tests.retrieval.doubles import DownEmbedder, ScriptedGate, asked, dependencies
from tests.retrieval.tracing import HELD, QUESTION, TEXTS, fusion_of, record, result

# --- What became of the passages ------------------------------------------------------------------------------------


def test_every_passage_that_was_found_has_a_fate() -> None:
    made = result()
    told = fates(made.trace, made.answer.citations)
    assert {str(chunk_id) for chunk_id in hit_ids(made.trace)} == set(told)


def test_a_cited_passage_names_its_citations() -> None:
    made = result()
    told = fates(made.trace, made.answer.citations)
    numbers = sorted(number for fate in told.values() for number in fate.citations)
    assert numbers == list(range(1, len(made.answer.citations) + 1))


def test_a_passage_that_was_cut_off_says_by_which_rule() -> None:
    made = result()
    cut = [fate for fate in fates(made.trace, ()).values() if fate.label == "Cut off"]
    assert len(cut) == len(TEXTS) - 12
    assert {fate.reason for fate in cut} == {"Cut off by the rule top_k."}


def test_a_passage_that_is_left_out_says_which_cap_was_full() -> None:
    made = result(budget(cap_chars=150))
    told = fates(made.trace, ()).values()
    assert any(fate.label == "Over budget" and "cap of 150 characters" in fate.reason for fate in told)


def test_an_evicted_section_is_told_of_each_of_its_passages() -> None:
    made = evicting()
    evicted = [fate for fate in fates(made.trace, ()).values() if fate.label == "Left out whole"]
    assert evicted
    assert {fate.kind for fate in evicted} == {FateKind.DROPPED}


def evicting() -> PipelineResult:
    """Two kinds of which each fits into the context, and both together do not."""
    runs = document(2, title="A run", kind="run")
    held = [candidate(TEXTS[0], 1), candidate(TEXTS[1], 2, facts=runs)]
    budgets = [budget(cap_chars=110, position=1), budget(FundHouse.RUN, cap_chars=110, position=2)]
    gate = ScriptedGate(budgets, total_cap_chars=120)
    return answer(asked(QUESTION), deps=dependencies(held, gate=gate))


# --- Rankings and fusion --------------------------------------------------------------------------------------------


def test_the_fused_list_shows_each_passage_once_with_both_ranks() -> None:
    view = fusion_of(result())
    assert view.rankings == ("By meaning", "By words")
    assert [row.rank for row in view.rows] == list(range(1, len(TEXTS) + 1))
    assert all(row.ranks[0][1] is not None and row.ranks[1][1] is not None for row in view.rows)


def test_a_passage_that_one_ranking_lacks_has_no_rank_there() -> None:
    view = fusion_of(result(found=3))
    assert sum(row.ranks[1][1] is None for row in view.rows) == len(TEXTS) - 3


def test_a_passage_that_is_gone_is_still_in_the_table() -> None:
    view = fusion_of(result())
    assert {row.passage.title for row in view.rows} == {"A passage that is no longer there"}


def test_a_passage_is_named_by_where_it_stands() -> None:
    made = result()
    chunk_id = HELD[0].hit.chunk_id
    place = PassagePlace(
        document_id=HELD[0].hit.document_id,
        document_title="Alpha Fund",
        document_version=1,
        kind="run",
        page=4,
        section="Risk",
        char_start=5,
        char_end=9,
    )
    line = found_in(made.trace, places={chunk_id: place}, fates={}, names={"run": "Past runs"}).passage(chunk_id)
    assert (line.title, line.place, line.kind) == ("Alpha Fund", "page 4, Risk", "Past runs")
    assert line.url.endswith("?page=4&start=5&end=9#quote")


@pytest.mark.parametrize(
    ("name", "title"), [("dense", "By meaning"), ("sparse 2", "By words 2"), ("metadata", "Titles and headings")]
)
def test_rankings_have_plain_names(name: str, title: str) -> None:
    assert ranking_title(name) == title


def test_the_drawing_has_a_line_for_every_place_in_a_ranking() -> None:
    chart = slope_chart(fusion_of(result(found=3)))
    assert chart is not None
    assert len(chart.lines) == len(TEXTS) + 3
    assert all(0 <= place.x <= chart.width and 0 <= place.y <= chart.height for place in chart.places)


def test_what_was_cited_is_drawn_last_and_so_on_top() -> None:
    chart = slope_chart(fusion_of(result()))
    assert chart is not None
    assert chart.lines[-1].style == FateKind.CITED.value


def test_one_ranking_alone_is_not_drawn() -> None:
    assert slope_chart(fusion_of(result(embedder=DownEmbedder()))) is None


def fused(*numbers: int) -> StageRecord:
    return StageRecord(
        stage=Stage.FUSE,
        status=StageStatus.RAN,
        elapsed_ms=1.0,
        count_in=None,
        count_out=None,
        exclusions=(),
        notes=(),
        output=FusedRanking(hits=tuple(HELD[number].hit for number in numbers)),
    )


def test_a_search_for_what_is_missing_adds_to_the_list_and_never_renumbers_it() -> None:
    trace = Trace(stages=(fused(0, 1), fused(2, 0)), degradations=(), elapsed_ms=2.0)
    ranks = found_in(trace, places={}, fates={}).fused_ranks
    assert [ranks[HELD[number].hit.chunk_id] for number in range(3)] == [1, 2, 1]


# --- The context ----------------------------------------------------------------------------------------------------


def rows_of(made: PipelineResult) -> dict[str, tuple[int, int, bool]]:
    context, grant = made.trace.output(ContextBlock), made.trace.output(KindGrant)
    assert context is not None
    assert grant is not None
    return {row.label: (row.used_chars, row.cap_chars, row.evicted) for row in budget_rows(context, grant)}


def test_a_kind_of_which_nothing_was_found_has_used_nothing_of_its_context_budget() -> None:
    rows = rows_of(result(budget(cap_chars=600), budget(FundHouse.RUN, cap_chars=700, position=2)))
    assert rows["Past runs"] == (0, 700, False)


def test_no_kind_uses_more_than_its_context_budget() -> None:
    assert all(used <= cap for used, cap, _ in rows_of(result(budget(cap_chars=150))).values())


def test_an_evicted_kind_is_shown_with_what_it_would_have_used() -> None:
    rows = rows_of(evicting())
    assert (rows["Reference reports"][2], rows["Past runs"][2]) == (False, True)
    assert rows["Past runs"][0] > 0


# --- The way --------------------------------------------------------------------------------------------------------


def test_the_groups_hold_every_stage_once_in_the_order_of_the_pipeline() -> None:
    assert [stage for _, stages in GROUPS for stage in stages] == list(Stage)


def test_every_stage_has_a_title_of_its_own() -> None:
    assert len(set(TITLES.values())) == len(Stage)


def test_every_stage_of_an_answer_is_one_plain_sentence() -> None:
    words = [sentence(each) for each in result().trace.stages]
    assert all(each[:1].isupper() or each[:1].isdigit() for each in words)
    assert all(each.endswith(".") for each in words)


def test_counts_carry_their_units() -> None:
    trace = result().trace
    assert counts(record(trace, Stage.GATE)) == "10 kinds → 1 permitted"
    assert counts(record(trace, Stage.CUT_OFF)) == "15 passages → 12 kept"


def test_a_stage_without_counts_shows_none() -> None:
    assert counts(record(result().trace, Stage.CLASSIFY)) == ""


def test_the_bars_of_the_time_follow_one_another() -> None:
    view = latency_view(result().trace)
    starts = [float(row.bar.start[:-1]) for row in view.rows]
    assert starts == sorted(starts)


def test_what_is_not_configured_takes_no_place_in_the_time() -> None:
    assert "rerank" not in {row.stage for row in latency_view(result().trace).rows}
