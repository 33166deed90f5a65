"""Whether a sentence says what another says, perhaps in other words: its words, and in which order and clause."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from apps.filings.text.bindings import years_of
from apps.filings.text.dates import MONTH
from apps.retrieval.stages.grounding.moving_words import moving_terms
from apps.retrieval.stages.grounding.paraphrase import (
    find_places,
    find_word,
    rephrase,
    same_words,
    tell,
    telling_words,
    title_terms,
)

_PASSIVE: Final = re.compile(
    r"^(?P<what>.+?)\b(?P<is>(?:is|are|was|were|be|been|being)\s+(?:\w+ly\s+)?)(?P<verb>\w+(?:ed|en|wn|ght|ld|pt|de))\s+by\s+"
    r"(?P<who>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_FURTHER: Final = re.compile(r"\s(?:for|in|on|at|from|with|to|during|after|before|under)\b|,", re.IGNORECASE)
_CODE: Final = re.compile(r"\b(?!Q[1-4]\b|FY|H[12]\b)[A-Z]{1,5}-?\d+[A-Z]?\b")
_NAME: Final = re.compile(r"(?<=\s)[A-Z][\w&.-]*(?:\s+[A-Z][\w&.-]*)*")
_CLAUSE: Final = re.compile(
    r"[;:]\s|,\s(?!(?-i:[A-Z])[\w.-]*(?:\s(?-i:[A-Z])[\w.-]*)*\s*(?:[,.;)]|$))|\s[\u2013\u2014]\s|\u2014|\b(?:because|since|as|after|once|when|while|whereas|which|who|that|and|but|so|if|unless|until"
    r"|weil|da|nachdem|wenn|w\u00e4hrend|und|aber|denn|sobald)\b",
    re.IGNORECASE,
)
# From where, and whereto. What a source puts behind one of these stands behind the same in what is said of it.
_ROLES: Final = (
    re.compile(r"\b(?:from|out\s+of|von|vom|aus)\s+(?P<what>[^,;:.()]{2,60})", re.IGNORECASE),
    re.compile(r"\b(?:to|into|an|zu|zum|zur|in\s+den|in\s+die)\s+(?P<what>[^,;:.()]{2,60})", re.IGNORECASE),
    re.compile(r"\b(?:for|against|f\u00fcr|gegen)\s+(?P<what>(?:the\s+|die\s+|den\s+)?[A-Z][^,;:.()]{2,60})"),
)
_MONTH: Final = re.compile(rf"\b{MONTH}(?!\w)", re.IGNORECASE)
_IN_ORDER: Final = 0.6
_FEW_NAMES: Final = 2


def says_the_same(sentence: str, piece: str, language: str, around: Collection[str]) -> bool:
    """Return whether all that a sentence says stands in one sentence or row of a source.

    Each of its words that says something must stand there: itself, one of its stem, or one that says the same
    (paraphrase.py). The words of a clause must be those of one clause there, to which earlier ones may lend their
    subject; two names must stand in the same order. A passive is read as its active form.

    Args: around: the words of the headings and of the document's company, which may be added.
    """
    if not _same_codes_and_years(sentence, piece, language):
        return False
    beside = same_words(frozenset(around), language) - title_terms(language)
    for active in _voices(piece):
        told = _Told(active, language)
        for text in _voices(sentence):
            if told.hold(text, beside) and not _exchanges(text, active, language):
                return True
    return False


class _Told:
    """A sentence of a source: its words, and in which of its clauses each stands."""

    def __init__(self, text: str, language: str) -> None:
        self._language = language
        clauses = [tell(each, language) for each in _clauses(rephrase(text, language))]
        self.words = tuple(word for each in clauses for word in each)
        self._names = frozenset(word for name in _NAME.findall(f" {text}") for word in tell(name, language))
        self._clause = tuple(number for number, each in enumerate(clauses) for _ in each)

    def hold(self, text: str, beside: Collection[str]) -> bool:
        """Return whether all words of a text that say something stand here, clause by clause."""
        said = 0
        for clause in _clauses(rephrase(text, self._language)):
            words = [word for word in telling_words(clause, self._language) if word not in beside or word in self.words]
            places = [find_places(word, self.words, self._language) for word in words]
            if not all(places) or not self._of_one_clause(words, places):
                return False
            said += len(words)
        return said > 0 and self._in_order(text)

    def _of_one_clause(self, words: Sequence[str], places: Sequence[Sequence[int]]) -> bool:
        """Return whether words come from one clause, to which those before it may lend some, or from several in order.

        A word for a direction comes from the clause of the word beside it.
        """
        clauses = [{self._clause[each] for each in of_one} for of_one in places]
        moving = moving_terms(self._language)
        for number, (word, own) in enumerate(zip(words, clauses, strict=True)):
            near = (at for at in (number - 1, number + 1) if 0 <= at < len(words))
            beside = [clauses[at] for at in near if words[at] not in moving]
            if word in moving and beside and not any(own & each for each in beside):
                return False
        # A verb may stand in the clause that follows: "X, who retired".
        free = frozenset(words) - self._names if self._language == "en" else frozenset[str]()
        last = 0
        for own in clauses:
            last = min((each for each in own if each >= last), default=-1)
            if last < 0:
                break
        else:
            # "Opened in Bergen" of "opened in Porto and closed Bergen": one name of the next clause.
            alone = len(clauses) > 1 and not clauses[-1] & set[int]().union(*clauses[:-1])
            return not (alone and words[-1] in self._names)
        firsts = [min(own) - (word in free) for word, own in zip(words, clauses, strict=True)]
        return any(
            2 * sum(at in own for own in clauses) > len(clauses)
            and max(firsts) <= at
            and self._lacks(at, clauses, places)
            for at in set[int]().union(*clauses)
        )

    def _lacks(self, at: int, clauses: Sequence[set[int]], places: Sequence[Sequence[int]]) -> bool:
        """Return whether a clause has nothing of its own where the sentence puts what other clauses lend.

        "Porto closed" of "Porto opens, Bergen closed": the clause has a subject.
        """
        alone = [number for number, own in enumerate(clauses) if own == {at}]
        lent = [number for number, own in enumerate(clauses) if at not in own]
        if not alone or not lent:
            return True
        said = {place for of_one in places for place in of_one}
        unsaid = [place for place, clause in enumerate(self._clause) if clause == at and place not in said]
        own = [place for number in alone for place in places[number]]
        before = any(each < min(own) for each in unsaid) and any(each < min(alone) for each in lent)
        after = any(each > max(own) for each in unsaid) and any(each > max(alone) for each in lent)
        return not before and not after

    def _in_order(self, text: str) -> bool:
        names = (tell(name, self._language)[:1] for name in _NAME.findall(f" {_MONTH.sub(' ', text)}"))
        places = [find_word(word, self.words, self._language) for words in names for word in words]
        held = [each for each in places if each >= 0]
        return self._language != "en" or _longest_run(held) >= len(held) - (len(held) > _FEW_NAMES)


def follows_order(sentence: str, piece: str, language: str) -> bool:
    """Return whether those words of a sentence that stand in a source stand there mostly in the same order."""
    told = [tell(each, language) for each in _voices(piece)]
    for text in _voices(sentence):
        words = [word for word in telling_words(text, language) if word not in moving_terms(language)]
        for each in told:
            held = [place for word in words if (place := find_word(word, each, language)) >= 0]
            if len(held) <= 2 or _longest_run(held) >= _IN_ORDER * len(held):
                return True
    return False


def clauses_told(sentence: str, piece: str, language: str) -> str:
    """Return the clauses of a source of which a sentence tells at least half."""
    said = tell(sentence, language)
    kept = []
    for clause in _clauses(piece):
        words = telling_words(clause, language)
        if words and 2 * sum(find_word(word, said, language) >= 0 for word in words) >= len(words):
            kept.append(clause)
    return " , ".join(kept) or piece


def _same_codes_and_years(sentence: str, piece: str, language: str) -> bool:
    """Return whether a sentence has no code (VX-310) and no year that the source does not have beside others."""
    if not {each.lower() for each in _CODE.findall(sentence)} <= {each.lower() for each in _CODE.findall(piece)}:
        return False
    told, said = years_of(piece), years_of(sentence)
    if len(said) == 1 and len(told) > 1 and (of_clauses := years_of(clauses_told(sentence, piece, language))):
        return said <= of_clauses
    return not told or said <= told


def _exchanges(sentence: str, piece: str, language: str) -> bool:
    """Return whether a sentence says "from" of what the source has behind "to", or the other way round."""
    names = {word for name in _NAME.findall(sentence) for word in tell(name, language)}
    said, told = ([_heads(pattern, text, language) for pattern in _ROLES] for text in (sentence, piece))
    return any(
        any(told[one] or said[other] or word in names for word in (said[one] - said[other]) & (told[other] - told[one]))
        and not said[one] & told[one]
        for one, other in ((0, 1), (1, 0))
    ) or bool(said[2] and not said[2] & told[2] and said[2] & _subjects(piece, language))


def _subjects(text: str, language: str) -> frozenset[str]:
    """Return the names with which a clause begins."""
    begins = (re.match(r"\s*(?:[Tt]he\s+)?([A-Z]\w+)", each) for each in _clauses(text))
    return frozenset(word for found in begins if found for word in telling_words(found[1], language)[:1])


def _heads(pattern: re.Pattern[str], text: str, language: str) -> frozenset[str]:
    """Return the first word that says something behind each preposition."""
    found = (telling_words(each["what"], language)[:1] for each in pattern.finditer(text))
    return frozenset(word for words in found for word in words)


def _clauses(text: str) -> list[str]:
    return [each for each in _CLAUSE.split(text) if each.strip()]


def _longest_run(places: Sequence[int]) -> int:
    """Return how many of the places rise, at most."""
    ends: list[int] = []
    for place in places:
        at = bisect_left(ends, place)
        ends[at : at + 1] = [place]
    return len(ends)


def _voices(text: str) -> Iterator[str]:
    """Yield the text as it stands, and its active form if it is a passive."""
    yield text
    active = _in_active(text)
    if active != text:
        yield active


def _in_active(text: str) -> str:
    passive = _PASSIVE.match(text.strip().rstrip("."))
    if passive is None:
        return text
    who, rest = passive["who"], ""
    if further := _FURTHER.search(who):
        who, rest = who[: further.start()], who[further.start() :]
    return f"{who} {passive['verb']} {passive['what']} {rest}"
