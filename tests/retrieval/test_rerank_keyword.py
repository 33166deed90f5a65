from __future__ import annotations

import pytest
from hypothesis import given

from apps.intents.retrieval_settings import RetrievalSettings
from apps.retrieval.dependencies import Slots
from apps.retrieval.optional.rerankers.hybrid import rank_hybrid
from apps.retrieval.optional.rerankers.keyword import (
    PROTECTED,
    STOP_WORDS,
    KeywordReranker,
    keyword_score,
    question_keywords,
)
from apps.retrieval.pipeline import answer
from apps.retrieval.trace import CandidateList, CutLine, Stage, StageStatus
from tests.retrieval.builders import CAPEX_QUESTION, CASH_FLOWS, LINES, analysed, candidate, document, entry
from tests.retrieval.doubles import asked, dependencies


def score(
    question: str, text: str, *, header: str = "", fiscal_year: int | None = 2018, quarter: int | None = None
) -> float:
    facts = document(fiscal_year=fiscal_year, fiscal_quarter=quarter)
    return keyword_score(question_keywords(analysed(question)), candidate(text, facts=facts, header=header).chunk)


def test_words_of_every_report_are_no_keywords() -> None:
    labels = {
        each.label
        for each in question_keywords(analysed("What does the company's annual filing say on hedging?")).concepts
    }
    assert labels == {"hedg"}


def test_protected_word_tells_two_figures_apart() -> None:
    question = "What is the net exposure?"
    assert score(question, "net exposure | 12") > score(question, "gross exposure | 12")


@pytest.mark.parametrize("word", ["no", "not", "other"])
def test_protected_word_counts_that_a_search_leaves_out(word: str) -> None:
    question = f"Which assets are {word} pledged?"
    assert score(question, f"assets {word} pledged") > score(question, "assets pledged")


def test_no_word_is_both() -> None:
    assert not PROTECTED & STOP_WORDS


@pytest.mark.parametrize(
    ("written", "held"),
    [
        ("1,577", "Purchases | (1577)"),
        ("USD 1.577 billion", "(USD millions)\nPurchases | 1,577"),
        ("3.2 %", "grew by 3.2 percent"),
        ("25 basis points", "by 0.25 percentage points"),
    ],
)
def test_figure_is_found_in_another_writing(written: str, held: str) -> None:
    question = f"Where is {written}?"
    assert score(question, held) == pytest.approx(1.0)


def test_other_figure_is_not_found() -> None:
    assert score("Where is 3.2 %?", "grew by 3.3 percent") == 0.0


def test_counting_number_is_no_figure() -> None:
    assert question_keywords(analysed("What are the 2 largest holdings?")).figures == ()


def test_year_is_no_figure_and_counts_as_a_period() -> None:
    keywords = question_keywords(analysed("What was the drawdown in 2018?"))
    assert keywords.figures == ()
    assert [period.fiscal_year for period in keywords.periods] == [2018]


def test_report_of_the_year_comes_before_another_that_names_it() -> None:
    question, text = "What was the drawdown in FY2018?", "drawdown | 2018: 4.2 % | 2017: 3.1 %"
    own, later, silent = (score(question, text, fiscal_year=year) for year in (2018, 2019, None))
    assert own == silent == pytest.approx(1.0)
    assert own > later > score(question, "drawdown | 2016: 4.2 %", fiscal_year=2016)


def test_quarter_counts_as_written_either_way() -> None:
    question = "What was the drawdown in Q4 2024?"
    own = score(question, "drawdown of 4.2 %", fiscal_year=2024, quarter=4)
    named = score(question, "drawdown of the fourth quarter of 2024", fiscal_year=None)
    other = score(question, "drawdown of 4.2 %", fiscal_year=2024, quarter=3)
    assert own == named == pytest.approx(1.0)
    assert other < own


def test_either_year_of_a_comparison_will_do() -> None:
    question = "How did the drawdown of FY2018 compare with FY2017?"
    assert score(question, "drawdown", fiscal_year=2017) == score(question, "drawdown", fiscal_year=2018)


def test_another_name_of_the_figure_is_found() -> None:
    assert score("What is the capex?", "Purchases of property, plant and equipment | 12") == pytest.approx(1.0)


@given(LINES)
def test_score_lies_between_none_and_all(text: str) -> None:
    assert 0.0 <= score(CAPEX_QUESTION, text) <= 1.0


def test_weight_mixes_the_two_scores() -> None:
    pair = [candidate("a", 1), candidate("b", 2)]
    mixed = rank_hybrid(pair, model_scores=[0.9, 0.5], keyword_scores=[0.0, 1.0], keyword_weight=0.25, calibrated=True)
    assert [(each.chunk.text, each.rerank_score) for each in mixed] == [("a", 0.675), ("b", 0.625)]
    by_words = rank_hybrid(
        pair, model_scores=[0.9, 0.5], keyword_scores=[0.0, 1.0], keyword_weight=1.0, calibrated=True
    )
    assert [each.chunk.text for each in by_words] == ["b", "a"]


def test_equal_scores_keep_their_order() -> None:
    three = [candidate("x", number) for number in (3, 1, 2)]
    same = rank_hybrid(three, model_scores=[0.5] * 3, keyword_scores=[0.5] * 3, keyword_weight=0.5, calibrated=False)
    assert [each.hit.chunk_id for each in same] == [each.hit.chunk_id for each in three]


def test_pipeline_puts_the_passage_with_the_keywords_first() -> None:
    found = [candidate("Spending is described elsewhere.", 1, page=3), candidate(CASH_FLOWS, 2, page=60)]
    policy = RetrievalSettings(rerank_enabled=True, rerank_keyword_weight=0.6)
    slots = Slots(reranker=KeywordReranker(keyword_weight=policy.rerank_keyword_weight))
    result = answer(
        asked(CAPEX_QUESTION), deps=dependencies(found, entries=[entry("Northwind", 2018)], policy=policy, slots=slots)
    )
    record, cut = result.trace.record(Stage.RERANK), result.trace.output(CutLine)
    assert record is not None
    assert record.status is StageStatus.RAN
    assert isinstance(record.output, CandidateList)
    assert [each.page for each in record.output.candidates] == [60, 3]
    assert all(each.rerank_score is not None for each in record.output.candidates)
    assert "0.60 x keywords" in " ".join(record.notes)
    assert cut is not None
    assert cut.kept == 2
    assert result.answer.citations[0].page == 60
