"""The hand-written sentence forms and questions, and how one is filled.

A slot is `{name}`; `{name#}` is the bare number and `{name-}` a signed one. `{u:rose/fell}` follows the direction of
the statement, `{x:highest/lowest}` its rank, `{n:was/were}` the number of the measure's name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from tests.evaluation.checking.statements import MATERIAL

_SLOT: Final = re.compile(r"\{(?:([nux]):([^/{}]*)/([^{}]*)|([A-Za-z]\w*)([#-]?))\}")
_HEAD: Final = re.compile(r"\[(\w+) (\w+ )?(\w\w)\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A sentence form for one kind of statement. `style` is terse, calc or prose; empty for a question."""

    kind: str
    style: str
    language: str
    text: str

    @property
    def slots(self) -> frozenset[str]:
        """The slots that are named, without `#` and `-`, in lower case; and `u`, `x`, `n` for choices of words."""
        return frozenset((found[1] or found[4].lower()) for found in _SLOT.finditer(self.text))

    @property
    def marked(self) -> frozenset[str]:
        """The slots as written, with `#` and `-`."""
        return frozenset(f"{found[4].lower()}{found[5]}" for found in _SLOT.finditer(self.text) if found[4])


@cache
def answer_forms(set_: str) -> tuple[Form, ...]:
    return _read(f"{set_}/forms.txt")


@cache
def question_forms(kind: str, language: str) -> tuple[Form, ...]:
    return tuple(form for form in _read("questions.txt") if (form.kind, form.language) == (kind, language))


@cache
def _read(file: str) -> tuple[Form, ...]:
    made: list[Form] = []
    kind = style = language = ""
    for line in (MATERIAL / file).read_text(encoding="utf-8").splitlines():
        if head := _HEAD.fullmatch(line):
            kind, style, language = head[1], (head[2] or "").strip(), head[3]
        elif line and not line.startswith("#"):
            made.append(Form(kind=kind, style=style, language=language, text=line.replace("\\n", "\n")))
    return tuple(made)


def fill(form: Form, values: Mapping[str, str], *, up: bool, first: bool, plural: Callable[[str], bool]) -> str:
    """Fill a form. A slot that begins with a capital begins its value with one.

    plural: whether the measure that stands nearest before a place in the form is a plural; gets the text before it.
    """

    def put(found: re.Match[str]) -> str:
        match found[1]:
            case "u":
                return found[2] if up else found[3]
            case "x":
                return found[2] if first else found[3]
            case "n":
                return found[3] if plural(form.text[: found.start()]) else found[2]
        value = values[found[4].lower() + found[5]]
        return value[:1].upper() + value[1:] if found[4][0].isupper() else value

    return _tidy(_SLOT.sub(put, form.text))


def _tidy(text: str) -> str:
    text = text.replace("'s the ", "'s ").replace("s's ", "s' ").replace("The the ", "The ").replace("the the ", "the ")
    text = re.sub(r"(?<![\w&])([Aa]) (?=[aeio](?!ne ))", r"\1n ", text)
    text = re.sub(r"(?<=Mio|Mrd|Inc|Ltd|orp|L\.P|N\.V)\.\.(?=\s|$)", ".", text)
    return text[:1].upper() + text[1:] if re.match(r"(the|about|fiscal)\b", text) else text
