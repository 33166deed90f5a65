"""Cut running text into sentences, and put marks in the places of the entities of a sentence, for its grammar."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from apps.filings.graph.contracts import LONGEST_SENTENCE, EntityType
from apps.filings.text.mentions import word_set

_END: Final = re.compile(r"[.!?][\"\u201d\u2019')]*\s+(?=[\"\u201c\u201e(]?[A-ZÄÖÜ0-9])")
_LAST_WORD: Final = re.compile(r"[^\s(\"\u201c\u201e]+$")
_ABBREVIATIONS: Final = word_set(
    "Mr. Mrs. Ms. Dr. Prof. St. No. Nos. vs. U.S. U.K. U.S.A. Jr. Sr. Art. Abs. Nr. Ziff. bzw. ca. vgl. Vgl. z.B. B. "
    "i.V. u.a. d.h. "
    "Fig. Sec. Rev. approx. e.g. i.e. cf. Jan. Feb. Mar. Apr. Jun. Jul. Aug. Sep. Sept. Oct. Nov. Dec. Gen. Messrs. S. "
    "L.P. N.V. S.A. B.V. Mio. Mrd. Tsd. gem. inkl. Par."
)
_FORMS: Final = word_set("Inc. Corp. Co. Ltd. L.L.C. S.A. N.V. B.V. L.P. S.p.A. U.S. e.V.")
_BEGINS: Final = re.compile(
    r"(?:The|In|On|We|Our|This|These|It|As|At|For|During|Under|Such|He|She|They|If|A|An|Its|Since|Following|After"
    r"|Die|Der|Das|Im|Am|Wir|Unsere|Es|Er|Sie|Diese|Nach|Seit|Mit)\b"
    r"|(?!KG|KGaA)[A-ZÄÖÜ][\w&]+ (?:is|are|was|has|had|will|may|also|[a-z]+ed|[a-z]{3,}[^s\W]s|hat|ist|wurde|wird)\b"
)
_INITIAL: Final = re.compile(r"(?:[A-Z]\.)+|\d{1,2}\.")
_LETTERS: Final = {
    EntityType.ORGANISATION: "O",
    EntityType.PERSON: "P",
    EntityType.LOCATION: "L",
    EntityType.REGULATION: "R",
}
_ASIDE: Final = re.compile(r"\x03 ?\([^()]{0,160}\)")
_ARTICLE: Final = re.compile(r"(?<![^\s,])(?:[Tt]he|[Dd]ie|[Dd]er|dem|den|das|des) (?=\x02)")
_QUOTES: Final = str.maketrans("\u201c\u201d\u201e\u2018\u2019", '"""\'\'')


class Marked(NamedTuple):
    """An entity in a text: `text[start:end]`, with its key."""

    start: int
    end: int
    type: EntityType
    key: str


class Sentence(NamedTuple):
    """`text[start:end]`."""

    start: int
    end: int


def sentences_of(text: str, start: int, end: int) -> Iterator[Sentence]:
    """Yield the sentences of a block; a longer one than can be one is left out."""
    began = start
    for match in _END.finditer(text, start, end):
        if not _is_end(text, began, match):
            continue
        yield from _sentence(text, began, match.end())
        began = match.end()
    yield from _sentence(text, began, end)


def _sentence(text: str, start: int, end: int) -> Iterator[Sentence]:
    stop = start + len(text[start:end].rstrip())
    start += len(text[start:stop]) - len(text[start:stop].lstrip())
    if 0 < stop - start <= LONGEST_SENTENCE:
        yield Sentence(start, stop)


def _is_end(text: str, began: int, match: re.Match[str]) -> bool:
    if text[match.start()] != ".":
        return True
    last = _LAST_WORD.search(text, max(began, match.start() - 20), match.start() + 1)
    word = last.group() if last else ""
    if word in _FORMS:
        return _BEGINS.match(text, match.end()) is not None
    return word not in _ABBREVIATIONS and not _INITIAL.fullmatch(word)


def mark_sentence(text: str, sentence: Sentence, entities: Sequence[Marked]) -> str:
    """Return a sentence on one line in which each entity is \\x02, a letter for its type, its place in the list, \\x03.

    A day is DATE. What stands in brackets behind an entity, and its article, are left out.

    Args: entities: those in the sentence, in order; none overlaps another.
    """
    parts: list[str] = []
    at = sentence.start
    for place, each in enumerate(entities):
        parts.append(text[at : each.start])
        if each.type in _LETTERS:
            parts.append(f"\x02{_LETTERS[each.type]}{place}\x03")
        else:
            parts.append("DATE" if each.type is EntityType.DATE else text[each.start : each.end])
        at = each.end
    parts.append(text[at : sentence.end])
    marked = " ".join("".join(parts).split()).translate(_QUOTES)
    return _ARTICLE.sub("", _ASIDE.sub("\x03", marked))
