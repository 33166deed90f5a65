"""Put what a follow-up says into an earlier question: another period, company or figure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from apps.retrieval.stages.follow_ups.counted import Counted, WithoutYear, shift, word_like
from apps.retrieval.stages.follow_ups.slots import (
    PeriodSpan,
    Slots,
    Span,
    are_joined,
    before_period,
    is_legal_form,
)
from apps.retrieval.stages.follow_ups.words import ASKS_WHICH

_END: Final = re.compile(r"\s*[?.!]*\s*$")
_QUARTER: Final = re.compile(r"\b(?:Quartal|quarter)|\bQ[1-4]|\bH[12]", re.IGNORECASE)
_HOW_MANY: Final = re.compile(r"^\s*(?:how\s+many|wie\s*viele)\b", re.IGNORECASE)
_POSSESSIVE: Final = re.compile(r"^['\u2019]s?\b|^['\u2019](?=\s)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a follow-up says instead. slots: all that it names."""

    slots: Slots
    company: Span | None = None
    measure: str = ""
    measure_article: str = ""


class UnclearError(Exception):
    """What a follow-up means in a question can't be told."""


Edit = tuple[int, int, str]


def substitute(base: Slots, said: Said) -> str | None:
    """Return the earlier question with what the follow-up says; None if it has no place for it.

    Raises: UnclearError: it has more than one place for it.
    """
    edits: list[Edit] = []
    if said.measure:
        if not base.measures:
            return None
        edits.append(_other_measure(base, said))
    if said.company is not None:
        if not base.companies and not base.measures:
            return None
        edits.append(_other_company(base, said.company))
    if said.slots.names_period:
        if not base.periods and not base.measures and not base.companies:
            return None
        edits.extend(_other_periods(base, said))
    return edited(base.text, edits)


def edited(text: str, edits: Sequence[Edit]) -> str:
    """Return the text with the parts replaced."""
    for start, end, other in sorted(edits, reverse=True):
        text = text[:start] + other + text[end:]
    return " ".join(text.split())


def _other_measure(base: Slots, said: Said) -> Edit:
    measures = base.measures
    if len(measures) > 1 and not are_joined(base.text, measures):
        raise UnclearError
    if _HOW_MANY.match(base.text):
        raise UnclearError
    first, last = measures[0], measures[-1]
    has_article = bool(re.match(r"(?:the|an?|der|die|das|den|dem|des)\b", first.lead, re.IGNORECASE))
    if not has_article:
        return first.outer, last.end, said.measure
    article = said.measure_article or ("the" if base.language == "en" else "")
    return first.outer, last.end, f"{article} {said.measure}".strip()


def _other_company(base: Slots, name: Span) -> Edit:
    companies = base.companies
    if len({each.text for each in companies}) > 1:
        raise UnclearError
    if not companies:
        if len(base.measures) > 1 or ASKS_WHICH.search(base.text):
            raise UnclearError
        end = base.measures[0].end
        return end, end, f" {'von' if base.language == 'de' else 'of'} {_with_article(name, base.language)}"
    held = companies[0]
    if len(companies) > 1:
        raise UnclearError
    rest = base.text[held.end :]
    possessive = _POSSESSIVE.match(rest)
    end = held.end + (possessive.end() if possessive else 0)
    new = name.text + (("'" if name.text.endswith("s") else "'s") if possessive else "")
    if base.language == "en":
        return held.outer, end, f"{name.lead and 'the '}{new}"
    if held.lead and not is_legal_form(name.text):
        genitive = held.lead.strip().lower() in ("der", "des")
        return held.outer, end, f"von {new}" if genitive else new
    article = "der " if name.lead and not held.lead and re.search(r"\b(?:von|bei)\s+$", base.text[: held.start]) else ""
    return held.start, end, f"{article}{new}"


def _with_article(name: Span, language: str) -> str:
    return f"the {name.text}" if language == "en" and name.lead else name.text


def _other_periods(base: Slots, said: Said) -> list[Edit]:
    held = base.periods
    if said.slots.counted is not None and said.slots.periods:
        # "The year before 2023" counts from its own year.
        raise UnclearError
    if said.slots.counted is not None:
        return [_shifted(each, said.slots.counted) for each in held] or _raise()
    if said.slots.without_year is not None:
        return [_in_the_same_year(base, said.slots.without_year)]
    new = said.slots.periods
    if not held:
        at = _END.search(base.text)
        place = at.start() if at else len(base.text)
        return [(place, place, " " + _as_led(said))]
    if len(held) == len(new):
        return [_replaced(base, one, other) for one, other in zip(held, new, strict=True)]
    if len(held) == 1:
        return [(held[0].start, held[0].end, said.slots.text[new[0].start : new[-1].end])]
    if len(new) == 1 and are_joined(base.text, held):
        return [(held[0].start, held[-1].end, new[0].text)]
    raise UnclearError


def _raise() -> list[Edit]:
    raise UnclearError


def _shifted(span: PeriodSpan, counted: Counted) -> Edit:
    period = shift(span.period, counted)
    if period is None:
        raise UnclearError
    return span.start, span.end, word_like(span.text, span.period, period)


def _in_the_same_year(base: Slots, said: WithoutYear) -> Edit:
    years = {each.period.fiscal_year for each in base.periods}
    if len(base.periods) > 1 or len(years) > 1:
        raise UnclearError
    if not base.periods:
        at = _END.search(base.text)
        place = at.start() if at else len(base.text)
        return place, place, f" {'im' if base.language == 'de' and 'uartal' in said.said else 'in'} {said.said}"
    [span] = base.periods
    of = "" if base.language == "de" or not re.search(r"quarter", said.said, re.IGNORECASE) else " of"
    words = f"{said.said}{of} {span.period.fiscal_year}"
    return _between(base, span, words, has_article=bool(of))


def _replaced(base: Slots, held: PeriodSpan, new: PeriodSpan) -> Edit:
    if new.lead and new.lead.lower() != held.lead.lower():
        before = before_period(base.text, held)
        return held.outer - len(before), held.end, f"{new.lead}{new.text}"
    return _between(base, held, new.text, has_article=bool(re.search(r"\bquarter\b", new.text, re.IGNORECASE)))


def _between(base: Slots, held: PeriodSpan, words: str, *, has_article: bool) -> Edit:
    """Put a period where another stands, with the preposition that goes with it."""
    of_quarter, is_quarter = _QUARTER.search(held.text), _QUARTER.search(words)
    before = before_period(base.text, held)
    if bool(of_quarter) is bool(is_quarter) or not before:
        return held.start, held.end, words
    start = held.start - len(before)
    if held.lead:
        return held.start, held.end, words
    if base.language == "de":
        led = f"im {words}" if re.search(r"Quartal", words) else f"in {words}" if is_quarter else f"im Jahr {words}"
    else:
        preposition = (before.split() or ["in"])[0]
        led = f"{preposition} {'the ' if has_article else ''}{words}"
    return start, held.end, f"{led}"


def _as_led(said: Said) -> str:
    """Return the periods of a follow-up with the words before them, for a question that has none."""
    text, first, last = said.slots.text, said.slots.periods[0], said.slots.periods[-1]
    group = text[first.start : last.end]
    if first.lead:
        return f"{first.lead}{group}"
    if re.search(r"\bfrom\s+$|\bvon\s+$", text[: first.start], re.IGNORECASE):
        return f"{'von' if said.slots.language == 'de' else 'from'} {group}"
    if said.slots.language == "de":
        return f"im {group}" if re.search(r"Quartal", group) else group
    return f"in {group}"
