"""Questions for figures: from statements, out of two of them, and from the tables of segments."""

from __future__ import annotations

from typing import Final

from tests.evaluation.questions.contracts import Question, QuestionType, numbered, on

_T21, _T22, _T23, _T24 = (f"tarnwick-industries-10k-{year}" for year in (2021, 2022, 2023, 2024))
_E23, _E24 = (f"tarnwick-energy-10k-{year}" for year in (2023, 2024))
_V23, _V24 = (f"velmora-foods-10k-{year}" for year in (2023, 2024))

_FIGURES: Final = numbered(
    "figure",
    QuestionType.FIGURE,
    (
        (
            "What was the capital expenditure of Tarnwick Industries in FY2023? Use the cash flow statement.",
            "USD 121 million",
            (on(_T23, "Purchases of property, plant and equipment", "(121)"),),
        ),
        (
            "How large were the total assets of Tarnwick Industries at the end of FY2022?",
            "USD 2,295 million",
            (on(_T22, "Total assets", "2,295"),),
        ),
        (
            "What was the net income of Tarnwick Energy Partners in FY2024?",
            "USD 229 million",
            (on(_E24, "Net income", "229"),),
        ),
        (
            "What did Tarnwick Energy Partners pay to its unitholders in distributions in FY2023?",
            "USD 190 million",
            (on(_E23, "Distributions to unitholders", "(190)"),),
        ),
        (
            "What were the restructuring charges in the statement of earnings of Velmora Foods for FY2024?",
            "USD 58 million",
            (on(_V24, "Restructuring charges", "58", "Operating profit", "Cost of sales"),),
        ),
        (
            "How much cash did Velmora Foods generate from operating activities in fiscal 2023?",
            "USD 639 million",
            (on(_V23, "Net cash from operating activities", "639"),),
        ),
        (
            "What was the long-term debt on the balance sheet of Velmora Foods at June 30, 2024?",
            "USD 2,164 million",
            (on(_V24, "Long-term debt", "2,164"),),
        ),
        (
            "What provision for income taxes did Tarnwick Industries book in FY2021?",
            "USD 63 million",
            (on(_T21, "Provision for income taxes", "63"),),
        ),
        (
            "How much did Tarnwick Industries pay for acquisitions, net of cash, by the FY2024 cash flow statement?",
            "USD 181 million",
            (on(_T24, "Acquisitions, net of cash acquired", "(181)"),),
        ),
        (
            "What were the inventories of Tarnwick Industries at the end of FY2024?",
            "USD 371 million",
            (on(_T24, "Inventories", "371", "Total current assets"),),
        ),
    ),
)

_DERIVED: Final = numbered(
    "derived",
    QuestionType.DERIVED,
    (
        (
            "What share of its net sales did Tarnwick Industries spend on capital expenditure in FY2024?",
            "163 of 2,228, which is 7.3 percent",
            (on(_T24, "Net sales", "Cost of products sold"), on(_T24, "Purchases of property, plant and equipment")),
        ),
        (
            "What was the operating margin of Tarnwick Industries in FY2022?",
            "300 of 1,954, which is 15.4 percent",
            (on(_T22, "Net sales", "Operating income", "300"),),
        ),
        (
            "What was the return on year-end shareholders' equity of Tarnwick Industries in FY2023?",
            "238 of the equity at the end of 2023",
            (on(_T23, "Net income", "Diluted earnings per share"), on(_T23, "Total shareholders' equity")),
        ),
        (
            "How many days of sales were held in accounts receivable at Tarnwick Industries in FY2021?",
            "311 of 1,807, about 63 days",
            (on(_T21, "Net sales", "Cost of products sold"), on(_T21, "Accounts receivable, net", "311")),
        ),
        (
            "By how much did the revenue of Tarnwick Energy Partners grow from FY2023 to FY2024?",
            "From 1,312 to 1,397, by 6.5 percent",
            (on(_E24, "Revenue", "1,397"),),
        ),
        (
            "What was the free cash flow of Velmora Foods in FY2024, after additions to land, buildings and equipment?",
            "774 less 219, USD 555 million",
            (on(_V24, "Net cash from operating activities", "774"),),
        ),
        (
            "What is the current ratio of Velmora Foods based on the FY2023 balance sheet?",
            "1,299 over 1,342, 0.97",
            (on(_V23, "Total current assets", "1,299"),),
        ),
    ),
)

_SEGMENTS: Final = numbered(
    "segment",
    QuestionType.SEGMENT,
    (
        (
            "What were the net sales of the Controls segment of Tarnwick Industries in FY2022?",
            "USD 391 million",
            (on(_T22, "Net sales by segment", "391"),),
        ),
        (
            "Which segment of Tarnwick Industries had the highest segment income in FY2023?",
            "Pumps, with USD 151 million",
            (on(_T23, "Segment income", "Pumps income", "151"),),
        ),
        (
            "How much did Tarnwick Industries sell in Europe in FY2024?",
            "USD 574 million",
            (on(_T24, "Net sales by region", "574"),),
        ),
        (
            "What operating profit did the pet food segment of Velmora Foods make in fiscal 2024?",
            "USD 271 million",
            (on(_V24, "Segment operating profit", "271"),),
        ),
        (
            "What gross margin did the storage segment of Tarnwick Energy Partners earn in FY2023?",
            "USD 110 million",
            (on(_E23, "Gross margin by segment", "110"),),
        ),
        (
            "By how many percent did the pet segment of Velmora Foods grow in the fourth quarter of fiscal 2024?",
            "26.6 percent",
            (on("velmora-foods-release-2024-q4", "Pet", "26.6"),),
        ),
    ),
)

QUESTIONS: Final[tuple[Question, ...]] = (*_FIGURES, *_DERIVED, *_SEGMENTS)
