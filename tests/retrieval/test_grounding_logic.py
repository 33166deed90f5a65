"""Words on which the sense turns: may or must, always or in a case, only, until or from; and whose predicate it is."""

from __future__ import annotations

import pytest

from tests.retrieval.test_grounding_paraphrase import is_grounded

QUESTION = "Which rules does Northwind report?"
RULES = (
    "Gifts above EUR 100 require the prior approval of Compliance. Contractors are exempt unless they have access to "
    "client data. Line managers may grant an extension. The Board may suspend redemptions if markets are closed. "
    "Employees must complete the training by 31 March 2025; it does not affect the bonus. Redemptions are normally "
    "paid within three business days. Reports are archived for good. The mandate may be ended from 1 July 2025. The "
    "facility is guaranteed by the two subsidiaries in Norway. Revenue declined because energy was expensive. Margins "
    "improved, although wages were higher. Management does not expect a recovery before the autumn."
)
GERMAN = (
    "Das Werk Passau wird geschlossen, das Werk Regensburg wird ausgebaut. Kündigungen sind bis Ende 2026 "
    "ausgeschlossen. Der Bereichsleiter darf Ausnahmen genehmigen, sofern die Revision zustimmt."
)


@pytest.mark.parametrize(
    "answer",
    [
        "Gifts above EUR 100 require prior approval by Compliance.",
        "Contractors are exempt unless they have access to client data.",
        "Line managers may grant an extension.",
        "If markets are closed, the Board may suspend redemptions.",
        "The training must be completed by 31 March 2025.",
        "Redemptions are normally paid within three business days.",
    ],
)
def test_what_turns_nothing_passes(answer: str) -> None:
    assert is_grounded(answer, QUESTION, text=RULES)


@pytest.mark.parametrize(
    "answer",
    [
        # Whom it concerns, and how often.
        "All gifts require the prior approval of Compliance.",
        "Redemptions are always paid within three business days.",
        "The facility is guaranteed by all subsidiaries.",
        "Gifts above EUR 100 never require the prior approval of Compliance.",
        # May and must.
        "Line managers must grant an extension.",
        "The Board must suspend redemptions if markets are closed.",
        "Employees may complete the training by 31 March 2025.",
        # The condition.
        "Contractors are exempt.",
        "Contractors are exempt if they have access to client data.",
        "The Board may suspend redemptions at any time.",
        # Only, although, until.
        "Only line managers may grant an extension.",
        "Revenue declined although energy was expensive.",
        "Margins improved because wages were higher.",
        "The mandate may be ended until 1 July 2025.",
    ],
)
def test_what_turns_the_sense_is_stopped(answer: str) -> None:
    assert not is_grounded(answer, QUESTION, text=RULES)


def test_a_sentence_as_it_stands_is_no_bare_reason_whatever_was_asked() -> None:
    asked = "Why did revenue decline, and what does management expect?"
    assert is_grounded("Management does not expect a recovery before the autumn.", asked, text=RULES)


def test_a_condition_that_the_question_says_need_not_be_repeated() -> None:
    asked = "What may the Board do if markets are closed?"
    assert is_grounded("The Board may suspend redemptions.", asked, text=RULES)


@pytest.mark.parametrize(
    ("answer", "stands"),
    [
        ("Das Werk Passau wird geschlossen.", True),
        ("Das Werk Regensburg wird ausgebaut.", True),
        ("Das Werk Regensburg wird geschlossen.", False),
        ("Kündigungen sind ab Ende 2026 ausgeschlossen.", False),
        ("Der Bereichsleiter darf Ausnahmen genehmigen.", False),
        ("Der Bereichsleiter muss Ausnahmen genehmigen, sofern die Revision zustimmt.", False),
        ("Alle Werke werden geschlossen.", False),
    ],
)
def test_german_sentences_too(answer: str, stands: bool) -> None:
    assert is_grounded(answer, "Welche Regeln nennt Northwind?", text=GERMAN, language="de") is stands
