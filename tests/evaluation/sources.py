"""Which documents the folder holds: how each is made, and what documents.jsonl says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from apps.corpus.kinds import DocumentType, Kind, SourceType
from tests.evaluation import calder, energy, quellbach, tarnwick, velmora

TARNWICK: Final = "Tarnwick Industries, Inc."
ENERGY: Final = "Tarnwick Energy Partners LP"
VELMORA: Final = "Velmora Foods Corporation"
QUELLBACH: Final = "Quellbach Maschinenbau AG"
CALDER: Final = "Calder Lane Investments"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One document. `id` is the file's name without its ending; the ending says how the template is built."""

    file: str
    template: str
    title: str
    company: str
    kind: Kind = Kind.REFERENCE_REPORT
    document_type: DocumentType
    source_type: SourceType = SourceType.INTERNAL
    period: str = ""
    published_on: date
    ticker: str = ""
    language: str = "en"
    jurisdictions: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return self.file.rsplit(".", 1)[0]


def _tarnwick() -> tuple[Source, ...]:
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


def _velmora() -> tuple[Source, ...]:
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


def _quellbach() -> tuple[Source, ...]:
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


def _funds() -> tuple[Source, ...]:
    profiles = tuple(
        Source(
            file=f"fund-profile-{name}.md",
            template="fund_profile.md",
            title=f"{fund}: fund profile",
            company=fund,
            ticker=calder.PROFILES[fund]["ticker"],
            kind=Kind.FUND_PROFILE,
            document_type=DocumentType.RECORD,
            published_on=date(2025, 1, 6),
            values=calder.PROFILES[fund],
        )
        for name, fund in (("equity", calder.EQUITY), ("income", calder.INCOME), ("credit", calder.CREDIT))
    )
    equity = tuple(
        Source(
            file=f"fund-report-equity-{year}-{quarter.lower()}.pdf",
            template="fund_report.txt",
            title=f"{calder.EQUITY}: quarterly report {quarter} {year}",
            company=calder.EQUITY,
            ticker="CGEF",
            kind=Kind.RUN,
            document_type=DocumentType.REPORT,
            period=f"{quarter} {year}",
            published_on=published_on,
            values=calder.equity_report(year, quarter),
        )
        for year, quarter, published_on in (
            (2023, "Q4", date(2024, 1, 19)),
            (2024, "Q2", date(2024, 7, 18)),
            (2024, "Q3", date(2024, 10, 17)),
            (2024, "Q4", date(2025, 1, 20)),
        )
    )
    credit = tuple(
        Source(
            file=f"fund-report-credit-{year}-{quarter.lower()}.docx",
            template="fund_report_de.txt",
            title=f"{calder.CREDIT}: Quartalsbericht {quarter} {year}",
            company=calder.CREDIT,
            ticker="CECF",
            kind=Kind.RUN,
            document_type=DocumentType.REPORT,
            period=f"{quarter} {year}",
            published_on=published_on,
            language="de",
            values=calder.credit_report(year, quarter),
        )
        for year, quarter, published_on in ((2023, "Q4", date(2024, 1, 22)), (2024, "Q3", date(2024, 10, 18)))
    )
    return (
        *profiles,
        *equity,
        Source(
            file="fund-report-income-2024-q4.pdf",
            template="fund_report.txt",
            title=f"{calder.INCOME}: quarterly report Q4 2024",
            company=calder.INCOME,
            ticker="CGIF",
            kind=Kind.RUN,
            document_type=DocumentType.REPORT,
            period="Q4 2024",
            published_on=date(2025, 1, 21),
            values=calder.income_report(),
        ),
        *credit,
    )


def _firm() -> tuple[Source, ...]:
    rules = tuple(
        Source(
            file=f"compliance-rules-{year}.docx",
            template="compliance_rules.txt",
            title=f"Calder Lane Investments: compliance rules, edition {year}",
            company=CALDER,
            kind=Kind.COMPLIANCE_PROFILE,
            document_type=DocumentType.POLICY,
            source_type=SourceType.POLICY,
            published_on=published_on,
            values=calder.RULES[year],
        )
        for year, published_on in ((2023, date(2022, 12, 12)), (2024, date(2024, 6, 17)))
    )
    others = (
        ("firm-profile.md", "firm profile", Kind.ORG_PROFILE, DocumentType.RECORD, date(2025, 1, 8), "en"),
        (
            "firm-profile-de.md",
            "Niederlassung Zollbrück",
            Kind.ORG_PROFILE,
            DocumentType.RECORD,
            date(2025, 1, 8),
            "de",
        ),
        (
            "marketing-rules-de.html",
            "Vertriebsregeln nach Ländern",
            Kind.COMPLIANCE_PROFILE,
            DocumentType.POLICY,
            date(2024, 11, 4),
            "de",
        ),
        (
            "methodology-performance.html",
            "how performance is measured",
            Kind.METHODOLOGY,
            DocumentType.POLICY,
            date(2024, 10, 7),
            "en",
        ),
        (
            "methodology-risk-de.docx",
            "Messung von Risiken",
            Kind.METHODOLOGY,
            DocumentType.POLICY,
            date(2024, 9, 9),
            "de",
        ),
        (
            "house-style.md",
            "house style for letters and reports",
            Kind.STYLE_SAMPLE,
            DocumentType.OTHER,
            date(2024, 5, 6),
            "en",
        ),
        (
            "edit-patterns.json",
            "what editors change",
            Kind.REPORT_EDIT_PATTERN,
            DocumentType.RECORD,
            date(2024, 12, 18),
            "en",
        ),
        (
            "datasets.csv",
            "data sets behind the reports",
            Kind.DATASET_SUMMARY,
            DocumentType.RECORD,
            date(2025, 1, 3),
            "en",
        ),
        ("calendar.json", "reporting calendar", Kind.SCHEDULE, DocumentType.RECORD, date(2025, 1, 2), "en"),
    )
    return (
        *rules,
        *(
            Source(
                file=file,
                template=file.replace("-", "_").replace(".docx", ".txt"),
                title=f"{CALDER}: {title}",
                company=CALDER,
                kind=kind,
                document_type=document_type,
                published_on=published_on,
                language=language,
            )
            for file, title, kind, document_type, published_on, language in others
        ),
    )


SOURCES: Final = (*_tarnwick(), *_velmora(), *_quellbach(), *_funds(), *_firm())
