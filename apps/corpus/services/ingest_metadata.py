"""What is known about a document beside its text, and how loosely written metadata is read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import PurePath
from typing import Any

from django.core.exceptions import ValidationError

from apps.corpus.kinds import DocumentType, SourceType


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentMetadata:
    """What whoever brings a document says about it; empty where nothing was said."""

    title: str = ""
    document_type: DocumentType = DocumentType.OTHER
    source_type: SourceType = SourceType.INTERNAL
    company: str = ""
    ticker: str = ""
    fiscal_year: int | None = None
    fiscal_quarter: int | None = None
    published_on: date | None = None
    language: str = ""
    jurisdictions: tuple[str, ...] = ()
    external_id: str = ""


_DOCUMENT_TYPES: Mapping[str, DocumentType] = {
    "10k": DocumentType.FORM_10K,
    "annualreport": DocumentType.FORM_10K,
    "10q": DocumentType.FORM_10Q,
    "quarterlyreport": DocumentType.FORM_10Q,
    "8k": DocumentType.FORM_8K,
    "currentreport": DocumentType.FORM_8K,
    "earnings": DocumentType.EARNINGS_RELEASE,
    "transcript": DocumentType.EARNINGS_TRANSCRIPT,
    "news": DocumentType.NEWS_ARTICLE,
    **{re.sub(r"[^a-z0-9]", "", member.value.lower()): member for member in DocumentType},
}
_OFFICIAL = frozenset(
    {DocumentType.FORM_10K, DocumentType.FORM_10Q, DocumentType.FORM_8K, DocumentType.EARNINGS_RELEASE}
)
_YEAR = re.compile(r"(?<!\d)(19\d\d|20\d\d|21\d\d)(?!\d)")
_QUARTER = re.compile(r"(?:(?<![a-z])q([1-4])|([1-4])q)(?!\d)")


def title_from_filename(filename: str) -> str:
    """A readable title where none was given."""
    stem = PurePath(filename).stem
    return re.sub(r"[_\s]+", " ", stem).strip()[:300] or "Untitled"


def document_type_of(written: str) -> DocumentType:
    """Read a document type in the spellings that exports use ("10k", "10-K", "Earnings").

    Raises: ValidationError: none of the known ones.
    """
    found = _DOCUMENT_TYPES.get(re.sub(r"[^a-z0-9]", "", written.lower()))
    if found is None:
        known = ", ".join(DocumentType.values)
        raise ValidationError({"document_type": f"There is no document type {written!r}. Choose one of: {known}."})
    return found


def source_type_for(document_type: DocumentType) -> SourceType:
    """Who speaks in a document of this type, where nobody said."""
    if document_type in _OFFICIAL:
        return SourceType.OFFICIAL
    if document_type is DocumentType.NEWS_ARTICLE:
        return SourceType.NEWS
    return SourceType.POLICY if document_type is DocumentType.POLICY else SourceType.INTERNAL


def fiscal_period_of(written: str) -> tuple[int | None, int | None]:
    """Read a fiscal year and quarter: "2018", "FY2018", "2023Q4", "Q4 2023", "4Q 2023"."""
    year, quarter = _YEAR.search(written), _QUARTER.search(written.lower())
    return (
        int(year.group(1)) if year else None,
        int(quarter.group(1) or quarter.group(2)) if quarter else None,
    )


def metadata_from_row(row: Mapping[str, Any], *, filename: str) -> DocumentMetadata:
    """Read one row of a manifest.

    Known fields: id or external_id, title, company, ticker, document_type, source_type, period (a year, or a year and
    a quarter), fiscal_year, fiscal_quarter, published_on (YYYY-MM-DD), language, jurisdictions. Where the row names
    no quarter, one in the file's own name counts ("AMCOR_2023Q2_10Q.pdf").

    Raises: ValidationError: a value that can't be read, beside its field.
    """
    text = {name: str(value).strip() for name, value in row.items() if value is not None}
    document_type = document_type_of(text["document_type"]) if text.get("document_type") else DocumentType.OTHER
    year, quarter = fiscal_period_of(text.get("period", ""))
    named_year, named_quarter = fiscal_period_of(PurePath(filename).stem)
    year = _number(text, "fiscal_year") or year or named_year
    quarter = _number(text, "fiscal_quarter") or quarter or (named_quarter if named_year in (None, year) else None)
    return DocumentMetadata(
        title=text.get("title", ""),
        document_type=document_type,
        source_type=_source_type(text, document_type),
        company=text.get("company", ""),
        ticker=text.get("ticker", ""),
        fiscal_year=year,
        fiscal_quarter=quarter if document_type is not DocumentType.FORM_10K else None,
        published_on=_date(text),
        language=text.get("language", ""),
        jurisdictions=_jurisdictions(row),
        external_id=text.get("external_id") or text.get("id", ""),
    )


def _source_type(text: Mapping[str, str], document_type: DocumentType) -> SourceType:
    written = text.get("source_type")
    if not written:
        return source_type_for(document_type)
    if written not in SourceType.values:
        raise ValidationError({"source_type": f"{written!r} is not one of: {', '.join(SourceType.values)}."})
    return SourceType(written)


def _number(text: Mapping[str, str], field: str) -> int | None:
    written = text.get(field)
    if not written:
        return None
    if not written.isdecimal():
        raise ValidationError({field: f"{written!r} is not a whole number."})
    return int(written)


def _date(text: Mapping[str, str]) -> date | None:
    written = text.get("published_on")
    if not written:
        return None
    try:
        return date.fromisoformat(written)
    except ValueError as error:
        raise ValidationError({"published_on": f"{written!r} is not a date as YYYY-MM-DD."}) from error


def _jurisdictions(row: Mapping[str, Any]) -> tuple[str, ...]:
    given = row.get("jurisdictions") or ()
    names = given.split(",") if isinstance(given, str) else given
    return tuple(str(name).strip() for name in names if str(name).strip())
