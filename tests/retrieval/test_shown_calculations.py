"""The calculations of an answer by quotation: what holds passes, and every changed figure, sign or scale is stopped."""

from __future__ import annotations

import pytest

from apps.retrieval.contracts import GroundingStatus, Quote
from apps.retrieval.stages.grounding.shown_calculations import check_calculations

_TEXT = "Operating profit | 2024: 188.2 | 2023: 148.6 | 2021: (500.2) | 2020: 1,198.6"
_QUOTE = Quote(ref_id="a|p1|c1", text=_TEXT, start=0, end=len(_TEXT), columns="", row=None)


def holds(*lines: str, language: str = "en", question: str = "") -> bool:
    report = check_calculations(lines, [_QUOTE], (), question=question, language=language)
    return report.status is GroundingStatus.GROUNDED


@pytest.mark.parametrize(
    "line",
    [
        "Change in “Operating profit”, FY2023 to FY2024: 188.2 - 148.6 = 39.6 [a|p1|c1]",
        "Relative to FY2023: (188.2 - 148.6) / 148.6 = 26.6 % [a|p1|c1]",
        "Average of “Operating profit”, FY2021 to FY2024: (188.2 + 148.6 + (500.2)) / 3 = -54.47 [a|p1|c1]",
        "CAGR of “Operating profit”, FY2020 to FY2024: (188.2 / 1,198.6) ^ (1/4) - 1 = -37.1 % [a|p1|c1]",
        "“Operating profit”, FY2020: 1,198.6 million = 1.1986 billion [a|p1|c1]",
        "“Operating profit” rose from 148.6 in FY2023 to 188.2 in FY2024. [a|p1|c1]",
        "“Operating profit 2017” was highest in FY2020: 1,198.6 (188.2 in FY2024). [a|p1|c1]",
    ],
)
def test_what_follows_from_the_rows_passes(line: str) -> None:
    assert holds(line)


@pytest.mark.parametrize(
    "line",
    [
        "Change in “Operating profit”, FY2023 to FY2024: 188.2 - 148.7 = 39.5",
        "Change in “Operating profit”, FY2023 to FY2024: 188.2 - 148.6 = 39.7",
        "Change in “Operating profit”, FY2023 to FY2024: 148.6 - 188.2 = 39.6",
        "Relative to FY2023: (188.2 - 148.6) / 148.6 = 0.266 %",
        "Average of “Operating profit”, FY2023 to FY2024: (188.2 + 148.6) / 3 = 112.27",
        "“Operating profit”, FY2020: 1,198.6 million = 11.986 billion",
        "“Operating profit”, FY2020: 1,198.6 thousand = 1.1986 billion",
        "“Operating profit” rose from 148.6 in FY2023 to 188.3 in FY2024.",
        "“Operating profit”, FY2024: 188.2 / 0 = 1",
        "“Operating profit”, FY2024: 188.2 / = 188.2",
    ],
)
def test_what_does_not_follow_is_stopped(line: str) -> None:
    assert not holds(line)


def test_a_result_may_be_used_in_the_next_line_only() -> None:
    first = "Sum: 188.2 + 148.6 = 336.8"
    second = "Average: 336.8 / 2 = 168.4"
    assert holds(first, second)
    assert not holds(second, first)


def test_german_notation_and_figures_of_the_question() -> None:
    assert holds("Veränderung von “Ergebnis”, 2020 bis 2024: 188,2 - 1.198,6 = -1.010,4", language="de")
    assert not holds("Veränderung, 2020 bis 2024: 188,2 - 148,6 = 39,7", language="de")
    assert holds("Per 7: 188.2 / 7 = 26.89", question="operating profit divided by 7")
    assert not holds("Per 7: 188.2 / 7 = 26.89")


def test_nothing_shown_is_nothing_checked() -> None:
    assert not holds()
