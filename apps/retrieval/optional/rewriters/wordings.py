"""Read what a model wrote to be searched for: the agreed JSON and a few short texts, without any instructions.

A text is used only as words to search for, within the bounds of the question itself. No filter, kind or scope is ever
read from it, and anything that looks like an instruction or a name of a kind is removed, as from a question.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from apps.corpus.terms import terms
from apps.intents.instructions import core_question
from apps.retrieval.errors import QuestionError, QuestionTooLongError
from apps.retrieval.stages.question.validate import validate

LONGEST_REPLY_CHARS: Final = 20_000
NOT_A_TEXT: Final = "It is not a text."
TOO_LONG: Final = "It is longer than what was asked for."
NOTHING_LEFT: Final = "It holds no word to search for."
REPEATED: Final = "It repeats the question or another one."
TOO_MANY: Final = "More were written than asked for."
_FENCED: Final = re.compile(r"```(?:json)?(.*)```", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wordings:
    """The texts that can be searched for, in order, and why each of the others cannot."""

    texts: tuple[str, ...]
    left_out: tuple[str, ...]


def read_wordings(
    content: str, *, most: int, longest_chars: int, language: str, apart_from: Collection[str]
) -> Wordings | str:
    """Read a reply of the form {"texts": ["...", ...]}.

    Args:    content: the text of the model's message.
             most: the maximum number of texts; further ones are left out.
             longest_chars: a longer text is left out completely, because half of it may say something else.
             language: ISO 639-1, of the question.
             apart_from: what is already searched for.
    Returns: the texts, cleaned, each on one line; or what is wrong with the reply as a whole.
    """
    if len(content) > LONGEST_REPLY_CHARS:
        return f"its reply has more than {LONGEST_REPLY_CHARS:,} characters"
    fenced = _FENCED.fullmatch(content.strip())
    try:
        value: Any = json.loads(fenced[1] if fenced else content)
    except (ValueError, RecursionError):
        return "its reply is not one JSON object"
    written = value.get("texts") if isinstance(value, dict) else None
    if not isinstance(written, list):
        return 'its reply has no list "texts"'
    texts: list[str] = []
    left_out: list[str] = []
    known = {_normalise(each) for each in apart_from}
    for each in written:
        text, problem = _clean(each, longest_chars, language)
        if not problem and _normalise(text) in known:
            problem = REPEATED
        if not problem and len(texts) == most:
            problem = TOO_MANY
        if problem:
            left_out.append(problem)
            continue
        known.add(_normalise(text))
        texts.append(text)
    return Wordings(texts=tuple(texts), left_out=tuple(left_out))


def _clean(written: object, longest_chars: int, language: str) -> tuple[str, str]:
    """Return a text and, if it cannot be searched for, the reason."""
    if not isinstance(written, str):
        return "", NOT_A_TEXT
    if len(written) > longest_chars:
        return "", TOO_LONG
    try:
        text = validate(core_question(written).search_text, maximum_chars=longest_chars)
    except QuestionTooLongError:
        # Some characters become several when they are normalised.
        return "", TOO_LONG
    except QuestionError:
        return "", NOTHING_LEFT
    return (text, "") if terms(text, language) else ("", NOTHING_LEFT)


def _normalise(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
