"""What was read from the question: filters, terms, concepts, and what the glossary added."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Period:
    """A fiscal year, or one quarter of it. Quarter 0 stands for the whole year, so that periods sort."""

    fiscal_year: int
    fiscal_quarter: int = 0

    @property
    def label(self) -> str:
        return f"Q{self.fiscal_quarter} {self.fiscal_year}" if self.fiscal_quarter else f"FY{self.fiscal_year}"


@dataclass(frozen=True, slots=True, kw_only=True)
class InventoryEntry:
    """How many live documents share these facts. Empty strings and None: the documents do not say.

    published_first, published_last: of the documents that say when they were published, the earliest and the latest.
    jurisdictions: codes such as DE, EU or US-NY.
    """

    kind: str
    company: str
    ticker: str
    document_type: str
    fiscal_year: int | None
    fiscal_quarter: int | None
    documents: int
    published_first: date | None = None
    published_last: date | None = None
    jurisdictions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusInventory:
    """What is held in the granted scopes and permitted kinds; against it the question's filters are read."""

    entries: tuple[InventoryEntry, ...] = ()


class FilterField(StrEnum):
    COMPANY = "company"
    PERIOD = "period"
    DOCUMENT_TYPE = "document_type"
    JURISDICTION = "jurisdiction"
    NEWEST_REPORT = "newest_report"
    """The question names no period: of several reports of one series, the newest."""


class Certainty(StrEnum):
    SURE = "sure"
    """Narrows the search."""
    LIKELY = "likely"
    """Lifts what matches, and leaves the rest in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSeries:
    """Reports of one company, kind and document type, all of whole years or all of quarters; `newest` is held."""

    company: str
    kind: str
    document_type: str
    newest: Period


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataFilter:
    """A condition on documents that was read from the question. `values` are labels; a period keeps its parts too.

    series: of which the newest report is preferred; for that condition alone. It names no `periods`: the question does
    not ask for one, and an answer from an older report is an answer.
    """

    field: FilterField
    values: tuple[str, ...]
    certainty: Certainty
    reason: str
    periods: tuple[Period, ...] = ()
    series: tuple[ReportSeries, ...] = ()


_NAMED_IN_FULL: Final = 5


class GivenField(StrEnum):
    DOCUMENT = "document"
    COMPANY = "company"
    PERIOD = "period"
    KIND = "kind"
    AS_OF = "as_of"


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenFilter:
    """A condition on documents that came with the question.

    values: ids, labels of periods, kinds, or the instant; of companies those that are held, as they are spelled there.
    unmet: a sentence on what of it nothing can meet; empty where all of it can be met.
    """

    field: GivenField
    values: tuple[str, ...]
    periods: tuple[Period, ...] = ()
    unmet: str = ""

    @property
    def label(self) -> str:
        named = " or ".join(self.values[:_NAMED_IN_FULL]) or "that is not held"
        more = f" or {len(self.values) - _NAMED_IN_FULL} more" if len(self.values) > _NAMED_IN_FULL else ""
        return f"{self.field.value.replace('_', ' ')} {named}{more}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RelaxedFilter:
    """A sure filter that was taken out, with the reason: it would have left nothing, or the request gives its own."""

    filter: MetadataFilter
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """One thing that the question is about: any of the alternatives (each a tuple of terms) stands for it.

    A concept of the glossary carries more weight than a plain word, since it names the figure that was asked for; a
    proper name (`is_name`) carries most, since a figure of another fund is no answer.
    """

    label: str
    alternatives: tuple[tuple[str, ...], ...]
    weight: float
    is_name: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedFigure:
    """A run of words that names what is asked for. `concepts` are labels of the glossary's figures in it, which may go
    by other names; `terms` its other words, which may not.
    """

    text: str
    concepts: tuple[str, ...]
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedTerm:
    """A term of the sparse query. Terms that the glossary added weigh less than those of the question."""

    term: str
    weight: float
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """What the glossary added for one expression of the question."""

    trigger: str
    label: str
    phrases: tuple[str, ...]


class RefusalReason(StrEnum):
    TOO_VAGUE = "too_vague"
    NOTHING_FOUND = "nothing_found"
    NOTHING_WITHIN_FILTERS = "nothing_within_filters"
    NOT_IN_CONTEXT = "not_in_context"
    UNGROUNDED = "ungrounded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """No answer, why, and what the person can do."""

    reason: RefusalReason
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryAnalysis:
    """The question as it is searched. `text` is normalised; `search_text` is what is embedded.

    `names` are the names that no held company explains: who or what the question is about, the country included whose
    law it asks about. `figures` are the phrases
    that name what is asked for ("total current liabilities").
    """

    text: str
    search_text: str
    language: str
    terms: tuple[WeightedTerm, ...]
    concepts: tuple[Concept, ...]
    names: tuple[str, ...]
    expansions: tuple[Expansion, ...]
    filters: tuple[MetadataFilter, ...]
    relaxed: tuple[RelaxedFilter, ...]
    ignored_words: tuple[str, ...]
    years: tuple[int, ...]
    wants_number: bool
    notices: tuple[str, ...]
    refusal: Refusal | None = None
    figures: tuple[AskedFigure, ...] = ()
    given: tuple[GivenFilter, ...] = ()

    @property
    def periods(self) -> tuple[Period, ...]:
        """All periods that the question names or implies, those included that no document is held of.

        Not those that came with it as a filter: they say which documents are searched, and not what is asked for.
        """
        relaxed = (each.filter for each in self.relaxed)
        return tuple(dict.fromkeys(period for each in (*self.filters, *relaxed) for period in each.periods))
