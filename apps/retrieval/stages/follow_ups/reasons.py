"""Ask for the reason of what an earlier question asks: "Why?" after "Did the revenue fall?"."""

from __future__ import annotations

import re
from typing import Final

from apps.retrieval.stages.follow_ups.words import ASKS_WHY, moves

_ENGLISH: Final = re.compile(
    r"^(?:and\s+|but\s+)?(?:(?:by\s+)?how(?:\s+(?:much|strongly|far|fast))?\s+|by\s+(?:what|which)\s+[\w\s]{0,30}?)?"
    r"(?P<rest>(?:did|does|do|has|have|had)\s+.+)$",
    re.IGNORECASE,
)
_GERMAN: Final = re.compile(
    r"^(?:und\s+)?(?:(?:um\s+)?wie\s*(?:viel|stark|sehr|schnell)?(?:\s+prozent)?\s+)?(?P<rest>(?:ist|sind|hat|haben|hatte|sank|stieg|fiel|wuchs|nahm|ging)\s+.+)$",
    re.IGNORECASE,
)


def ask_for_reason(text: str, language: str) -> str | None:
    """Return the question for the reason of a change that a question is about; None where it is about no change."""
    if ASKS_WHY.match(text) or not moves(text):
        return None
    found = (_GERMAN if language == "de" else _ENGLISH).match(text)
    if found is None:
        return None
    rest = found["rest"]
    return f"{'Warum' if language == 'de' else 'Why'} {rest[0].lower()}{rest[1:]}"
