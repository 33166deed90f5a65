"""Read a question: its subject, the documents it refers to, and how it is searched. Deterministic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from apps.corpus.kinds import DocumentType
from apps.corpus.terms import statement_term, terms
from apps.filings.text.mentions import blank_mentions
from apps.filings.text.period_mentions import PeriodMentions, read_period_mentions
from apps.retrieval.contracts import (
    Certainty,
    CorpusInventory,
    Expansion,
    FilterField,
    GivenField,
    GivenFilter,
    InventoryEntry,
    MetadataFilter,
    QueryAnalysis,
    Refusal,
    RefusalReason,
    WeightedTerm,
)
from apps.retrieval.stages.question.companies import read_companies
from apps.retrieval.stages.question.document_types import read_document_types
from apps.retrieval.stages.question.given import set_aside
from apps.retrieval.stages.question.jurisdictions import read_jurisdictions
from apps.retrieval.stages.question.later_reports import read_in_later_reports
from apps.retrieval.stages.question.newest import prefer_newest
from apps.retrieval.stages.question.period_filters import PeriodReading
from apps.retrieval.stages.question.periods import resolve_periods
from apps.retrieval.stages.question.publication import read_publication
from apps.retrieval.stages.question.relax import admits, relax_filters, states
from apps.retrieval.stages.question.topic import Topic, read_topic

_VAGUE: Final = (
    "The question does not say what it is about{found}. Name the figure, topic or rule, and if it matters the fund or "
    "company and the period, such as: What was the maximum drawdown of the fund in Q4 2024?"
)


def analyse(
    text: str,
    *,
    language: str,
    inventory: CorpusInventory,
    minimum_chars: int,
    expansion_weight: float,
    statement_weight: float,
    newest_first: bool = True,
    given: tuple[GivenFilter, ...] = (),
) -> QueryAnalysis:
    """Read filters, concepts and search terms from a question.

    Args:    text: as `validate` returns it.
             language: ISO 639-1, for the terms.
             inventory: what is held in the granted scopes and permitted kinds, and meets the given filters.
             minimum_chars: a question with fewer letters and digits than this is too vague to search.
             expansion_weight: weight of the terms that the glossary adds, where a term of the question has 1.
             statement_weight: weight of the mark on pages of a financial statement.
             newest_first: whether a question that names no period prefers the newest report of each series.
             given: filters that came with the question. They are never relaxed, and replace filters on the same field
                 that the text implies.
    Returns: the analysis. If the question is too vague, `refusal` is set, and then nothing should be searched.
    """
    companies = read_companies(text, inventory.entries)
    document_types = read_document_types(companies.rest, inventory.entries)
    within = _keep_companies(inventory.entries, companies.filters)
    jurisdictions = read_jurisdictions(text, document_types.rest, language, inventory.entries, within)
    others = (*companies.filters, *document_types.filters, *jurisdictions.filters)
    mentions, periods = _read_periods(document_types.rest, within, others, inventory.entries)
    read = (*companies.filters, *periods.filters, *document_types.filters, *jurisdictions.filters)
    # If a period is given, the question does not leave the period open.
    newest_first = newest_first and not any(each.field is GivenField.PERIOD for each in given)
    newest = prefer_newest(text, mentions, read, within) if newest_first else ()
    # If no company is named, the preference applies to every series, and a notice would tell the reader nothing.
    noticed = [each.reason for each in newest] if companies.filters else []
    aside = set_aside(read, given, inventory.entries)
    left = (each for each in read if all(each is not other.filter for other in aside))
    later = read_in_later_reports((*left, *newest), inventory.entries)
    filters = relax_filters(later.filters, inventory.entries)
    relaxed = (*aside, *filters.relaxed)
    laws = jurisdictions.plain if _is_sure_of(FilterField.JURISDICTION, filters.kept) else ()
    # The document states its jurisdiction, but its text need not. If the text had to name it, the right passage could
    # not answer.
    subject = blank_mentions(mentions.rest, laws)
    topic = read_topic(subject, text, language)
    if not topic.concepts and any(_is_of_transcripts(each) for each in filters.kept):
        topic = read_topic(subject, text, language, of_speech=True)
    search_words = " ".join((_search_words(text, topic, companies.rest, filters.kept), *(law.text for law in laws)))
    refusal = _vague(text, topic, filters.kept, minimum_chars)
    return QueryAnalysis(
        text=text,
        search_text=text,
        language=language,
        terms=(
            *_weighted_terms(search_words, mentions, topic.expansions, language, expansion_weight),
            *_statement_terms(topic, language, statement_weight),
        ),
        concepts=topic.concepts,
        names=tuple(dict.fromkeys((*topic.names, *(law.text for law in laws)))),
        expansions=topic.expansions,
        filters=filters.kept,
        relaxed=relaxed,
        ignored_words=topic.ignored,
        years=_years(filters.kept, mentions),
        wants_number=topic.wants_number,
        notices=(
            *(each.unmet for each in given if each.unmet),
            *periods.notices,
            *noticed,
            *later.notices,
            *(each.reason for each in relaxed),
        ),
        refusal=refusal,
        figures=topic.figures,
        given=given,
    )


def _read_periods(
    text: str, within: Sequence[InventoryEntry], filters: Sequence[MetadataFilter], entries: Sequence[InventoryEntry]
) -> tuple[PeriodMentions, PeriodReading]:
    """Return the periods that the question spells out, or those of a stated publication date, or those it implies.

    Args: within: those of all `entries` that the filters on companies leave.
          filters: the question's other filters, and those on companies. Periods are resolved for the companies that the
              sure ones leave, unless these have to be relaxed.
    """
    mentions = read_period_mentions(text)
    publication = None if any(named.explicit for named in mentions.named) else read_publication(text, within)
    if publication is None or publication.filter is None:
        sure = [each for each in filters if each.certainty is Certainty.SURE]
        if any(all(states(entry, each) for each in sure) for entry in within):
            left = {entry.company for entry in within if all(admits(entry, each) for each in sure)}
            within = [entry for entry in within if entry.company in left]
        # A filter on companies keeps documents without one.
        named = any(each.field is FilterField.COMPANY for each in sure)
        return mentions, resolve_periods(
            mentions, within, beside=[entry for entry in entries if named and not entry.company]
        )
    return (
        read_period_mentions(publication.rest),
        PeriodReading(filters=(publication.filter,), notices=(publication.filter.reason,)),
    )


def _keep_companies(entries: Sequence[InventoryEntry], filters: Iterable[MetadataFilter]) -> tuple[InventoryEntry, ...]:
    """Return the inventory entries of the companies in the sure filters, or all entries if there are none."""
    sure = [each for each in filters if each.certainty is Certainty.SURE]
    return tuple(entry for entry in entries if all(states(entry, each) for each in sure)) or tuple(entries)


def _search_words(text: str, topic: Topic, without_companies: str, filters: Iterable[MetadataFilter]) -> str:
    """Return the words for the sparse query: the topic, and the company's name unless a sure filter covers it."""
    names = (
        ""
        if _is_sure_of(FilterField.COMPANY, filters)
        else "".join(a if b == " " else " " for a, b in zip(text, without_companies, strict=True))
    )
    return f"{names} {topic.words}"


def _is_of_transcripts(each: MetadataFilter) -> bool:
    transcripts = (DocumentType.EARNINGS_TRANSCRIPT.value,)
    return each.field is FilterField.DOCUMENT_TYPE and each.certainty is Certainty.SURE and each.values == transcripts


def _is_sure_of(field: FilterField, filters: Iterable[MetadataFilter]) -> bool:
    return any(each.field is field and each.certainty is Certainty.SURE for each in filters)


def _weighted_terms(
    words: str,
    mentions: PeriodMentions,
    expansions: Iterable[Expansion],
    language: str,
    expansion_weight: float,
) -> tuple[WeightedTerm, ...]:
    found: dict[str, WeightedTerm] = {}
    # As written and as a plain year: the first makes the period's own term, the second stands in column headings.
    periods = " ".join(f"{named.wording} {named.period.fiscal_year}" for named in mentions.named)
    triggers = " ".join(expansion.trigger for expansion in expansions)
    for term in terms(f"{words} {triggers} {periods}", language):
        found.setdefault(term, WeightedTerm(term=term, weight=1.0, source="question"))
    for expansion in expansions:
        for phrase in expansion.phrases:
            for term in terms(phrase, language):
                found.setdefault(term, WeightedTerm(term=term, weight=expansion_weight, source=expansion.label))
    return tuple(found.values())


def _statement_terms(topic: Topic, language: str, weight: float) -> Iterator[WeightedTerm]:
    """Yield the marks of the statements from which the question's figures are read.

    See apps.corpus.terms.statement_term.
    """
    for statement, figure in topic.statements:
        source = f"{figure}: {statement.label(language)}"
        yield WeightedTerm(term=statement_term(statement.value), weight=weight, source=source)


def _years(filters: Iterable[MetadataFilter], mentions: PeriodMentions) -> tuple[int, ...]:
    named = {named.period.fiscal_year for named in mentions.named}
    return tuple(sorted(named | {period.fiscal_year for each in filters for period in each.periods}))


def _vague(text: str, topic: Topic, filters: Sequence[MetadataFilter], minimum_chars: int) -> Refusal | None:
    readable = sum(character.isalnum() for character in text)
    if topic.concepts and readable >= minimum_chars:
        return None
    values = ", ".join(value for each in filters for value in each.values)
    found = f" (only {values} was understood)" if values else ""
    return Refusal(reason=RefusalReason.TOO_VAGUE, message=_VAGUE.format(found=found))
