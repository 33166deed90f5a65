"""Words on which the sense of a sentence turns: whether one may or must, always or in a case, until or from a day.

They say little by themselves, so the comparison of words passes them over. A reader in compliance reads them first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from apps.retrieval.stages.grounding.german_sense import turns_in_german
from apps.retrieval.stages.grounding.grammar.differences import find_difference
from apps.retrieval.stages.grounding.paraphrase import find_word, tell, telling_words

_PERMITTED: Final = re.compile(
    r"\b(?:may|can|could|might|(?:is|are|be)\s+(?:free|able)\s+to|permit\w*|allow\w*|entitled|optional\w*|discretion"
    r"|darf|dürfen|kann|können|könnte\w*|erlaub\w*|gestattet|zulässig|berechtigt)\b",
    re.IGNORECASE,
)
_OBLIGED: Final = re.compile(
    r"\b(?:must|shall|(?:has|have|had|needs?|needed)\s+to|requir\w+|obliged|obligat\w+|mandatory|bound\s+to|need(?:s|ed)?|compulsory"
    r"|necessary|duty|until|before|without|only|prior"
    r"|muss|müssen|musste\w*|hat\b[^.]*\bzu|haben\b[^.]*\bzu|ist\b[^.]*\bzu|sind\b[^.]*\bzu|verpflichtet|pflicht\w*|erforderlich|nötig|notwendig|nur|erst)\b",
    re.IGNORECASE,
)
_MUST: Final = re.compile(
    r"\b(?:must|shall|(?:has|have)\s+to|(?:is|are)\s+(?:required|obliged)\s+to|muss|müssen|(?:ist|sind)\s+verpflichtet)\b",
    re.IGNORECASE,
)
_MAY: Final = re.compile(
    r"\b(?:may|can|(?:is|are)\s+(?:permitted|allowed|entitled|free)|darf|dürfen|kann|können)\b(?!\s*not|not)",
    re.IGNORECASE,
)
# What a sentence may say only if its source says such a thing, too.
_ONLY_AS_SAID: Final = tuple(
    (re.compile(said, re.IGNORECASE), re.compile(told, re.IGNORECASE))
    for said, told in (
        (
            r"\b(?:all|every|always|at\s+any\s+time|without\s+exception|in\s+all\s+cases|regardless|entirely"
            r"|alle[rnms]?|jede[rnms]?|immer|stets|jederzeit|sämtliche\w*|ausnahmslos)\b",
            r"\b(?:all|every\w*|each|any\w*|always|no|none|never|whole|entire\w*|both|total|throughout|whatever|whoever|regardless|irrespective"
            r"|full\w*|complete\w*|exclusively|only|without|alle[rnms]?|jede\w*|immer|stets|jederzeit|sämtliche\w*|gesamt\w*|kein\w*|beide\w*|ganz\w*|ausnahmslos"
            r"|vollständig\w*|voll\w*)\b",
        ),
        (
            r"\b(?:never|nie|niemals)\b",
            r"\b(?:not|no|never|none|nor|cannot|prohibit\w*|forbid\w*|nicht|kein\w*|nie|niemals)\b",
        ),
        (
            r"\b(?:unable|incapable|außerstande)\b",
            r"\b(?:not|no|cannot|unable|fail\w*|nicht|kein\w*|außerstande)\b",
        ),
        (
            r"\b(?:only|solely|exclusively|nur|ausschließlich|lediglich)\b",
            r"\b(?:only|solely|exclusive\w*|just|merely|alone|sole|unless|except\w*|other\s+than|until|not|no|one|single|limited|nur"
            r"|ausschließlich\w*|allein\w*|lediglich|einzig\w*|außer|erst|nicht|kein\w*)\b",
        ),
        (
            r"\b(?:although|though|despite|in\s+spite\s+of|notwithstanding|obwohl|trotz|ungeachtet|dennoch|nevertheless)\b",
            r"\b(?:although|though|despite|in\s+spite\s+of|notwithstanding|but|however|while|whereas|yet|even|regardless|nevertheless"
            r"|nonetheless|still|obwohl|trotz\w*|ungeachtet|aber|jedoch|während|dennoch|gleichwohl|zwar)\b|[;\u2013\u2014]",
        ),
        (
            r"\b(?:because|due\s+to|owing\s+to|as\s+a\s+result|weil|wegen|aufgrund|infolge)\b",
            r"\b(?:because|since|as|due|owing|thanks|reasons?|lead\w*|led|caus\w+|driv\w+|drove|result\w*|after|so|therefore|given|with"
            r"|attribut\w+|reflect\w*|follow\w*|offset\w*|help\w*|support\w*|by|from|on|weil|da|wegen|aufgrund|infolge|ursach\w*|grund|gründe|durch"
            r"|deshalb|daher|führte\w*|nach|mit|von)\b",
        ),
        (
            r"\b(?:permanent\w*|temporar\w*|vorübergehend\w*|dauerhaft\w*)\b",
            r"\b(?:permanent\w*|temporar\w*|interim|short.term|vorübergehend\w*|dauerhaft\w*|zeitweise|bis\s+auf\s+weiteres)\b",
        ),
    )
)
_IF: Final = re.compile(
    r"\b(?:if|provided\s+that|provided|in\s+the\s+event|subject\s+to|so\s+long\s+as|as\s+long\s+as|wenn|falls|sofern|soweit|solange|vorbehaltlich)\b",
    re.IGNORECASE,
)
_UNLESS: Final = re.compile(
    r"\b(?:unless|except|save\s+for|other\s+than|apart\s+from|es\s+sei\s+denn|außer|ausgenommen|mit\s+ausnahme)\b",
    re.IGNORECASE,
)
# The day before a year may be blanked already.
_YEAR: Final = r"(?:the\s+)?(?:end\s+of\s+|ende\s+)?(?:\d{1,2}\.?\s+)?(?:[^\W\d]+\s+)?(?:\d{1,2},\s+)?(?P<year>\d{4})\b"
_UNTIL: Final = re.compile(rf"\b(?:until|till|through|before|by|bis(?:\s+zum)?|vor)\s+{_YEAR}", re.IGNORECASE)
_FROM: Final = re.compile(
    rf"\b(?:from|since|after|starting(?:\s+in)?|as\s+of|ab(?:\s+dem)?|seit(?:\s+dem)?|nach)\s+{_YEAR}", re.IGNORECASE
)
_SEGMENT: Final = re.compile(r";\s|(?<=[.!?])\s")
_CASE: Final = re.compile(rf"(?:{_IF.pattern}|{_UNLESS.pattern})(?P<case>[^,;.]*)", re.IGNORECASE)


def turns_the_sense(sentence: str, piece: str, language: str, asked: str = "") -> bool:
    """Return whether a sentence says must for may, always for sometimes, drops a condition, or turns from into until.

    An English sentence is compared with its source by its grammar, too (grammar/), a German one by german_sense.py.

    Args: piece: the sentence of the source that says it. asked: the question, which may say the condition.
    """
    told = _segment(sentence, piece, language)
    if _MUST.search(sentence) and not _OBLIGED.search(told):
        return True
    if _MAY.search(sentence) and _MUST.search(told) and not _PERMITTED.search(told):
        return True
    if any(said.search(sentence) and not source.search(told) for said, source in _ONLY_AS_SAID):
        return True
    if _drops_condition(sentence, told, asked, language) or _turns_days(sentence, piece):
        return True
    return (
        turns_in_german(sentence, piece, asked) if language == "de" else find_difference(sentence, piece, asked) != ""
    )


def _segment(sentence: str, piece: str, language: str) -> str:
    """Return the parts of a source between semicolons that have most of what a sentence says."""
    parts = [each for each in _SEGMENT.split(piece) if each.strip()]
    if len(parts) < 2:
        return piece
    said = telling_words(sentence, language)
    shares = [_held(said, each, language) for each in parts]
    best = max(shares)
    return " ; ".join(each for each, share in zip(parts, shares, strict=True) if 2 * share >= best)


def _held(words: Sequence[str], text: str, language: str) -> int:
    told = tell(text, language)
    return sum(find_word(word, told, language) >= 0 for word in words)


def _drops_condition(sentence: str, told: str, asked: str, language: str) -> bool:
    """Return whether a source has a condition that neither the sentence nor the question has, or the opposite one."""
    both = f"{sentence} {asked}"
    for found in _CASE.finditer(told):
        case = telling_words(found["case"], language)
        if case and not _held(case, sentence, language) and 2 * _held(case, both, language) < len(case):
            return True
    is_if, is_unless = (pattern.search(told) is not None for pattern in (_IF, _UNLESS))
    if (
        _IF.search(sentence)
        and is_unless
        and not is_if
        and not re.search(r"\b(?:not|no|nicht|kein\w*)\b", sentence, re.IGNORECASE)
    ):
        return True
    return _UNLESS.search(sentence) is not None and is_if and not is_unless


def _turns_days(sentence: str, piece: str) -> bool:
    """Return whether a source has something so until a day, and the sentence from that day on, or the other way."""
    return any(
        bool(_years(said, sentence) & _years(other, piece)) and not _years(said, sentence) & _years(said, piece)
        for said, other in ((_UNTIL, _FROM), (_FROM, _UNTIL))
    )


def _years(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    return frozenset(found["year"] for found in pattern.finditer(text))
