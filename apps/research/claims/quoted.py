"""Hold a claim in words against passages: only a sentence that says the same in the same words confirms it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from apps.corpus.terms import terms
from apps.filings.text.numbers import read_numbers
from apps.research.claims.contracts import Claim, Finding, Passage, Searched, Verdict
from apps.research.claims.words import FORWARD, NEGATION
from apps.retrieval.contracts import Candidate
from apps.retrieval.stages.grounding.sentences import split_sentences

NOT_SAID: Final = "No passage that may be read for this claim says it in these words."
_SAID: Final = "A passage says it in these words."
_MOST_WORDS_BESIDE: Final = 4
_FEWEST_WORDS: Final = 3
_SHOWN: Final = 3
_LONGEST_QUOTE: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class _Near:
    passage: Passage
    same: bool


def judge_by_passages(claim: Claim, candidates: Sequence[Candidate]) -> Finding:
    """Return CONFIRMED for a claim that a sentence quotes, else NOT_FOUND, with the passages that are closest."""
    nearest = sorted(
        (_nearest(claim, candidate) for candidate in candidates), key=lambda each: (not each.same, -each.passage.same)
    )
    searched = Searched(companies=(claim.company,) if claim.company else (), passages=len(candidates))
    said = [each for each in nearest if each.same]
    return Finding(
        claim=claim,
        verdict=Verdict.CONFIRMED if said else Verdict.NOT_FOUND,
        reason=_SAID if said else NOT_SAID,
        passages=tuple(each.passage for each in (said or nearest)[:_SHOWN] if each.passage.same > 0),
        searched=searched,
    )


def says_the_same(claim: str, sentence: str, language: str) -> bool:
    """Return whether a sentence says what a claim does: all of its words in their order, and hardly others.

    Numbers must be the same, and so must whether it is denied or expected.
    """
    wanted, said = list(terms(claim, language)), list(terms(sentence, language))
    if len(wanted) < _FEWEST_WORDS or len(said) > len(wanted) + _MOST_WORDS_BESIDE or not _in_order(wanted, said):
        return False
    if [each.scaled for each in read_numbers(claim, language)] != [
        each.scaled for each in read_numbers(sentence, language)
    ]:
        return False
    return all(bool(pattern.search(claim)) == bool(pattern.search(sentence)) for pattern in (NEGATION, FORWARD))


def _nearest(claim: Claim, candidate: Candidate) -> _Near:
    wanted = set(terms(claim.text, claim.language))
    best, share, same = candidate.chunk.text, 0.0, False
    for sentence in split_sentences(candidate.chunk.text):
        own = len(wanted & set(terms(sentence.text, claim.language))) / max(1, len(wanted))
        quoted = says_the_same(claim.text, sentence.text, claim.language)
        if (quoted, own) > (same, share):
            best, share, same = sentence.text, own, quoted
    facts = candidate.chunk.document
    passage = Passage(
        document_id=facts.document_id,
        document_title=facts.title,
        page=candidate.chunk.page_start,
        quote=" ".join(best.split())[:_LONGEST_QUOTE],
        same=round(share, 3),
    )
    return _Near(passage=passage, same=same)


def _in_order(wanted: Sequence[str], said: Sequence[str]) -> bool:
    rest = iter(said)
    return all(any(word == other for other in rest) for word in wanted)
