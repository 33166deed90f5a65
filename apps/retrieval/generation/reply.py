"""Read a model's reply strictly: it must be the agreed JSON object and cite only ref_ids that were given.

What it says that its answer claims is read leniently: without it, the claims are read from the answer's text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, fields
from typing import Any, Final, TypeVar

from apps.retrieval.contracts import Claim, ClaimedCalculation

_Read = TypeVar("_Read")
_MOST_CLAIMS: Final = 60
_LONGEST_PART: Final = 400
# Longer than any answer that is asked for, and than what can be checked in a few seconds.
_LONGEST_ANSWER: Final = 4_000
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_FENCED: Final = re.compile(r"```(?:json)?(.*)```", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A usable reply. An empty answer means that the model found no answer in the passages.

    unread: what of its claims and calculations was not in the agreed form and is left out, in words; empty if nothing.
    """

    answer: str
    ref_ids: tuple[str, ...]
    claims: tuple[Claim, ...] = ()
    calculations: tuple[ClaimedCalculation, ...] = ()
    unread: str = ""


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
    fenced = _FENCED.fullmatch(content.strip())
    try:
        value: Any = json.loads(fenced[1] if fenced else content)
    except (ValueError, RecursionError):
        # The second: brackets within brackets, thousands deep.
        return UnusableReply(problem="it is not one JSON object")
    if not isinstance(value, dict):
        return UnusableReply(problem="it is not one JSON object")
    if not _can_be_kept(value):
        return UnusableReply(problem="it holds characters that are no text")
    answer, ref_ids = value.get("answer"), value.get("ref_ids")
    if answer is not None and not isinstance(answer, str):
        return UnusableReply(problem='"answer" is not a text')
    if len(answer or "") > _LONGEST_ANSWER:
        return UnusableReply(problem=f'"answer" has more than {_LONGEST_ANSWER:,} characters')
    if not isinstance(ref_ids, list) or not all(isinstance(each, str) for each in ref_ids):
        return UnusableReply(problem='"ref_ids" is not a list of texts')
    cleaned = tuple(dict.fromkeys(each.strip().strip("[]").strip() for each in ref_ids))
    unknown = [each for each in cleaned if each not in known_ref_ids]
    if unknown:
        return UnusableReply(
            problem=f"{len(unknown)} of its ref_ids are not among the passages", unknown_refs=len(unknown)
        )
    claims, left_out_claims = _read_each(value.get("claims"), _claim)
    calculations, left_out_calculations = _read_each(value.get("calculations"), _calculation)
    left_out = left_out_claims + left_out_calculations
    return Reply(
        answer=(answer or "").strip(),
        ref_ids=cleaned,
        claims=claims,
        calculations=calculations,
        unread=f"{left_out} of its claims and calculations are not in the agreed form" if left_out else "",
    )


def _can_be_kept(value: dict[str, Any]) -> bool:
    """Return whether all texts can be written to the database: no null character, and no half of a surrogate pair."""
    written = json.dumps(value, ensure_ascii=False)
    return "\\u0000" not in written and not _SURROGATE.search(written)


def _read_each(values: object, read: Callable[[dict[str, Any]], _Read | None]) -> tuple[tuple[_Read, ...], int]:
    """Return what could be read, and how many entries could not."""
    if values is None:
        return (), 0
    entries = values if isinstance(values, list) else [values]
    found = [read(each) if isinstance(each, dict) and _is_short(each) else None for each in entries[:_MOST_CLAIMS]]
    kept = tuple(each for each in found if each is not None)
    return kept, len(entries) - len(kept)


def _is_short(entry: dict[str, Any]) -> bool:
    """Return whether each part of an entry is as long as a label or an expression may be."""
    parts = [*entry.values(), *(each for value in entry.values() if isinstance(value, list) for each in value)]
    parts += [text for each in parts if isinstance(each, dict) for text in each.values()]
    return all(len(each) <= _LONGEST_PART for each in parts if isinstance(each, str))


def _claim(value: dict[str, Any]) -> Claim | None:
    parts = {each.name: _text(value.get(each.name)) for each in fields(Claim)}
    return Claim(**{name: text for name, text in parts.items() if text is not None}) if parts["value"] else None


def _calculation(value: dict[str, Any]) -> ClaimedCalculation | None:
    measure, expression, result = (_text(value.get(name)) for name in ("measure", "expression", "result"))
    operands = value.get("operands") or []
    if not expression or not result or not isinstance(operands, list):
        return None
    read = [_text(each.get("value")) if isinstance(each, dict) else _text(each) for each in operands[:_MOST_CLAIMS]]
    return ClaimedCalculation(
        measure=measure or "",
        expression=expression,
        operands=tuple(each for each in read if each),
        result=result,
    )


def _text(value: object) -> str | None:
    """Return a text or number as text; "" for nothing, None for anything else."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return str(value).strip()
