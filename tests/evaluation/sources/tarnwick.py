"""The filings of two companies of one name, and news of one of them."""

from __future__ import annotations

from datetime import date
from typing import Final

from apps.corpus.kinds import DocumentType, SourceType
from tests.evaluation import energy, tarnwick
from tests.evaluation.sources.contracts import Source

TARNWICK: Final = "Tarnwick Industries, Inc."
ENERGY: Final = "Tarnwick Energy Partners LP"


def tarnwick_sources() -> tuple[Source, ...]:
    annual = tuple(
        Source(
            file=f"tarnwick-industries-10k-{year}.pdf",
            template="tarnwick_10k.txt",
            title=f"Tarnwick Industries: annual report {year}",
            company=TARNWICK,
            ticker="TWKI",
            document_type=DocumentType.FORM_10K,
            source_type=SourceType.OFFICIAL,
            period=f"FY{year}",
            published_on=date(year + 1, 2, 20),
            jurisdictions=("US",),
            values=tarnwick.annual(year),
        )
        for year in (2021, 2022, 2023, 2024)
    )
    quarterly = tuple(
        Source(
            file=f"tarnwick-industries-10q-2024-q{quarter}.pdf",
            template="tarnwick_10q.txt",
            title=f"Tarnwick Industries: quarterly report Q{quarter} 2024",
            company=TARNWICK,
            ticker="TWKI",
            document_type=DocumentType.FORM_10Q,
            source_type=SourceType.OFFICIAL,
            period=f"Q{quarter} 2024",
            published_on=date(2024, 3 * quarter + 1, 30),
            jurisdictions=("US",),
            values=tarnwick.quarterly(quarter),
        )
        for quarter in (2, 3)
    )
    return (
        *annual,
        *quarterly,
        Source(
            file="tarnwick-industries-8k-2024-05-14.html",
            template="tarnwick_8k.html",
            title="Tarnwick Industries: current report of 14 May 2024",
            company=TARNWICK,
            ticker="TWKI",
            document_type=DocumentType.FORM_8K,
            source_type=SourceType.OFFICIAL,
            period="2024",
            published_on=date(2024, 5, 14),
            jurisdictions=("US",),
        ),
        Source(
            file="tarnwick-industries-news-brazil.md",
            template="news_tarnwick.md",
            title="Tarnwick Industries drops plan for plant in Brazil",
            company=TARNWICK,
            document_type=DocumentType.NEWS_ARTICLE,
            source_type=SourceType.NEWS,
            published_on=date(2024, 12, 9),
        ),
        *(
            Source(
                file=f"tarnwick-energy-10k-{year}.pdf",
                template="energy_10k.txt",
                title=f"Tarnwick Energy Partners: annual report {year}",
                company=ENERGY,
                ticker="TWEP",
                document_type=DocumentType.FORM_10K,
                source_type=SourceType.OFFICIAL,
                period=f"FY{year}",
                published_on=date(year + 1, 2, 27),
                jurisdictions=("US",),
                values=energy.annual(year),
            )
            for year in (2023, 2024)
        ),
    )
