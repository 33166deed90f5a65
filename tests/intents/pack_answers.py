"""What answers each review example of a pack: words of the answer, and the sample document that holds them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_FILE: Final = Path(__file__).with_name("pack_answers.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """words: verbatim from the document, or a figure that is calculated from its rows."""

    file: str
    words: str


ANSWERS: Final[Mapping[str, Mapping[str, Wanted]]] = {
    pack: {
        question: Wanted(file=file, words=words)
        for file, answers in files.items()
        for question, words in answers.items()
    }
    for pack, files in json.loads(_FILE.read_text(encoding="utf-8")).items()
}
