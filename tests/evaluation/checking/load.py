"""Read the cases by which the grounding check is measured."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

_FOLDER: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Case:
    """A question, its passages, a model's reply, and whether the reply may pass.

    class_: `right`, or what is wrong with the answer. style: terse, calc or prose.
    structured: whether the reply has claims and calculations.
    base: the id of the right case that a wrong one was made from; its own id for a right one.
    mutated: for a wrong case, whether only the `prose` is wrong, or `both` prose and claims; empty for a right one.
    form: the sentence form, with its slots; empty for an answer that was written whole.
    """

    id: str
    class_: str
    verdict: Literal["pass", "stop"]
    question: str
    language: str
    passages: tuple[Mapping[str, Any], ...]
    reply: Mapping[str, Any]
    structured: bool
    style: str
    base: str
    mutated: str
    form: str

    @property
    def answer(self) -> str:
        return str(self.reply["answer"])


@cache
def cases(set_: str) -> tuple[Case, ...]:
    """Return the cases of a set, `open` or `kept`."""
    with (_FOLDER / f"{set_}.jsonl").open(encoding="utf-8") as file:
        return tuple(_case(json.loads(line)) for line in file)


def _case(row: dict[str, Any]) -> Case:
    class_, passages = row.pop("class"), row.pop("passages")
    return Case(class_=class_, passages=tuple(passages), **row)
