"""What the firm itself lays down, in two editions where it was changed."""

from __future__ import annotations

from datetime import date
from typing import Final

from apps.corpus.kinds import DocumentType, SourceType
from apps.intents.fund_house import FundHouse
from tests.evaluation import calder
from tests.evaluation.sources.contracts import Source
from tests.evaluation.values import told

CALDER: Final = "Calder Lane Investments"
_SUPPLEMENTS: Final = told("supplements")


def firm_sources() -> tuple[Source, ...]:
    rules = tuple(
        Source(
            file=f"compliance-rules-{year}.docx",
            template="compliance_rules.txt",
            title=f"Calder Lane Investments: compliance rules, edition {year}",
            company=CALDER,
            kind=FundHouse.COMPLIANCE_PROFILE,
            document_type=DocumentType.POLICY,
            source_type=SourceType.POLICY,
            published_on=published_on,
            values=calder.RULES[year],
        )
        for year, published_on in ((2023, date(2022, 12, 12)), (2024, date(2024, 6, 17)))
    )
    others = (
        ("firm-profile.md", "firm profile", FundHouse.ORG_PROFILE, DocumentType.RECORD, date(2025, 1, 8), "en"),
        (
            "firm-profile-de.md",
            "Niederlassung Zollbrück",
            FundHouse.ORG_PROFILE,
            DocumentType.RECORD,
            date(2025, 1, 8),
            "de",
        ),
        (
            "marketing-rules-de.html",
            "Vertriebsregeln nach Ländern",
            FundHouse.COMPLIANCE_PROFILE,
            DocumentType.POLICY,
            date(2024, 11, 4),
            "de",
        ),
        (
            "methodology-performance.html",
            "how performance is measured",
            FundHouse.METHODOLOGY,
            DocumentType.POLICY,
            date(2024, 10, 7),
            "en",
        ),
        (
            "methodology-risk-de.docx",
            "Messung von Risiken",
            FundHouse.METHODOLOGY,
            DocumentType.POLICY,
            date(2024, 9, 9),
            "de",
        ),
        (
            "house-style.md",
            "house style for letters and reports",
            FundHouse.STYLE_SAMPLE,
            DocumentType.OTHER,
            date(2024, 5, 6),
            "en",
        ),
        (
            "edit-patterns.json",
            "what editors change",
            FundHouse.REPORT_EDIT_PATTERN,
            DocumentType.RECORD,
            date(2024, 12, 18),
            "en",
        ),
        (
            "datasets.csv",
            "data sets behind the reports",
            FundHouse.DATASET_SUMMARY,
            DocumentType.RECORD,
            date(2025, 1, 3),
            "en",
        ),
        ("calendar.json", "reporting calendar", FundHouse.SCHEDULE, DocumentType.RECORD, date(2025, 1, 2), "en"),
    )
    supplements = tuple(
        Source(
            file=f"fund-supplement-{number}.md",
            template="fund_supplement.md",
            title=f"Calder Lane Investments: supplement {number} to the fund documents",
            company=CALDER,
            kind=FundHouse.COMPLIANCE_PROFILE,
            document_type=DocumentType.POLICY,
            source_type=SourceType.POLICY,
            published_on=date(2024, 9, 2),
            # Its words say nowhere whose law it is.
            jurisdictions=(seat.upper(),),
            values=_SUPPLEMENTS[seat],
        )
        for number, seat in enumerate(("lu", "ie", "ch", "de"), start=1)
    )
    return (
        *rules,
        *supplements,
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
