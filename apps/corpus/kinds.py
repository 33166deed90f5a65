"""What describes a document: its kind, which the firm's policy defines, and the closed sets beside it."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from django.db import models

from apps.tenants.roles import PERMISSIONS, Permission, Role

KIND_KEY: Final = r"^[a-z][a-z0-9_]{0,31}$"
"""The form of a kind's key; the database holds it too (a CHECK on each column that names a kind)."""


class Kind(str):
    """A kind of document by its key, with the firm's name for it. Kinds are equal if their keys are.

    Which kinds there are is the firm's: its policy in force says it (apps/corpus/registry.py asks for it).
    """

    _label: str

    def __new__(cls, key: str, label: str = "") -> Kind:
        kind = super().__new__(cls, key)
        kind._label = label
        return kind

    @property
    def value(self) -> str:
        return str.__str__(self)

    @property
    def label(self) -> str:
        """Return the firm's name for it, or, where nobody gave one, the words of its key."""
        return self._label or words_of_key(self)


def words_of_key(key: str) -> str:
    return key.replace("_", " ").capitalize()


class Right(StrEnum):
    """What a policy keeps for some roles, for each kind of document: who does it among those whose role may at all."""

    UPLOAD = "upload"
    CORRECT = "correct"
    REMOVE = "propose the removal of"

    @property
    def permission(self) -> Permission:
        return Permission.DOCUMENT_DELETE if self is Right.REMOVE else Permission.DOCUMENT_ADD

    @property
    def roles(self) -> tuple[Role, ...]:
        """Return the roles that may do it at all; a policy chooses among them for each kind."""
        return tuple(role for role in Role if self.permission in PERMISSIONS[role])


class RetentionClass(models.TextChoices):
    """The rule of the retention schedule that a kind's documents follow. A schedule has one rule for each class."""

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
    CLIENT_RECORD = "client_record", "Client record"
    RECORD = "record", "Other record"


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
