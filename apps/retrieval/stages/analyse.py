"""Read a question: what it is about, which documents it means, and how it is searched. Deterministic."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from apps.corpus.terms import terms
from apps.retrieval.contracts import (
    Certainty,
    Concept,
    CorpusInventory,
    Expansion,
    FilterField,
    InventoryEntry,
    MetadataFilter,
    QueryAnalysis,
    Refusal,
    RefusalReason,
    WeightedTerm,
)
from apps.retrieval.stages.companies import read_companies
from apps.retrieval.stages.document_types import read_document_types
from apps.retrieval.stages.glossary import GLOSSARY, UPPER_CASE_ONLY
from apps.retrieval.stages.mentions import Mention, blanked, mentions_of
from apps.retrieval.stages.period_mentions import PeriodMentions, read_period_mentions
from apps.retrieval.stages.periods import resolve_periods
from apps.retrieval.stages.names import proper_names
from apps.retrieval.stages.question_words import NUMBER_WORDS, SCAFFOLDING
from apps.retrieval.stages.relax import relax_filters, states

GLOSSARY_WEIGHT: Final = 2.0
WORD_WEIGHT: Final = 1.0
NAME_WEIGHT: Final = 3.0
PLACE_WEIGHT: Final = 0.5
_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019&.\-][^\W_]+)*")
_VAGUE: Final = (
    "The question does not say what it is about{found}. Name the figure, topic or rule, and if it matters the fund or "
    "company and the period, such as: What was the maximum drawdown of the fund in Q4 2024?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Topic:
    """What is left of a question when company, period and document type have been read."""

    concepts: tuple[Concept, ...]
    expansions: tuple[Expansion, ...]
    words: str
    ignored: tuple[str, ...]


def analyse(
    text: str,
    *,
    language: str,
    inventory: CorpusInventory,
    minimum_chars: int,
    expansion_weight: float,
) -> QueryAnalysis:
    """Read filters, concepts and search terms from a question.

    Args:    text: as `validate` returns it.
             language: ISO 639-1, for the terms.
             inventory: what is held in the granted scopes and permitted kinds.
             minimum_chars: fewer letters and digits than this are too vague to search.
             expansion_weight: weight of the terms that the glossary adds, where a term of the question has 1.
    Returns: the analysis; with `refusal` set when the question is too vague, and then nothing should be searched.
    """
    companies = read_companies(text, inventory.entries)
    document_types = read_document_types(companies.rest, inventory.entries)
    mentions = read_period_mentions(document_types.rest)
    within = _of_companies(inventory.entries, companies.filters)
    periods = resolve_periods(mentions, within)
    filters = relax_filters((*companies.filters, *periods.filters, *document_types.filters), inventory.entries)
    topic = _read_topic(mentions.rest, language)
    search_words = _search_words(text, topic, companies.rest, filters.kept)
    refusal = _vague(text, topic, filters.kept, minimum_chars)
    return QueryAnalysis(
        text=text,
        search_text=text,
        language=language,
        terms=_weighted_terms(search_words, mentions, topic.expansions, language, expansion_weight),
        concepts=topic.concepts,
        expansions=topic.expansions,
        filters=filters.kept,
        relaxed=filters.relaxed,
        ignored_words=topic.ignored,
        years=_years(filters.kept, mentions),
        wants_number=_wants_number(text, topic),
        notices=(*periods.notices, *(each.reason for each in filters.relaxed)),
        refusal=refusal,
    )


def _of_companies(entries: Sequence[InventoryEntry], filters: Iterable[MetadataFilter]) -> tuple[InventoryEntry, ...]:
    """What is held of the companies that the question is sure about, or everything."""
    sure = [each for each in filters if each.certainty is Certainty.SURE]
    return tuple(entry for entry in entries if all(states(entry, each) for each in sure)) or tuple(entries)


def _read_topic(text: str, language: str) -> _Topic:
    concepts: list[Concept] = []
    expansions: list[Expansion] = []
    triggers = sorted(
        ((trigger, entry) for entry in GLOSSARY for trigger in entry.triggers),
        key=lambda pair: (-len(pair[0]), pair[0]),
    )
    rest = text
    for trigger, entry in triggers:
        mentions = mentions_of(trigger, rest, case_sensitive=trigger in UPPER_CASE_ONLY)
        if not mentions:
            continue
        rest = blanked(rest, mentions)
        if any(concept.label == entry.label for concept in concepts):
            continue
        phrases = tuple(dict.fromkeys((*entry.phrases, mentions[0].text)))
        alternatives = tuple(dict.fromkeys(tuple(dict.fromkeys(terms(phrase, language))) for phrase in phrases))
        concepts.append(
            Concept(
                label=entry.label,
                alternatives=tuple(alternative for alternative in alternatives if alternative),
                weight=PLACE_WEIGHT if entry.says_where else GLOSSARY_WEIGHT,
            )
        )
        expansions.append(Expansion(trigger=mentions[0].text, label=entry.label, phrases=entry.phrases))
    scaffolding = [
        Mention(start=match.start(), end=match.end(), text=match.group())
        for match in _WORD.finditer(rest)
        if match.group().lower() in SCAFFOLDING
    ]
    words = blanked(rest, scaffolding)
    names = {term for name in proper_names(words, text) for term in terms(name, language)}
    concepts.extend(
        Concept(
            label=term,
            alternatives=((term,),),
            weight=NAME_WEIGHT if term in names else WORD_WEIGHT,
            is_name=term in names,
        )
        for term in dict.fromkeys(terms(words, language))
    )
    return _Topic(
        concepts=tuple(concepts),
        expansions=tuple(expansions),
        words=words,
        ignored=tuple(dict.fromkeys(mention.text.lower() for mention in scaffolding)),
    )


def _search_words(text: str, topic: _Topic, without_companies: str, filters: Iterable[MetadataFilter]) -> str:
    """The words for the sparse query: the topic, and the company's name unless a filter has already seen to it."""
    filtered = any(each.field is FilterField.COMPANY and each.certainty is Certainty.SURE for each in filters)
    names = "" if filtered else "".join(a if b == " " else " " for a, b in zip(text, without_companies, strict=True))
    return f"{names} {topic.words}"


def _weighted_terms(
    words: str,
    mentions: PeriodMentions,
    expansions: Iterable[Expansion],
    language: str,
    expansion_weight: float,
) -> tuple[WeightedTerm, ...]:
    found: dict[str, WeightedTerm] = {}
    years = " ".join(dict.fromkeys(str(named.period.fiscal_year) for named in mentions.named))
    triggers = " ".join(expansion.trigger for expansion in expansions)
    for term in terms(f"{words} {triggers} {years}", language):
        found.setdefault(term, WeightedTerm(term=term, weight=1.0, source="question"))
    for expansion in expansions:
        for phrase in expansion.phrases:
            for term in terms(phrase, language):
                found.setdefault(term, WeightedTerm(term=term, weight=expansion_weight, source=expansion.label))
    return tuple(found.values())


def _years(filters: Iterable[MetadataFilter], mentions: PeriodMentions) -> tuple[int, ...]:
    named = {named.period.fiscal_year for named in mentions.named}
    return tuple(sorted(named | {period.fiscal_year for each in filters for period in each.periods}))


def _wants_number(text: str, topic: _Topic) -> bool:
    words = {match.group().lower() for match in _WORD.finditer(text)}
    return bool(words & NUMBER_WORDS) or bool(topic.expansions)


def _vague(text: str, topic: _Topic, filters: Sequence[MetadataFilter], minimum_chars: int) -> Refusal | None:
    readable = sum(character.isalnum() for character in text)
    if topic.concepts and readable >= minimum_chars:
        return None
    values = ", ".join(value for each in filters for value in each.values)
    found = f" (only {values} was understood)" if values else ""
    return Refusal(reason=RefusalReason.TOO_VAGUE, message=_VAGUE.format(found=found))
