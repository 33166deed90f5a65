"""The closed sets that describe a document. The policy permits or denies each kind to an intent."""

from __future__ import annotations

from django.db import models


class Kind(models.TextChoices):
    """What a document is for; the policy permits kinds to intents (see apps/intents)."""

    ORG_PROFILE = "org_profile", "Firm profile"
    COMPLIANCE_PROFILE = "compliance_profile", "Compliance profile"
    METHODOLOGY = "methodology", "Methodology"
    FUND_PROFILE = "fund_profile", "Fund profile"
    STYLE_SAMPLE = "style_sample", "House style sample"
    RUN = "run", "Past run"
    REPORT_EDIT_PATTERN = "report_edit_pattern", "Report edit pattern"
    DATASET_SUMMARY = "dataset_summary", "Dataset summary"
    SCHEDULE = "schedule", "Schedule"
    REFERENCE_REPORT = "reference_report", "Reference report"


class DocumentType(models.TextChoices):
    """The form in which a document was published."""

    FORM_10K = "10-K", "Annual report (10-K)"
    FORM_10Q = "10-Q", "Quarterly report (10-Q)"
    FORM_8K = "8-K", "Current report (8-K)"
    EARNINGS_RELEASE = "earnings_release", "Earnings release"
    EARNINGS_TRANSCRIPT = "earnings_transcript", "Earnings transcript"
    NEWS_ARTICLE = "news_article", "News article"
    POLICY = "policy", "Policy"
    REPORT = "report", "Report"
    RECORD = "record", "Structured record"
    OTHER = "other", "Other"


class SourceType(models.TextChoices):
    """The origin of a document: an issuer's filing, the press, an analyst, a policy maker, or the firm."""

    OFFICIAL = "official", "Official"
    NEWS = "news", "News"
    RESEARCH = "research", "Research"
    POLICY = "policy", "Policy"
    INTERNAL = "internal", "Internal"
