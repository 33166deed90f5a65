"""Which kind of answer a question asks for, and how far a sentence has its form."""

from __future__ import annotations

import pytest

from apps.corpus.extraction.language import language_of_question
from apps.retrieval.contracts import AnswerKind, Quote
from apps.retrieval.stages.question.answer_kind import read_answer_kind
from apps.retrieval.stages.quoting.fit import fits_kind

KINDS = [
    ("Why did the margin fall?", AnswerKind.REASON),
    ("Was hat den Rückgang verursacht? Was waren die Gründe?", AnswerKind.REASON),
    ("How often does the board meet?", AnswerKind.DURATION),
    ("Wie lange bewahren wir Akten auf?", AnswerKind.DURATION),
    ("When was the fund launched?", AnswerKind.DATE),
    ("How much may we hold in cash?", AnswerKind.NUMBER),
    ("Wie hoch ist die Gebühr?", AnswerKind.NUMBER),
    ("Who signs a marketing document?", AnswerKind.NAME),
    ("Which auditor signed the report?", AnswerKind.NAME),
    ("Was versteht man unter einem Ausreißer?", AnswerKind.DEFINITION),
    ("Which instruments are excluded?", AnswerKind.LIST),
    ("Which disclaimer goes on a report for investors?", AnswerKind.TEXT),
    ("May the fund borrow money?", AnswerKind.YES_NO),
    ("Darf der Fonds Kredite aufnehmen?", AnswerKind.YES_NO),
    ("World Equity fund: fee for redemptions", AnswerKind.NUMBER),
    ("Wofür darf das Geld ausgegeben werden?", AnswerKind.TEXT),
    ("What must the board do if the ratio drops below 180%?", AnswerKind.TEXT),
    ("Tell me whether the fund may borrow", AnswerKind.YES_NO),
    ("Could you tell me who keeps the register?", AnswerKind.NAME),
    ("What do I do when I feel ill?", AnswerKind.TEXT),
    ("Which tolerance holds when weighing a parcel?", AnswerKind.TEXT),
    ("To whom is a leak reported, and when?", AnswerKind.DATE),
    ("By when are the books closed?", AnswerKind.DATE),
    ("By which law is the lease governed?", AnswerKind.NAME),
    ("By which day is the report due?", AnswerKind.DATE),
]


def quote(text: str) -> Quote:
    return Quote(ref_id="a", text=text, start=0, end=len(text), columns="")


@pytest.mark.parametrize(("text", "kind"), KINDS)
def test_the_form_of_a_question_tells_the_kind_of_answer(text: str, kind: AnswerKind) -> None:
    assert read_answer_kind(text, language=language_of_question(text)) is kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("How do we calculate the maximum drawdown?", AnswerKind.TEXT),
        ("How is value at risk estimated?", AnswerKind.TEXT),
        ("Wie wird der maximale Drawdown berechnet?", AnswerKind.TEXT),
        ("Wie berechnen wir die Volatilität?", AnswerKind.TEXT),
        ("What was the fund's maximum drawdown in the quarter?", AnswerKind.NUMBER),
        ("How much was the net income?", AnswerKind.NUMBER),
        ("Net income of Tessaro Chips in 2023", AnswerKind.NUMBER),
    ],
)
def test_of_a_figure_its_value_is_asked_for_unless_the_way_to_it_is(text: str, kind: AnswerKind) -> None:
    assert read_answer_kind(text, wants_number=True) is kind


@pytest.mark.parametrize(
    ("kind", "fitting", "other"),
    [
        (AnswerKind.NUMBER, "The fee is 0.75 %.", "The fee is low."),
        (AnswerKind.DATE, "The fund was launched on 2 April 2012.", "The fund was launched in Luxembourg."),
        (AnswerKind.DATE, "A price is an outlier when it differs by five deviations.", "A price is kept."),
        (AnswerKind.DURATION, "A breach is cured within ten trading days.", "A breach is cured at the firm's cost."),
        (AnswerKind.DATE, "The books are closed by the third working day.", "The books are closed by finance."),
        (AnswerKind.DATE, "The lessee pays at the end of each month.", "The lessee pays in cash."),
        (AnswerKind.DATE, "Ein Leck wird binnen drei Tagen gemeldet.", "Ein Leck wird schriftlich gemeldet."),
        (AnswerKind.DURATION, "The lease runs until 31 March 2027.", "The lease was signed on 31 March 2027."),
        (AnswerKind.DURATION, "A comment has 200 characters at most.", "A comment has an author."),
        (AnswerKind.REASON, "Sales fell because a plant was closed.", "Sales fell by a tenth."),
        (AnswerKind.DEFINITION, "An outlier is a price that differs by far.", "Prices come from two vendors."),
        (AnswerKind.NAME, "It is signed by Fanny Lux, the head of reporting.", "It is signed by hand."),
    ],
)
def test_a_sentence_of_the_form_asked_for_fits_better(kind: AnswerKind, fitting: str, other: str) -> None:
    assert fits_kind(kind, quote(fitting)) > fits_kind(kind, quote(other))
