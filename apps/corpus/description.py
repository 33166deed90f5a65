"""Derive a document's metadata without a model: given values come first, then the file name, then the first pages."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from apps.corpus.chunking.contracts import DocumentFacts
from apps.corpus.cover_page import UNTITLED, Findings, from_filename, from_first_pages, title_from_filename
from apps.corpus.extraction.contracts import ExtractedDocument
from apps.corpus.kinds import DocumentType, SourceType
from apps.corpus.metadata_values import (
    InvalidFieldError,
    Period,
    date_of,
    document_type_of,
    given_value,
    invalid,
    jurisdictions_of,
    language_of,
    period_of,
    quarter_of,
    source_type_of,
    text_of,
    year_of,
)

__all__ = ["Description", "DescriptionWarning", "InvalidFieldError", "describe", "title_from_filename", "without"]

# The keys of the given values that describe reads.
GIVEN_KEYS = frozenset(
    ("title", "name", "company", "ticker", "document_type", "doc_type", "type", "source_type", "period", "fiscal_year")
) | frozenset(
    ("fiscal_quarter", "published_on", "published", "filing_date", "date", "language", "jurisdictions", "jurisdiction")
)
_FILINGS = frozenset({DocumentType.FORM_10K, DocumentType.FORM_10Q, DocumentType.FORM_8K})
# Documents of an issuer about itself: a ticker on the first page is the issuer's own. In other documents it belongs to
# a company that the text is about.
_OF_AN_ISSUER = _FILINGS | {DocumentType.EARNINGS_RELEASE, DocumentType.EARNINGS_TRANSCRIPT}
# A year in the file name of one of these is the year of writing, not a fiscal year that it reports on.
_WITHOUT_A_PERIOD = frozenset({DocumentType.NEWS_ARTICLE, DocumentType.POLICY})
_SOURCES: dict[DocumentType, SourceType] = {
    DocumentType.FORM_10K: SourceType.OFFICIAL,
    DocumentType.FORM_10Q: SourceType.OFFICIAL,
    DocumentType.FORM_8K: SourceType.OFFICIAL,
    DocumentType.EARNINGS_RELEASE: SourceType.OFFICIAL,
    DocumentType.EARNINGS_TRANSCRIPT: SourceType.OFFICIAL,
    DocumentType.NEWS_ARTICLE: SourceType.NEWS,
    DocumentType.POLICY: SourceType.POLICY,
}
_WORD = re.compile(r"[^\W\d_]{2}")
# Titles that PDF producers and filing agents leave in the title field: accession numbers, form names, file names.
_NO_TITLE = re.compile(
    r"^\d{6,}|^\W*$|^[a-z]+:\S*$|^(?:form\s+)?(?:10-?[kq]|8-?k)\b|exhibits?-\d|^(?:document|untitled|title)\b|^[a-z]+-\d{8}$"
    r"|^united\s+states\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DescriptionWarning:
    """A contradiction between two sources; `detail` says what each of them gives."""

    field: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """The derived metadata of a document; "" or None for an unknown value."""

    title: str
    company: str
    ticker: str
    fiscal_year: int | None
    fiscal_quarter: int | None
    document_type: DocumentType
    source_type: SourceType
    published_on: date | None
    language: str
    jurisdictions: tuple[str, ...]
    warnings: tuple[DescriptionWarning, ...] = ()

    @property
    def period_label(self) -> str:
        """ "FY2018", "Q2 FY2023" or ""."""
        if self.fiscal_year is None:
            return ""
        return f"Q{self.fiscal_quarter} FY{self.fiscal_year}" if self.fiscal_quarter else f"FY{self.fiscal_year}"

    @property
    def facts(self) -> DocumentFacts:
        """Return the facts about the document that the context header of each chunk states."""
        label = self.document_type.value if self.document_type in _FILINGS else str(self.document_type.label)
        return DocumentFacts(
            title=self.title,
            company=self.company,
            period=self.period_label,
            document_type="" if self.document_type is DocumentType.OTHER else label,
        )


def describe(document: ExtractedDocument | None, *, filename: str, given: Mapping[str, object]) -> Description:
    """Derive the metadata of a document.

    Args:    document: its text, or None while it has not been read.
             given: values from a manifest or a request: title, company, ticker, document_type, source_type, period or
             fiscal_year and fiscal_quarter, published_on, language, jurisdictions. Other keys are ignored; empty
             values count as not given.
    Raises:  InvalidFieldError: a given value is not understood; it names the field and what is allowed.
    """
    name = from_filename(filename)
    cover = from_first_pages(document) if document is not None else Findings()
    warnings: list[DescriptionWarning] = []
    document_type = _document_type(given, name, cover, warnings)
    period = _period(given, name, cover, document_type, warnings)
    published_on = given_value(given, "published_on", "published", "filing_date", "date")
    company = _text(given, "company") or cover.company
    source_type = given_value(given, "source_type")
    jurisdictions = given_value(given, "jurisdictions", "jurisdiction")
    language = given_value(given, "language")
    return Description(
        title=_title(given, document, name, cover, built=_built_title(company, document_type, period)),
        company=company,
        ticker=_text(given, "ticker").upper() or (cover.ticker if document_type in _OF_AN_ISSUER else ""),
        fiscal_year=period.fiscal_year if period else None,
        fiscal_quarter=period.fiscal_quarter if period else None,
        document_type=document_type,
        source_type=source_type_of(source_type) if source_type else source_of_type(document_type),
        published_on=date_of(published_on) if published_on else name.published_on or cover.published_on,
        language=language_of(language) if language else document.language if document is not None else "",
        jurisdictions=jurisdictions_of(jurisdictions) if jurisdictions else _jurisdictions(cover),
        warnings=tuple(warnings),
    )


def source_of_type(document_type: DocumentType) -> SourceType:
    """Return the source of documents of this type where nothing else says it."""
    return _SOURCES.get(document_type, SourceType.INTERNAL)


def without(about: Description, names: Collection[str]) -> Description:
    """Return the description with these fields emptied; emptying the year empties the quarter too."""
    emptied: dict[str, Any] = {
        **dict.fromkeys(("company", "ticker", "language"), ""),
        "published_on": None,
        "jurisdictions": (),
    }
    emptied |= {"fiscal_year": None, "fiscal_quarter": None}
    gone = {*names, *(["fiscal_quarter"] if "fiscal_year" in names else [])}
    return replace(about, **{name: emptied[name] for name in gone})


def _document_type(
    given: Mapping[str, object], name: Findings, cover: Findings, warnings: list[DescriptionWarning]
) -> DocumentType:
    value = given_value(given, "document_type", "doc_type", "type")
    chosen = document_type_of(value) if value is not None else None
    # An 8-K often contains another document as its exhibit. The file name says which document is meant.
    found = cover.document_type if name.document_type is None else name.document_type
    if chosen is not None and found is not None and found is not chosen and name.document_type is not None:
        detail = f"{chosen.label} was given, the file name says {found.label}"
        warnings.append(DescriptionWarning(field="document_type", detail=detail))
    return chosen or found or DocumentType.OTHER


def _period(
    given: Mapping[str, object],
    name: Findings,
    cover: Findings,
    document_type: DocumentType,
    warnings: list[DescriptionWarning],
) -> Period | None:
    found = _found_period(name, cover, document_type)
    chosen = _given_period(given, found)
    period = chosen or found
    if chosen is not None and found is not None:
        if chosen.fiscal_year != found.fiscal_year:
            detail = f"fiscal year {chosen.fiscal_year} was given, the document says {found.fiscal_year}"
            warnings.append(DescriptionWarning(field="period", detail=detail))
        elif chosen.fiscal_quarter is None:
            period = Period(chosen.fiscal_year, found.fiscal_quarter)
    if period is not None and document_type is DocumentType.FORM_10K:
        return Period(period.fiscal_year)  # the last day of an annual report names a quarter by chance
    return period


def _found_period(name: Findings, cover: Findings, document_type: DocumentType) -> Period | None:
    """Return the period of the file name, else of the cover; a cover adds the quarter to a name with only the year."""
    named = name.period
    if named is not None and named.fiscal_quarter is None:
        if document_type in _WITHOUT_A_PERIOD:
            named = None
        elif cover.period is not None and cover.period.fiscal_year == named.fiscal_year:
            named = cover.period
    return named or cover.period


def _given_period(given: Mapping[str, object], found: Period | None) -> Period | None:
    value = given_value(given, "period")
    year, quarter = given_value(given, "fiscal_year"), given_value(given, "fiscal_quarter")
    period = period_of(value) if value is not None else None
    if year is not None:
        period = Period(year_of(year), period.fiscal_quarter if period else None)
    if quarter is not None:
        dated = period or found
        if dated is None:
            raise invalid("fiscal_quarter", quarter, "a quarter together with a fiscal_year")
        period = Period(dated.fiscal_year, quarter_of(quarter))
    return period


def _title(
    given: Mapping[str, object], document: ExtractedDocument | None, name: Findings, cover: Findings, *, built: str
) -> str:
    """Return the given title, else the file's name. If the name has no word, such as 0000320187-21-000028.pdf, use the
    title in the document's properties, a title built from its form, or its first heading."""
    title = _text(given, "title", "name")
    if title:
        return title
    if _WORD.search(name.title) and name.title != UNTITLED:
        return name.title
    embedded = document.title if document is not None else None
    if embedded and not _NO_TITLE.search(embedded):
        return embedded[:200]
    return built or (cover.title[:200] if not _NO_TITLE.search(cover.title) else "") or name.title


def _built_title(company: str, document_type: DocumentType, period: Period | None) -> str:
    """Return a title such as "Boeing 10-K 2018" for a filing, whose cover has no title; "" for other documents."""
    if not company or document_type not in _FILINGS:
        return ""
    return " ".join([company, document_type.value, *([str(period.fiscal_year)] if period else [])])


def _text(given: Mapping[str, object], *names: str) -> str:
    value = given_value(given, *names)
    return text_of(value, field=names[0]) if value is not None else ""


def _jurisdictions(cover: Findings) -> tuple[str, ...]:
    """Return "US" for an SEC form; the cover of another document does not show which law applies."""
    return ("US",) if cover.document_type in _FILINGS else ()
