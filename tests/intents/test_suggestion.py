"""Which questions the passages of documents give: of headings, rows and terms, and never one that may name a person."""

from __future__ import annotations

from uuid import UUID

import pytest

from apps.intents.suggestion import Found, SourcePassage, make_questions

DOCUMENT = UUID(int=1)


def passage(text: str, *, section: str = "", language: str = "en", page: int = 1) -> SourcePassage:
    return SourcePassage(document_id=DOCUMENT, title="Rules", page=page, section=section, text=text, language=language)


def texts(*passages: SourcePassage) -> list[str]:
    return [each.text for each in make_questions(passages)]


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("Early repayment", "What do our documents say about early repayment?"),
        ("2.1 Early repayment", "What do our documents say about early repayment?"),
        ("What is covered", "What is covered?"),
        ("When a limit is breached", "What happens when a limit is breached?"),
        ("KYC checks", "What do our documents say about KYC checks?"),
    ],
)
def test_a_heading_gives_a_question(heading: str, question: str) -> None:
    said = f"{heading}\nAn early repayment is free. A limit holds, and checks come first; ask what is open, and when."
    assert texts(passage(said)) == [question]


def test_a_row_with_a_figure_and_a_defined_term_give_questions_with_their_place() -> None:
    made = make_questions(
        [
            passage(
                "Management fee | 0.85 %\nDealing | each day\ndataset: fees | rows: 12\n"
                "A covenant means a promise in a loan agreement.",
                page=3,
            ),
            passage("The management fee is low, and each covenant is kept.", page=4),
        ]
    )
    assert [(each.text, each.found, each.source, each.page) for each in made] == [
        ("What is the figure for management fee?", Found.ROW, "Management fee", 3),
        ("What does “covenant” mean?", Found.TERM, "covenant", 3),
    ]


def test_german_documents_give_german_questions() -> None:
    said = "Kündigungsfrist\nDie Kündigungsfrist beträgt sechs Monate.\nAbschlag | 5 %\n„Verzug“ bedeutet Verspätung."
    beside = "Für den Abschlag gilt das, und beim Verzug auch."
    assert texts(passage(said, language="de"), passage(beside, language="de")) == [
        "Was steht in unseren Unterlagen zu Kündigungsfrist?",
        "Welche Zahl gilt für Abschlag?",
        "Was bedeutet „Verzug“?",
    ]


@pytest.mark.parametrize(
    "heading",
    [
        "Lena Voss",
        "Complaint of Lena Voss",
        "Complaint of Voss",
        "VOSS LENA",
        "Grace Brown",
        "Mr voss",
        "Voss, complaint",
        "lena.voss@example.com",
        "Call 0171 2345678",
        "AT61 1904 3002 3457 3201",
    ],
)
def test_what_may_name_a_person_gives_no_question(heading: str) -> None:
    said = f"{heading}\nA complaint of a client, with grace, on brown paper. We call back."
    assert texts(passage(said, section=heading)) == []


def test_the_label_of_a_row_about_people_gives_no_question() -> None:
    assert (
        texts(passage("Date of birth | 1 May 1970\nSalary | 60,000\nThe salary and the date of birth are kept.")) == []
    )


@pytest.mark.parametrize("heading", ["Beschwerde von Voss", "Lena Voss", "Frau Voss"])
def test_a_name_in_german_is_no_common_noun_for_its_capital(heading: str) -> None:
    said = f"{heading}\nEine Beschwerde wird beantwortet. Lena Voss wohnt in Wien."
    assert texts(passage(said, language="de")) == []


@pytest.mark.parametrize("heading", ["Summary", "Kurzfassung", "Notes", "Report 2024", "A", "x" * 61])
def test_what_says_nothing_gives_no_question(heading: str) -> None:
    assert texts(passage(f"{heading}\nThe summary notes a report, die Kurzfassung auch.")) == []


def test_a_line_of_a_paragraph_is_no_heading() -> None:
    assert texts(passage("The fee is charged each month and is\npaid by the fund to\nthe manager at once.")) == []


def test_a_phrase_that_texts_use_in_lower_case_may_have_capitals_in_a_heading() -> None:
    said = "Risk Factors\nThe risk factors of an issuer are read each year."
    assert texts(passage(said)) == ["What do our documents say about risk factors?"]


def test_the_same_question_is_made_once_and_words_of_the_policy_are_common_words() -> None:
    twice = [passage("Liquidity\nIt is kept.", page=1), passage("Liquidity\nIt is kept.", page=2)]
    assert make_questions(twice) == ()
    (made,) = make_questions(twice, ["what the fund keeps as liquidity"])
    assert made.page == 1
