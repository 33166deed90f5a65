"""Find a profile's terms in a text. Deterministic: no model, no list of guesses; the same text gives the same words.

A term is a word or a phrase:
- `tax advice` is found where all of its words stand close together, in any order and inflected: "advice on taxes".
- `"Global Growth"`, in double quotes, is found only in this order, with nothing between.
- `krypto*` is found in every word that begins so.
A word is also found where it is written apart or with hyphens ("crypto-currency", "c r y p t o"), a phrase where it is
written as one word. How letters are read is said in folding.py, and what is read beside the plain text in readings.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product
from typing import Final

import Stemmer

from apps.intents.profile.contracts import LONGEST_TERM, Fired, ProfileRule
from apps.intents.profile.folding import Word, read_words, shown
from apps.intents.profile.readings import readings
from apps.intents.profile.values import terms_not_permitted

WORDS_BETWEEN: Final = 5
"""How many other words may stand among those of a phrase."""

SHORTEST_BEGINNING: Final = 4
"""The letters that a word with `*` has at least."""

# A shorter word that is written apart is only found where hyphens or single letters show that it is one word.
_LONG_ENOUGH_APART: Final = 8
_MOST_PIECES: Final = 40
_MOST_WHOLES: Final = 16
_MOST_SHOWN: Final = 20
_MOST_TRIED: Final = 5_000
_LANGUAGES: Final = ("english", "german")
_QUOTES: Final = '"\u201c\u201d\u201e\u00ab\u00bb'

Stems = frozenset[str]
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Piece:
    """A word of a term: the stems that stand for it; or, of one with `*`, how a word must begin."""

    stems: Stems
    beginnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Term:
    """A term, taken apart. whole: the stems of it written as one word."""

    pieces: tuple[_Piece, ...]
    in_order: bool
    whole: Stems
    longest: int


class ReadText:
    """A text whose words are read once, for all terms.

    longest: the letters of the longest term that is looked for, as one word.
    """

    def __init__(self, text: str, longest: int) -> None:
        self.text = text
        self.words = read_words(text)
        self.spans_of = _spans_of(_runs(self.words, longest))

    def spans(self, term: Term) -> Iterator[Span]:
        """Yield where the term stands, as ranges of words."""
        spans = [self._of(piece) for piece in term.pieces]
        if spans and all(spans):
            yield from _in_order(spans) if term.in_order else _close_together(spans)
        for stem in term.whole:
            yield from self.spans_of.get(stem, ())

    def _of(self, piece: _Piece) -> list[Span]:
        """Return where a word of a term stands: in one word of the text, or in several that are one, written apart."""
        if piece.beginnings:
            return [(place, end) for place in range(len(self.words)) if (end := self._begins(place, piece.beginnings))]
        return sorted({span for stem in piece.stems for span in self.spans_of.get(stem, ())})

    def _begins(self, place: int, beginnings: tuple[str, ...]) -> int:
        """Return where the word ends that begins so, in one piece or in several; 0 if the word begins otherwise."""
        longest = max(map(len, beginnings))
        for end, whole in _wholes(self.words, place, longest + LONGEST_TERM):
            if whole.startswith(beginnings):
                return end
            if end > place + 1 and len(whole) > longest:
                break
        return 0


def find_rules(text: str, rules: Iterable[ProfileRule]) -> tuple[Fired, ...]:
    """Return the rules whose terms stand in the text, in their order, with the words that made each fire."""
    rules = tuple(rules)
    if not rules or not text:
        return ()
    terms = [terms_not_permitted(rule) for rule in rules]
    longest = max((read_term(term).longest for each in terms for term in each), default=0)
    read = [ReadText(reading, longest) for reading in readings(text)]
    return tuple(
        Fired(rule=rule, words=words)
        for rule, each in zip(rules, terms, strict=True)
        if (words := next(filter(None, (_words(one, each) for one in read)), ()))
    )


@lru_cache(maxsize=4096)
def read_term(term: str) -> Term:
    """Take a term apart; one without any letter or digit has no pieces, and is found nowhere.

    Its capitals say nothing: the proof compares terms without regard to them.
    """
    term = term.casefold()
    quoted = term.strip()[:1] in _QUOTES and term.strip()[-1:] in _QUOTES and len(term.strip()) > 2
    pieces: list[_Piece] = []
    forms: list[str] = []
    for word in read_words(term):
        forms.append(word.forms[0])
        if term[word.end : word.end + 1] == "*":
            pieces.append(_Piece(stems=frozenset(), beginnings=word.forms))
        else:
            pieces.append(_Piece(stems=_stems(word.forms)))
    whole = "".join(forms)
    open_end = any(piece.beginnings for piece in pieces)
    return Term(
        pieces=tuple(pieces),
        in_order=quoted,
        whole=frozenset() if open_end else _stems((whole,)),
        # An ending is at most so much longer than the word as the officer wrote it.
        longest=len(whole) + 4,
    )


def _words(read: ReadText, terms: Sequence[str]) -> tuple[str, ...]:
    spans = {span for term in terms for span in read.spans(read_term(term))}
    found: dict[str, None] = {}
    reached = 0
    # The widest of those that begin at a word, and none that lies within another.
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if end > reached:
            reached = end
            found[shown(read.text, read.words[start].start, read.words[end - 1].end)] = None
    return tuple(found)[:_MOST_SHOWN]


def _runs(words: Sequence[Word], longest: int) -> Iterator[tuple[Span, str]]:
    """Yield each word by itself, and the runs of words that may be one that is written apart, put together."""
    for start in range(len(words)):
        for end, whole in _wholes(words, start, longest):
            yield (start, end), whole


def _wholes(words: Sequence[Word], start: int, longest: int) -> Iterator[tuple[int, str]]:
    """Yield (end, letters) of the word at a place, and of the runs that begin there, in each of their forms."""
    first = words[start]
    yield from ((start + 1, form) for form in first.forms)
    wholes, single, hyphened = first.forms, len(first.forms[0]) == 1, True
    for end in range(start + 1, min(start + _MOST_PIECES, len(words))):
        piece = words[end]
        made = (whole + form for whole in wholes for form in piece.forms if len(whole) + len(form) <= longest)
        wholes = tuple(islice(made, _MOST_WHOLES))
        if not wholes:
            break
        single, hyphened = single and len(piece.forms[0]) == 1, hyphened and piece.joined
        for whole in wholes:
            if single or hyphened or len(whole) >= _LONG_ENOUGH_APART:
                yield end + 1, whole


def _spans_of(runs: Iterable[tuple[Span, str]]) -> Mapping[str, list[Span]]:
    """Return where each stem stands."""
    found = tuple(runs)
    spans: defaultdict[str, list[Span]] = defaultdict(list)
    for language, stems in zip(_LANGUAGES, _stemmed([whole for _, whole in found]), strict=True):
        for (span, _), stem in zip(found, stems, strict=True):
            spans[f"{language}:{stem}"].append(span)
    return spans


def _in_order(spans: Sequence[list[Span]]) -> Iterator[Span]:
    """Yield the ranges of words in which each begins where the one before it ends."""
    first, *rest = spans
    for start, end in first:
        ends = {end}
        for where in rest:
            ends = {after for begin, after in where if begin in ends}
        yield from ((start, after) for after in ends)


def _close_together(spans: Sequence[list[Span]]) -> Iterator[Span]:
    """Yield the ranges of words that have each of a phrase's words, none twice, and few others between."""
    within = WORDS_BETWEEN + sum(max(end - start for start, end in where) for where in spans)
    for first in spans[0]:
        near = [[each for each in where if abs(each[0] - first[0]) <= within] for where in spans[1:]]
        for chosen in islice(product([first], *near), _MOST_TRIED):
            start, end = min(each[0] for each in chosen), max(each[1] for each in chosen)
            taken = {place for each in chosen for place in range(*each)}
            apart = len(taken) == sum(each[1] - each[0] for each in chosen)
            if apart and end - start - len(taken) <= WORDS_BETWEEN:
                yield start, end
                break


def _stems(forms: Iterable[str]) -> Stems:
    return frozenset(
        f"{language}:{stem}"
        for language, stems in zip(_LANGUAGES, _stemmed(tuple(forms)), strict=True)
        for stem in stems
    )


def _stemmed(forms: Sequence[str]) -> list[list[str]]:
    """Return the stems by language. A Stemmer holds state while it works and is not thread-safe."""
    return [Stemmer.Stemmer(language).stemWords(list(forms)) for language in _LANGUAGES]
