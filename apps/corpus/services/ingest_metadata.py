"""What is known about a document beside its text: what was said when it came, completed by the document itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from apps.corpus.description import Description, describe, title_from_filename
from apps.corpus.extraction import ExtractedDocument
from apps.corpus.kinds import DocumentType, SourceType
from apps.corpus.metadata_values import given_value, text_of
from apps.corpus.models import Document


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


def metadata_from_row(row: Mapping[str, object], *, filename: str) -> DocumentMetadata:
    """Read a row of a manifest, or the fields of a form or a request; what it leaves out, the file's name may say.

    Args:   row: what describe takes as given, and id or external_id.
    Raises: InvalidFieldError: a value that can't be read; it names its field.
    """
    about = describe(None, filename=filename, given=row)
    external_id = given_value(row, "external_id", "id")
    return DocumentMetadata(
        title="" if about.title == title_from_filename(filename) else about.title,
        document_type=about.document_type,
        source_type=about.source_type,
        company=about.company,
        ticker=about.ticker,
        fiscal_year=about.fiscal_year,
        fiscal_quarter=about.fiscal_quarter,
        published_on=about.published_on,
        language=about.language,
        jurisdictions=about.jurisdictions,
        external_id=text_of(external_id, field="external_id") if external_id is not None else "",
    )


def describe_stored(document: Document, extracted: ExtractedDocument) -> Description:
    """Describe a document that has been read, by what is stored about it, its file's name and its first pages.

    Raises: InvalidFieldError: what is stored can't be understood.
    """
    return describe(extracted, filename=document.filename, given=_stated(document))


def fill_in(document: Document, about: Description) -> None:
    """Put what was found where nothing is stored yet. What was said when the document came is never replaced."""
    if _has_title_of_file(document):
        document.title = about.title[:300]
    if document.document_type == DocumentType.OTHER:
        document.document_type = about.document_type
        if document.source_type == SourceType.INTERNAL:
            document.source_type = about.source_type
    if document.fiscal_year is None and document.fiscal_quarter is None:
        document.fiscal_year, document.fiscal_quarter = about.fiscal_year, about.fiscal_quarter
    elif document.fiscal_year == about.fiscal_year:
        document.fiscal_quarter = document.fiscal_quarter or about.fiscal_quarter
    document.company = document.company or about.company
    document.ticker = document.ticker or about.ticker
    document.published_on = document.published_on or about.published_on
    document.language = document.language or about.language
    document.jurisdictions = document.jurisdictions or list(about.jurisdictions)


def _stated(document: Document) -> dict[str, object]:
    """What is stored as given values. A default says nothing: neither the type "other", nor, beside it, "internal"."""
    stated: dict[str, object] = {
        "company": document.company,
        "ticker": document.ticker,
        "published_on": document.published_on,
        "fiscal_year": document.fiscal_year,
    }
    if document.fiscal_year is not None:
        stated["fiscal_quarter"] = document.fiscal_quarter
    if not _has_title_of_file(document):
        stated["title"] = document.title
    if document.document_type != DocumentType.OTHER:
        stated["document_type"] = document.document_type
        stated["source_type"] = document.source_type
    elif document.source_type != SourceType.INTERNAL:
        stated["source_type"] = document.source_type
    return stated


def _has_title_of_file(document: Document) -> bool:
    return document.title == title_from_filename(document.filename)
