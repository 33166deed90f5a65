"""Whether what a sentence says happened is said to have happened: not denied, only planned, allowed or alleged."""

from __future__ import annotations

import re
from typing import Final

from apps.retrieval.stages.grounding.grammar.events import (
    OBJECT,
    above,
    governor_of,
    is_denied,
    is_past,
    modals_of,
)
from apps.retrieval.stages.grounding.grammar.pairing import DENIES, Pair
from apps.retrieval.stages.question.parsing import Word, listed

_MAY: Final = frozenset({"may", "might", "can", "could"})
_MODALS: Final = _MAY | {"will", "shall", "would", "should", "must", "'ll"}
_SAYS_MAY: Final = re.compile(
    r"\b(?:may|might|can|cannot|could|possib\w+|potential\w*|able|unable|permit\w*|allow\w*|option\w*|entitl\w*|risk\w*"
    r"|would|should|likely|if|discretion|free|right)\b",
    re.IGNORECASE,
)
# What stands under these is so: "announced that", "managed to".
_SAID_TO_BE_SO: Final = listed(
    "say write report announce note confirm state show indicate disclose begin start continue manage complete finish"
    " achieve succeed know find reveal observe recognise recognize demonstrate mean ensure cause make lead help let"
    " force enable see keep proceed go use have get record explain describe add remain include reflect result occur"
    " happen take set provide accord follow clear evident reason case fact"
)
_BELIEVED: Final = frozenset({"believe", "consider", "expect", "anticipate", "estimate"})
_SAYS_BELIEVED: Final = re.compile(
    r"\b(?:believ\w+|consider\w*|expect\w*|anticipat\w+|estimat\w+|view|opinion|should|likely|will|assum\w+|forecast\w*)\b",
    re.IGNORECASE,
)
# What somebody says is so, and words that tell that somebody says it.
_CLAIMED: Final = listed("argue claim allege contend assert maintain conclude insist believe estimate")
_TELLING: Final = _CLAIMED | {"say", "state", "find", "view", "hold"}
_SAYS_CLAIMED: Final = re.compile(r"\b(?:view|opinion|according|finding|argument)\b", re.IGNORECASE)
# Verbs whose object did not come about.
_UNDONE: Final = listed(
    "lack waive avoid prohibit forbid deny refuse reject fail prevent exclude omit decline oppose ban refrain forgo"
    " neglect cease stop"
)
# Verbs whose object has not come about, or not yet.
_ONLY_THOUGHT_OF: Final = listed(
    "consider plan propose expect intend recommend reject postpone delay cancel discuss seek request demand oppose"
    " contemplate examine refuse attempt allege claim"
)
_SAYS_THOUGHT_OF: Final = re.compile(
    r"\b(?:alleg\w+|claim\w*|demand\w*|sought|seek\w*|plan\w*|propos\w+|expect\w*|consider\w*)\b", re.IGNORECASE
)
_WITHOUT_OBJECT: Final = frozenset({"compound", "poss", "amod", "nmod"})
_NO_PART_OF: Final = frozenset({"nsubj", "nsubjpass", "csubj", "pobj", "npadvmod", "advmod"})
_CLAUSES: Final = frozenset({"ccomp", "xcomp", "pcomp", "acl", "csubj", "prep"})
_SMALL: Final = frozenset({"ADP", "PART", "SCONJ", "AUX", "DET", "PUNCT"})


def find_unsaid(pair: Pair) -> str:
    """Return why what a sentence says happened is not said to have happened; an empty text if it is."""
    for event in pair.events():
        reasons = [_unsaid(event, told, pair) for told in pair.found(event)]
        if all(reasons):
            return f"{event.text}: {reasons[0]}"
    said = f"{pair.text} {pair.asked}"
    for word in pair.words:
        found = pair.found(word) if word.kind in ("NOUN", "PROPN") else ()
        if found and not DENIES.search(said) and all(_stands_under(each, _UNDONE) for each in found):
            return f"{word.text} did not come about"
        if (
            found
            and not _SAYS_THOUGHT_OF.search(said)
            and all(_stands_under(each, {"allege", "claim"}) for each in found)
        ):
            return f"{word.text} is alleged"
    return ""


def _stands_under(noun: Word, verbs: frozenset[str] | set[str]) -> bool:
    governor, part = governor_of(noun)
    return governor is not None and governor.lemma in verbs and part in (OBJECT, "xcomp") and not is_denied(governor)


def _unsaid(event: Word, told: Word, pair: Pair) -> str:
    return _denial(event, told, pair) or _modality(event, told, pair) or _report(event, told, pair)


def _denial(event: Word, told: Word, pair: Pair) -> str:
    said, is_so = is_denied(event), is_denied(told)
    if is_so and not said and not DENIES.search(pair.text):
        return "the source denies it"
    both_verbs = event.kind == told.kind == "VERB"
    if both_verbs and is_so and not said and not _denies_something(pair):
        return "the source denies it"
    if told.kind == "VERB" and said and not is_so and not DENIES.search(pair.told):
        return "the source does not deny it"
    if both_verbs and event.lemma == told.lemma and said != is_so and DENIES.search(pair.text):
        kept = any(each.lemma in _UNDONE or _is_unable(each) for each, _ in above(told))
        if not kept and DENIES.search(pair.told):
            return "the source denies something else"
    return ""


def _denies_something(pair: Pair) -> bool:
    events = (each for each in pair.words if each.kind in ("VERB", "AUX"))
    return any(is_denied(each) for each in events) or bool(
        re.search(r"\b(?:no|without|stop\w*|cease\w*|end\w*)\b", pair.text, re.IGNORECASE)
    )


def _is_unable(word: Word) -> bool:
    return word.lemma == "unable" or any(each.lemma == "unable" for each in word.children)


def _modality(event: Word, told: Word, pair: Pair) -> str:
    modals = modals_of(told)
    if modals & _MAY and not _SAYS_MAY.search(f"{pair.text} {pair.asked}"):
        return "it may be, and is not said to be"
    if is_past(event) and modals & _MODALS and not modals_of(event) & (_MODALS | {"to"}):
        has_been = any(each.lemma == "have" and each.role == "aux" for each in told.children)
        governed = any(pair.says(each) for each, _ in above(told))
        return "" if has_been or governed else "it is to be, and is not said to have been"
    return ""


def _says_claimed(pair: Pair) -> bool:
    tells = any(each.kind == "VERB" and each.lemma in _TELLING for each in pair.words)
    return tells or _SAYS_CLAIMED.search(pair.text) is not None


def _report(event: Word, told: Word, pair: Pair) -> str:
    for over, role in above(told):
        if over.lemma == "be":
            said = next((each for each in over.children if each.role in ("acomp", "attr", "oprd")), None)
            if said is None or role in ("acomp", "attr"):
                continue
            if (
                role in ("ccomp", "csubj", "xcomp", "advcl")
                and said.lemma not in _SAID_TO_BE_SO
                and not pair.knows(said)
            ):
                return f"under {said.text}"
            continue
        if over.kind in _SMALL:
            continue
        if role in _WITHOUT_OBJECT | _NO_PART_OF or (role == "prep" and over.kind not in ("VERB", "ADJ")):
            return ""
        if over.lemma in _SAID_TO_BE_SO or pair.knows(over, of=told):
            continue
        if (over.lemma in _UNDONE or over.lemma == "unable") and DENIES.search(pair.text):
            # "no longer writes" of "stopped writing"
            continue
        if over.lemma in _BELIEVED and _SAYS_BELIEVED.search(pair.text):
            continue
        if over.lemma in _CLAIMED and _says_claimed(pair):
            continue
        if told.kind in ("VERB", "ADJ") and role in _CLAUSES:
            return f"under {over.text}"
        if (
            told.kind == "NOUN"
            and event.kind == "VERB"
            and event.role != "relcl"
            and role == "dobj"
            and over.lemma in _ONLY_THOUGHT_OF
        ):
            return f"under {over.text}"
        return ""
    return ""
