"""What the Ask page makes of an answer and its trace, before any template sees it."""

from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.corpus.kinds import Kind
from apps.intents.contracts import KindBudget, KindGrant
from apps.retrieval.admin.ask_answer import AnswerView, answer_view
from apps.retrieval.admin.ask_context import budget_rows
from apps.retrieval.admin.ask_fates import FateKind, fates
from apps.retrieval.admin.ask_figures import bar, counted, duration, ordinal, percentage
from apps.retrieval.admin.ask_latency import latency_view
from apps.retrieval.admin.ask_rankings import Found, FusionView, found_in, fusion_view, hit_ids, ranking_title
from apps.retrieval.admin.ask_sentences import TITLES, counts, sentence
from apps.retrieval.admin.ask_slopes import slope_chart
from apps.retrieval.admin.ask_status import badges, missing_parts
from apps.retrieval.admin.ask_way import GROUPS
from apps.retrieval.contracts import (
    Answer,
    Citation,
    ContextBlock,
    Degradation,
    DocumentId,
    GroundingStatus,
    Refusal,
    RefusalReason,
)
from apps.retrieval.pipeline import PipelineResult, answer
from apps.retrieval.selectors.passages import PassagePlace
from apps.retrieval.trace import FusedRanking, Stage, StageRecord, Trace
from tests.retrieval.builders import budget, candidate, document
from tests.retrieval.doubles import DownEmbedder, ListRetriever, OneVector, ScriptedGate, asked, dependencies

QUESTION = "What was the maximum drawdown of the fund?"
TEXTS = [
    "The maximum drawdown of the fund was 4.2 % in the quarter.",
    "The drawdown of the fund is measured from its peak to its trough.",
    *(f"Volume {number} speaks of the fund and of nothing else." for number in range(3, 16)),
]
HELD = [candidate(text, number) for number, text in enumerate(TEXTS, start=1)]


def result(
    *budgets: KindBudget, total_cap_chars: int = 4096, embedder: OneVector | None = None, found: int = len(HELD)
) -> PipelineResult:
    gate = ScriptedGate(budgets or [budget(cap_chars=600)], total_cap_chars=total_cap_chars)
    # The two rankings are each other's reverse, so that no passage has the same rank in both.
    deps = dependencies(
        HELD, gate=gate, embedder=embedder, sparse=ListRetriever("sparse", list(reversed(HELD[:found])))
    )
    return answer(asked(QUESTION), deps=deps)


def found_of(made: PipelineResult) -> Found:
    return found_in(made.trace, places={}, fates=fates(made.trace, made.answer.citations))


def fusion_of(made: PipelineResult) -> FusionView:
    fused = made.trace.output(FusedRanking)
    assert fused is not None
    return fusion_view(fused, found_of(made))


def record(trace: Trace, stage: Stage) -> StageRecord:
    found = trace.record(stage)
    assert found is not None
    return found


# --- Figures --------------------------------------------------------------------------------------------------------


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1e6))
def test_a_bar_never_leaves_its_frame(part: float, whole: float, start: float) -> None:
    drawn = bar(part, whole, start=start, label="")
    assert 0 <= float(drawn.start[:-1]) <= 100
    assert float(drawn.start[:-1]) + float(drawn.width[:-1]) <= 100.02


def test_what_is_too_small_to_be_seen_still_gets_a_sliver() -> None:
    assert float(bar(0.001, 1000, label="").width[:-1]) > 0


def test_nothing_gets_no_bar() -> None:
    assert bar(0, 0, label="").width == "0%"


@pytest.mark.parametrize(("ms", "words"), [(0.04, "0.0 ms"), (4.26, "4.3 ms"), (412.4, "412 ms"), (1340, "1.3 s")])
def test_a_duration_has_a_unit_that_fits(ms: float, words: str) -> None:
    assert duration(ms) == words


@pytest.mark.parametrize(
    ("number", "words"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (11, "11th"), (12, "12th"), (21, "21st")]
)
def test_ordinals(number: int, words: str) -> None:
    assert ordinal(number) == words


def test_counted_things_have_their_number() -> None:
    assert [counted(n, "passage") for n in (0, 1, 2)] == ["no passages", "1 passage", "2 passages"]


@pytest.mark.parametrize(("part", "whole", "words"), [(0, 10, "0%"), (0.01, 10, "<1%"), (5, 10, "50%"), (1, 0, "0%")])
def test_a_share_that_rounds_to_nothing_is_not_nothing(part: float, whole: float, words: str) -> None:
    assert percentage(part, whole) == words


# --- The answer -----------------------------------------------------------------------------------------------------


def cited(ref_id: str, quote: str) -> Citation:
    return Citation(
        ref_id=ref_id,
        document_id=DocumentId(UUID(int=7)),
        document_title="Alpha Fund",
        version=1,
        kind="run",
        page=3,
        section="Risk",
        quote=quote,
        columns="",
        char_start=10,
        char_end=10 + len(quote),
    )


def shown(text: str, *citations: Citation) -> AnswerView:
    return answer_view(an_answer(text=text, citations=citations), None)


def an_answer(
    *,
    text: str = "An answer.",
    citations: tuple[Citation, ...] = (),
    grounding: GroundingStatus | None = GroundingStatus.GROUNDED,
    refusal: Refusal | None = None,
    degradations: tuple[Degradation, ...] = (),
) -> Answer:
    return Answer(
        text=text,
        ref_ids=tuple(citation.ref_id for citation in citations),
        citations=citations,
        grounding=grounding,
        generator="test",
        model="",
        refusal=refusal,
        degradations=degradations,
    )


def test_a_reference_becomes_the_number_of_its_citation() -> None:
    view = shown("It fell. [a|p1|c1] It rose. [b|p2|c1]", cited("a|p1|c1", "It fell."), cited("b|p2|c1", "It rose."))
    assert [(part.text, part.number) for part in view.lines[0]] == [
        ("It fell.", None),
        ("a|p1|c1", 1),
        (" It rose.", None),
        ("b|p2|c1", 2),
    ]


def test_two_quotes_of_one_passage_keep_their_own_numbers() -> None:
    view = shown(
        "“It fell.” [a|p1|c1]\n“It rose.” [a|p1|c1]", cited("a|p1|c1", "It fell."), cited("a|p1|c1", "It rose.")
    )
    assert [line[-1].number for line in view.lines] == [1, 2]


def test_a_reference_without_a_citation_stays_as_it_was_written() -> None:
    assert [(part.text, part.number) for part in shown("It fell. [z|p9|c9]").lines[0]] == [
        ("It fell.", None),
        (" [z|p9|c9]", None),
    ]


def test_a_card_leads_to_the_characters_of_the_page() -> None:
    (card,) = shown("It fell.", cited("a|p1|c1", "It fell.")).cards
    assert card.url == f"/admin/corpus/document/{UUID(int=7)}/page/?page=3&start=10&end=18#quote"


def test_a_card_marks_the_quote_within_its_passage() -> None:
    made = result()
    view = answer_view(made.answer, made.trace.output(ContextBlock))
    assert all(card.before + card.quote + card.after in TEXTS for card in view.cards)
    assert all(card.quote == card.citation.quote for card in view.cards)


# --- The state ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "labels"),
    [
        (an_answer(), ["Grounded"]),
        (an_answer(grounding=GroundingStatus.PARTIAL), ["Partly grounded"]),
        (an_answer(grounding=None, refusal=Refusal(reason=RefusalReason.TOO_VAGUE, message="")), ["Refused"]),
        (
            an_answer(degradations=(Degradation(stage="embed", code="x", message="It is down."),)),
            ["Grounded", "Degraded"],
        ),
    ],
)
def test_the_state_is_a_word(answer: Answer, labels: list[str]) -> None:
    assert [badge.label for badge in badges(answer)] == labels


@pytest.mark.parametrize("reason", list(RefusalReason))
def test_every_refusal_says_how_far_the_question_came(reason: RefusalReason) -> None:
    (badge,) = badges(an_answer(grounding=None, refusal=Refusal(reason=reason, message="")))
    assert badge.meaning.endswith(".")


@pytest.mark.parametrize("stage", [Stage.CLASSIFY, Stage.EMBED, Stage.GENERATE])
def test_a_missing_part_is_named_and_its_meaning_told(stage: Stage) -> None:
    degraded = an_answer(degradations=(Degradation(stage=stage.value, code="x", message="It is down."),))
    (part,) = missing_parts(degraded)
    assert (part.title, part.message) == (TITLES[stage], "It is down.")
    assert part.meaning != "The rest of the way was done without this part."


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


def test_a_passage_without_room_says_which_cap_was_full() -> None:
    made = result(budget(cap_chars=150))
    told = fates(made.trace, ()).values()
    assert any(fate.label == "No room" and "cap of 150 characters" in fate.reason for fate in told)


def test_an_evicted_section_is_told_of_each_of_its_passages() -> None:
    made = evicting()
    evicted = [fate for fate in fates(made.trace, ()).values() if fate.label == "Evicted"]
    assert evicted
    assert {fate.kind for fate in evicted} == {FateKind.DROPPED}


def evicting() -> PipelineResult:
    """Two kinds with room for each, and no room for both."""
    runs = document(2, title="A run", kind="run")
    held = [candidate(TEXTS[0], 1), candidate(TEXTS[1], 2, facts=runs)]
    budgets = [budget(cap_chars=110, position=1), budget(Kind.RUN, cap_chars=110, position=2)]
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
    line = found_in(made.trace, places={chunk_id: place}, fates={}).passage(chunk_id)
    assert (line.title, line.place, line.kind) == ("Alpha Fund", "page 4, Risk", "Past run")
    assert line.url.endswith("?page=4&start=5&end=9#quote")


@pytest.mark.parametrize(
    ("name", "title"), [("dense", "By meaning"), ("sparse 2", "By words 2"), ("metadata", "metadata")]
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


# --- The context ----------------------------------------------------------------------------------------------------


def rows_of(made: PipelineResult) -> dict[str, tuple[int, int, bool]]:
    context, grant = made.trace.output(ContextBlock), made.trace.output(KindGrant)
    assert context is not None
    assert grant is not None
    return {row.label: (row.used_chars, row.cap_chars, row.evicted) for row in budget_rows(context, grant)}


def test_a_kind_of_which_nothing_was_found_has_used_nothing_of_its_room() -> None:
    rows = rows_of(result(budget(cap_chars=600), budget(Kind.RUN, cap_chars=700, position=2)))
    assert rows["Past run"] == (0, 700, False)


def test_no_kind_uses_more_than_its_room() -> None:
    assert all(used <= cap for used, cap, _ in rows_of(result(budget(cap_chars=150))).values())


def test_an_evicted_kind_is_shown_with_what_it_would_have_used() -> None:
    rows = rows_of(evicting())
    assert (rows["Reference report"][2], rows["Past run"][2]) == (False, True)
    assert rows["Past run"][0] > 0


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
