"""Suggest the kind of a file by its name, its form, its headings and its first words. Pure, and without a model.

A kind is told by the words of its name, its examples and its description. A word counts the more, the fewer kinds have
it. The same file and kinds give the same suggestions, each with the words that speak for it. Somebody chooses: nothing
is filed by a suggestion.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from apps.corpus.kinds import DocumentType, Kind
from apps.corpus.registry import KindInForce
from apps.corpus.terms import terms

_NAME, _EXAMPLE, _DESCRIPTION = 3.0, 2.0, 1.0
_FILENAME, _HEADING, _FORM, _TEXT = "its file name", "a heading", "its form", "its first words"
_WEIGHTS: Final[Mapping[str, float]] = {_FILENAME: 3.0, _HEADING: 2.0, _FORM: 3.0, _TEXT: 1.0}
_SHOWN_WORDS = 4
_MOST = 3
_LEAST_SCORE = 0.25  # without their names, 20 of the 22 sample documents of packs get their kind above it, one below
_LEAST_WITHOUT_TEXT = 0.15  # a name and a form are few words
_LEAST_OF_BEST = 0.6  # what is further behind the best is no alternative
_TEXT_CHARS = 4_000
_HEADING_CHARS = 90
_WORD = re.compile(r"[^\W\d_]{3,}")
_TAG = re.compile(r"<[^<>]{0,2000}>")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSigns:
    """What is known of a file before somebody files it. beginning: its first text; empty where it was not read."""

    filename: str
    beginning: str = ""
    document_type: DocumentType = DocumentType.OTHER


@dataclass(frozen=True, slots=True, kw_only=True)
class KindSuggestion:
    """A kind that a file may be of. score: 0 to 1, comparable within one file. why: what speaks for it, in words."""

    kind: Kind
    name: str
    score: float
    why: tuple[str, ...]


def beginning_of(content: bytes) -> str:
    """Return the first text of a file whose bytes are text, without tags; empty for PDF, Word and the like."""
    start = content[:65_536]
    if b"\x00" in start or start.startswith((b"%PDF", b"PK")):
        return ""
    return _TAG.sub(" ", start.decode("utf-8", errors="replace"))


def suggest_kinds(signs: FileSigns, kinds: Sequence[KindInForce]) -> tuple[KindSuggestion, ...]:
    """Return the kinds in use that fit a file, best first, at most three; ties keep the order of the kinds."""
    in_use = [each for each in kinds if not each.retired]
    words = {each.kind: _words_of(each) for each in in_use}
    holders = Counter(term for weights in words.values() for term in weights)
    rare = {term: math.log(1 + len(in_use) / count) for term, count in holders.items()}
    found = _evidence(signs)
    scored = []
    for each in in_use:
        weights = words[each.kind]
        speaks = {
            term: rare[term] * weights[term] * _WEIGHTS[sign.where] for term, sign in found.items() if term in weights
        }
        # By the words that the kind has: otherwise a long description would win.
        most = sum(sorted((rare[term] * weights[term] for term in weights), reverse=True)[:8]) * _WEIGHTS[_FILENAME]
        score = min(1.0, round(sum(speaks.values()) / most, 4)) if most else 0.0
        scored.append(KindSuggestion(kind=each.kind, name=each.name, score=score, why=_why(speaks, found)))
    scored.sort(key=lambda suggestion: -suggestion.score)
    best = scored[0].score if scored else 0.0
    least = _LEAST_SCORE if signs.beginning else _LEAST_WITHOUT_TEXT
    return tuple(each for each in scored[:_MOST] if each.score >= max(least, best * _LEAST_OF_BEST))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sign:
    word: str
    where: str


def _words_of(kind: KindInForce) -> dict[str, float]:
    weights: dict[str, float] = {}
    told = (
        (_DESCRIPTION, (kind.description,)),
        (_EXAMPLE, kind.examples),
        (_NAME, (kind.name, kind.kind.value.replace("_", " "))),
    )
    for weight, texts in told:
        for text in texts:
            weights.update(dict.fromkeys((term for _, term in _terms(text)), weight))
    return weights


def _evidence(signs: FileSigns) -> dict[str, _Sign]:
    """Return by term where it stands in the file; where it stands in several places, the weightiest."""
    label = "" if signs.document_type is DocumentType.OTHER else str(signs.document_type.label)
    text = signs.beginning[:_TEXT_CHARS]
    told: tuple[tuple[str, Iterable[str]], ...] = (
        (_TEXT, (text,)),
        (_HEADING, _headings(text)),
        (_FORM, (label,)),
        (_FILENAME, (signs.filename.rpartition(".")[0] or signs.filename,)),
    )
    found: dict[str, _Sign] = {}
    for where, texts in told:
        for each in texts:
            found.update({term: _Sign(word=word, where=where) for word, term in _terms(each)})
    return found


def _headings(text: str) -> Iterator[str]:
    """Yield what looks like a heading: a line of Markdown's, or a short line that is no sentence."""
    for line in text.splitlines():
        said = line.strip()
        if said.startswith("#") or (0 < len(said) <= _HEADING_CHARS and said[-1] not in ".,;:!?"):
            yield said.lstrip("# ")


def _terms(text: str) -> Iterator[tuple[str, str]]:
    for word in _WORD.findall(text.replace("_", " ")):
        for term in terms(word, "en"):
            yield word.lower(), term


def _why(speaks: Mapping[str, float], found: Mapping[str, _Sign]) -> tuple[str, ...]:
    """Return a sentence for each place that holds words of the kind, the weightiest words first."""
    by_place: dict[str, list[str]] = {}
    for term in sorted(speaks, key=lambda term: (-speaks[term], term)):
        by_place.setdefault(found[term].where, []).append(f"“{found[term].word}”")
    return tuple(
        f"{where[:1].upper()}{where[1:]} {'have' if where == _TEXT else 'has'} {', '.join(words[:_SHOWN_WORDS])}"
        for where, words in by_place.items()
    )
