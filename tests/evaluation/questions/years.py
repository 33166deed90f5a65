"""Questions for one of several reports with nearly the same words: by name, by what they imply, by publication."""

from __future__ import annotations

from typing import Final

from tests.evaluation.questions.contracts import Question, QuestionType, numbered, on

_T21, _T22, _T23, _T24 = (f"tarnwick-industries-10k-{year}" for year in (2021, 2022, 2023, 2024))
_TQ2, _TQ3 = (f"tarnwick-industries-10q-2024-q{quarter}" for quarter in (2, 3))
_E23, _E24 = (f"tarnwick-energy-10k-{year}" for year in (2023, 2024))
_V23, _V24 = (f"velmora-foods-10k-{year}" for year in (2023, 2024))
_R23, _R24 = (f"velmora-foods-release-{year}-q4" for year in (2023, 2024))
_Q23, _Q24 = (f"quellbach-geschaeftsbericht-{year}" for year in (2023, 2024))
_F23, _F24_2, _F24_3, _F24 = (f"fund-report-equity-{period}" for period in ("2023-q4", "2024-q2", "2024-q3", "2024-q4"))
_INCOME: Final = "fund-report-income-2024-q4"
_C23, _C24 = (f"fund-report-credit-{period}" for period in ("2023-q4", "2024-q3"))

_NAMED: Final = numbered(
    "named",
    QuestionType.YEAR_NAMED,
    (
        (
            "What was the maximum drawdown of the Calder Global Equity Fund in Q4 2023?",
            "4.95 percent",
            (on(_F23, "maximum drawdown", "4.95"),),
        ),
        (
            "What was the maximum drawdown of the Calder Global Equity Fund in Q4 2024?",
            "7.41 percent",
            (on(_F24, "maximum drawdown", "7.41"),),
        ),
        (
            "Which incidents were logged in the Q3 2024 run of the Calder Global Equity Fund?",
            "CLI-093 and CLI-094",
            (on(_F24_3, "CLI-093"),),
        ),
        (
            "How high was the selection effect of the Calder Global Equity Fund in the second quarter of 2024?",
            "-0.55 percentage points",
            (on(_F24_2, "Selection", "-0.55"),),
        ),
        (
            "What was the net asset value per share of the Calder Global Equity Income Fund in Q4 2024?",
            "GBP 162.05",
            (on(_INCOME, "Net asset value per share", "GBP 162.05"),),
        ),
        (
            "How many people did Tarnwick Industries employ at the end of 2022?",
            "8,515",
            (on(_T22, "employed 8,515 people"),),
        ),
        (
            "What was the environmental reserve for Garrick Mills in the 2021 annual report of Tarnwick Industries?",
            "USD 12 million",
            (on(_T21, "Garrick Mills", "USD 12 million"),),
        ),
        (
            "How many asbestos claims were open at Tarnwick Industries in 2023?",
            "2,087",
            (on(_T23, "2,087 open claims"),),
        ),
        (
            "How many asbestos claims were open at Tarnwick Industries at the end of Q2 2024?",
            "2,013",
            (on(_TQ2, "2,013 open asbestos claims"),),
        ),
        (
            "What share of its nickel use did Tarnwick Industries hedge in FY2022?",
            "About 75 percent",
            (on(_T22, "hedges about 75 percent"),),
        ),
        (
            "How many miles of pipeline did Tarnwick Energy Partners own in FY2023?",
            "2,940",
            (on(_E23, "2,940 miles"),),
        ),
        (
            "How much did Velmora Foods spend on advertising in fiscal 2023?",
            "USD 231 million",
            (on(_V23, "USD 231 million on advertising"),),
        ),
        (
            "What was Velmora Foods' organic growth in Q4 2023?",
            "2.8 percent",
            (on(_R23, "Organic growth was 2.8 percent"),),
        ),
        (
            "Wie hoch war der Auftragseingang von Quellbach im Geschäftsjahr 2023?",
            "901,3 Millionen Euro",
            (on(_Q23, "Auftragseingang erreichte 901,3"),),
        ),
        (
            "Wie viele Patente hielt Quellbach Ende 2024?",
            "655",
            (on(_Q24, "655 Patente"),),
        ),
        (
            "Wie hoch war der größte Wertverlust des Calder Euro Credit Fund im vierten Quartal 2023?",
            "0,93 Prozent",
            (on(_C23, "größte Wertverlust", "0,93"),),
        ),
    ),
)

_IMPLIED: Final = numbered(
    "implied",
    QuestionType.YEAR_IMPLIED,
    (
        (
            "What was last quarter's drawdown of the Calder Global Equity Fund?",
            "7.41 percent",
            (on(_F24, "maximum drawdown", "7.41"),),
        ),
        (
            "How many incidents did the most recent run of the Calder Global Equity Fund log?",
            "Three",
            (on(_F24, "CLI-101"),),
        ),
        (
            "What did the Calder Global Equity Fund return in the previous quarter?",
            "3.05 percent",
            (on(_F24_3, "returned 3.05 percent"),),
        ),
        (
            "How much did Tarnwick Industries invest in property, plant and equipment in its latest fiscal year?",
            "USD 163 million",
            (on(_T24, "Purchases of property, plant and equipment", "(163)"),),
        ),
        (
            "What orders did Tarnwick Industries receive in the latest quarter?",
            "USD 569 million",
            (on(_TQ3, "USD 569 million"),),
        ),
        (
            "How did the net sales of the Filtration segment of Tarnwick Industries change year over year?",
            "From 655 to 698, by 6.6 percent",
            (on(_T24, "Net sales by segment", "698"),),
        ),
        (
            "What was the backlog of Tarnwick Industries at the end of the prior fiscal year?",
            "USD 802 million",
            (on(_T23, "unfilled orders amounted to USD 802 million"),),
        ),
        (
            "How many people did Tarnwick Industries employ in 2024, and how many the year before?",
            "9,116 and 8,702",
            (on(_T24, "employed 9,116 people"), on(_T23, "employed 8,702 people")),
        ),
        (
            "What is the newest figure for the throughput of Tarnwick Energy Partners?",
            "1,794 million cubic feet a day",
            (on(_E24, "1,794 million cubic feet"),),
        ),
        (
            "What were the adjusted earnings per share of Velmora Foods in its last quarter?",
            "USD 0.97",
            (on(_R24, "Adjusted earnings per share were USD 0.97"),),
        ),
        (
            "What did private labels hold of the cereal shelf in Velmora's most recent fiscal year?",
            "16.1 percent",
            (on(_V24, "held 16.1 percent"),),
        ),
        (
            "Welche Dividende je Aktie schlägt Quellbach für das letzte Geschäftsjahr vor?",
            "1,00 Euro",
            (on(_Q24, "Dividende von 1,00 Euro"),),
        ),
        (
            "Wie viele Auszubildende hatte Quellbach im Vorjahr?",
            "211",
            (on(_Q23, "211 Auszubildende"),),
        ),
        (
            "Wie hoch war die durchschnittliche Rendite auf Verfall des Calder Euro Credit Fund in diesem Quartal?",
            "3,28 Prozent",
            (on(_C24, "Rendite auf Verfall", "3,28"),),
        ),
        (
            "Was bestimmte das Ergebnis des Calder Euro Credit Fund im letzten Quartal?",
            "Verluste mit Anleihen von Autozulieferern",
            (on(_C24, "Autozulieferern verloren"),),
        ),
    ),
)

_PUBLISHED: Final = numbered(
    "published",
    QuestionType.YEAR_PUBLISHED,
    (
        (
            "Which drawdown did the Calder Global Equity Fund report in January 2025?",
            "7.41 percent",
            (on(_F24, "maximum drawdown", "7.41"),),
        ),
        (
            "What net asset value per share does the report of the Calder Global Equity Fund that was published on "
            "18 July 2024 show?",
            "GBP 231.80",
            (on(_F24_2, "GBP 231.80"),),
        ),
        (
            "What did Tarnwick Industries say about rare-earth magnets in the annual report that it published in "
            "February 2024?",
            "The supplier in Estonia delivered a third of them, none late",
            (on(_T23, "delivered a third of the rare-earth magnets"),),
        ),
        (
            "What guidance did Velmora Foods give in August 2023?",
            "Organic growth of 1 to 3 percent, earnings per share of USD 3.80 to 3.95",
            (on(_R23, "USD 3.80 to 3.95"),),
        ),
        (
            "Which value at risk did the equity fund's report of 17 October 2024 show?",
            "6.8 percent",
            (on(_F24_3, "value at risk stood at 6.8 percent"),),
        ),
        (
            "Welche Prognose gab Quellbach in dem Geschäftsbericht, der im März 2024 erschien?",
            "Umsatzerlöse zwischen 860 und 890 Millionen Euro",
            (on(_Q23, "zwischen 860 und 890 Millionen Euro"),),
        ),
    ),
)

_UNSAID: Final = numbered(
    "unsaid",
    QuestionType.YEAR_UNSAID,
    (
        (
            "What share of its nickel use does Tarnwick Industries hedge?",
            "About 65 percent",
            (on(_T24, "hedges about 65 percent"),),
        ),
        (
            "How high is the reserve of Tarnwick Industries for the former foundry in Garrick Mills?",
            "USD 23 million",
            (on(_T24, "Garrick Mills", "USD 23 million"),),
        ),
        (
            "How many people does Tarnwick Industries employ?",
            "9,116",
            (on(_T24, "employed 9,116 people"),),
        ),
        (
            "What part of its cash do the subsidiaries of Tarnwick Industries hold abroad?",
            "About 57 percent",
            (on(_T24, "About 57 percent of cash"),),
        ),
        (
            "How many miles of pipeline does Tarnwick Energy Partners own?",
            "3,015",
            (on(_E24, "3,015 miles"),),
        ),
        (
            "How many employees does Velmora Foods have?",
            "13,750",
            (on(_V24, "13,750 employees"),),
        ),
        (
            "What share of the cereal shelf do private labels hold in the main markets of Velmora Foods?",
            "16.1 percent",
            (on(_V24, "held 16.1 percent"),),
        ),
        (
            "What is the current value at risk of the Calder Global Equity Fund?",
            "7.5 percent",
            (on(_F24, "value at risk stood at 7.5 percent"),),
        ),
        (
            "Wie viele Patente hält Quellbach?",
            "655",
            (on(_Q24, "655 Patente"),),
        ),
        (
            "Wie viele Auszubildende hat Quellbach aktuell?",
            "224",
            (on(_Q24, "224 Auszubildende"),),
        ),
    ),
)

QUESTIONS: Final[tuple[Question, ...]] = (*_NAMED, *_IMPLIED, *_PUBLISHED, *_UNSAID)
