"""What the analysis read from the question: filters, terms and concepts, and what the glossary added."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final

from apps.filings.periods import Period


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyPeriods:
    """A company's own periods, newest first. An empty name stands for the documents that name no company."""

    company: str
    periods: tuple[Period, ...]


def own_periods(company: str, of_companies: Sequence[CompanyPeriods]) -> tuple[Period, ...]:
    """Return the periods of one company; none for a company that has no entry. `of_companies` is ordered by name."""
    place = bisect_left(of_companies, company, key=lambda each: each.company)
    found = of_companies[place : place + 1]
    return found[0].periods if found and found[0].company == company else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InventoryEntry:
    """The number of live documents that share these facts.

    An empty string or None means that the documents do not state the fact.

    published_first, published_last: the earliest and the latest publication date among the documents that state one.
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
    """What the granted scopes and permitted kinds hold. The analysis reads the question's filters against it."""

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
    """A series of reports: one company, kind and document type, and either all whole years or all quarters.

    newest: the period of the newest report that the corpus holds.
    """

    company: str
    kind: str
    document_type: str
    newest: Period


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataFilter:
    """A condition on documents that was read from the question.

    values: labels.
    periods: the periods behind those labels, for a filter by period.
    of_companies: which of `periods` count for which company, ordered by name; empty if all count for every company.
    series: the series of which the newest report is preferred; set only for NEWEST_REPORT. Such a filter has no
        `periods`, because the question does not ask for one, and an answer from an older report is still an answer.
    """

    field: FilterField
    values: tuple[str, ...]
    certainty: Certainty
    reason: str
    periods: tuple[Period, ...] = ()
    series: tuple[ReportSeries, ...] = ()
    of_companies: tuple[CompanyPeriods, ...] = ()

    def periods_of(self, company: str) -> tuple[Period, ...]:
        """Return the periods that count for a company's documents."""
        return own_periods(company, self.of_companies) if self.of_companies else self.periods


_NAMED_IN_FULL: Final = 5


class GivenField(StrEnum):
    DOCUMENT = "document"
    COMPANY = "company"
    PERIOD = "period"
    KIND = "kind"
    AS_OF = "as_of"


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenFilter:
    """A condition on documents that came with the question, beside its text.

    values: document ids, labels of periods, kinds, or the instant. For companies: only those that the corpus holds, in
        its spelling.
    unmet: a sentence that names the part of the condition that no document can meet; empty where every part can be met.
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
    """A sure filter that was removed, with the reason: it would leave no document, or the request gives its own."""

    filter: MetadataFilter
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """One thing that the question is about. Any of the alternatives, each a tuple of terms, stands for it.

    A concept of the glossary has more weight than a plain word, because it names the figure that was asked for. A
    proper name (`is_name`) has the most weight, because a figure of another fund is no answer.
    """

    label: str
    alternatives: tuple[tuple[str, ...], ...]
    weight: float
    is_name: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedFigure:
    """A run of words in the question that names the figure asked for.

    concepts: labels of the glossary's figures in it. A document may call these by other names.
    terms: its other words. A document must use these as they are.
    """

    text: str
    concepts: tuple[str, ...]
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedTerm:
    """A term of the sparse query. Terms that the glossary added weigh less than the question's own terms."""

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
    PROFILE_REFUSED = "profile_refused"
    """The question names what the compliance profile refuses; nothing was searched."""
    PROFILE_BLOCKED = "profile_blocked"
    """The answer names what the compliance profile excludes; it is withheld."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The reason why there is no answer, and what the person can do."""

    reason: RefusalReason
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryAnalysis:
    """The question in the form in which it is searched.

    text: the normalised question. search_text: the text that is embedded.
    names: names in the question that are not companies of the corpus. They say who or what the question is about,
        including the country whose law it asks about.
    figures: the phrases that name the figure asked for ("total current liabilities").
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
        """Return all periods that the question names or implies, including those for which no document is held.

        Periods that came with the question as a given filter are not included: they say which documents are searched,
        and not what is asked for.
        """
        return tuple(dict.fromkeys(period for each in self._read for period in each.periods))

    @property
    def companies_named(self) -> tuple[str, ...]:
        """Return the companies that the question names, as their documents call them."""
        named = (value for each in self.filters if each.field is FilterField.COMPANY for value in each.values)
        return tuple(dict.fromkeys(named))

    def periods_of(self, company: str) -> tuple[Period, ...]:
        """Return those of `periods` that count for a company's documents."""
        return tuple(dict.fromkeys(period for each in self._read for period in each.periods_of(company)))

    @property
    def _read(self) -> tuple[MetadataFilter, ...]:
        return (*self.filters, *(each.filter for each in self.relaxed))
