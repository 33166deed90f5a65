"""Questions by pack and intent that stand in no pack: written after the packs, and never to be put into one."""

from __future__ import annotations

NEW_QUESTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "company_research": {
        "company_figures": (
            "What is the FY2018 capital expenditure amount (in USD millions) for 3M?",
            "How much cash did Danvers Motors hold at the end of March?",
            "What was the year over year change in net income of PepsiCo from 2021 to 2022?",
            "Compute the return on assets of Corvane Mining for fiscal 2022.",
            "Wie hoch waren die Schulden von Bayer zum Jahresende?",
        ),
        "company_business": (
            "Which operating segments does Danvers Motors have?",
            "Who are the largest customers of Corvane Mining?",
            "What does Lindqvist Software sell, and in which countries?",
            "Which company did PepsiCo acquire in 2018?",
            "In welchen Ländern hat Bayer Tochtergesellschaften?",
        ),
        "company_risks": (
            "What risk factors does PepsiCo list on supply chains?",
            "Is Danvers Motors party to a class action lawsuit?",
            "Does Corvane Mining breach a covenant of its loans?",
            "What did the regulator's investigation of Lindqvist Software find?",
            "Welche Klage läuft gegen Bayer?",
        ),
        "company_outlook": (
            "What guidance did PepsiCo give for 2023?",
            "What did the CEO of Danvers Motors say on the call about electric cars?",
            "How did management of Corvane Mining explain the lower output?",
            "Which long-term margin target did Lindqvist Software announce?",
            "Welche Prognose gibt Bayer für das Gesamtjahr?",
        ),
        "company_coverage": (
            "What do newspapers report on the strike at Danvers Motors?",
            "What is our price target for Corvane Mining?",
            "Summarise our latest research note on Lindqvist Software.",
            "Which news came out about PepsiCo's recall?",
            "Was ist unsere Einschätzung von Bayer?",
        ),
        "": (
            "How do I renew my passport?",
            "What is the best film of the year?",
            "Tell me about the history of Rome.",
        ),
    },
}
