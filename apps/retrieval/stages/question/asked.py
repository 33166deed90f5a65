"""Read which phrases of a question name what is asked for: "total current liabilities", "adjusted EBITDA"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from apps.corpus.terms import terms
from apps.filings.text.mentions import Mention, word_set
from apps.retrieval.contracts import AskedFigure
from apps.retrieval.stages.question.question_words import SCAFFOLDING

_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019&.\-][^\W_]+)*")
# These words say which of several figures is meant or how it was counted. A row need not repeat them.
_MODIFIERS: Final = word_set(
    "total overall consolidated annual yearly quarterly reported maximum max minimum current net latest average end "
    "gaap non unadjusted new"
)
# "Current", "net" and "total" distinguish figures where they are part of a line's name.
_PART_OF_A_NAME: Final = word_set("current net total")
# Heads of figures: lines of statements and facts of funds.
FIGURE_HEADS: Final = word_set(
    """
    assets liabilities debt equity goodwill inventory inventories receivable receivables payable payables expense
    expenses income profit earnings sales depreciation amortisation amortization dividends borrowings deposits
    provisions taxes rate rates ratio margin margins cost costs fee fees price yield turnover duration rating charges
    growth cash volatility
    """
)
_GRADES: Final = word_set("rating ratings")
# "Who is the head of sales?" names an office; "who signs a contract?" names none.
_WHO: Final = re.compile(
    r"\s*(?:who|wer)\s+(?:is|are|was|were|ist|sind|war|waren)\s+(?:the|an?|our|its|your|de[rn]|die|das|eine?|unsere?)\b",
    re.IGNORECASE,
)
# Words that say how a figure changes are not part of its name.
_CHANGES: Final = word_set(
    "increase increased decrease decreased change changed changes improve improved improving decline declined drove "
    "drive grow grew growing rise rose rising fall fell falling highest lowest largest smallest biggest best worst"
)


def read_asked_figures(
    text: str, figures: Mapping[Mention, str], names: frozenset[str], language: str
) -> tuple[AskedFigure, ...]:
    """Read the runs of words that name a figure.

    Args:    text: the question with company, document type and period blanked out.
             figures: where the glossary's figures stand in it, with their labels.
             names: words that belong to proper names; they end a run.
    Returns: the runs that hold a figure of the glossary, or else those that end in a line of a statement. In a question
             that begins with "who is the", also runs of at least two terms, which name an office.
    """
    runs = [
        run for words in _runs(text, figures, names, language) if (run := _make_asked_figure(words, figures, language))
    ]
    known = [run for run in runs if run.concepts]
    who = _WHO.match(text) is not None
    return tuple(dict.fromkeys(known or [run for run in runs if is_line(run) or (who and len(run.terms) > 1)]))


def is_line(figure: AskedFigure) -> bool:
    """Return whether a phrase ends in a line of a statement, such as "goodwill" or "accounts payable"."""
    return figure.text.split()[-1].lower() in FIGURE_HEADS


def is_grade(figure: AskedFigure) -> bool:
    """Return whether a phrase ends in what may be given as a word: a rating is "hold" as well as 3."""
    return figure.text.split()[-1].lower() in _GRADES


def _runs(text: str, figures: Mapping[Mention, str], names: frozenset[str], language: str) -> Iterator[list[Mention]]:
    """Yield runs of adjacent words. An expression of the glossary counts as one word."""
    inside = {position for mention in figures for position in range(mention.start, mention.end)}
    words = [
        Mention(start=match.start(), end=match.end(), text=match.group())
        for match in _WORD.finditer(text)
        if match.start() not in inside
    ]
    run: list[Mention] = []
    for word in sorted((*words, *figures)):
        beside = run and text[run[-1].end : word.start] in (" ", "-")
        if run and not beside:
            yield run
            run = []
        if word in figures or not _ends_run(word.text, names, language):
            run.append(word)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _ends_run(word: str, names: frozenset[str], language: str) -> bool:
    return word.lower() in SCAFFOLDING | _CHANGES or word in names or len(word) < 2 or not terms(word, language)


def _make_asked_figure(run: list[Mention], figures: Mapping[Mention, str], language: str) -> AskedFigure | None:
    plain = [word.text for word in run if word not in figures]
    concepts = tuple(dict.fromkeys(figures[word] for word in run if word in figures))
    modifiers = _MODIFIERS if concepts else _MODIFIERS - _PART_OF_A_NAME
    needed = [word for word in plain if word.lower() not in modifiers]
    found = tuple(dict.fromkeys(term for word in needed for term in terms(word, language)))
    if not concepts and not found:
        return None
    return AskedFigure(text=" ".join(word.text for word in run), concepts=concepts, terms=found)
