"""Find the rows of a statement that give what a question asks for.

"Capital expenditure" is "Purchases of property, plant and equipment" in one filing and "Property additions" in the
next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from apps.corpus.terms import terms
from apps.retrieval.contracts import Candidate, FoundLine, FusedHit, StoredChunk
from apps.retrieval.stages.figures.line_items import LineItem
from apps.retrieval.stages.ranking.units import split_units

_MOST_FURTHER_TERMS: Final = 2
"""A row's label may hold so many terms beside those of a label of several words; beside a single word none."""
_DIGIT: Final = re.compile(r"\d")
_BRACKETS: Final = re.compile(r"\([^()]*\)")
# Qualifications after a figure's name. "Attributable to" is not one of them: it makes another figure.
_TAIL: Final = re.compile(
    r"[\s,\u2013\u2014-]+(?:including|excluding|exclusive\s+of|inclusive\s+of|net\s+of|less|einschlie\u00dflich|ohne)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_NOISE: Final = ("total", "net", "consolidated", "company", "year", "gesamt", "summe")
_GROSS: Final = ("gross", "accumulated", "cost", "deferred", "kumulierte")
# A stop word for the search, and another line of a statement.
_OTHER: Final = re.compile(r"\b(?:other|sonstige\w*|\u00fcbrige\w*)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Match:
    item: LineItem
    chunk: StoredChunk
    start: int
    end: int
    distance: tuple[int, int, int, bool]


def find_lines(chunks: Sequence[StoredChunk], items: Iterable[LineItem]) -> dict[str, tuple[FoundLine, ...]]:
    """Find, in each document, the rows that come nearest to each line.

    Args:    chunks: passages of statements, each with the statements that its page prints.
             items: the lines that are asked for.
    Returns: chunk id -> the rows in it, in the order of the text; chunks without one are absent. For each line and
             document these are the rows whose label has the fewest other words: usually one row.
    """
    best: dict[tuple[str, str], list[_Match]] = {}
    for item in items:
        for chunk in chunks:
            if item.statement not in chunk.statements:
                continue
            key = (item.name, str(chunk.document.document_id))
            for match in _matches(item, chunk):
                held = best.setdefault(key, [])
                if held and match.distance < held[0].distance:
                    held.clear()
                if not held or match.distance == held[0].distance:
                    held.append(match)
    found: dict[str, list[FoundLine]] = {}
    for matches in best.values():
        for match in matches:
            line = FoundLine(item=match.item.name, start=match.start, end=match.end)
            found.setdefault(str(match.chunk.chunk_id), []).append(line)
    return {key: tuple(sorted(lines, key=lambda line: line.start)) for key, lines in found.items()}


def join_lines(
    one: Mapping[str, tuple[FoundLine, ...]], other: Mapping[str, tuple[FoundLine, ...]]
) -> dict[str, tuple[FoundLine, ...]]:
    """Return the rows of both by passage, a row once, in the order of the text. That of `one` names a row of both."""
    joined: dict[str, tuple[FoundLine, ...]] = {}
    for key in dict.fromkeys((*one, *other)):
        by_start = {line.start: line for line in (*other.get(key, ()), *one.get(key, ()))}
        joined[key] = tuple(by_start[start] for start in sorted(by_start))
    return joined


def add_lines(
    candidates: Sequence[Candidate], chunks: Sequence[StoredChunk], lines: Mapping[str, tuple[FoundLine, ...]]
) -> tuple[Candidate, ...]:
    """Add the passages that hold the lines to the candidates.

    A page that was found is shown by its passage with the line, placed before the passage by which the page was found.
    Passages on pages that were not found come last.

    Args:    candidates: best first.
             chunks: that hold lines; one may stand in it twice.
             lines: chunk id -> rows, as find_lines returns them.
    """
    held = {str(candidate.hit.chunk_id) for candidate in candidates}
    further: dict[tuple[str, int], list[Candidate]] = {}
    for chunk in chunks:
        if str(chunk.chunk_id) in lines and str(chunk.chunk_id) not in held:
            held.add(str(chunk.chunk_id))
            hit = FusedHit(
                chunk_id=chunk.chunk_id,
                document_id=chunk.document.document_id,
                kind=chunk.document.kind,
                rrf_score=0.0,
                ranks=(),
            )
            further.setdefault(_page(chunk), []).append(
                Candidate(chunk=chunk, hit=hit, lines=lines[str(chunk.chunk_id)])
            )
    result: list[Candidate] = []
    for candidate in candidates:
        result.extend(further.pop(_page(candidate.chunk), ()))
        result.append(replace(candidate, lines=lines.get(str(candidate.hit.chunk_id), ())))
    return (*result, *(each for of_page in further.values() for each in of_page))


def _page(chunk: StoredChunk) -> tuple[str, int]:
    return str(chunk.document.document_id), chunk.page_start


def _matches(item: LineItem, chunk: StoredChunk) -> Iterator[_Match]:
    for unit in split_units(chunk.text):
        row = chunk.text[unit.start : unit.end]
        if not unit.is_row or not _DIGIT.search(row):
            continue
        label = row_label(row)
        if not label:
            continue
        distance = label_distance(item, label, chunk.language)
        if distance is not None:
            yield _Match(item=item, chunk=chunk, start=unit.start, end=unit.end, distance=distance)


def label_distance(item: LineItem, label: str, language: str) -> tuple[int, int, int, bool] | None:
    """Return how far a row's label is from a line of the statements, less being nearer; None if it is another line."""
    if _OTHER.search(label) and not any(map(_OTHER.search, item.labels)):
        return None
    nearest = _nearest(item, _label_terms(label, language), language)
    return None if nearest is None else (*nearest, _TAIL.search(label) is not None)


def _nearest(item: LineItem, told: frozenset[str], language: str) -> tuple[int, int, int] | None:
    """Return how far a row's label is from the nearest of a line's labels; None if it matches none.

    The distance is the number of further words, the position of the matched label, and the negative number of words
    such as "total" or "net", because of two similar rows the one with such a word is meant.
    """
    noise, gross = _words(_NOISE, language), _words(_GROSS, language)
    found = []
    for place, wanted in enumerate(_list_wanted_terms(item.labels, language)):
        beside = told - wanted
        if wanted <= told and not beside & gross and len(beside - noise) <= _count_allowed_terms(wanted):
            found.append((len(beside - noise), place, -len(beside & noise)))
    return min(found, default=None)


def row_label(row: str) -> str:
    """Return what a row calls its figures: the words before the first cell border, or before the first figure."""
    border = row.find("|", 1)
    if border > 0:
        label = row[:border]
    else:
        digit = _DIGIT.search(row)
        label = row[: digit.start()] if digit else row
    return label.strip(" |:$\u20ac\u00a3(-\u2014\u2013")


def _count_allowed_terms(wanted: frozenset[str]) -> int:
    return _MOST_FURTHER_TERMS if len(wanted) > 1 else 0


def _label_terms(label: str, language: str) -> frozenset[str]:
    plain = _TAIL.sub("", _BRACKETS.sub(" ", label)) or label
    return frozenset(term for term in terms(plain, language) if not term[0].isdigit())


# The cache holds only labels of line_items.py, and nothing of a document.
@lru_cache(maxsize=256)
def _list_wanted_terms(labels: tuple[str, ...], language: str) -> tuple[frozenset[str], ...]:
    return tuple(_label_terms(label, language) for label in labels)


@lru_cache(maxsize=16)
def _words(words: tuple[str, ...], language: str) -> frozenset[str]:
    return frozenset(term for word in words for term in terms(word, language))
