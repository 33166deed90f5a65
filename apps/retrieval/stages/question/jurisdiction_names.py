"""Find the names of countries, of the EU and of authorities in a text, the longest first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from apps.filings.text.mentions import Mention
from apps.filings.text.territories import ALSO_A_WORD, ONLY_IN_CONTEXT, REGULATORS, SAFE_CODES, TERRITORIES

# A hyphen ends a word: "US-based", "EU-Recht". An apostrophe ends one if only a single letter follows: "Germany's".
_WORD: Final = re.compile(r"U\.\s?[SK]\.?(?:\s?A\.)?|E\.\s?U\.?|[^\W_]+(?:['\u2019][^\W\d_]{2,})*")
_DOTS: Final = re.compile(r"[.\s]")
_BETWEEN: Final = re.compile(r"[\s\-\u2010\u2011]+")
_STEM: Final = "*"
_ENDING: Final = re.compile(r"e[nmrs]?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class JurisdictionName:
    """A name as it stands in a text.

    adjective: "German" rather than "Germany". authority: an authority that supervises the territory.
    needs_context: the name also means something else, see ONLY_IN_CONTEXT. also_a_word: see ALSO_A_WORD.
    """

    mention: Mention
    code: str
    adjective: bool
    authority: bool
    needs_context: bool
    also_a_word: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Expression:
    code: str
    adjective: bool = False
    authority: bool = False
    needs_context: bool = False
    also_a_word: bool = False


def read_names(text: str) -> tuple[JurisdictionName, ...]:
    """Return all names in a text, left to right, none within another: "Central Bank of Ireland" does not name Ireland.

    Short forms must be in capitals. Names and adjectives may be in lower case; the caller decides whether they count.
    """
    words = list(_WORD.finditer(text))
    found = []
    position = 0
    while position < len(words):
        for count in range(min(_LONGEST, len(words) - position), 0, -1):
            run = words[position : position + count]
            expression = _expression(run, text)
            if expression is not None:
                found.append(_name(run, text, expression))
                position += count
                break
        else:
            position += 1
    return tuple(found)


@lru_cache(maxsize=4096)
def code_of(name: str) -> str:
    """Return the code for a name, an adjective or an authority, if the text is nothing else; or empty."""
    found = read_names(name)
    return found[0].code if len(found) == 1 and found[0].mention.text == name else ""


def _name(run: Sequence[re.Match[str]], text: str, expression: _Expression) -> JurisdictionName:
    start, end = run[0].start(), run[-1].end()
    return JurisdictionName(
        mention=Mention(start=start, end=end, text=text[start:end]),
        code=expression.code,
        adjective=expression.adjective,
        authority=expression.authority,
        needs_context=expression.needs_context,
        also_a_word=expression.also_a_word,
    )


def _expression(run: Sequence[re.Match[str]], text: str) -> _Expression | None:
    if any(not _BETWEEN.fullmatch(text, one.end(), other.start()) for one, other in pairwise(run)):
        return None
    written = tuple(_DOTS.sub("", word.group()) for word in run)
    if len(written) == 1 and written[0] in SAFE_CODES:
        return _Expression(code=SAFE_CODES[written[0]])
    if found := _AUTHORITIES.get(written):
        return found
    words = tuple(word.lower() for word in written)
    return next((found for spelling in _spellings(words) if (found := _TERRITORIES.get(spelling))), None)


def _spellings(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the spellings to look up.

    These are: as written; by its stem, for a German adjective or a name that begins with one; without the genitive's s.
    """
    yield words
    *before, last = words
    stem = _ENDING.sub("", last)
    if stem != last:
        yield (*before, stem + _STEM)
    if last.endswith("s"):
        yield (*before, last[:-1])
    if len(words) > 1 and words[0].endswith("en"):
        # "der Vereinigten Staaten", "den Vereinigten Arabischen Emiraten".
        yield (*(word[:-1] if word.endswith("en") else word for word in before), last.removesuffix("n"))
        yield (*(word[:-1] if word.endswith("en") else word for word in before), last)


def _vocabulary() -> Iterator[tuple[tuple[str, ...], _Expression]]:
    for territory in TERRITORIES.values():
        for expression, adjective, stem in (
            *((each, False, "") for each in territory.names),
            *((each, True, "") for each in territory.adjectives),
            *((each, True, _STEM) for each in territory.stems),
        ):
            *before, last = (word.group().lower() for word in _WORD.finditer(expression))
            read = _Expression(
                code=territory.code,
                adjective=adjective,
                needs_context=expression in ONLY_IN_CONTEXT,
                also_a_word=expression in ALSO_A_WORD,
            )
            yield (*before, last + stem), read


_TERRITORIES: Final[Mapping[tuple[str, ...], _Expression]] = dict(_vocabulary())
_AUTHORITIES: Final[Mapping[tuple[str, ...], _Expression]] = {
    tuple(word.group() for word in _WORD.finditer(name)): _Expression(code=code, authority=True)
    for code, names in REGULATORS.items()
    for name in names
}
_LONGEST: Final = max(map(len, (*_TERRITORIES, *_AUTHORITIES)))
