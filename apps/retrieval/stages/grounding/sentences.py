"""Split an answer into sentences, each with the passages that it cites."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final

from apps.filings.text.dates import read_dates
from apps.retrieval.stages.grounding.quotes import read_quotes

REF_MARK: Final = re.compile(r"\[([^\[\]\n]*\|p\d+\|c\d+)\]")
_END: Final = re.compile(
    r"(?<![.!?])[.!?]++[\"'\u201d\u201c\u00bb)\]]*+(?=\s+[\"'\u201c\u201e\u00ab(\[]?[^\W_a-zäöü])|\n"
)
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:[A-Za-z]|approx|vs|ca|etc|Inc|Corp|Co|Ltd|Nos?|Nr|Mr|Mrs|Ms|Dr|St|bzw|Mio|Mrd|Tsd|Art|Abs|Sec|Fig))\.$"
)
_LONGEST_ABBREVIATION: Final = 8
_LETTERS: Final = re.compile(r"[^\W\d_]{3}")
_PART: Final = re.compile(r";\s+")
_LIST_NUMBER: Final = re.compile(r"^[ \t]*(\d{1,2})[.)][ \t]+", re.MULTILINE)
_LIST_DOT: Final = re.compile(r"^[ \t]*[-*\u2022][ \t]+", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence of an answer.

    text: reference marks and list marks are blanked, so that each position is the same as in `answer[start:end]`.
    end: after the reference marks that follow the sentence. refs: the ref_ids in it or directly after it.
    """

    text: str
    start: int
    end: int
    refs: tuple[str, ...]


def split_sentences(answer: str) -> tuple[Sentence, ...]:
    """Split at sentence ends and line breaks, but not within quotations and dates."""
    plain = _blank_marks(answer)
    whole = [(quote.start, quote.end) for quote in read_quotes(plain)]
    whole += [(date.start, date.end) for date in read_dates(plain)]
    starts, ends = [start for start, _ in sorted(whole)], list(accumulate((end for _, end in sorted(whole)), max))
    cuts = [0]
    for match in _END.finditer(plain):
        before = bisect_left(starts, match.end())
        if before and match.end() < ends[before - 1]:
            continue
        nearest = max(cuts[-1], match.end() - _LONGEST_ABBREVIATION)
        if match.group() != "\n" and _ABBREVIATION.search(plain, nearest, match.end()):
            continue
        cuts.append(_behind_marks(answer, match.end()))
    cuts.append(len(answer))
    return tuple(
        Sentence(text=plain[start:end], start=start, end=end, refs=tuple(REF_MARK.findall(answer[start:end])))
        for start, end in pairwise(cuts)
        if plain[start:end].strip()
    )


def split_parts(sentence: str) -> tuple[str, ...]:
    """Split a sentence at its semicolons, but not within brackets: each part says something of its own.

    Calculations stay together: "a / b = 28.3 %; c / d = 27.3 %; difference 1.0 pp".
    """
    cuts = [0]
    if "=" in sentence:
        return (sentence,)
    cuts += [
        match.end()
        for match in _PART.finditer(sentence)
        if sentence.count("(", 0, match.start()) == sentence.count(")", 0, match.start())
        and _LETTERS.search(sentence, match.end())
    ]
    parts = tuple(sentence[start:end] for start, end in pairwise((*cuts, len(sentence))))
    return tuple(each for each in parts if each.strip()) or (sentence,)


def remove_sentences(answer: str, dropped: Collection[Sentence]) -> str:
    """Return the answer without some of its sentences and their references."""
    kept = [answer[each.start : each.end].strip(" ") for each in split_sentences(answer) if each not in dropped]
    return re.sub(r"\s*\n\s*", "\n", " ".join(kept)).strip()


def _behind_marks(answer: str, position: int) -> int:
    marks = re.compile(rf"(?:[ \t]*{REF_MARK.pattern}[.;,]?)+").match(answer, position)
    return marks.end() if marks else position


def _blank_marks(answer: str) -> str:
    """Return the answer with reference and list marks blanked. Numbers at line starts that count from 1 are a list."""
    text = REF_MARK.sub(lambda match: " " * len(match.group()), answer)
    text = _LIST_DOT.sub(lambda match: " " * len(match.group()), text)
    numbered = list(_LIST_NUMBER.finditer(text))
    if len(numbered) > 1 and [int(match[1]) for match in numbered] == list(range(1, len(numbered) + 1)):
        text = _LIST_NUMBER.sub(lambda match: " " * len(match.group()), text)
    return text
