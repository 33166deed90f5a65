"""Separate the sentences of a text that ask something from those that only accompany the question.

Only the sentences that ask decide the intent: "Compliance officer here." or "This falls under methodology." before or
after a question would otherwise pull it towards another intent. If no sentence asks, the whole text is the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_ENGLISH: Final = (
    "what which who whom whose when where why how is are was were am do does did can could may might must should shall"
    " will would has have had isn't aren't wasn't doesn't didn't can't give list show tell name explain describe"
    " summarise summarize compare find calculate compute state outline draft write rewrite rephrase check quote provide"
    " break what's who's how's"
)
_GERMAN: Final = (
    "was welche welcher welches welchen welchem wer wen wem wessen wann wo warum weshalb wieso wie wieviel woran worauf"
    " womit wofür inwiefern ist sind war waren hat haben hatte hatten kann können konnte darf dürfen muss müssen soll"
    " sollen sollte wird werden würde gibt gib nenne nennen zeige zeig erkläre beschreibe vergleiche berechne schreibe"
    " formuliere fasse erläutere"
)
_OPENERS: Final = "|".join(re.escape(word) for word in dict.fromkeys(f"{_ENGLISH} {_GERMAN}".split()))
_ASKS: Final = re.compile(
    r"\W{0,8}(?:(?:please|bitte|and|und|also|auch|so|then|dann|now|jetzt|but|aber|ok|okay|hi|hello|hallo|dear|thanks|danke)"
    rf"\b[\s,!]{{0,4}}){{0,3}}(?:(?:{_OPENERS})(?![\w'\u2019-])(?!\s+not\b)"
    r"|(?:i|we)(?:\s|\s?['\u2019]\w{1,2}\s)\s{0,4}(?:would\s)?(?:want|need|like|wish)\s+to\s+(?:know|see|understand|learn)\b"
    r"|(?:ich|wir)\s+(?:möchten?|würden?|wollen?|will)\b[^.!?\n]{0,60}\b(?:wissen|sehen|verstehen)\b)",
    re.IGNORECASE,
)
_QUESTION_MARK: Final = re.compile(r"\?[\"'\u2019\u201d)\]]{0,3}\s{0,8}$")
# The point after an abbreviation or an initial does not end a sentence, as in "No. 5" and "U.S. equity".
_END: Final = re.compile(
    r"(?<![\s.(]\w)(?<!^\w)(?<!\b[Nn]o)(?<!\bapprox)(?<!\bbzw)(?<!\bvs)(?<!\bca)(?<!\bincl)[.!]{1,8}[\"'\u2019\u201d)\]]{0,3}(?=\s)"
    r"|\?[\"'\u2019\u201d)\]]{0,3}(?=\s)|[;\n]|:(?=\s)"
)


def split_question(text: str) -> tuple[str, tuple[str, ...]]:
    """Split a text into the sentences that ask and the others.

    Args:    text: with plain spaces and without invisible characters.
    Returns: the text that asks, or the whole text if no sentence asks; and the other sentences, in order.
    """
    sentences = list(_sentences(text))
    asking = [sentence for sentence in sentences if _asks(sentence)]
    if not asking or len(asking) == len(sentences):
        return " ".join(text.split("\n")).strip(), ()
    return " ".join(asking), tuple(sentence for sentence in sentences if not _asks(sentence))


def _asks(sentence: str) -> bool:
    return bool(_QUESTION_MARK.search(sentence[-16:]) or _ASKS.match(sentence))


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences. A colon ends a sentence only if one that asks follows it: "Our rule: none" stays whole."""
    start = 0
    for match in _END.finditer(text):
        if match.group() == ":" and not _ASKS.match(text, match.end()):
            continue
        piece = text[start : match.end()].strip()
        start = match.end()
        if piece.strip(".;:!? \n"):
            yield piece
    rest = text[start:].strip()
    if rest:
        yield rest
