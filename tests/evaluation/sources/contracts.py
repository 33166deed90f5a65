"""What a document of the folder is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from apps.corpus.kinds import DocumentType, Kind, SourceType
from apps.intents.fund_house import FundHouse


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One document. `id` is the file's name without its ending; the ending says how the template is built."""

    file: str
    template: str
    title: str
    company: str
    kind: Kind = FundHouse.REFERENCE_REPORT
    document_type: DocumentType
    source_type: SourceType = SourceType.INTERNAL
    period: str = ""
    published_on: date
    ticker: str = ""
    language: str = "en"
    jurisdictions: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return self.file.rsplit(".", 1)[0]
