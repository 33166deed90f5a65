"""Read a model's reply strictly: it must be the agreed JSON object and cite only ref_ids that were given."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

_FENCED: Final = re.compile(r"^```(?:json)?\s*(.*?)\s*```$", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A usable reply. An empty answer means that the model found no answer in the passages."""

    answer: str
    ref_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusableReply:
    """The reason why a reply cannot be used, worded for the model. `unknown_refs` counts invented ref_ids."""

    problem: str
    unknown_refs: int = 0


def read_reply(content: str, known_ref_ids: Collection[str]) -> Reply | UnusableReply:
    """Check a reply's form and its ref_ids.

    Args:    content: the text of the model's message.
             known_ref_ids: those of the context.
    Returns: the reply, its ref_ids without repetition; or what is wrong with it. An answer with one unknown ref_id is
             unusable as a whole, because the parts that rest on an invented source cannot be told from the rest.
    """
    fenced = _FENCED.match(content.strip())
    try:
        value: Any = json.loads(fenced[1] if fenced else content)
    except ValueError:
        return UnusableReply(problem="it is not one JSON object")
    if not isinstance(value, dict):
        return UnusableReply(problem="it is not one JSON object")
    answer, ref_ids = value.get("answer"), value.get("ref_ids")
    if answer is not None and not isinstance(answer, str):
        return UnusableReply(problem='"answer" is not a text')
    if not isinstance(ref_ids, list) or not all(isinstance(each, str) for each in ref_ids):
        return UnusableReply(problem='"ref_ids" is not a list of texts')
    cleaned = tuple(dict.fromkeys(each.strip().strip("[]").strip() for each in ref_ids))
    unknown = [each for each in cleaned if each not in known_ref_ids]
    if unknown:
        return UnusableReply(
            problem=f"{len(unknown)} of its ref_ids are not among the passages", unknown_refs=len(unknown)
        )
    return Reply(answer=(answer or "").strip(), ref_ids=cleaned)
