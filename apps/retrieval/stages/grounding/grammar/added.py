"""Words that narrow or widen what a source says: added to it, or left out."""

from __future__ import annotations

import re
from typing import Final

from apps.retrieval.stages.grounding.grammar.pairing import DENIES, Pair, describers_of
from apps.retrieval.stages.question.parsing import Word, listed

_DESCRIBES: Final = frozenset({"amod", "compound", "advmod", "nummod", "npadvmod", "det", "predet", "quantmod"})
# Words that may describe a word of the source without changing what it says.
_NEUTRAL: Final = listed(
    "also however therefore thus hence accordingly respectively specifically additionally further furthermore moreover"
    " namely overall instead then there here below above following total own same such other various down up once well"
    " relative about approximately roughly around fiscal named said stated resulting reported disclosed described"
    " mentioned given still just otherwise yet far worth per cent percent pp bp"
)
_BEFORE: Final = frozenset({"earlier", "before", "ago", "prior", "previous", "later"})
_TIMES: Final = frozenset({"day", "week", "month", "quarter", "year"})
_EACH: Final = frozenset({"each", "every", "per", "twice", "once"})
_OFTEN: Final = frozenset({"twice", "thrice"})
_PART: Final = listed(
    "most some few half several certain majority minority part partly nearly almost mostly largely partially hardly"
    " barely scarcely many"
)
_SAYS_PART: Final = _PART | {"more", "than", "limited"}
_NOT_ALL: Final = re.compile(r"\bnot\s+(?:all|every|each)\b", re.IGNORECASE)
_FEWER: Final = re.compile(r"\b(?:not\s+(?:all|every|each|always)|some|few\w*|part\w*|certain|only)\b", re.IGNORECASE)
_HARDLY: Final = re.compile(r"\b(?:hardly|barely|scarcely)\b", re.IGNORECASE)
_LITTLE: Final = re.compile(
    r"\b(?:hardly|barely|scarcely|few|almost\s+no|not|no|little|unlikely|rarely)\b", re.IGNORECASE
)
_EXCEPT: Final = re.compile(
    r"\b(?:other\s+than|except(?:\s+for)?|excluding|apart\s+from|save\s+for|with\s+the\s+exception\s+of"
    r"|rather\s+than|instead\s+of)\b",
    re.IGNORECASE,
)
# What holds in general: there each word that describes a noun says for whom.
_RULE: Final = re.compile(
    r"\b(?:must|may|shall|prohibited|forbidden|permitted|allowed|exempt|needs?|required?|insured|protected|entitled"
    r"|deductible|incur|covers?|apply|applies|receives?|void|valid)\b",
    re.IGNORECASE,
)
_TO_THE_NOUN: Final = 4
_WORDS_OF_EXCEPT: Final = 4


def find_added(pair: Pair) -> str:
    """Return what a sentence adds to the source: "second", "nearly", "each month", "largest" of a large one."""
    for word in pair.words:
        if word.lower in _OFTEN and not any(each.lower == word.lower for each in (*pair.source, *pair.question)):
            return f"adds {word.text}"
        if word.role in _DESCRIBES and not pair.found(word) and _is_added(word, pair):
            return f"adds {word.text}"
        if word.tag == "JJS" and (found := pair.found(word)) and all(each.tag in ("JJ", "JJR") for each in found):
            return f"{word.text} for {found[0].text}"
        counted = any(each.lower in _EACH or each.role == "nummod" for each in word.children)
        if word.lemma in _TIMES and not pair.found(word) and not pair.asks(word):
            if counted and any(each.lemma in _TIMES for each in pair.source):
                return f"another unit: {word.text}"
            if any(each.lower in ("each", "every", "per") for each in (*word.children, word.head)):
                return f"adds {word.text}"
    return ""


def _is_added(word: Word, pair: Pair) -> bool:
    is_first_of_two = word.role == "compound" and word.kind == "NOUN" and pair.found(word.head)
    if not word.says_something or (word.kind not in ("ADJ", "ADV", "NUM", "VERB") and not is_first_of_two):
        return False
    if word.lemma in _NEUTRAL or word.lower in _NEUTRAL or pair.asks(word) or not re.search(r"[a-z]", word.lower):
        return False
    if word.lower == "one":
        return any(
            each.kind == "NUM" and each.role == "nummod" for found in pair.found(word.head) for each in found.children
        )
    if word.lower in _BEFORE and any(each.lemma in _TIMES for each in (word.head, *word.children)):
        return False
    before = next((each for each in pair.words if each.at == word.at - 1), None)
    return not (word.lower == "longer" and before is not None and before.lower == "no")


def find_left_out(pair: Pair) -> str:
    """Return what narrows the source and is left out: "most", "not all", "other than", for whom a rule is."""
    if _NOT_ALL.search(pair.told) and not _FEWER.search(pair.text):
        return "not all"
    if _HARDLY.search(pair.told) and not _LITTLE.search(pair.text):
        return "hardly"
    return _part_left_out(pair) or _exception_left_out(pair) or _alternative_left_out(pair) or _whom_left_out(pair)


def _part_left_out(pair: Pair) -> str:
    if any(each.lemma in _SAYS_PART for each in pair.words):
        return ""
    for word in pair.words:
        found = pair.found(word) if word.kind in ("NOUN", "PROPN") else ()
        parts = [next((each for each in _narrowing(noun) if _is_part(each)), None) for noun in found]
        if parts and all(parts):
            return f"leaves out {parts[0].text if parts[0] else ''}"
    return ""


def _is_part(word: Word) -> bool:
    """Return whether a word makes some of all; not "almost" before "all"."""
    return word.lemma in _PART and word.head.lemma not in ("all", "every", "exclusively", "entirely")


def _narrowing(noun: Word) -> list[Word]:
    of_which = [noun.head.head] if noun.role == "pobj" and noun.head.lemma == "of" else []
    return [*noun.children, *of_which]


def _exception_left_out(pair: Pair) -> str:
    if _EXCEPT.search(pair.text) or DENIES.search(pair.text):
        return ""
    for word in pair.source:
        found = _EXCEPT.match(" ".join(each.text for each in pair.source[word.at : word.at + _WORDS_OF_EXCEPT]))
        if found is None:
            continue
        noun = word.head
        for _ in range(_TO_THE_NOUN):
            if noun.kind in ("NOUN", "PROPN", "VERB") and noun.lower != "excluding":
                break
            noun = noun.head
        if noun.kind in ("NOUN", "PROPN", "VERB") and pair.says(noun):
            return f"leaves out {found[0]}"
    return ""


def _alternative_left_out(pair: Pair) -> str:
    """Return the alternative that a duty leaves out: "a director or an officer must"."""
    if not re.search(r"\b(?:must|shall|required)\b", pair.text, re.IGNORECASE):
        return ""
    for word in pair.source:
        has_or = word.role == "conj" and any(each.lemma == "or" for each in word.head.children)
        if has_or and word.kind in ("NOUN", "PROPN", "VERB") and pair.says(word) != pair.says(word.head):
            return f"leaves out an alternative of {word.text}"
    return ""


def _whom_left_out(pair: Pair) -> str:
    if not _RULE.search(pair.text) or not _RULE.search(pair.told):
        return ""
    for word in pair.words:
        if word.kind != "NOUN" or word.role not in ("nsubj", "nsubjpass"):
            continue
        found = pair.found(word)
        describing = [describers_of(noun) for noun in found]
        if found and all(each and not any(map(pair.knows, each)) for each in describing):
            return f"leaves out which {word.text}"
    return ""
