"""Filings, releases, a call and a research note of a company whose fiscal year ends in June."""

from __future__ import annotations

from datetime import date
from typing import Final

from apps.corpus.kinds import DocumentType, SourceType
from tests.evaluation import velmora
from tests.evaluation.sources.contracts import Source

VELMORA: Final = "Velmora Foods Corporation"


def velmora_sources() -> tuple[Source, ...]:
    own = {"company": VELMORA, "ticker": "VLMF", "source_type": SourceType.OFFICIAL, "jurisdictions": ("US",)}
    annual = tuple(
        Source(
            file=f"velmora-foods-10k-{year}.pdf",
            template="velmora_10k.txt",
            title=f"Velmora Foods: annual report of fiscal {year}",
            document_type=DocumentType.FORM_10K,
            period=f"FY{year}",
            published_on=date(year, 8, 21),
            values=velmora.annual(year),
            **own,
        )
        for year in (2023, 2024)
    )
    releases = tuple(
        Source(
            file=f"velmora-foods-release-{year}-q4.html",
            template="velmora_release.html",
            title=f"Velmora Foods reports results of the fourth quarter of fiscal {year}",
            document_type=DocumentType.EARNINGS_RELEASE,
            period=f"Q4 {year}",
            published_on=date(year, 8, day),
            values=velmora.release(year),
            **own,
        )
        for year, day in ((2023, 16), (2024, 14))
    )
    return (
        *annual,
        *releases,
        Source(
            file="velmora-foods-10ka-2024.pdf",
            template="velmora_10ka.txt",
            title="Velmora Foods: amendment to the annual report of fiscal 2024 (10-K/A)",
            document_type=DocumentType.FORM_10K,
            period="FY2024",
            published_on=date(2024, 11, 6),
            **own,
        ),
        Source(
            file="velmora-foods-call-2024-q4.html",
            template="velmora_call.html",
            title="Velmora Foods: earnings call, fourth quarter of fiscal 2024",
            document_type=DocumentType.EARNINGS_TRANSCRIPT,
            period="Q4 2024",
            published_on=date(2024, 8, 14),
            **own,
        ),
        Source(
            file="velmora-foods-research-note.md",
            template="research_velmora.md",
            title="Calder Lane research note: Velmora Foods",
            company=VELMORA,
            document_type=DocumentType.REPORT,
            source_type=SourceType.RESEARCH,
            published_on=date(2024, 9, 3),
        ),
    )
