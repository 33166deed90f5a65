"""Refuse text that cannot be read as a question, and normalise the rest."""

from __future__ import annotations

import unicodedata

from apps.retrieval.errors import EmptyQuestionError, QuestionTooLongError, UnreadableQuestionError

# Control, format, surrogate, private use, unassigned: characters that a reader does not see. Blank controls (tab, line
# feed) separate words and are turned into blanks first.
_UNREADABLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})


def validate(text: str, *, maximum_chars: int) -> str:
    """Check a question and normalise it.

    Args:    text: as it came in.
             maximum_chars: limit before normalisation; a longer question is refused before any other work.
    Returns: one line in Unicode form NFKC, without control characters, single blanks between words.
    Raises:  EmptyQuestionError: nothing but blanks.
             UnreadableQuestionError: nothing but control characters.
             QuestionTooLongError: more than maximum_chars.
    """
    if len(text) > maximum_chars:
        raise QuestionTooLongError(length_chars=len(text), maximum_chars=maximum_chars)
    if not text.strip():
        raise EmptyQuestionError()
    characters = [" " if each.isspace() else each for each in unicodedata.normalize("NFKC", text)]
    readable = "".join(each for each in characters if unicodedata.category(each) not in _UNREADABLE_CATEGORIES)
    line = " ".join(readable.split())
    if not line:
        raise UnreadableQuestionError(length_chars=len(text))
    return line
