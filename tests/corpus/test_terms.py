"""The terms of texts: one writing for numbers and periods, stems for words."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.corpus.terms import term_frequencies, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,577", ["1577"]),
        ("$1,577.0", ["1577"]),
        ("(1,577)", ["1577"]),
        ("1577", ["1577"]),
        ("1,234,567.89", ["1234567.89"]),
        ("12.50%", ["12.5%"]),
        ("12.5 percent", ["12.5%"]),
        ("12.5 per cent", ["12.5%"]),
        ("0.750", ["0.75"]),
        ("$3.2bn", ["3.2", "billion"]),
        ("3.2 billion", ["3.2", "billion"]),
        ("1'577.50", ["1577.5"]),
        ("\u0661\u0662", ["\u0661\u0662"]),
    ],
)
def test_numbers_have_one_writing(text: str, expected: list[str]) -> None:
    assert terms(text, "en") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1.577,50", ["1577.5"]), ("3,1 %", ["3.1%"]), ("1.577", ["1577"]), ("3,10 Prozent", ["3.1%"])],
)
def test_german_numbers_are_read_as_such(text: str, expected: list[str]) -> None:
    assert terms(text, "de") == expected


@pytest.mark.parametrize(
    "text", ["FY18", "FY2018", "FY 2018", "FY'18", "fiscal 2018", "fiscal year 2018", "year ended December 31, 2018"]
)
def test_fiscal_years_have_one_term_and_the_year(text: str) -> None:
    assert {"fy2018", "2018"} <= set(terms(text, "en"))


@pytest.mark.parametrize(
    "text",
    [
        "Q4 2024",
        "Q4 24",
        "4Q24",
        "4Q 2024",
        "2024Q4",
        "2024-Q4",
        "fourth quarter of 2024",
        "Q4 of FY2024",
        "fourth fiscal quarter 2024",
    ],
)
def test_quarters_have_one_term_beside_quarter_and_year(text: str) -> None:
    assert {"q4", "2024", "q42024"} <= set(terms(text, "en"))


def test_quarters_of_two_years_differ() -> None:
    assert "q42023" not in terms("drawdown in Q4 2024", "en")


def test_quarter_without_year_is_kept() -> None:
    assert terms("Q3", "en") == ["q3"]


def test_german_quarters_and_years() -> None:
    assert {"q4", "2024", "q42024", "fy2023"} <= set(terms("im 4. Quartal 2024, nach dem Geschäftsjahr 2023", "de"))


@pytest.mark.parametrize("text", ["fiscal 2018", "FY2018", "4Q24"])
def test_a_year_is_counted_once(text: str) -> None:
    counts = term_frequencies(text, "en")
    assert max(counts.values()) == 1


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("Item 7A", "7a"),
        ("Item 1B", "1b"),
        ("the 10-K", "10k"),
        ("a 10K", "10k"),
        ("ISIN US0378331005", "us0378331005"),
        ("(NYSE: MMM)", "mmm"),
        ("3M Company", "3m"),
        ("PP&E", "ppe"),
        ("U.S.", "us"),
        ("Level 3", "3"),
        ("COVID-19", "19"),
        ("\ufb01nance", "financ"),
    ],
)
def test_names_and_marks_are_kept(text: str, term: str) -> None:
    assert term in terms(text, "en")


@pytest.mark.parametrize(
    ("one", "other"),
    [("purchases", "purchase"), ("company\u2019s", "company"), ("LIMITS", "limit"), ("dividends", "Dividend")],
)
def test_words_meet_in_their_stem(one: str, other: str) -> None:
    assert terms(one, "en") == terms(other, "en")


def test_german_words_meet_in_their_stem() -> None:
    assert terms("Verlustschwellen", "de") == terms("Verlustschwelle", "de")


def test_stop_words_are_left_out() -> None:
    assert terms("what was the drawdown of it?", "en") == ["drawdown"]


def test_unknown_language_is_read_as_english() -> None:
    assert terms("drawdowns", "") == terms("drawdowns", "en")


def test_nothing_gives_nothing() -> None:
    assert terms(" \n\t .,;", "en") == []


def test_frequencies_sum_to_the_length() -> None:
    text = "The fund's drawdown was 4.2% in Q4 2024; the limit was 5%."
    assert term_frequencies(text, "en").total() == len(terms(text, "en"))


@pytest.mark.slow
@given(text=st.text(max_size=200), language=st.sampled_from(["en", "de", ""]))
@settings(max_examples=300)
def test_any_text_gives_storable_terms(text: str, language: str) -> None:
    found = terms(text, language)
    assert found == terms(text, language)
    assert all(term and not term.isspace() and len(term) <= 65 for term in found)


@given(value=st.integers(0, 10**12))
def test_group_marks_do_not_matter(value: int) -> None:
    assert terms(f"{value:,}", "en") == terms(str(value), "en") == [str(value)]


def test_threads_agree() -> None:
    words = [f"purchas{ending}" for ending in ("e", "es", "ed", "ing", "er")] * 50
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: terms(" ".join(words), "en"), range(16)))
    assert all(result == results[0] for result in results)
