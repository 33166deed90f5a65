"""What a sentence says happens or is so: its events, who takes part in each, and what stands above it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from apps.retrieval.stages.question.parsing import Word

# Parts that a participant plays. Others are named by their preposition: "to", "from".
SUBJECT: Final = "subject"
OBJECT: Final = "object"
RECEIVER: Final = "receiver"
ARGUMENTS: Final = frozenset({"nsubj", "nsubjpass", "csubj", "dobj", "attr", "dative"})
_RELATIVE: Final = frozenset({"which", "who", "that"})
_PREDICATE: Final = frozenset({"acomp", "attr", "oprd"})
_DEEPEST: Final = 20
_BREAK: Final = re.compile(r"[;:\u201d\"]")


def is_event(word: Word) -> bool:
    """Return whether a word is a verb, or what "is" says of a subject."""
    if word.kind == "VERB":
        return word.role not in ("amod", "compound")
    return word.role in ("acomp", "attr") and word.head.lemma == "be"


def verb_of(event: Word) -> Word:
    """Return the word with the auxiliaries of an event: "is" of "is void"."""
    return event.head if event.role in _PREDICATE and event.head.lemma == "be" else event


def is_passive(event: Word) -> bool:
    # "was drawn and repaid": the second has the auxiliary of the first.
    while event.role == "conj" and event.tag in ("VBN", "VBD") and not _has(event, "aux", "auxpass", "dobj"):
        event = event.head
    return _has(event, "auxpass") or (event.role in ("acl", "acomp") and event.tag == "VBN")


def _has(event: Word, *roles: str) -> bool:
    return any(each.role in roles for each in event.children)


def modals_of(event: Word) -> frozenset[str]:
    """Return the auxiliaries of an event, in lower case: "may", "will", "to"."""
    return frozenset(each.lower for each in verb_of(event).children if each.role == "aux")


def is_past(event: Word) -> bool:
    verb = verb_of(event)
    if verb.tag == "VBD":
        return True
    helpers = (each for each in verb.children if each.role in ("aux", "auxpass"))
    return verb.tag == "VBN" and any(each.lemma == "have" or each.tag == "VBD" for each in helpers)


def is_denied(event: Word) -> bool:
    """Return whether a word denies an event: not, never, or a participant of which there is none."""
    for each in event.children:
        if each.role == "neg" or each.lemma in ("never", "hardly", "barely", "neither", "nor"):
            return True
        if each.role in ("nsubj", "nsubjpass", "dobj", "attr") and any(
            word.lemma in ("no", "neither", "none") for word in (each, *each.children)
        ):
            return True
    verb = verb_of(event)
    return verb is not event and is_denied(verb)


def governor_of(word: Word) -> tuple[Word | None, str]:
    """Return the word of content that a word belongs to, and the part that it plays there.

    Prepositions and auxiliaries are passed over, and the second of a list belongs where the first does.
    """
    role, head = word.role, word.head
    for _ in range(_DEEPEST):
        if head is word or role == "ROOT":
            return None, ""
        if role in ("conj", "appos"):
            word, role, head = head, head.role, head.head
            continue
        if (head.role in ("prep", "agent", "dative") and not head.says_something) or head.kind == "ADP":
            role = "agent" if head.role == "agent" else head.lemma
            above = head.head.head if head.role == "conj" else head.head
            if above is head:
                return None, role
            head = above
            continue
        if head.lemma == "be" and head.kind in ("AUX", "VERB"):
            said = next((each for each in head.children if each.role in _PREDICATE), None)
            head = said if said is not None and said is not word else head
            return head, _part(role, head)
        if head.says_something or head.is_root:
            return head, _part(role, head)
        head = head.head
    return None, ""


def _part(role: str, event: Word) -> str:
    if role in ("nsubj", "csubj"):
        return OBJECT if is_passive(event) else SUBJECT
    if role == "agent" or (role == "by" and event.tag == "VBN"):
        return SUBJECT
    return {"nsubjpass": OBJECT, "dobj": OBJECT, "dative": RECEIVER}.get(role, role)


def participants_of(event: Word) -> list[tuple[Word, str]]:
    """Return who and what takes part in an event, each with its part; every one of a list by itself."""
    own = [*_own_participants(event), *_shared_participants(event)]
    return [(each, part) for first, part in own for each in (first, *_listed_with(first))]


def _own_participants(event: Word) -> Iterator[tuple[Word, str]]:
    verb = verb_of(event)
    for each in (*event.children, *(verb.children if verb is not event else ())):
        if each is event:
            continue
        if each.role in ARGUMENTS:
            # "the shares that the fund holds": the word stands for the noun before it.
            meant = event.head if event.role == "relcl" and each.lower in _RELATIVE else each
            yield meant, _part(each.role, event)
        elif each.role in ("prep", "agent"):
            for behind in each.children:
                if behind.role == "pobj":
                    yield behind, _part("agent" if each.role == "agent" else each.lemma, event)


def _shared_participants(event: Word) -> Iterator[tuple[Word, str]]:
    """Yield those that an event takes from the word it belongs to."""
    head = event.head
    if event.role == "acl" and event.tag in ("VBN", "VBG") and _root_of(event).kind in ("VERB", "AUX"):
        yield head, OBJECT if event.tag == "VBN" else SUBJECT
    if event.role in ("conj", "xcomp") and not any(each.role in ("nsubj", "nsubjpass") for each in event.children):
        for each, _ in _own_participants(head):
            if each.role in ("nsubj", "nsubjpass"):
                yield each, OBJECT if is_passive(event) else SUBJECT


def _root_of(word: Word) -> Word:
    return next((each for each in word.ancestors() if each.is_root), word)


def _listed_with(word: Word) -> Iterator[Word]:
    """Yield the further items of a list, each of which depends on the one before it."""
    waiting = [each for each in word.children if each.role == "conj"]
    while waiting:
        item = waiting.pop(0)
        yield item
        waiting.extend(each for each in item.children if each.role == "conj")


def above(event: Word) -> Iterator[tuple[Word, str]]:
    """Yield each word that an event stands under, with its relation to it: "refused" for "refused to approve".

    It ends where the event says something by itself: in a relative clause, after a semicolon, behind a quotation mark.
    """
    word = verb_of(event)
    for _ in range(_DEEPEST):
        head, role = word.head, word.role
        if word.is_root or role in ("relcl", "appos", "parataxis", "dep", "advcl"):
            return
        if role == "acl" and word.tag in ("VBN", "VBG"):
            return
        if role == "ccomp" and word.at < head.at and _is_broken(word, head):
            return
        if role != "conj":
            yield head, role
        word = head


def _is_broken(first: Word, second: Word) -> bool:
    """Return whether a semicolon, colon or quotation mark stands right below the second word and behind the first."""
    return any(first.at < each.at < second.at and _BREAK.search(each.text) for each in second.children)
