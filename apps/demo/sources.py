"""The list of demo documents, with the metadata that the corpus needs for each. Both firms have the same set."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final

from apps.corpus.kinds import DocumentType, Kind, SourceType
from apps.intents.fund_house import FundHouse


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """How to make a document from a template.

    scope: "firm", "equity" or "credit". title, company and jurisdictions may contain placeholders for tenant facts.
    published_on: a date, or the name of the fact that holds the date.
    """

    template: str
    file_name: str
    title: str
    kind: Kind
    document_type: DocumentType = DocumentType.REPORT
    source_type: SourceType = SourceType.INTERNAL
    scope: str = "firm"
    company: str = "$firm"
    fiscal_year: int | None = None
    fiscal_quarter: int | None = None
    published_on: date | str
    jurisdictions: tuple[str, ...] = ()


SOURCES: Final = (
    Source(
        template="firm_profile.md",
        file_name="firm-profile.md",
        title="$firm: firm profile",
        kind=FundHouse.ORG_PROFILE,
        document_type=DocumentType.POLICY,
        published_on=date(2025, 1, 8),
    ),
    Source(
        template="compliance_profile.md",
        file_name="compliance-profile.md",
        title="$firm: compliance profile",
        kind=FundHouse.COMPLIANCE_PROFILE,
        document_type=DocumentType.POLICY,
        source_type=SourceType.POLICY,
        published_on=date(2024, 12, 2),
        jurisdictions=("EU",),
    ),
    Source(
        template="marketing_rules.html",
        file_name="marketing-rules.html",
        title="$firm: marketing rules by jurisdiction",
        kind=FundHouse.COMPLIANCE_PROFILE,
        document_type=DocumentType.POLICY,
        source_type=SourceType.POLICY,
        published_on=date(2024, 11, 18),
        jurisdictions=("$home_code", "DE", "AT", "FR", "$extra_code"),
    ),
    Source(
        template="methodology_performance.md",
        file_name="methodology-performance.md",
        title="$firm: how performance is calculated",
        kind=FundHouse.METHODOLOGY,
        document_type=DocumentType.POLICY,
        published_on=date(2024, 10, 1),
    ),
    Source(
        template="methodology_attribution.md",
        file_name="methodology-attribution.md",
        title="$firm: how results are attributed",
        kind=FundHouse.METHODOLOGY,
        document_type=DocumentType.POLICY,
        published_on=date(2024, 10, 1),
    ),
    Source(
        template="methodology_risk.txt",
        file_name="methodology-risk.docx",
        title="$firm: how risk is measured",
        kind=FundHouse.METHODOLOGY,
        document_type=DocumentType.POLICY,
        published_on=date(2024, 9, 16),
    ),
    Source(
        template="fund_profile_equity.md",
        file_name="fund-profile-equity.md",
        title="$equity_fund: fund profile",
        kind=FundHouse.FUND_PROFILE,
        scope="equity",
        published_on=date(2025, 1, 10),
    ),
    Source(
        template="fund_profile_credit.md",
        file_name="fund-profile-credit.md",
        title="$credit_fund: fund profile",
        kind=FundHouse.FUND_PROFILE,
        scope="credit",
        published_on=date(2025, 1, 10),
    ),
    Source(
        template="quarterly_report.md",
        file_name="quarterly-report-2023-q4.md",
        title="$equity_fund: quarterly report Q4 2023",
        kind=FundHouse.RUN,
        scope="equity",
        fiscal_year=2023,
        fiscal_quarter=4,
        published_on="published",
    ),
    Source(
        template="quarterly_report.md",
        file_name="quarterly-report-2024-q4.md",
        title="$equity_fund: quarterly report Q4 2024",
        kind=FundHouse.RUN,
        scope="equity",
        fiscal_year=2024,
        fiscal_quarter=4,
        published_on="published",
    ),
    Source(
        template="credit_report.md",
        file_name="credit-report-2024-q4.md",
        title="$credit_fund: quarterly report Q4 2024",
        kind=FundHouse.RUN,
        scope="credit",
        fiscal_year=2024,
        fiscal_quarter=4,
        published_on="credit_published",
    ),
    Source(
        template="house_style.md",
        file_name="house-style.md",
        title="$firm: house style for reports",
        kind=FundHouse.STYLE_SAMPLE,
        published_on=date(2024, 6, 3),
    ),
    Source(
        template="edit_patterns.json",
        file_name="edit-patterns.json",
        title="$firm: what editors change",
        kind=FundHouse.REPORT_EDIT_PATTERN,
        document_type=DocumentType.RECORD,
        published_on=date(2024, 12, 20),
    ),
    Source(
        template="dataset_summary.csv",
        file_name="dataset-summary.csv",
        title="$firm: data sets behind the reports",
        kind=FundHouse.DATASET_SUMMARY,
        document_type=DocumentType.RECORD,
        published_on=date(2025, 1, 6),
    ),
    Source(
        template="reporting_calendar.json",
        file_name="reporting-calendar.json",
        title="$firm: reporting calendar",
        kind=FundHouse.SCHEDULE,
        document_type=DocumentType.RECORD,
        published_on=date(2025, 1, 2),
    ),
    Source(
        template="earnings_release.md",
        file_name="halden-paper-earnings-release-2024-q4.md",
        title="Halden Paper: results of the fourth quarter 2024",
        kind=FundHouse.REFERENCE_REPORT,
        document_type=DocumentType.EARNINGS_RELEASE,
        source_type=SourceType.OFFICIAL,
        company="Halden Paper",
        fiscal_year=2024,
        fiscal_quarter=4,
        published_on=date(2025, 2, 6),
        jurisdictions=("SE",),
    ),
    Source(
        template="earnings_call.html",
        file_name="halden-paper-earnings-call-2024-q4.html",
        title="Halden Paper: earnings call, fourth quarter 2024",
        kind=FundHouse.REFERENCE_REPORT,
        document_type=DocumentType.EARNINGS_TRANSCRIPT,
        source_type=SourceType.OFFICIAL,
        company="Halden Paper",
        fiscal_year=2024,
        fiscal_quarter=4,
        published_on=date(2025, 2, 6),
        jurisdictions=("SE",),
    ),
    Source(
        template="news_article.md",
        file_name="castellan-airlines-news-2025-01.md",
        title="Castellan Airlines grounds nine aircraft",
        kind=FundHouse.REFERENCE_REPORT,
        document_type=DocumentType.NEWS_ARTICLE,
        source_type=SourceType.NEWS,
        company="Castellan Airlines",
        published_on=date(2025, 1, 14),
        jurisdictions=("IE",),
    ),
    # This document has the same bytes in both tenants: what one tenant stores must not appear in the other, nor be
    # shared with it.
    Source(
        template="annual_report.txt",
        file_name="castellan-airlines-annual-report-2024.pdf",
        title="Castellan Airlines: annual report 2024 (extract)",
        kind=FundHouse.REFERENCE_REPORT,
        document_type=DocumentType.FORM_10K,
        source_type=SourceType.OFFICIAL,
        company="Castellan Airlines",
        fiscal_year=2024,
        published_on=date(2025, 3, 4),
        jurisdictions=("IE",),
    ),
)
