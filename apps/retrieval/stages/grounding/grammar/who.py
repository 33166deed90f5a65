"""Whether a sentence puts everybody in the part that they have in the source: who did it, to whom, from where."""

from __future__ import annotations

import re
from typing import Final

from apps.retrieval.stages.grounding.grammar.events import (
    OBJECT,
    RECEIVER,
    SUBJECT,
    governor_of,
    is_passive,
    participants_of,
)
from apps.retrieval.stages.grounding.grammar.pairing import DENIES, Pair
from apps.retrieval.stages.question.parsing import Word, listed

_OTHER_END: Final = frozenset({"to", "from", "than", "against", "for", "with", "over", "before", "of", RECEIVER})
_TWO_ENDS: Final = frozenset({"to", "from", "than", "against", "over", "before"})
_OPPOSITE: Final = tuple(
    (frozenset(one.split()), frozenset(other.split()))
    for one, other in (
        ("before until till prior", "after from since upon following"),
        ("with", "without"),
        ("above over", "below under"),
        ("for", "against"),
        ("to into", "from"),
        ("within", "after beyond"),
        ("inside", "outside"),
        ("including", "excluding"),
    )
)
# Who is meant by "the Company" when a document speaks of itself.
_ITSELF: Final = listed(
    "we us our i it its they their company group firm business issuer fund bank management corporation entity"
    " institution organisation organization insurer lender manager provider directors board who which that this"
)
# Verbs of which the thing changed may be the subject: "sales rose", "we raised prices".
_CHANGES: Final = re.compile(
    r"increas|decreas|rise|fall|grow|declin|improv|open|clos|begin|start|end|chang|drop|reduc|lower|rais|widen|narrow"
    r"|shrink|expand|develop|move|mature|expire|remain|become|base|relate|drive|compris|consist|includ|call|name|amount"
    r"|total|lift|hurt|help|benefit|suffer|weigh|hit|cut"
)


def find_exchanged(pair: Pair) -> str:
    """Return who or what has another part than in the source; an empty text if all have theirs."""
    for event in pair.events():
        reasons = [_exchanged(event, told, pair) for told in pair.found(event)]
        if all(reasons):
            return f"{event.text}: {reasons[0]}"
    return _turned(pair) or _of_another(pair) or _clauses_exchanged(pair) or _moved(pair)


def _exchanged(event: Word, told: Word, pair: Pair) -> str:
    if event.kind != told.kind or event.kind not in ("VERB", "ADJ"):
        return ""
    in_source = participants_of(told)
    for word, part in participants_of(event):
        if word.kind == "NUM" or not word.says_something:
            continue
        found = {each.at for each in pair.found(word)}
        parts = [other for each, other in in_source if each.at in found]
        explicit = [each for each, other in in_source if other == part]
        if parts:
            reason = "" if part in parts else _other_part(event, told, part, parts)
        else:
            reason = _other_word(event, told, word, part, explicit, pair)
        if reason:
            return reason
    return ""


def _other_part(event: Word, told: Word, part: str, parts: list[str]) -> str:
    said, in_source = ({part for _, part in participants_of(each)} for each in (event, told))
    both = {SUBJECT, OBJECT}
    reason = f"{part} for {parts[0]}"
    if part in both and set(parts) & both and (both <= said or is_passive(event)):
        # "Margins were helped by prices" of "margins benefited from prices": another verb, without an object.
        return reason if event.lemma == told.lemma or both <= in_source else ""
    if part == SUBJECT and _OTHER_END & set(parts) and (event.lemma == told.lemma or "from" not in parts):
        return reason
    if part in _TWO_ENDS and set(parts) <= {SUBJECT}:
        return reason
    if part == OBJECT and OBJECT in in_source and set(parts) <= {"to", "from", "against", "than"}:
        return reason
    return ""


def _other_word(event: Word, told: Word, word: Word, part: str, explicit: list[Word], pair: Pair) -> str:
    """Return a reason if the source has another word in a part for which the sentence has one from elsewhere."""
    if part not in (SUBJECT, OBJECT) or not explicit or _CHANGES.search(event.lemma):
        return ""
    if event.lemma != told.lemma and pair.term(event) != pair.term(told):
        return ""
    reason = f"{word.text} for {explicit[0].text}"
    found = pair.found(word)
    if not found:
        is_actor = part == SUBJECT and word.kind in ("NOUN", "PROPN") and word.lower in _ITSELF
        known = all(each.lower in _ITSELF or each.kind in ("PROPN", "PRON") for each in explicit)
        return reason if is_actor and not known else ""
    if part == SUBJECT and all(each.kind == "PRON" or each.lower in _ITSELF for each in explicit):
        return ""
    if word.kind == "PROPN" and any(each.lemma == word.lemma for each in explicit):
        return ""
    within = any(any(above is each for above in place.ancestors()) for place in found for each in explicit)
    if within:
        return reason if part == SUBJECT and not any(pair.says(each) for each in explicit) else ""
    if part == OBJECT and any(pair.same(each, word) for each in explicit):
        # "the risk committee" for "the audit committee"
        return reason
    return reason if part == SUBJECT or not any(pair.says(each) for each in explicit) else ""


def _turned(pair: Pair) -> str:
    """Return where a sentence says "until" of what the source has behind "from", and the like."""
    for word in pair.words:
        governor, part = governor_of(word)
        if governor is None or not pair.found(word) or part in (SUBJECT, OBJECT):
            continue
        same = {each.at for each in pair.source if pair.same(governor, each)}
        places = [governor_of(each) for each in pair.found(word)]
        parts = {other for above, other in places if above is not None and above.at in same}
        if governor.lemma == "result" and {part, *parts} == {"in", "from"}:
            return f"{word.text}: {part}"
        for one, other in (*_OPPOSITE, *((b, a) for a, b in _OPPOSITE)):
            if part in one and parts and parts <= other:
                return f"{word.text}: {part} for {min(parts)}"
    return ""


def _of_another(pair: Pair) -> str:
    """Return a noun that the source describes by another: "the audit of the subsidiary" for that of the parent."""
    for word in pair.words:
        noun, part = governor_of(word)
        if noun is None or noun.kind != "NOUN" or part != "of" or not pair.found(word):
            continue
        found = pair.found(noun)
        places = [governor_of(each)[0] for each in pair.found(word)]
        if not found or any(place is not None and place.at in {each.at for each in found} for place in places):
            continue
        others = [_behind_of(each) for each in found]
        if all(each is not None and not pair.says(each) for each in others):
            return f"{noun.text} of {word.text}"
    return ""


def _behind_of(noun: Word) -> Word | None:
    of = (each for each in noun.children if each.lemma == "of")
    return next((each for first in of for each in first.children if each.role == "pobj"), None)


def _clauses_exchanged(pair: Pair) -> str:
    """Return a clause on which another depends, and in the source that one on it: "fees rose because they left"."""
    for word in pair.words:
        if word.role != "advcl" or not word.says_something:
            continue
        for each in pair.source:
            if each.role == "advcl" and pair.same(each, word.head) and pair.same(each.head, word):
                return f"{word.text} and {word.head.text}" if not pair.same(each, word) else ""
    return _joined(pair)


def _joined(pair: Pair) -> str:
    """Return two words that a sentence joins by "and", and the source by "or"."""
    said, told = (_lists(words, pair) for words in (pair.words, pair.source))
    return next((" and ".join(sorted(each)) for each in said["and"] & told["or"]), "")


def _lists(words: tuple[Word, ...], pair: Pair) -> dict[str, set[frozenset[str]]]:
    found: dict[str, set[frozenset[str]]] = {"and": set(), "or": set()}
    for word in words:
        if word.role == "conj":
            for each in word.head.children:
                if each.lemma in found and each.role == "cc":
                    found[each.lemma].add(frozenset((pair.term(word.head), pair.term(word))))
    return found


def _moved(pair: Pair) -> str:
    """Return what "not" or "only" stands before, if it stands before something else in the source."""
    denied_here = {each.at for each in pair.words if _is_denied_noun(each, pair.words)}
    denied_there = {each.at for each in pair.source if _is_denied_noun(each, pair.source)}
    for word in pair.words:
        found = pair.found(word) if word.kind in ("NOUN", "PROPN") else ()
        denied = word.at in denied_here
        if not found or any((each.at in denied_there) == denied for each in found):
            continue
        if denied and DENIES.search(pair.told) and not denied_there:
            continue
        if not denied and re.search(r"\b(?:not|no|nor|neither)\b|n['\u2019]t\b", pair.text) and not denied_here:
            continue
        return f"not {word.text}"
    said, told = ([each.head for each in words if each.lower == "only"] for words in (pair.words, pair.source))
    if said and len(told) == 1 and said[0].kind == "VERB" and told[0].kind in ("NOUN", "PROPN"):
        return f"only {told[0].text}"
    return ""


def _is_denied_noun(word: Word, words: tuple[Word, ...]) -> bool:
    if word.kind not in ("NOUN", "PROPN"):
        return False
    for each in reversed(words[max(0, word.at - 3) : word.at]):
        if each.lower in ("not", "neither", "nor"):
            return True
        if each.kind not in ("DET", "ADP", "ADJ"):
            return False
    return False
