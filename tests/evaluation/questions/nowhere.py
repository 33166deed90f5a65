"""Questions whose answer stands nowhere in the folder, each beside something that looks like its answer."""

from __future__ import annotations

from typing import Final

from tests.evaluation.questions.contracts import Question, QuestionType

_TEXTS: Final = (
    # Capital expenditure of 2020 to 2024 is there.
    "What was the capital expenditure of Tarnwick Industries in FY2018?",
    # Q4 2023 and Q2 to Q4 2024 are there.
    "What was the maximum drawdown of the Calder Global Equity Fund in Q1 2024?",
    # Three other Calder funds are there.
    "What was the net asset value per share of the Calder Asian Equity Fund in Q4 2024?",
    # Tarnwick Industries bought it.
    "What did Velmora Foods pay for Oxbow Membranes?",
    # That of Tarnwick's chief financial officer is there.
    "What is the base salary of the chief financial officer of Velmora Foods?",
    # Those of Tarnwick Industries are there.
    "How many asbestos claims were open at Tarnwick Energy Partners at the end of 2024?",
    # A company that nobody writes of.
    "What was the net income of Halverton Paper Mills in FY2024?",
    # Other exclusions are there.
    "Which limit do our compliance rules set for crypto assets?",
    # That of the liquidity report is there.
    "When is the annual sustainability report of Calder Lane Investments due?",
    # 2022 to 2024 are there.
    "Wie hoch waren die Umsatzerlöse von Quellbach im Geschäftsjahr 2019?",
    # The branch in Zollbrück has one.
    "Wer leitet die Niederlassung von Calder Lane in Luxemburg?",
    # A vendor of ratings is there, no rating of a company.
    "Which credit rating does Gradeworks give to Tarnwick Industries?",
)

QUESTIONS: Final[tuple[Question, ...]] = tuple(
    Question(
        id=f"nowhere-{number:02}",
        text=text,
        type=QuestionType.UNANSWERABLE,
        answer="",
        evidence=(),
    )
    for number, text in enumerate(_TEXTS, start=1)
)
