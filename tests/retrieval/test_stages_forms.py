"""Questions of a form that a sentence of another form answers, and sentences that only look as if they did.

Of each form the first questions are answered by the sentence and the last ones are not: it has the same words and gives
something else.
"""

from __future__ import annotations

import pytest

from apps.corpus.extraction.language import language_of_question
from apps.retrieval.contracts import AnswerKind, GeneratedAnswer
from apps.retrieval.generation.extractive import ExtractiveGenerator
from apps.retrieval.stages.question.answer_kind import read_answer_kind
from tests.retrieval.builders import analysed, candidate, context_of, document

BESIDE = (
    "The canteen serves lunch from noon.",
    "Bicycles stand in the yard behind the gate.",
    "Der Hof wird am Abend abgeschlossen.",
)


def asked(question: str, *texts: str) -> GeneratedAnswer:
    """Return what is said to a question from these texts and others, each a document of its own."""
    analysis = analysed(question, language=language_of_question(question))
    found = [
        candidate(text, number, facts=document(number, title="papers", company="", fiscal_year=None))
        for number, text in enumerate((*texts, *BESIDE), start=1)
    ]
    return ExtractiveGenerator().generate(analysis, context_of(analysis, found))


def is_answered(question: str, *texts: str) -> bool:
    """Return whether a question is answered, and from the first of the texts."""
    said = asked(question, *texts)
    return not said.closest and said.refusal is None and all(each.text in texts[0] for each in said.quotes)


@pytest.mark.parametrize(
    ("question", "text", "answered"),
    [
        ("Which boats are refused by the harbour?", "Boats of more than nine metres are refused by the harbour.", True),
        (
            "Which invoices are signed by the treasurer?",
            "Invoices above 4,000 euros are signed by the treasurer.",
            True,
        ),
        (
            "Welche Rechnungen werden vom Kassenwart geprüft?",
            "Rechnungen ab 900 Euro werden vom Kassenwart geprüft.",
            True,
        ),
        ("When is a survey required for a barge?", "A survey is required for barges above 30 tonnes.", True),
        ("When are trainees admitted to the lab?", "Trainees are admitted to the lab after a safety course.", True),
        ("Which limits apply to a single tenant?", "A limit of 7 per cent applies to a single tenant.", True),
        ("Which boats are refused by the harbour?", "Boats are refused by the harbour.", False),
        ("When are trainees admitted to the lab?", "Trainees are admitted to the lab by the warden.", False),
        ("When was the barge admitted to the dock?", "The barge above 30 tonnes was admitted to the dock.", False),
        ("Which lodgers does the warden register?", "The warden registers 40 lodgers.", False),
    ],
)
def test_a_case_answers_a_question_for_the_case(question: str, text: str, answered: bool) -> None:
    assert is_answered(question, text) is answered


@pytest.mark.parametrize(
    ("question", "text", "answered"),
    [
        ("Who approves repairs of the quay?", "Repairs of the quay are approved by two officers.", True),
        ("Who hires the divers for the dock?", "The divers for the dock are hired by the directors.", True),
        ("Who checks the ropes in spring?", "The ropes are checked by the auditors in spring.", True),
        ("Who awards the berths in the harbour?", "The berths in the harbour are awarded by both committees.", True),
        ("Who approves repairs of the quay?", "Repairs of the quay are approved by noon.", False),
        ("Who hires the divers for the dock?", "The divers for the dock are hired by the hour.", False),
    ],
)
def test_several_holders_of_an_office_answer_a_question_for_who_acts(question: str, text: str, answered: bool) -> None:
    assert is_answered(question, text) is answered


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Which tariff do divers pay?", AnswerKind.TEXT),
        ("Which notice ends the lease?", AnswerKind.TEXT),
        ("What kind of cover protects furniture per year?", AnswerKind.TEXT),
        ("What kinds of cover are sold?", AnswerKind.LIST),
        ("Which boats does the firm own?", AnswerKind.LIST),
        ("Welche Abnutzung ist am Seil erlaubt?", AnswerKind.TEXT),
        ("Welche Seile sind erlaubt?", AnswerKind.LIST),
        ("What does the company sell in spring?", AnswerKind.TEXT),
        ("Which company sells rope?", AnswerKind.NAME),
        ("Which director is responsible for ropes?", AnswerKind.NAME),
        ("What was responsible for the drop?", AnswerKind.REASON),
        ("Which factors contributed to the drop?", AnswerKind.REASON),
        ("What is covered by the policy?", AnswerKind.TEXT),
        ("What is the aim of the survey?", AnswerKind.TEXT),
        ("What is a barge?", AnswerKind.DEFINITION),
        ("Where does the monthly fee begin?", AnswerKind.NUMBER),
        ("Where does the ferry begin?", AnswerKind.NAME),
    ],
)
def test_the_noun_that_is_asked_for_tells_the_kind(question: str, kind: AnswerKind) -> None:
    assert read_answer_kind(question, language=language_of_question(question)) is kind


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How do you define a holding gain?", AnswerKind.DEFINITION),
        ("Explain the methodology for annual yields.", AnswerKind.TEXT),
        ("Describe how the yield is adjusted.", AnswerKind.TEXT),
        ("What is the yield?", AnswerKind.NUMBER),
        ("Which yields were paid?", AnswerKind.NUMBER),
        ("Describe the yield in 2023", AnswerKind.NUMBER),
    ],
)
def test_of_a_figure_its_meaning_may_be_asked_for(question: str, kind: AnswerKind) -> None:
    assert read_answer_kind(question, wants_number=True) is kind


LEASE = """Lease of the boathouse
Duties
The tenant sweeps the slip each week. Paint is renewed every third spring.
Rent
The sum of 900 pounds is due on the first day of the month.
Strengths
Its roof is new and its walls are dry.
Keys
Two sets lie at the porter's lodge."""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which duties does the lease of the boathouse contain?", "sweeps the slip"),
        ("Which strengths does the lease name?", "Its roof is new"),
        ("Are there duties in the lease?", "sweeps the slip"),
        ("What does the lease of the boathouse say about keys?", "porter's lodge"),
        ("Which duties does the lease of the windmill contain?", ""),
        ("Who renews the keys of the boathouse?", ""),
        ("Does the lease allow pets?", ""),
        ("Which strengths does the lease name for the boathouse of Tarnford?", ""),
    ],
)
def test_what_stands_under_a_heading_that_names_what_is_asked_answers_in_its_own_words(
    question: str, said: str
) -> None:
    found = asked(question, LEASE, "Tarnford has a boathouse as well.")
    assert (not found.closest) is bool(said)
    assert said in found.text


SURVEY = "Survey 31-4402: the north pier\nA diver found a cracked beam on 3 May. The repair cost 5,100 pounds."
RULES = (
    "Rules for surveys\nA diver is sent when a beam is cracked. The repair is paid from the fund, at most 9,000 pounds."
)


@pytest.mark.parametrize(
    ("question", "text", "other", "answered"),
    [
        ("How much did the repair cost in survey 31-4402?", SURVEY, RULES, True),
        ("What did the diver find in survey 31-4402?", SURVEY, RULES, True),
        ("When is a diver sent?", RULES, SURVEY, True),
        ("How long does the lamp of the KX-40 last?", "Lamp KX-40\nThe lamp lasts 30 hours.", RULES, True),
        ("When is a diver sent in survey 31-4402?", RULES, SURVEY, False),
        ("How much did the repair cost in survey 77-9001?", SURVEY, RULES, False),
    ],
)
def test_a_file_is_asked_of_itself_although_each_sentence_of_it_does_not_repeat_its_sign(
    question: str, text: str, other: str, answered: bool
) -> None:
    assert is_answered(question, text, other) is answered


@pytest.mark.parametrize(
    ("question", "text", "answered"),
    [
        ("Who opens the sluice above the mill?", "The head of the watch opens the sluice above the mill.", True),
        ("Who checks a net before it is used?", "A second clerk checks each net before it is used.", True),
        ("Which country suffered from the flood?", "Arvandia suffered from the flood of the spring.", True),
        ("Which mill closed in spring?", "Tarnford closed in spring.", True),
        ("Who opens the sluice above the mill?", "Rain opens the sluice above the mill.", False),
        ("Which country suffered from the flood?", "It suffered from the flood of the spring.", False),
    ],
)
def test_who_acts_is_told_by_an_office_or_by_the_subject_of_the_verb(question: str, text: str, answered: bool) -> None:
    assert is_answered(question, text) is answered


@pytest.mark.parametrize(
    ("question", "text", "answered"),
    [
        ("What is our rating for the barge?", "Our rating for the barge is sound.", True),
        (
            "How much did the port spend on capital expenditure?",
            "The port spent 6 million pounds on capital expenditure.",
            True,
        ),
        (
            "What is the exposure of the port to falling interest rates?",
            "If interest rates fall by one point, the exposure of the port is 3 million pounds.",
            True,
        ),
        ("Who is the keeper of the lock?", "The keeper of the lock is Ada Brandt.", True),
        ("How much did the port spend on capital expenditure?", "The port spent 6 million pounds on sand.", False),
        ("What is our margin for the barge?", "Our margin for the barge is sound.", False),
    ],
)
def test_a_figure_is_given_beside_its_name_and_a_grade_in_words(question: str, text: str, answered: bool) -> None:
    assert is_answered(question, text) is answered
