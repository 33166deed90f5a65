"""The demo's documents: metadata and bytes. The same input gives the same bytes, so a second run ingests nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from string import Template
from typing import Final

from apps.corpus.kinds import DocumentType, Kind, SourceType
from apps.corpus.services.ingest.metadata import DocumentMetadata
from apps.demo.docx_builder import build_docx
from apps.demo.markup import reflow
from apps.demo.pdf_builder import build_pdf
from apps.demo.sources import SOURCES, Source
from apps.demo.tenants import DemoTenant

_TEMPLATES: Final = Path(__file__).with_name("documents")


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoDocument:
    """A file with the metadata that the corpus needs. `file_name` is unique within a tenant."""

    file_name: str
    title: str
    kind: Kind
    document_type: DocumentType
    source_type: SourceType
    scope_key: str
    company: str
    fiscal_year: int | None
    fiscal_quarter: int | None
    published_on: date
    jurisdictions: tuple[str, ...]
    content: bytes

    @property
    def metadata(self) -> DocumentMetadata:
        """Return the metadata that the ingest needs in addition to kind, scope and bytes."""
        return DocumentMetadata(
            title=self.title,
            document_type=self.document_type,
            source_type=self.source_type,
            company=self.company,
            fiscal_year=self.fiscal_year,
            fiscal_quarter=self.fiscal_quarter,
            published_on=self.published_on,
            language="en",
            jurisdictions=self.jurisdictions,
            external_id=f"demo:{self.file_name}",
        )


def demo_documents(tenant: DemoTenant) -> tuple[DemoDocument, ...]:
    """Return all documents of a firm, in a fixed order."""
    return tuple(_document(tenant, source) for source in SOURCES)


def _document(tenant: DemoTenant, source: Source) -> DemoDocument:
    scopes = {"firm": tenant.root_scope_key, "equity": tenant.equity_scope.key, "credit": tenant.credit_scope.key}
    values = _values(tenant, source)
    return DemoDocument(
        file_name=source.file_name,
        title=_fill_in(source.title, values),
        kind=source.kind,
        document_type=source.document_type,
        source_type=source.source_type,
        scope_key=scopes[source.scope],
        company=_fill_in(source.company, values),
        fiscal_year=source.fiscal_year,
        fiscal_quarter=source.fiscal_quarter,
        published_on=_published_on(source, values),
        jurisdictions=tuple(_fill_in(code, values) for code in source.jurisdictions),
        content=_content(source, values),
    )


def _content(source: Source, values: Mapping[str, str]) -> bytes:
    text = _fill_in((_TEMPLATES / source.template).read_text(encoding="utf-8"), values)
    match source.file_name.rsplit(".", 1)[1]:
        case "docx":
            return build_docx(text)
        case "pdf":
            return build_pdf(text)
        case "md":
            return reflow(text).encode()
        case _:
            return text.encode()


def _values(tenant: DemoTenant, source: Source) -> dict[str, str]:
    values = dict(tenant.facts)
    period = tenant.periods.get(source.fiscal_year) if source.fiscal_year else None
    if period is not None:
        year = str(source.fiscal_year)
        values |= period
        values |= {
            "year": year,
            "quarter": "Q4",
            "quarter_words": "fourth",
            "period_start": f"1 October {year}",
            "period_end": f"31 December {year}",
        }
    return values


def _published_on(source: Source, values: Mapping[str, str]) -> date:
    if isinstance(source.published_on, date):
        return source.published_on
    return datetime.strptime(values[source.published_on], "%d %B %Y").date()


def _fill_in(text: str, values: Mapping[str, str]) -> str:
    # substitute, not safe_substitute, so that a placeholder without a fact raises an error.
    return Template(text).substitute(values)
