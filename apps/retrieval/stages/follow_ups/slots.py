"""Read where a question names what a follow-up may replace: the period, the company and the figure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from apps.corpus.extraction.language import language_of_question
from apps.filings.text.mentions import Mention, blank_mentions, mentions_of, word_set
from apps.filings.text.period_mentions import read_period_mentions
from apps.filings.vocabulary.concepts import find_in_text
from apps.retrieval.contracts import Period
from apps.retrieval.stages.follow_ups.counted import LEAD, Counted, WithoutYear, read_counted, read_without_year
from apps.retrieval.stages.follow_ups.words import MEASURE_GERMAN, NOT_A_NAME_GERMAN
from apps.retrieval.stages.question.companies import LEGAL_ENDINGS
from apps.retrieval.stages.question.glossary import GLOSSARY, UPPER_CASE_ONLY
from apps.retrieval.stages.question.glossary_entry import Nature
from apps.retrieval.stages.question.jurisdiction_names import code_of
from apps.retrieval.stages.question.names import GENERIC, NOT_NAMES
from apps.retrieval.stages.question.parsing import is_ordinary

_FIGURES: Final = sorted(
    (trigger for entry in GLOSSARY if entry.nature is Nature.FIGURE for trigger in entry.triggers),
    key=len,
    reverse=True,
)
_RUN: Final = re.compile(
    r"(?<![\w&])(?:[A-Z\u00c4\u00d6\u00dc][\w&.\-]*\w|[A-Z\u00c4\u00d6\u00dc]|\d+[A-Z]\w*)(?:\s+(?:(?:&|and\s+Co|de|van|del)\s+)?(?:[A-Z\u00c4\u00d6\u00dc][\w&\-]*))*"
)
_BEFORE_PERIOD: Final = re.compile(
    r"(?:\b(?:in|im|for|during|of|f\u00fcr|von|the|dem|des)\s+)*(?:(?:fiscal\s+|financial\s+)?year\s+|(?:Gesch\u00e4fts|Berichts)?jahre?s?\s+)?$",
    re.IGNORECASE,
)
_DETERMINER: Final = re.compile(
    r"\b(?P<word>the|its|their|an?|der|die|das|den|dem|des|ihre?[mnrs]?|seine?[mnrs]?)\s+(?P<more>(?:(?:total|net|gross|adjusted|average|annual|quarterly|consolidated|operating|organic"
    r"|underlying|reported|maximum|minimum|weighted|diluted|basic|current|long-term|short-term|\w+(?:e|en|er|es))\s+){0,2})$",
    re.IGNORECASE,
)
_MODIFIERS: Final = re.compile(
    r"\b(?:(?:total|net|gross|adjusted|average|annual|consolidated|organic|underlying|reported|maximum|minimum|diluted|basic)\s+){1,2}$",
    re.IGNORECASE,
)
_ARTICLE: Final = re.compile(r"\b(?:the|der|die|das|den|dem|des)\s+$", re.IGNORECASE)
_STARTS: Final = word_set(
    """
    what how which who whom whose when where why did does do is are was were has have had can could may must will
    would should and but or also then in at for of by from on with the a an same about please compare list name give
    show tell explain describe summarise summarize calculate compute state between over during under after before as
    to if whether wer wen wem was wie wann wo welche welcher welches welchen warum wieso weshalb woran wodurch um ist
    sind war waren hat haben hatte wird werden wurde wurden kann darf muss soll gilt gelten und oder aber auch dann im
    bei von für mit zu der die das den dem des ein eine gleiche dasselbe dieselbe nenne zeige vergleiche berechne
    erkläre beschreibe zum zur auf sank stieg fiel wuchs ging nahm betrug lag gibt seit nach vor bis hm ok okay danke
    thanks
    """
)
# One blank between two words: where more stand, something was taken out.
_OF_IN_LOWER_CASE: Final = re.compile(
    r"\b(?:of|at|for|von|bei) (?P<name>[a-z][\w&-]+(?: (?!(?:in|for|at|from|during|im|und|and)\b)[a-z][\w&-]+){0,3})"
    r"(?=\s+(?:in|for|at|from|during|im)\b|\s*[?.!]*$|\s\s)"
)
_JOINED: Final = re.compile(r"\s*(?:,|and|or|und|oder|sowie|&|,\s*and|the|der|die|das|\s)*\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A part of the text. lead: the words before it that belong to it, such as its article."""

    start: int
    end: int
    text: str
    lead: str = ""

    @property
    def outer(self) -> int:
        return self.start - len(self.lead)


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodSpan(Span):
    """A period, with the words before it that say when in it: "at the end of"."""

    period: Period


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """A question with its periods, companies and figures, left to right. language: en or de.

    counted, without_year: a period that can't be told without another question.
    """

    text: str
    language: str
    periods: tuple[PeriodSpan, ...]
    companies: tuple[Span, ...]
    measures: tuple[Span, ...]
    counted: Counted | None
    without_year: WithoutYear | None

    @property
    def names_period(self) -> bool:
        return bool(self.periods or self.counted or self.without_year)


def read_slots(text: str, language: str = "", *, small_names: bool = False) -> Slots:
    """Return what a question names.

    Args: text: as `validate` returns it.
          language: detected if it is empty.
          small_names: whether the person writes names without capitals.
    """
    language = language or ("de" if language_of_question(text) == "de" else "en")
    periods = tuple(_periods(text))
    counted = read_counted(text)
    without_year = None if counted or periods else read_without_year(text)
    taken = [Mention(start=each.outer, end=each.end, text="") for each in periods]
    taken += [Mention(start=each.start, end=each.end, text="") for each in (counted, without_year) if each]
    rest = blank_mentions(text, taken)
    names = tuple(_english_names(rest)) if language == "en" else ()
    measures = tuple(_measures(blank_mentions(rest, map(_mention, names)), language))
    if language == "de":
        without = blank_mentions(rest, map(_mention, measures))
        names = tuple(_german_names(without, of_figure=bool(measures)))
    if not names and small_names:
        names = tuple(_in_lower_case(blank_mentions(rest, map(_mention, measures))))
    return Slots(
        text=text,
        language=language,
        periods=periods,
        companies=names,
        measures=measures,
        counted=counted,
        without_year=without_year,
    )


def are_joined(text: str, spans: Iterable[Span]) -> bool:
    """Return whether nothing but "and", commas and articles stands between the parts."""
    spans = tuple(spans)
    return all(_JOINED.fullmatch(text[one.end : two.start]) is not None for one, two in pairwise(spans))


def _mention(span: Span) -> Mention:
    return Mention(start=span.start, end=span.end, text=span.text)


def _periods(text: str) -> Iterator[PeriodSpan]:
    rest = read_period_mentions(text).rest
    blanked = [before != after for before, after in zip(text, rest, strict=True)]
    at = 0
    while at < len(text):
        if not blanked[at]:
            at += 1
            continue
        start = at
        while at < len(text) and (blanked[at] or (text[at] == " " and any(blanked[at + 1 : at + 2]))):
            at += 1
        named = read_period_mentions(text[start:at]).named
        if named:
            lead = LEAD.search(text[:start])
            found = lead.group() if lead else ""
            yield PeriodSpan(start=start, end=at, text=text[start:at], period=named[0].period, lead=found)


def before_period(text: str, span: Span) -> str:
    """Return the preposition and the like before a period: "in the year ", "im Jahr "."""
    found = _BEFORE_PERIOD.search(text[: span.outer])
    return found.group() if found else ""


def _measures(text: str, language: str) -> Iterator[Span]:
    found = [(each.start, each.end) for each in find_in_text(text)]
    rest = text
    for trigger in _FIGURES:
        if mentions := mentions_of(trigger, rest, case_sensitive=trigger in UPPER_CASE_ONLY):
            rest = blank_mentions(rest, mentions)
            found.extend((each.start, each.end) for each in mentions)
    if language == "de":
        found.extend(match.span() for match in MEASURE_GERMAN.finditer(text))
    kept: list[tuple[int, int]] = []
    for start, end in sorted(set(found), key=lambda place: (place[0] - place[1], place[0])):
        if all(end <= first or last <= start for first, last in kept):
            kept.append((start, end))
    for start, end in sorted(kept):
        before = text[:start]
        lead = _DETERMINER.search(before) or _MODIFIERS.search(before)
        yield Span(start=start, end=end, text=text[start:end], lead=lead.group() if lead else "")


def _english_names(text: str) -> Iterator[Span]:
    words = re.findall(r"[^\W\d_]{2,}", text)
    if len(words) > 4 and 2 * sum(word[0].isupper() for word in words) > len(words):
        return
    for match in _RUN.finditer(text):
        parts = list(re.finditer(r"\S+", match.group()))
        first = 0
        while first < len(parts) and _begins(text, match.start() + parts[first].start(), parts[first].group()):
            first += 1
        named = [each.group().strip(".") for each in parts[first:]]
        if not named or all(each.lower() in GENERIC or each.upper() in NOT_NAMES or code_of(each) for each in named):
            continue
        start = match.start() + parts[first].start()
        run = text[start : match.end()]
        if _is_a_figure(run):
            continue
        yield _named(text, start, match.end())


def _begins(text: str, at: int, word: str) -> bool:
    """Return whether a capital says nothing of a word: it begins the text, and is no name by itself."""
    lower = word.lower()
    first = not text[:at].strip()
    return lower in _STARTS or (first and (lower.endswith(("ed", "ing", "ly")) or is_ordinary(lower)))


def _is_a_figure(run: str) -> bool:
    """Return whether a run of capitals is no name but a figure: "EBITDA", "Net Income"."""
    covered = [(each.start, each.end) for each in find_in_text(run)]
    covered += [(each.start, each.end) for trigger in _FIGURES for each in mentions_of(trigger, run)]
    return any(end - start == len(run) for start, end in covered)


def _german_names(text: str, *, of_figure: bool) -> Iterator[Span]:
    for match in _RUN.finditer(text):
        parts = list(re.finditer(r"\S+", match.group()))
        while parts and parts[0].group().lower() in _STARTS:
            parts.pop(0)
        if not parts or match.group().lower() in _STARTS:
            continue
        start = match.start() + parts[0].start()
        run = text[start : match.end()]
        legal = any(each.group().lower().strip(".") in LEGAL_ENDINGS for each in parts[1:])
        several = len(parts) > 1 and not NOT_A_NAME_GERMAN.search(parts[-1].group())
        after = re.search(r"\b(?:von|bei|f\u00fcr)\s+$", text[:start], re.IGNORECASE) is not None
        alone = not text[:start].strip(" ,") and not text[match.end() :].strip(" ?.!")
        single = (after and of_figure) or alone or (after and not text[match.end() :].strip(" ?.!aus"))
        if legal or several or (single and not NOT_A_NAME_GERMAN.search(run) and not code_of(run)):
            yield _named(text, start, match.end())


def _in_lower_case(text: str) -> Iterator[Span]:
    found = [match for match in _OF_IN_LOWER_CASE.finditer(text) if not _STARTS & frozenset(match["name"].split())]
    if len(found) == 1:
        yield _named(text, found[0].start("name"), found[0].end("name"))


def _named(text: str, start: int, end: int) -> Span:
    lead = _ARTICLE.search(text[:start])
    return Span(start=start, end=end, text=text[start:end], lead=lead.group() if lead else "")


def is_legal_form(name: str) -> bool:
    """Return whether a name ends in a legal form or the like: "Ostmark Kabel AG", "Alpen Bond Fund"."""
    return name.split()[-1].lower().strip(".") in LEGAL_ENDINGS | {"bank", "fonds", "versicherung"}
