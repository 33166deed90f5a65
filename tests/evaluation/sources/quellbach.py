"""The reports of a German company, and news of it."""

from __future__ import annotations

from datetime import date
from typing import Final

from apps.corpus.kinds import DocumentType, SourceType
from tests.evaluation import quellbach
from tests.evaluation.sources.contracts import Source

QUELLBACH: Final = "Quellbach Maschinenbau AG"


def quellbach_sources() -> tuple[Source, ...]:
    own = {"company": QUELLBACH, "language": "de"}
    annual = tuple(
        Source(
            file=f"quellbach-geschaeftsbericht-{year}.pdf",
            template="quellbach_bericht.txt",
            title=f"Quellbach Maschinenbau AG: Geschäftsbericht {year}",
            ticker="QBM",
            document_type=DocumentType.REPORT,
            source_type=SourceType.OFFICIAL,
            period=f"FY{year}",
            published_on=date(year + 1, 3, 26),
            jurisdictions=("DE",),
            values=quellbach.annual(year),
            **own,
        )
        for year in (2023, 2024)
    )
    return (
        *annual,
        Source(
            file="quellbach-quartalsmitteilung-2024-q3.docx",
            template="quellbach_quartal.txt",
            title="Quellbach Maschinenbau AG: Quartalsmitteilung drittes Quartal 2024",
            ticker="QBM",
            document_type=DocumentType.REPORT,
            source_type=SourceType.OFFICIAL,
            period="Q3 2024",
            published_on=date(2024, 11, 12),
            jurisdictions=("DE",),
            **own,
        ),
        Source(
            file="quellbach-nachricht-hagenfels.md",
            template="news_quellbach.md",
            title="Quellbach verliert Großauftrag an Wettbewerber",
            document_type=DocumentType.NEWS_ARTICLE,
            source_type=SourceType.NEWS,
            published_on=date(2025, 1, 17),
            **own,
        ),
    )
