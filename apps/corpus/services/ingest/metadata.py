"""The metadata of a document: what the uploader gave, completed from the document itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date
from typing import Final
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from apps.corpus.description import GIVEN_KEYS, Description, describe, source_of_type, title_from_filename
from apps.corpus.kinds import DocumentType, SourceType
from apps.corpus.metadata_values import given_value, text_of
from apps.corpus.models import Document
from apps.corpus.registry import KindInForce
from apps.tenants.ids import ScopeId

# The keys that metadata_from_row reads from a row.
KNOWN_KEYS = GIVEN_KEYS | {"external_id", "id"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentMetadata:
    """The metadata that an uploader gives for a document; a field that was not given is empty or has its default.

    source_type: None where it was not given: then the kind says it, or else the document type (source_of).
    corrected: the fields that somebody corrected. Their values are final, even empty ones.
    """

    title: str = ""
    document_type: DocumentType = DocumentType.OTHER
    source_type: SourceType | None = None
    company: str = ""
    ticker: str = ""
    fiscal_year: int | None = None
    fiscal_quarter: int | None = None
    published_on: date | None = None
    language: str = ""
    jurisdictions: tuple[str, ...] = ()
    external_id: str = ""
    corrected: tuple[str, ...] = ()


# The fields that can be corrected after the upload. Kind and scope are not among them: they decide who may read the
# document.
CORRECTABLE: Final = tuple(field.name for field in fields(DocumentMetadata) if field.name != "corrected")


def metadata_from_row(row: Mapping[str, object], *, filename: str) -> DocumentMetadata:
    """Read a row of a manifest, or the fields of a form or a request; the file's name may supply missing values.

    Args:   row: what describe takes as given, and id or external_id.
    Raises: InvalidFieldError: a value can't be read; the error names the field.
    """
    about = describe(None, filename=filename, given=row)
    external_id = given_value(row, "external_id", "id")
    source_type = given_value(row, "source_type")
    return DocumentMetadata(
        title="" if about.title == title_from_filename(filename) else about.title,
        document_type=about.document_type,
        source_type=about.source_type if source_type else None,
        company=about.company,
        ticker=about.ticker,
        fiscal_year=about.fiscal_year,
        fiscal_quarter=about.fiscal_quarter,
        published_on=about.published_on,
        language=about.language,
        jurisdictions=about.jurisdictions,
        external_id=text_of(external_id, field="external_id") if external_id is not None else "",
    )


def source_of(kind: KindInForce, document_type: DocumentType) -> SourceType:
    """Return the source of a document whose upload does not say it: what the policy in force says of its kind.

    A kind of the source "internal" leaves it to the document type, which may still be read from the file.
    """
    of_kind = kind.source_category
    return of_kind if of_kind is not SourceType.INTERNAL else source_of_type(document_type)


def source_as_refiled(document: Document, before: KindInForce | None, after: KindInForce) -> SourceType:
    """Return the source of a document that gets another kind: it follows the kind where the kind said it before.

    What somebody corrected stays, and what was given at the upload, where that was something else.
    """
    stored, document_type = SourceType(document.source_type), DocumentType(document.document_type)
    unsaid = source_of_type(document_type) if before is None else source_of(before, document_type)
    if _is_corrected(document, "source_type") or stored is not unsaid:
        return stored
    return source_of(after, document_type)


def metadata_of(document: Document) -> DocumentMetadata:
    """Return the stored metadata of a document, for another version of it."""
    return DocumentMetadata(
        title=document.title,
        document_type=DocumentType(document.document_type),
        source_type=SourceType(document.source_type),
        company=document.company,
        ticker=document.ticker,
        fiscal_year=document.fiscal_year,
        fiscal_quarter=document.fiscal_quarter,
        published_on=document.published_on,
        language=document.language,
        jurisdictions=tuple(document.jurisdictions),
        external_id=document.external_id,
        corrected=tuple(document.corrected_fields),
    )


def store_metadata(document: Document, about: DocumentMetadata) -> None:
    """Set the metadata on a document, the reverse of metadata_of; the row is not saved."""
    for name in CORRECTABLE:
        setattr(document, name, getattr(about, name))
    document.jurisdictions = list(about.jurisdictions)
    document.corrected_fields = list(about.corrected)


def external_id_in_force(scope_id: ScopeId, external_id: str) -> QuerySet[Document]:
    """Return the versions with this external id, except those whose series got another id by a later correction."""
    called: QuerySet[Document] = Document.objects.filter(scope_id=scope_id, external_id=external_id)
    later = Document.objects.filter(
        scope_id=scope_id,
        series_id=OuterRef("series_id"),
        version__gt=OuterRef("version"),
        corrected_fields__contains=["external_id"],
    )
    return called.exclude(Exists(later.exclude(external_id=external_id)))


def differing(document: Document, about: DocumentMetadata, *, replaces: UUID | None = None) -> tuple[str, ...]:
    """Return the names of the upload fields whose given value differs from the document's.

    A field that was left out or has its default counts as not given: see `stated`.
    """
    found = {
        "title": bool(about.title) and about.title != document.title,
        "document_type": about.document_type not in (DocumentType.OTHER, document.document_type),
        "source_type": about.source_type not in (None, SourceType.INTERNAL, document.source_type),
        "company": about.company not in ("", document.company),
        "ticker": about.ticker not in ("", document.ticker),
        "period": about.fiscal_year not in (None, document.fiscal_year)
        or about.fiscal_quarter not in (None, document.fiscal_quarter),
        "published_on": about.published_on not in (None, document.published_on),
        "language": about.language not in ("", document.language),
        "jurisdictions": bool(about.jurisdictions) and list(about.jurisdictions) != document.jurisdictions,
        "external_id": about.external_id not in ("", document.external_id),
        "replaces": replaces is not None and not _replaced(document, replaces),
    }
    return tuple(name for name, differs in found.items() if differs)


def _replaced(document: Document, earlier: UUID) -> bool:
    versions = Document.objects.filter(series_id=document.series_id, version__lt=document.version)
    return bool(versions.filter(id=earlier).exists())


def fill_in(document: Document, about: Description) -> None:
    """Store what was found in the file in the fields that are still empty. A value that was given at the upload or
    corrected since is never replaced."""
    if _has_title_of_file(document):
        document.title = about.title[:300]
    if document.document_type == DocumentType.OTHER and not _is_corrected(document, "document_type"):
        document.document_type = about.document_type
        if document.source_type == SourceType.INTERNAL and not _is_corrected(document, "source_type"):
            document.source_type = about.source_type
    if document.fiscal_year is None and document.fiscal_quarter is None:
        if not _is_corrected(document, "fiscal_year"):
            document.fiscal_year = about.fiscal_year
            if not _is_corrected(document, "fiscal_quarter"):
                document.fiscal_quarter = about.fiscal_quarter
    elif document.fiscal_year == about.fiscal_year and not _is_corrected(document, "fiscal_quarter"):
        document.fiscal_quarter = document.fiscal_quarter or about.fiscal_quarter
    for name in ("company", "ticker", "published_on", "language"):
        if not _is_corrected(document, name):
            setattr(document, name, getattr(document, name) or getattr(about, name))
    if not _is_corrected(document, "jurisdictions"):
        document.jurisdictions = document.jurisdictions or list(about.jurisdictions)


def stated(document: Document) -> dict[str, str | int | date | None]:
    """Return the stored metadata as given values.

    A default does not count as given: the document type "other", or the source type "internal", unless corrected.
    The source type counts as given with every other document type.
    """
    values: dict[str, str | int | date | None] = {
        "company": document.company,
        "ticker": document.ticker,
        "published_on": document.published_on,
        "fiscal_year": document.fiscal_year,
    }
    if document.fiscal_year is not None:
        values["fiscal_quarter"] = document.fiscal_quarter
    if not _has_title_of_file(document):
        values["title"] = document.title
    if document.document_type != DocumentType.OTHER or _is_corrected(document, "document_type"):
        values["document_type"] = document.document_type
        values["source_type"] = document.source_type
    elif document.source_type != SourceType.INTERNAL or _is_corrected(document, "source_type"):
        values["source_type"] = document.source_type
    return values


def left_empty(document: Document) -> tuple[str, ...]:
    """Return the fields that a correction emptied; they stay empty, whatever the file says."""
    return tuple(
        name
        for name in ("company", "ticker", "fiscal_year", "fiscal_quarter", "published_on", "language", "jurisdictions")
        if _is_corrected(document, name) and not getattr(document, name)
    )


def _is_corrected(document: Document, name: str) -> bool:
    return name in document.corrected_fields


def _has_title_of_file(document: Document) -> bool:
    return document.title == title_from_filename(document.filename) and not _is_corrected(document, "title")
