"""Whether an answer that begins with yes or no goes on to say so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from apps.retrieval.contracts import Finding, FindingType, QueryAnalysis
from apps.retrieval.stages.grounding.alignment import clauses_told
from apps.retrieval.stages.grounding.grammar.pairing import DENIES
from apps.retrieval.stages.grounding.paraphrase import find_word, tell, telling_words
from apps.retrieval.stages.grounding.sentences import Sentence

YES_OR_NO: Final = re.compile(r"^\W*(?P<word>yes|no|ja|nein)\b(?=\W*$|\s*[,.:;\u2013\u2014-])", re.IGNORECASE)
_YES: Final = frozenset({"yes", "ja"})
_NOT: Final = re.compile(
    r"\b(?:not|no|never|neither|nor|none|cannot|nicht|kein\w*|nie|niemals)\b|n['\u2019]t\b", re.IGNORECASE
)
_DENIES: Final = re.compile(
    rf"{DENIES.pattern}|\b(?:nicht|kein\w*|nie|niemals|ohne|verboten|untersagt|unzul\u00e4ssig|abgelehnt|lehnt\w*|verzicht\w*)\b",
    re.IGNORECASE,
)
# A no that says what is so instead.
_INSTEAD: Final = re.compile(
    r"\b(?:only|less|fewer|until|instead|rather|but|yet|before|after|nur|weniger|erst|bis|stattdessen|sondern|noch)\b",
    re.IGNORECASE,
)
_NEGATED: Final = re.compile(r"^(?:un|non|in|ir|il|dis)-?(?=\w{4})")
_NOTE: Final = "what follows says the opposite"


def check_yes_or_no(sentences: Sequence[Sentence], analysis: QueryAnalysis) -> Finding | None:
    """Check that a yes is not followed by a denial of what was asked, nor a no by the claim that it is so.

    Returns: None if the answer begins with neither, or nothing that follows says what was asked.
    """
    begins = YES_OR_NO.match(sentences[0].text) if sentences else None
    if begins is None or _DENIES.search(analysis.text):
        return None
    language = analysis.language
    rest = sentences[0].text[begins.end() :]
    if not telling_words(rest, language) and len(sentences) > 1:
        rest = sentences[1].text
    clause = clauses_told(analysis.text, rest, language)
    asked, told = telling_words(analysis.text, language), tell(clause, language)
    bare = tuple(_NEGATED.sub("", each) for each in told)
    if not asked or any(find_word(each, (*told, *bare), language) < 0 for each in asked):
        return None
    denied = _NOT.search(clause) is not None or any(find_word(each, told, language) < 0 for each in asked)
    is_yes = begins["word"].lower() in _YES
    if is_yes != denied or (not is_yes and (_DENIES.search(clause) or _INSTEAD.search(clause))):
        return None
    return Finding(type=FindingType.STATEMENT, value=begins["word"], supported=False, ref_id="", note=_NOTE)
