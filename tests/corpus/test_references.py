"""Section numbers, rules, share classes and dates: whole, one term for all writings, found by what they belong to."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from apps.corpus.terms import counted_otherwise, folded, terms

SMALL = st.integers(1, 99)
LETTERS = st.sampled_from("abcdefghjlnp")
HYPHENS = "-\u2010\u2011\u2012\u2013\uff0d"
PLACES = ("Section", "\u00a7", "Note", "Clause", "Article", "Exhibit", "Ziffer", "Abschnitt", "Anlage")


def either(text: str) -> list[str]:
    """The terms of what is the same in both languages."""
    found = terms(text, "en")
    assert terms(text, "de") == found
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7.1.2", ["7.1.2"]),
        ("(see 7.1.2.)", ["see", "7.1.2"]),
        ("7.1.20", ["7.1.20"]),
        ("7.100.20", ["7.100.20"]),
        ("\u00a7 12.3.1", ["12.3.1"]),
        ("\u00a7\u00a0 12.3.1", ["12.3.1"]),
        ("Section 4.2(b)", ["section", "4.2(b)", "4.2"]),
        ("Section 4.2 (b)", ["section", "4.2(b)", "4.2"]),
        ("section 6.1(a)(ii)", ["section", "6.1(a)(ii)", "6.1(a)", "6.1"]),
        ("Section 13(d) of the Act", ["section", "13(d)", "13", "act"]),
        ("Note 14.2", ["note", "14.2"]),
        ("Note 14.20", ["note", "14.20"]),
        ("Exhibit 99.10", ["exhibit", "99.10"]),
        ("Sections 4.9 and 4.10", ["section", "4.9", "4.10"]),
        ("Sections 4.2-4.5", ["section", "4.2", "4.5"]),
        ("\u00a7 229.303", ["229.303"]),
        ("Section 1.100", ["section", "1.100"]),
        ("v1.2.3", ["v1.2.3"]),
        ("2.10.3", ["2.10.3"]),
        ("A.1.2", ["a.1.2"]),
        ("192.168.0.1", ["192.168.0.1"]),
    ],
)
def test_section_numbers_are_whole(text: str, expected: list[str]) -> None:
    assert terms(text, "en") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ziffer 7.1.2", ["ziff", "7.1.2"]),
        ("Abschnitt 4.10", ["abschnitt", "4.10"]),
        ("\u00a7\u00a7 4.9 und 4.10", ["4.9", "4.10"]),
        ("MaRisk BT 2.1.3", ["marisk", "bt", "2.1.3"]),
        ("\u00a7 25a Abs. 1 KWG", ["25a", "abs", "1", "kwg"]),
        ("\u00a7 64a", ["64a"]),
    ],
)
def test_german_section_numbers_are_whole(text: str, expected: list[str]) -> None:
    assert terms(text, "de") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10b-5", ["10b-5", "10b"]),
        ("17a-4", ["17a-4", "17a"]),
        ("15c3-1", ["15c3-1", "15c3"]),
        ("10b5-1", ["10b5-1", "10b5"]),
        ("13a-15(f)", ["13a-15(f)", "13a-15", "13a"]),
        ("12g3-2(b)", ["12g3-2(b)", "12g3-2", "12g3"]),
        ("206(4)-7", ["206(4)-7", "206(4)", "206"]),
        ("17 CFR 240.10b-5", ["17", "cfr", "240.10b-5", "10b-5", "10b"]),
        ("\u00a7 240.10b-5", ["240.10b-5", "10b-5", "10b"]),
        ("\u00a7 1.409A-3(j)", ["1.409a-3(j)", "409a-3(j)", "409a-3", "409a"]),
    ],
)
def test_rules_are_whole_and_found_by_what_they_are_part_of(text: str, expected: list[str]) -> None:
    assert either(text) == expected


@pytest.mark.parametrize("text", ["BRK.B", "BRK-B", "brk-b", "BRK\u2011B", "brk.b"])
def test_a_share_class_has_one_term_and_its_parts(text: str) -> None:
    assert either(text) == ["brkb", "brk", "b"]


def test_the_two_writings_of_other_share_classes_meet_too() -> None:
    assert either("BF-B") == either("BF.B") == ["bfb", "bf", "b"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Class-B shares", ["class", "b", "share"]),
        ("Series-C", ["seri", "c"]),
        ("year-over-year", ["year", "over", "year"]),
        ("long-term", ["long", "term"]),
        ("Q4-2024", ["q4", "2024", "q42024"]),
        ("1H-23", ["1h", "23"]),
        ("2nd-3", ["2nd", "3"]),
        ("as-a-service", ["servic"]),
        ("212-555-1234", ["212", "555", "1234"]),
        ("COVID-19", ["covid", "19"]),
        ("U.S.", ["us"]),
    ],
)
def test_ordinary_hyphens_and_points_are_read_as_before(text: str, expected: list[str]) -> None:
    assert terms(text, "en") == expected


@pytest.mark.parametrize("text", ["10-K", "10\u2011K", "10\u2010k", "10\u2013K"])
def test_a_form_has_one_term_with_any_hyphen(text: str) -> None:
    assert either(text) == ["10k"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("31.12.2023", ["31.12", "2023"]),
        ("31.12.23", ["31.12", "2023"]),
        ("31/12/2023", ["31", "12", "2023"]),
        ("2023-12-31", ["2023", "12", "31"]),
        ("2023.12.31", ["2023", "12", "31"]),
        ("01.03.2024", ["1.3", "2024"]),
        ("1.3.2024", ["1.3", "2024"]),
        ("30.10.2024", ["30.10", "2024"]),
        ("Section 4.2, 31.12.2023", ["section", "4.2", "31.12", "2023"]),
    ],
)
def test_dates_give_their_year(text: str, expected: list[str]) -> None:
    assert terms(text, "en") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.234.567", ["1234567"]),
        ("1.234.567,89", ["1234567.89"]),
        ("Anlagen 1.234.567", ["anlag", "1234567"]),
        ("Anlagen 1.500", ["anlag", "1500"]),
        ("Schuldverschreibungen Nr. 4,50 %", ["schuldverschreib", "nr", "4.5%"]),
    ],
)
def test_german_amounts_are_no_sections(text: str, expected: list[str]) -> None:
    assert terms(text, "de") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,577.0", ["1577"]),
        ("1,577(a)", ["1577"]),
        ("Senior Notes 3.50% due 2028", ["senior", "note", "3.5%", "due", "2028"]),
        ("Notes 3.50 per cent", ["note", "3.5%"]),
        ("under Section 4.2, 3.50% notes", ["under", "section", "4.2", "3.5%", "note"]),
        ("Notes 2.50 billion", ["note", "2.5", "billion"]),
        ("Note 12\n(a) in billions", ["note", "12", "billion"]),
    ],
)
def test_amounts_beside_such_words_stay_amounts(text: str, expected: list[str]) -> None:
    assert terms(text, "en") == expected


@pytest.mark.parametrize("text", ["4.10 Taxes", "Fees\n4.10 Taxes", "3M \u00b7 10-K \u00b7 4.10 Taxes \u00b7 page 3"])
def test_a_headings_number_is_found_with_its_zeros(text: str) -> None:
    """And as the amount that it may be, since a line can begin with one."""
    assert {"4.10", "4.1"} <= set(terms(text, "en"))
    assert "4.10" in terms("What does Section 4.10 say?", "en")


def test_amounts_within_a_line_have_no_zeros() -> None:
    assert terms("a multiple of 4.10 times", "en") == ["multipl", "4.1", "time"]
    assert terms("12.50 percent of it", "en") == ["12.5%"]


@pytest.mark.parametrize(
    "text",
    [
        *("US0378331005", "DE000BAY0017", "GB0002634946", "XS2021832634", "FR0000120271", "CH0012005267"),
        *("529900T8BM49AURSDO55", "213800WAVVOPS85N2205", "HWUPKR0MPOU8FGXBT394", "5493001KJTIIGC8Y1R12"),
    ],
)
def test_identifiers_of_securities_and_entities_are_whole(text: str) -> None:
    assert either(f"({text}).") == [text.lower()]


@pytest.mark.slow
@given(text=st.from_regex(r"[A-Z]{2}[A-Z0-9]{9}[0-9]|[A-Z0-9]{18}[0-9]{2}", fullmatch=True))
def test_any_isin_and_lei_is_one_term(text: str) -> None:
    assert text.isascii()
    assert either(f"ISIN: {text}, LEI")[1:-1] == [text.lower()]


# --- what holds for all of them ---


@given(parts=st.lists(SMALL, min_size=3, max_size=5), place=st.sampled_from(("", *PLACES)))
def test_a_number_of_three_parts_is_one_term_with_and_without_its_word(parts: list[int], place: str) -> None:
    number = ".".join(map(str, parts))
    assume(terms(number, "en") == [number])  # else it is a date
    assert terms(f"{place} {number}", "en")[-1] == number
    assert terms(f"{place} {number}", "de")[-1] == number


@given(first=SMALL, second=st.integers(1, 9), place=st.sampled_from(PLACES))
def test_two_sections_never_have_the_same_term(first: int, second: int, place: str) -> None:
    assert terms(f"{place} {first}.{second}", "en")[-1] == f"{first}.{second}"
    assert terms(f"{place} {first}.{second}0", "en")[-1] == f"{first}.{second}0"


@given(number=SMALL, letter=LETTERS, last=SMALL, hyphen=st.sampled_from(HYPHENS))
def test_a_rules_hyphen_may_be_any(number: int, letter: str, last: int, hyphen: str) -> None:
    assume(not (letter == "h" and number < 5))
    assert terms(f"Rule {number}{letter.upper()}{hyphen}{last}", "en")[1:] == [
        f"{number}{letter}-{last}",
        f"{number}{letter}",
    ]


@given(
    root=st.from_regex(r"[A-Z]{2,6}", fullmatch=True),
    letter=st.sampled_from("BCDEFGHJK"),
    mark=st.sampled_from("-\u2011."),
)
def test_hyphens_and_points_lose_no_part_of_a_word(root: str, letter: str, mark: str) -> None:
    parts = {*terms(root, "en"), *terms(letter, "en")}
    found = terms(f"the {root}{mark}{letter} is", "en")
    if mark != "." and root.lower() != "as":
        assert parts <= set(found)
    assert terms(f"{root}-{letter}".lower(), "en") == terms(f"{root}-{letter}", "en")


EXPRESSIONS = st.one_of(
    st.builds("{} {}.{}({})".format, st.sampled_from(PLACES), SMALL, SMALL, LETTERS),
    st.builds("{}.{}.{}".format, SMALL, SMALL, SMALL),
    st.builds("{}{}-{}".format, SMALL, LETTERS, SMALL),
    st.builds("{}-{}".format, st.from_regex(r"[A-Z]{2,5}", fullmatch=True), LETTERS.map(str.upper)),
    st.dates().map(lambda date: date.strftime("%d.%m.%Y")),
    st.integers(0, 10**9).map("{:,}".format),
    st.sampled_from(["drawdown", "Q4 2024", "fiscal 2018", "12.5 %", "10-K", "long-term"]),
)


@given(expressions=st.lists(EXPRESSIONS, min_size=1, max_size=4), language=st.sampled_from(["en", "de"]))
def test_neighbours_in_a_sentence_change_nothing_of_each_other(expressions: list[str], language: str) -> None:
    apart = [term for each in expressions for term in terms(f"was {each}", language)]
    assert sorted(terms(" | ".join(f"was {each}" for each in expressions), language)) == sorted(apart)


@pytest.mark.slow
@given(expression=EXPRESSIONS, language=st.sampled_from(["en", "de"]))
def test_capitals_and_wide_letters_change_nothing(expression: str, language: str) -> None:
    """Wide letters, as in texts from East Asia, are others until they are normalised (NFKC)."""
    wide = "".join(chr(ord(each) + 0xFEE0) if "!" <= each <= "~" else each for each in expression)
    found = terms(expression, language)
    assert terms(expression.upper(), language) == terms(expression.lower(), language) == found
    assert terms(wide, language) == found


@pytest.mark.slow
@given(text=st.text(max_size=120), language=st.sampled_from(["en", "de"]))
def test_a_text_that_is_folded_has_the_same_terms(text: str, language: str) -> None:
    assert folded(folded(text)) == folded(text)
    assert terms(folded(text), language) == terms(text, language)


def test_capitals_without_a_composed_form_are_folded_too() -> None:
    assert folded("H\u0331") == folded("\u1e96") == "\u1e96"


@given(expression=EXPRESSIONS, language=st.sampled_from(["en", "de"]))
def test_every_term_can_be_stored(expression: str, language: str) -> None:
    assert all(0 < len(term) <= 64 and not any(map(str.isspace, term)) for term in terms(expression, language))


@pytest.mark.parametrize("text", ["\u00df" * 70, "9" * 80 + "%", f"Section 4.2{'(viii)' * 30}", "a" * 70])
def test_the_longest_terms_can_be_stored(text: str) -> None:
    assert all(len(term) <= 64 for language in ("en", "de") for term in terms(text, language))


# --- what the analysis before this one made of it ---


@pytest.mark.parametrize(
    "text", ["7.1.2", "Note 14.20", "Rule 10b-5", "Section 4.2(b)", "BRK-B", "10\u2011K", "30.10.2023"]
)
def test_what_was_cut_apart_before_is_known(text: str) -> None:
    assert counted_otherwise(f"What does {text} say?", "en")


@pytest.mark.parametrize(
    "text",
    [
        "drawdown in Q4 2024",
        "the 10-K",
        "Note 14.2",
        "\u00a7 64a",
        "31.12.2023",
        "long-term",
        "1.234.567",
        "US0378331005",
    ],
)
def test_what_has_the_same_terms_as_before_is_known(text: str) -> None:
    assert not counted_otherwise(f"What does {text} say?", "en")
