"""The funds of a firm: a profile of each, and its reports."""

from __future__ import annotations

from datetime import date

from apps.corpus.kinds import DocumentType
from apps.intents.fund_house import FundHouse
from tests.evaluation import calder
from tests.evaluation.sources.contracts import Source


def fund_sources() -> tuple[Source, ...]:
    profiles = tuple(
        Source(
            file=f"fund-profile-{name}.md",
            template="fund_profile.md",
            title=f"{fund}: fund profile",
            company=fund,
            ticker=calder.PROFILES[fund]["ticker"],
            kind=FundHouse.FUND_PROFILE,
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
            kind=FundHouse.RUN,
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
            kind=FundHouse.RUN,
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
            kind=FundHouse.RUN,
            document_type=DocumentType.REPORT,
            period="Q4 2024",
            published_on=date(2025, 1, 21),
            values=calder.income_report(),
        ),
        *credit,
    )
