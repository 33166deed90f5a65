"""Finding a name in a text: in all its writings, with slips of the pen, and not where somebody else is meant."""

from __future__ import annotations

import unicodedata
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.privacy.people.contracts import How, Match, Matched, PersonDescription, PersonName
from apps.privacy.people.matching import Matcher
from tests.corpus.people_corpus import SUBJECTS, Corpus, Planted, Subject, corpus_of

PERSON = PersonDescription(
    names=(PersonName(full="Dr. Anna-Lena Müller-Schmidt"), PersonName(given="John Michael", family="Doe")),
    aliases=("Johnny", "Anna Meier", "Ursula von der Leyen", "Pat O'Brien", "Karl Groß", "Eva Schneider-Lang"),
    words=("Projekt Gänseblümchen", "Box 4711"),
    emails=("j.müller@example.com",),
    accounts=("K-12/34",),
)
MATCHER = Matcher(PERSON)


def found(text: str, matcher: Matcher = MATCHER) -> list[str]:
    return [text[match.start : match.end] for match in matcher.find(text)]


def only(text: str) -> Match:
    (match,) = MATCHER.find(text)
    return match


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Then John Doe said", "John Doe"),
        ("JOHN DOE", "JOHN DOE"),
        ("by john  doe.", "john  doe"),
        ("John\u00a0Doe", "John\u00a0Doe"),
        ("John\nDoe", "John\nDoe"),
        ("Doe, John", "Doe, John"),
        ("Doe, Dr. John", "Doe, Dr. John"),
        ("John Doe's account", "John Doe"),
        ("John M. Doe", "John M. Doe"),
        ("John Q. Doe", "John Q. Doe"),
        ("contract_doe_john.pdf", "doe_john"),
        ("write to john.doe@other.example", "john.doe"),
        ("johndoe@other.example", "johndoe"),
        ("Anna-Lena Müller-\nSchmidt", "Anna-Lena Müller-\nSchmidt"),
        ("Anna Lena Mueller Schmidt", "Anna Lena Mueller Schmidt"),
        ("Frau Anna-Lena Mu\u0308ller-Schmidt", "Anna-Lena Mu\u0308ller-Schmidt"),
        ("Anna Mei-\ner", "Anna Mei-\ner"),
        ("An-\nna Mei-\ner", "An-\nna Mei-\ner"),
        ("An\u00adna Mei\u00ader", "An\u00adna Mei\u00ader"),
        ("Anna Meiers Konto", "Anna Meiers"),
        ("Ursula von der Leyen", "Ursula von der Leyen"),
        ("von der Leyen, Ursula", "von der Leyen, Ursula"),
        ("Ursula Leyen", "Ursula Leyen"),
        ("Pat O\u2019Brien", "Pat O\u2019Brien"),
        ("Pat OBrien", "Pat OBrien"),
        ("KARL GROSS", "KARL GROSS"),
    ],
)
def test_a_name_is_certain_in_every_way_that_it_is_written(text: str, expected: str) -> None:
    match = only(text)
    assert (text[match.start : match.end], match.is_certain, match.how) == (expected, True, How.EXACT)


@pytest.mark.parametrize(
    ("text", "expected", "how"),
    [
        ("J. Doe", "J. Doe", How.VARIANT),
        ("Doe, J. M.", "Doe, J. M", How.VARIANT),
        ("JM Doe", "JM Doe", How.VARIANT),
        ("then John D. left", "John D", How.VARIANT),
        ("Anna Meyer", "Anna Meyer", How.VARIANT),
        ("Anna Mayr", "Anna Mayr", How.VARIANT),
        ("Jhon Doe", "Jhon Doe", How.FUZZY),
        ("John Deo", "John Deo", How.FUZZY),
        ("Anna Meeier", "Anna Meeier", How.FUZZY),
        ("to Mr Doe", "Doe", How.EXACT),
        ("Doe & Sons", "Doe", How.EXACT),
        ("John Peter Doe", "John Peter Doe", How.EXACT),
        ("Johnny came", "Johnny", How.EXACT),
        ("projekt gaensebluemchen", "projekt gaensebluemchen", How.EXACT),
        ("box-4711", "box-4711", How.EXACT),
    ],
)
def test_what_may_mean_somebody_else_is_reported_as_uncertain(text: str, expected: str, how: How) -> None:
    match = only(text)
    assert (text[match.start : match.end], match.is_certain, match.how) == (expected, False, how)


@pytest.mark.parametrize(
    "text", ["", "Does the fund hold cash?", "does it", "a dose", "John went", "Anna came", "An die"]
)
def test_other_words_are_not_reported(text: str) -> None:
    assert found(text) == []


def test_two_people_of_a_list_are_no_certain_mention_of_a_third() -> None:
    assert not any(match.is_certain for match in MATCHER.find("Peter Meier, Anna Schulz and Jane Doe, John Smith"))


def test_another_persons_family_name_is_less_likely_than_the_name_alone() -> None:
    assert (
        only("so P. Meier wrote").confidence < only("so Meier wrote").confidence < only("so Mrs Meier wrote").confidence
    )


def test_a_whole_name_makes_the_family_name_on_the_same_page_likelier() -> None:
    _, alone = MATCHER.find("Anna Meier called. Later Meier wrote.")
    assert alone.confidence > only("Later Meier wrote.").confidence
    assert not alone.is_certain


def test_a_row_with_both_names_in_fields_of_their_own_gives_both() -> None:
    matches = MATCHER.find("id: 7 | first name: Anna | last name: Meier | city: Bonn")
    assert [(match.how, match.matched, match.is_certain) for match in matches] == [
        (How.VARIANT, Matched.ALIAS, False),
        (How.EXACT, Matched.ALIAS, False),
    ]


def test_what_is_known_of_a_person_is_in_no_repr() -> None:
    assert "Doe" not in repr(PERSON)
    assert "Doe" not in repr(PERSON.names)


# --- measured on a seeded corpus ---


class _Measured:
    """Over all subjects and seeds: what was planted, what of it was found, and what else was."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.missed: list[str] = []
        for subject in SUBJECTS:
            matcher = Matcher(subject.person)
            for seed in range(3):
                self._measure(subject, matcher, corpus_of(subject, seed=seed))

    def _measure(self, subject: Subject, matcher: Matcher, corpus: Corpus) -> None:
        planted = {each.page: each for each in corpus.planted}
        for number, text in enumerate(corpus.pages):
            matches = matcher.find(text)
            there = planted.get(number)
            if there is not None:
                self._count(there, matches, f"{subject.family}: {there.form}")
            for match in matches:
                is_right = there is not None and match.start < there.end and there.start < match.end
                kind = "certain" if match.is_certain else "likely" if match.confidence >= 0.5 else "unlikely"
                self.counts[f"{kind}, right" if is_right else f"{kind}, wrong"] += 1

    def _count(self, there: Planted, matches: list[Match], form: str) -> None:
        covered = sum(max(0, min(match.end, there.end) - max(match.start, there.start)) for match in matches)
        kind = "misspelt" if there.misspelt else "exact"
        self.counts[kind] += 1
        if 2 * covered >= there.end - there.start:
            self.counts[f"{kind}, found"] += 1
        else:
            self.missed.append(form)

    def share(self, part: str, whole: str) -> float:
        return self.counts[part] / self.counts[whole]


@pytest.fixture(scope="module")
def measured() -> _Measured:
    measured = _Measured()
    print(dict(measured.counts), measured.missed)
    return measured


def test_every_exact_mention_of_the_corpus_is_found(measured: _Measured) -> None:
    assert measured.counts["exact"] >= 250
    assert measured.share("exact, found", "exact") == 1.0, measured.missed


def test_95_percent_of_the_misspelt_mentions_are_found(measured: _Measured) -> None:
    assert measured.counts["misspelt"] >= 250
    assert measured.share("misspelt, found", "misspelt") >= 0.95, measured.missed


def test_what_is_certain_is_right(measured: _Measured) -> None:
    right, wrong = measured.counts["certain, right"], measured.counts["certain, wrong"]
    assert right / (right + wrong) >= 0.99


def test_what_is_likely_is_right_more_often_than_not(measured: _Measured) -> None:
    right, wrong = measured.counts["likely, right"], measured.counts["likely, wrong"]
    assert right / (right + wrong) >= 0.5


# --- for any text ---

_PIECES = st.sampled_from(
    [
        "John",
        "Doe",
        "Anna",
        "Meier",
        "Mu\u0308ller",
        "MÜLLER",
        "Schmidt",
        "-\n",
        " ",
        ", ",
        ". ",
        "'",
        "\u00ad",
        "ß",
        "J",
        "\u0130",
    ]
)
_TEXTS = st.one_of(st.text(max_size=80), st.lists(st.one_of(_PIECES, st.text(max_size=4)), max_size=25).map("".join))


@pytest.mark.slow
@given(_TEXTS)
@settings(max_examples=200, deadline=None)
def test_spans_lie_within_the_text_in_order_and_apart(text: str) -> None:
    matches = MATCHER.find(text)
    edges = [edge for match in matches for edge in (match.start, match.end)]
    assert edges == sorted(edges)
    assert all(0 <= match.start < match.end <= len(text) for match in matches)
    assert all(0 < match.confidence <= 1 for match in matches)


@pytest.mark.slow
@given(_TEXTS)
@settings(max_examples=200, deadline=None)
def test_the_quick_look_never_says_no_where_something_is_found(text: str) -> None:
    assert MATCHER.find(text) == MATCHER.read(text)


_WITHOUT_LETTERS = st.text(alphabet=" .,;()0123456789\n\u2028€\U0001f600", max_size=20)


@pytest.mark.slow
@given(_WITHOUT_LETTERS, st.sampled_from(["NFC", "NFD"]), _WITHOUT_LETTERS, st.booleans())
@settings(max_examples=100, deadline=None)
def test_a_match_points_at_the_original_characters_however_they_are_composed(
    before: str, form: str, after: str, upper: bool
) -> None:
    name = unicodedata.normalize(form, "Anna-Lena Müller-Schmidt")  # type: ignore[arg-type]
    name = name.upper() if upper else name
    assert found(f"{before} {name} {after}") == [name]
