"""What a sentence speaks of: companies, measures, and names that nothing held explains."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from apps.filings.text.dates import MONTH
from apps.filings.text.mentions import mentions_of
from apps.filings.vocabulary.concepts import find_in_text
from apps.research.claims.words import MARGIN, QUALIFIER
from apps.retrieval.contracts import InventoryEntry
from apps.retrieval.stages.question.companies import CompanyMention, mentions_of_companies
from apps.retrieval.stages.question.parsing import is_ordinary


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A measure that a sentence names: sentence[start:end].

    qualified: a word beside it makes it another measure ("adjusted", "per employee").
    """

    start: int
    end: int
    concept: str
    text: str
    qualified: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Against what a text is read: the companies, row labels that are no concept, and parts of companies held."""

    entries: tuple[InventoryEntry, ...] = ()
    labels: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Subjects:
    companies: tuple[CompanyMention, ...]
    measures: tuple[Measure, ...]
    parts: tuple[str, ...]
    unknown: tuple[str, ...]


_NAME: Final = re.compile(r"(?<![\w.])[A-ZÄÖÜ][\w&'\u2019]*(?:[\s-]+(?:of\s+|de\s+)?[A-ZÄÖÜ][\w&]*)*")
_LEGAL: Final = re.compile(
    r"\b(?:Inc|Corp|Corporation|AG|SE|GmbH|KGaA|plc|PLC|Ltd|Limited|LLC|LP|NV|S\.?A|AB|ASA|Oyj|SpA)\b"
)
_PLACED: Final = re.compile(
    r"\b(?:in|im|aus|bei|for|of|from|at|by|within|across|segment|region|the)\s+(?:der|die|dem|den|the|our|its)?\s*$",
    re.IGNORECASE,
)
_GERMAN_PLACED: Final = re.compile(
    r"\b(?:in|aus|bei|segment|region|sparte|bereich|geschäftsbereich)\s+$", re.IGNORECASE
)
_PLAIN: Final = re.compile(
    rf"(?:The|A|An|In|On|At|By|For|From|To|Of|And|But|Or|As|Its|Our|We|It|This|That|These|While|Total|Net|Group|Company"
    r"|Firm|Fund|Bank|Board|Management|Fiscal|Year|FY\d*|GJ|Q[1-4]|H[12]|GAAP|IFRS|HGB|US|U|S|EUR|USD|GBP|CHF|EBITDA|EBIT"
    r"|EPS|CEO|CFO|Mr|Mrs|Ms|Dr|Geschäftsjahr\w*|Berichtsjahr\w*|Jahr\w*|Vorjahr\w*|Quartal\w*|Höhe|Vergleich|Euro|Mio"
    r"|Millionen|Mrd|Milliarden?|Tsd|Prozent\w*|Konzern\w*|Gruppe|Unternehmen\w*|Gesellschaft|Rekord\w*|Million|Billion"
    r"|Dollars?|Euros?|Note|Notes|Table|Annual|Report|Form|K|Stück|Anzahl|Ende|Anfang|Stichtag|Zeitraum|Dezember|Monat\w*"
    rf"|Wert\w*|Anstieg|Rückgang|Ergebnis\w*|Summe|{MONTH.replace('(?P<month>', '(?:')})",
    re.IGNORECASE,
)
_POSSESSIVE: Final = re.compile(r"(?:\s[A-Z]\w*){0,3}(?:['\u2019]s\b|s['\u2019](?!\w)|['\u2019]\s)")
_TIED: Final = re.compile(
    r"\s*(?:(?:of|from|in|for|by|aus|mit|von|bei|im|der|des)\s+)?(?:the\s+|our\s+)?", re.IGNORECASE
)
_FORMS: Final = ("ed", "ing", "es", "ly")
_SHORTEST_LABEL: Final = 6
_NEAR_CHARS: Final = 60


def spelled_as_held(company: str, entries: Iterable[InventoryEntry]) -> str:
    """Return a company's name as documents spell it; as it was given if none has it."""
    return next((each.company for each in entries if each.company.casefold() == company.casefold()), company)


def read_subjects(sentence: str, held: Held, *, language: str, skip: Sequence[tuple[int, int]] = ()) -> Subjects:
    """Args: skip: parts of the sentence that name no subject, such as its periods and numbers."""
    companies = mentions_of_companies(sentence, held.entries)
    measures = tuple(_measures(sentence, held, companies))
    parts = tuple(part for part in held.parts if mentions_of(part, sentence))
    taken = [
        *((each.start, each.end) for each in companies),
        *((each.start, each.end) for each in measures),
        *((place.start, place.end) for part in parts for place in mentions_of(part, sentence)),
        *skip,
    ]
    return Subjects(
        companies=companies,
        measures=measures,
        parts=_longest(parts),
        unknown=tuple(_unknown(sentence, taken, language)),
    )


def _measures(sentence: str, held: Held, companies: Sequence[CompanyMention]) -> Iterator[Measure]:
    found = [
        Measure(start=each.start, end=each.end, concept=each.concept.name, text=sentence[each.start : each.end])
        for each in find_in_text(sentence)
        if not any(name.start <= each.start and each.end <= name.end for name in companies)
    ]
    labels = [
        Measure(start=place.start, end=place.end, concept="", text=label)
        for label in held.labels
        if len(label) >= _SHORTEST_LABEL
        for place in mentions_of(label, sentence)
        if not any(name.start < place.end and place.start < name.end for name in companies)
    ]
    kept: list[Measure] = []
    for each in sorted((*found, *labels), key=lambda measure: (measure.start - measure.end, measure.start)):
        if all(each.end <= other.start or other.end <= each.start for other in kept):
            kept.append(each)
    # A row's name beside a concept's is no measure of its own: "revenue from outerwear" is a part of revenue.
    beside = [each for each in kept if not each.concept]
    concepts = [each for each in kept if each.concept]
    for each in sorted(concepts or beside, key=lambda measure: measure.start):
        qualified = (
            MARGIN.match(sentence, each.end) is not None
            or QUALIFIER.search(sentence, max(0, each.start - 40), each.start) is not None
            or any(_is_beside(sentence, each, other) for other in beside if concepts)
        )
        yield Measure(start=each.start, end=each.end, concept=each.concept, text=each.text, qualified=qualified)


def _is_beside(sentence: str, measure: Measure, other: Measure) -> bool:
    between = sentence[min(measure.end, other.end) : max(measure.start, other.start)]
    return _TIED.fullmatch(between) is not None


def _longest(parts: Sequence[str]) -> tuple[str, ...]:
    return tuple(each for each in parts if not any(each != other and each.lower() in other.lower() for other in parts))


def _unknown(sentence: str, taken: Sequence[tuple[int, int]], language: str) -> Iterator[str]:
    """Yield names that nothing held explains: a company that is not held, a region, a product."""
    if sum(map(str.isupper, sentence)) > sum(map(str.islower, sentence)):
        return
    for match in _NAME.finditer(sentence):
        words = [
            word
            for word in re.finditer(r"[\w&]+", match.group())
            if not _is_taken(match.start() + word.start(), match.start() + word.end(), taken)
            and not _PLAIN.fullmatch(word.group())
            and not (
                match.start() + word.start() == 0 and _is_plain_word(word.group()) and not _owns(sentence, word.end())
            )
        ]
        if not words:
            continue
        name = " ".join(word.group() for word in words)
        start = match.start() + words[0].start()
        if language == "de":
            names = _LEGAL.search(sentence[match.start() : match.end() + 8]) or _GERMAN_PLACED.search(
                sentence[max(0, start - _NEAR_CHARS) : start]
            )
            if not names:
                continue
        elif words[0].group()[0].islower() or all(_is_noun(sentence, word.group(), start) for word in words):
            continue
        yield name


def _is_noun(sentence: str, word: str, start: int) -> bool:
    """Return whether a capital is that of an ordinary word, which no preposition places."""
    end = start + len(word)
    return (
        _is_plain_word(word)
        and not _PLACED.search(sentence[max(0, start - _NEAR_CHARS) : start])
        and not _owns(sentence, end)
    )


def _owns(sentence: str, end: int) -> bool:
    """Return whether what ends here, or the name that goes on from it, has an "'s" behind it."""
    return _POSSESSIVE.match(sentence, end) is not None


def _is_plain_word(word: str) -> bool:
    """Return whether a word or the one that it is a form of is an ordinary one: "compared" is of "compare"."""
    plain = word.lower()
    stems = [plain[: -len(ending)] for ending in _FORMS if plain.endswith(ending) and len(plain) > len(ending) + 2]
    return is_ordinary(plain) or any(is_ordinary(stem) or is_ordinary(f"{stem}e") for stem in stems)


def _is_taken(start: int, end: int, taken: Sequence[tuple[int, int]]) -> bool:
    return any(first < end and start < last for first, last in taken)
