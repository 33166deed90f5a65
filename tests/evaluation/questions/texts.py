"""Questions for what is told rather than counted, in either language, by other words, names and numbers of sections."""

from __future__ import annotations

from typing import Final

from tests.evaluation.questions.contracts import Question, QuestionType, numbered, on

_T21, _T22, _T23, _T24 = (f"tarnwick-industries-10k-{year}" for year in (2021, 2022, 2023, 2024))
_E23, _E24 = (f"tarnwick-energy-10k-{year}" for year in (2023, 2024))
_V23, _V24 = (f"velmora-foods-10k-{year}" for year in (2023, 2024))
_Q23, _Q24 = (f"quellbach-geschaeftsbericht-{year}" for year in (2023, 2024))
_QQ: Final = "quellbach-quartalsmitteilung-2024-q3"
_CALL: Final = "velmora-foods-call-2024-q4"
_8K: Final = "tarnwick-industries-8k-2024-05-14"

_NARRATIVE: Final = numbered(
    "narrative",
    QuestionType.NARRATIVE,
    (
        (
            "Why did the Pumps segment of Tarnwick Industries shrink in 2024?",
            "House building and irrigation were weak",
            (on(_T24, "House building and irrigation were weak"),),
        ),
        (
            "What happened in cavern 4 of Redwater Dome?",
            "Pressure fell in July 2023; it was lined with steel afterwards",
            (on(_E23, "pressure fell in cavern 4"), on(_E24, "cavern 4 was lined with steel")),
        ),
        (
            "What did Velmora's chief executive say about selling the soup business?",
            "There is no process",
            (on(_CALL, "Soup earns its cost of capital"),),
        ),
        (
            "Why did Tarnwick Industries give up its plan for a foundry in Brazil?",
            "Freight rates had fallen and Ohio had room enough",
            (on("tarnwick-industries-news-brazil", "freight rates had fallen"),),
        ),
        (
            "What caused the loss of shelf space of frozen meals at Velmora Foods in fiscal 2024?",
            "New trays arrived eleven weeks late",
            (on(_V24, "New trays arrived eleven weeks late"),),
        ),
        (
            "Which cyber attack hit Tarnwick Industries in 2022?",
            "Ransomware stopped the plant in Esterhill for three days",
            (on(_T22, "ransomware stopped the plant in Esterhill"),),
        ),
        (
            "Why was the annual report of Velmora Foods for fiscal 2024 amended?",
            "A cold store in Tilbrook was counted twice",
            (on("velmora-foods-10ka-2024", "counted twice"),),
        ),
    ),
)

_GERMAN: Final = numbered(
    "german",
    QuestionType.GERMAN,
    (
        (
            "Warum sank das Betriebsergebnis von Quellbach im Jahr 2024?",
            "Streik in Hradová und Nacharbeiten in Portugal",
            (on(_Q24, "durch den Streik in Hradová"),),
        ),
        (
            "Wie hoch war die Bilanzsumme von Quellbach Ende 2023?",
            "792,3 Millionen Euro",
            (on(_Q23, "Bilanzsumme", "792,3"),),
        ),
        (
            "Welchen Umsatz machte der Geschäftsbereich Service von Quellbach im Geschäftsjahr 2024?",
            "208,4 Millionen Euro",
            (on(_Q24, "Umsatzerlöse nach Geschäftsbereich", "208,4"),),
        ),
        (
            "Wie lange dauerte der Streik im Werk Hradová?",
            "Neun Tage",
            (on(_QQ, "dauerte neun Tage"),),
        ),
        (
            "Welches Konfidenzniveau hat unser Value at Risk?",
            "99 Prozent",
            (on("methodology-risk-de", "Konfidenzniveau von 99 Prozent"),),
        ),
        (
            "Ab welcher Mindestanlage dürfen wir den Calder Global Equity Fund in Österreich vertreiben?",
            "15.000 Euro",
            (on("marketing-rules-de", "ab einer Mindestanlage von 15.000 Euro"),),
        ),
        (
            "An wen ging der Großauftrag der Brauereigruppe Hagenfels?",
            "An einen Wettbewerber aus Italien",
            (on("quellbach-nachricht-hagenfels", "Wettbewerber aus Italien"),),
        ),
    ),
)

_CROSS: Final = (
    *numbered(
        "cross-de",
        QuestionType.CROSS_LANGUAGE,
        (
            (
                "Wie viele Mitarbeiter hatte Tarnwick Industries Ende 2023?",
                "8.702",
                (on(_T23, "employed 8,702 people"),),
            ),
            (
                "Wie hoch war der größte Wertverlust des Calder Global Equity Fund im vierten Quartal 2024?",
                "7,41 Prozent",
                (on("fund-report-equity-2024-q4", "maximum drawdown", "7.41"),),
            ),
            (
                "Wie hoch ist die Verwaltungsgebühr des Calder Global Equity Income Fund?",
                "0,90 %",
                (on("fund-profile-income", "Management fee", "0.90 %"),),
            ),
            (
                "Wie hoch war die Bilanzsumme von Velmora Foods im Geschäftsjahr 2023?",
                "6.748 Millionen US-Dollar",
                (on(_V23, "Total assets", "6,748"),),
            ),
        ),
    ),
    *numbered(
        "cross-en",
        QuestionType.CROSS_LANGUAGE,
        (
            (
                "What was the revenue of Quellbach in fiscal 2024?",
                "EUR 823.9 million",
                (on(_Q24, "Umsatzerlöse", "Materialaufwand", "823,9"),),
            ),
            (
                "How many jobs at Quellbach stayed vacant for more than six months in 2023?",
                "64",
                (on(_Q23, "64 Stellen"),),
            ),
            (
                "Who may be approached with our funds in Switzerland?",
                "Qualified investors only",
                (on("marketing-rules-de", "nur qualifizierte Anleger"),),
            ),
        ),
    ),
)

_SYNONYM: Final = numbered(
    "synonym",
    QuestionType.SYNONYM,
    (
        (
            "How big was the workforce of Tarnwick Industries in FY2021?",
            "8,240",
            (on(_T21, "employed 8,240 people"),),
        ),
        (
            "What top line did Tarnwick Industries report for FY2023?",
            "USD 2,120 million",
            (on(_T23, "Net sales", "2,120", "Cost of products sold"),),
        ),
        (
            "What did Tarnwick Industries owe to its suppliers at the end of FY2024?",
            "USD 231 million",
            (on(_T24, "Accounts payable", "231"),),
        ),
        (
            "Which bottom line did Velmora Foods report for FY2023?",
            "USD 444 million",
            (on(_V23, "Net earnings", "444"),),
        ),
        (
            "May staff keep presents from brokers?",
            "Gifts above GBP 100 must be declared",
            (on("compliance-rules-2024", "Gifts above GBP 100"),),
        ),
        (
            "How soon must mistakes in published figures be put right?",
            "Within five working days",
            (on("methodology-performance", "within five working"),),
        ),
    ),
)

_ALIAS: Final = numbered(
    "alias",
    QuestionType.ALIAS,
    (
        (
            "What capex did TWKI report for FY2022?",
            "USD 137 million",
            (on(_T22, "Purchases of property, plant", "(137)"),),
        ),
        (
            "What was TWEP's distributable cash flow in FY2024?",
            "USD 278 million",
            (on(_E24, "USD 278 million", "1.40"),),
        ),
        ("What was VLMF's dividend payment in FY2024?", "USD 234 million", (on(_V24, "Dividends paid", "(234)"),)),
        (
            "Who manages the fund with the ISIN IE00BCLA7C35?",
            "Ludmilla Steinhauer",
            (on("fund-profile-credit", "Ludmilla Steinhauer"),),
        ),
        ("Which company has the ISIN US87X2091178?", "Tarnwick Energy Partners", (on(_E24, "US87X2091178"),)),
        ("What is the dealing deadline of CECF?", "11:30", (on("fund-profile-credit", "Dealing deadline", "11:30"),)),
        (
            "What did run CL-2024-Q2-043 say about incidents?",
            "None was logged",
            (on("fund-report-equity-2024-q2", "No incident was logged"),),
        ),
    ),
)

_SECTION: Final = numbered(
    "section",
    QuestionType.SECTION,
    (
        (
            "What does Item 7A of the FY2024 10-K of Tarnwick Industries say about nickel?",
            "65 percent of the use is hedged",
            (on(_T24, "hedges about 65 percent"),),
        ),
        (
            "What does Note 5 of Tarnwick Industries' 2023 annual report say about the interest rate on borrowings?",
            "5.6 percent on average",
            (on(_T23, "Note 5. Debt", "5.6 percent"),),
        ),
        (
            "Summarise Item 1C of the 2024 annual report of Tarnwick Industries.",
            "A committee of the board oversees it; no incident was material",
            (on(_T24, "Item 1C. Cybersecurity"),),
        ),
        (
            "What was reported under Item 5.02 of Tarnwick's 8-K of May 2024?",
            "The chief financial officer retires; Desmond Achterberg succeeds her",
            (on(_8K, "Desmond Achterberg"),),
        ),
        (
            "What does section 2.2 of the compliance rules require?",
            "Securities must be held for at least ninety days",
            (on("compliance-rules-2024", "at least ninety days"),),
        ),
        (
            "Was steht unter Ziffer 14 des Anhangs von Quellbach für 2024?",
            "Das Honorar der Prüfungsgesellschaft, 731 Tausend Euro",
            (on(_Q24, "731 Tausend Euro"),),
        ),
    ),
)

_FIRM: Final = numbered(
    "firm",
    QuestionType.FIRM,
    (
        ("Which vendor delivers our bond prices?", "Ledgerline", (on("datasets", "Ledgerline"),)),
        ("When is the voting record due?", "15 February and 15 August", (on("calendar", "15 February and 15 August"),)),
        (
            "How do editors treat passive sentences about mistakes?",
            "They make them active",
            (on("edit-patterns", "Passive sentences about mistakes"),),
        ),
        ("How do we write percentages in letters?", "With one decimal", (on("house-style", "one decimal in letters"),)),
        (
            "Over how many weekly returns do we calculate volatility?",
            "156",
            (on("methodology-performance", "156 weekly returns"),),
        ),
        ("Who is our depositary?", "Fennimore Trust", (on("firm-profile", "depositary is Fennimore Trust"),)),
        (
            "What does the Calder Global Equity Income Fund charge for management?",
            "0.90 %",
            (on("fund-profile-income", "0.90 %"),),
        ),
        (
            "What fair value does our analyst give Velmora?",
            "USD 71 per share",
            (on("velmora-foods-research-note", "USD 71 per share"),),
        ),
    ),
)

_VERSION: Final = numbered(
    "version",
    QuestionType.VERSION,
    (
        (
            "How much of an equity fund may be in the shares of one issuer?",
            "8 % of net assets, since July 2024",
            (on("compliance-rules-2024", "more than 8 %"),),
        ),
        ("May we buy shares of tobacco companies?", "No", (on("compliance-rules-2024", "tobacco are excluded"),)),
        (
            "To what amount were the inventories of Velmora Foods at June 30, 2024 restated?",
            "USD 584 million",
            (on("velmora-foods-10ka-2024", "USD 584 million"),),
        ),
    ),
)

QUESTIONS: Final[tuple[Question, ...]] = (
    *_NARRATIVE,
    *_GERMAN,
    *_CROSS,
    *_SYNONYM,
    *_ALIAS,
    *_SECTION,
    *_FIRM,
    *_VERSION,
)
