"""Questions for the law or the seat of a fund, where four documents differ in their numbers and in what they are of."""

from __future__ import annotations

from typing import Final

from tests.evaluation.questions.contracts import Question, QuestionType, numbered, on

_LU, _IE, _CH, _DE = (f"fund-supplement-{number}" for number in (1, 2, 3, 4))

QUESTIONS: Final[tuple[Question, ...]] = numbered(
    "law",
    QuestionType.JURISDICTION,
    (
        (
            "How many working days of notice must investors give for redemptions under Luxembourg law?",
            "6",
            (on(_LU, "redemptions 6 working days"),),
        ),
        (
            "To what share of net assets is borrowing limited under Irish law?",
            "7 percent",
            (on(_IE, "limited to 7 percent"),),
        ),
        (
            "Within how many days must the semi-annual report be filed by the rules of the CSSF?",
            "61",
            (on(_LU, "filed within 61 days"),),
        ),
        (
            "Above which error in the net asset value must a fund domiciled in Switzerland report to the supervisor?",
            "0.65 percent",
            (on(_CH, "above 0.65 percent"),),
        ),
        (
            "For how many years are advertisements kept by the requirements of the Central Bank of Ireland?",
            "6",
            (on(_IE, "kept for 6 years"),),
        ),
        (
            "Above what share of net assets may our German funds defer redemptions on one day?",
            "19 percent",
            (on(_DE, "above 19 percent of its net assets"),),
        ),
        (
            "Wie viele Tage darf ein Fonds nach Schweizer Recht Kredit aufnehmen (borrowing)?",
            "75",
            (on(_CH, "at most 75 days"),),
        ),
    ),
)
