"""Find what a text claims, by rules. Pure: it knows of the corpus only what it is given."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from apps.corpus.extraction.language import detect_language, language_of_question
from apps.filings.text.bindings import years_behind
from apps.research.claims.claimed_periods import named_periods
from apps.research.claims.clauses import claims_of_clause
from apps.research.claims.context import Clause, Context
from apps.research.claims.contracts import Claim, ClaimSort, Doubt, When
from apps.research.claims.plain_text import PlainSentence, PlainText, read_plain, sentences_of
from apps.research.claims.roles import figures_of
from apps.research.claims.subjects import Held, Subjects, read_subjects, spelled_as_held
from apps.research.claims.words import ATTRIBUTION, EVENT, FORWARD, OPINION
from apps.retrieval.stages.question.companies import CompanyMention, mentions_of_companies

_CLAUSE: Final = re.compile(
    r";\s|,?\s+\b(?:while|whereas|während|wohingegen)\b|,\s+(?:but|aber|jedoch|wobei)\s|,\s+(?:and|und)\s+(?=(?:we|it|its|the|wir|der|die|das)\s)",
    re.IGNORECASE,
)
MAXIMUM_FIGURES: Final = 40
_FEWEST_WORDS: Final = 5
_LONGEST_TITLE: Final = 10
_SHORT: Final = 7

HeldOf = Callable[[PlainSentence], Held]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRead:
    plain: PlainText
    sentences: tuple[PlainSentence, ...]
    language: str


def read_text(sent: str) -> TextRead:
    """Return the sentences of a text, and the language of most of it."""
    plain = read_plain(sent)
    language = detect_language([plain.text]) or language_of_question(plain.text)
    return TextRead(plain=plain, sentences=sentences_of(plain), language=language)


def read_claims(text: TextRead, held_of: HeldOf, *, company: str = "", when: When | None = None) -> tuple[Claim, ...]:
    """Return the claims of a text, in its order.

    Args: held_of: what a sentence may be read against: it depends on what its asker may reach for it.
          company, when: of which the text is where a sentence names none.
    """
    of_text = _Reading(text=text, held_of=held_of, company=company, when=when)
    return tuple(claim for number in range(len(text.sentences)) for claim in of_text.claims(number))


class _Reading:
    """One text under way.

    Which company was spoken of last is read anew for each reach: names that only another sentence may know say nothing.
    """

    def __init__(self, *, text: TextRead, held_of: HeldOf, company: str, when: When | None) -> None:
        self._text, self._held_of = text, held_of
        self._given, self._when = company, when or _period_of_title(text)
        self._starts = [each.start for each in text.sentences]
        self._all: dict[frozenset[tuple[str, str]], tuple[CompanyMention, ...]] = {}

    def claims(self, number: int) -> Iterator[Claim]:
        sentence = self._text.sentences[number]
        held = self._held_of(sentence)
        language = self._language_of(sentence.text)
        figures = figures_of(sentence.text, language)
        if len(figures) > MAXIMUM_FIGURES:
            yield self._loose(sentence, number, language)
            return
        periods = named_periods(sentence.text)
        skip = [*((each.start, each.end) for each in periods), *((each.start, each.end) for each in figures)]
        subjects = read_subjects(sentence.text, held, language=language, skip=skip)
        context = Context(
            plain=self._text.plain,
            sentence=sentence,
            number=number,
            language=language,
            figures=figures,
            behind=years_behind(sentence.text, figures),
            periods=periods,
            subjects=subjects,
            companies=self._companies(held, sentence),
            when=self._when,
        )
        found = [claim for clause in _clauses(sentence.text) for claim in claims_of_clause(context, clause)]
        yield from found or _in_words(context)

    def _loose(self, sentence: PlainSentence, number: int, language: str) -> Claim:
        """Return the one claim of a sentence with more figures than anybody would tie to their measures."""
        context = Context(
            plain=self._text.plain,
            sentence=sentence,
            number=number,
            language=language,
            figures=(),
            behind={},
            periods=(),
            subjects=Subjects(companies=(), measures=(), parts=(), unknown=()),
            companies=(),
            when=None,
        )
        whole = Clause(start=0, end=len(sentence.text))
        return context.claim(whole, sort=ClaimSort.METRIC, doubt=Doubt.LOOSE_NUMBER)

    def _language_of(self, sentence: str) -> str:
        own = language_of_question(sentence)
        return self._text.language if len(sentence.split()) < _SHORT and own == "en" else own

    def _companies(self, held: Held, sentence: PlainSentence) -> tuple[str, ...]:
        """Return the companies that a sentence may be about where it names none."""
        if self._given:
            return (spelled_as_held(self._given, held.entries),)
        key = frozenset((entry.company, entry.ticker) for entry in held.entries)
        if key not in self._all:
            self._all[key] = mentions_of_companies(self._text.plain.text, held.entries)
        everywhere = _named_by(self._all[key])
        before = [each for each in self._all[key] if each.start < sentence.start]
        if len(everywhere) == 1 or not before:
            return everywhere
        last = bisect_right(self._starts, before[-1].start)
        return _named_by([each for each in before if bisect_right(self._starts, each.start) == last])


def _named_by(mentions: Sequence[CompanyMention]) -> tuple[str, ...]:
    return tuple(sorted({company for each in mentions for company in each.companies}))


def _period_of_title(text: TextRead) -> When | None:
    """Return the period that the first sentence names, or the one that all of the text does; None for several."""
    for sentences in (text.sentences[:1], text.sentences):
        found = {named.when for sentence in sentences for named in named_periods(sentence.text)}
        if len(found) == 1:
            return found.pop()
    return None


def _clauses(sentence: str) -> Iterator[Clause]:
    start = 0
    for cut in _CLAUSE.finditer(sentence):
        yield Clause(start=start, end=cut.start())
        start = cut.end() if sentence[cut.start()] == ";" else cut.start()
    yield Clause(start=start, end=len(sentence))


def _in_words(context: Context) -> Sequence[Claim]:
    """Return what a sentence without figures claims: an event, an opinion, something about the future."""
    text = context.sentence.text
    words = len(text.split())
    if words < _FEWEST_WORDS or (words < _LONGEST_TITLE and text[-1] not in '.!?"\u201d\u201c)'):
        return ()
    sort, doubt = ClaimSort.STATEMENT, None
    if FORWARD.search(text):
        sort, doubt = ClaimSort.FORWARD_LOOKING, Doubt.FORWARD_LOOKING
    elif OPINION.search(text):
        sort, doubt = ClaimSort.OPINION, Doubt.OPINION
    elif EVENT.search(text):
        sort = ClaimSort.EVENT
    elif ATTRIBUTION.search(text):
        sort = ClaimSort.ATTRIBUTION
    return (context.claim(Clause(start=0, end=len(text)), sort=sort, doubt=doubt),)
