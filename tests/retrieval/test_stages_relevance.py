from __future__ import annotations

from apps.retrieval.stages.ranking.relevance import Piece, holds_number, rate_pieces
from tests.retrieval.builders import CAPEX_QUESTION, analysed, entry

NORTHWIND = entry("Northwind", 2018)
ROW = "Purchases of property, plant and equipment (PP&E) | 2018: (1,577) | 2017: (1,373)"


def scores(question: str, *texts: str, surroundings: str = "") -> list[float]:
    pieces = [Piece(text=text, surroundings=surroundings) for text in texts]
    return [each.score for each in rate_pieces(pieces, analysed(question, NORTHWIND))]


def best(question: str, *texts: str) -> str:
    rated = scores(question, *texts)
    return texts[rated.index(max(rated))]


def test_figure_is_found_under_its_other_name() -> None:
    others = (
        "Proceeds from sale of PP&E | 2018: 262",
        "Equipment is leased in the property of the plant.",
        "Net income 5",
    )
    assert best(CAPEX_QUESTION, *others, ROW) == ROW


def test_row_with_a_figure_beats_prose_without_one() -> None:
    assert best("How much was the drawdown?", "The drawdown is explained below.", "Drawdown | Q4 2024: -4.2%") == (
        "Drawdown | Q4 2024: -4.2%"
    )


def test_whole_phrase_beats_its_parts() -> None:
    parts = "Property and plant tours are offered."
    whole = "Purchases of property, plant and equipment rose."
    assert best("capital expenditure", parts, whole) == whole


def test_surroundings_count_less_than_the_piece() -> None:
    inside, around = (
        scores("custody rules", "The custody rules apply."),
        scores("custody rules", "They apply.", surroundings="Custody rules"),
    )
    assert 0 < around[0] < inside[0]


def test_name_in_the_header_counts_whole() -> None:
    analysis = analysed("What was the drawdown of the Orion fund?")
    piece = Piece(text="Drawdown: 4.2%", surroundings="Orion fund, annual report")
    assert rate_pieces([piece], analysis)[0].coverage > 0.7


def test_absent_name_keeps_coverage_low() -> None:
    analysis = analysed("What was the drawdown of the Orion fund?")
    assert rate_pieces([Piece(text="Drawdown: 4.2%", surroundings="Alpha fund")], analysis)[0].coverage < 0.4


def test_unrelated_piece_scores_nothing() -> None:
    assert scores("custody rules", "Apples and pears.") == [0.0]


def test_coverage_lies_between_nothing_and_all() -> None:
    analysis = analysed(CAPEX_QUESTION, NORTHWIND)
    rated = rate_pieces(
        [Piece(text=ROW, surroundings="Statement of Cash Flows"), Piece(text="x", surroundings="")], analysis
    )
    assert all(0.0 <= each.own_coverage <= each.coverage <= 1.0 for each in rated)


def test_years_and_quarters_are_no_figures() -> None:
    assert not holds_number("In Q4 2024 and on the 3rd")
    assert holds_number("1,577 in 2018")
