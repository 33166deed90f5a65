"""Convert figures from the scale in which a report states them: 8,738 million is 8.738 billion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from apps.retrieval.stages.figures.calculating.asked_form import AskedForm
from apps.retrieval.stages.figures.calculating.operands import Operand
from apps.retrieval.stages.figures.calculating.wording import Wording

_MOST_CONVERTED_PLACES: Final = 3


def in_scale(operand: Operand, asked: AskedForm, words: Wording) -> str:
    """Return a figure in the scale that is asked for; nothing if that is its own, or its own is not stated."""
    if asked.exponent is None or operand.exponent in (None, asked.exponent) or operand.percent or operand.before:
        return ""
    return convert(operand, asked.exponent, words, places=asked.places).before


def say_in_scale(value: Decimal, of: Operand, asked: AskedForm, words: Wording) -> Iterator[str]:
    """Yield a result in the scale that is asked for, if it has the scale of an operand, and that is another one."""
    if asked.exponent is not None and of.exponent not in (None, asked.exponent) and not of.percent:
        result = replace(of, value=value, text=f"{value:,f}", name=words.result)
        yield convert(result, asked.exponent, words, places=asked.places).before


def convert(operand: Operand, exponent: int, words: Wording, *, places: int | None = None) -> Operand:
    """Return an operand whose scale is stated in another scale, with the conversion before it."""
    scales = dict(words.scales)
    value = operand.value.scaleb((operand.exponent or 0) - exponent)
    if places is None and -int(value.as_tuple().exponent) > _MOST_CONVERTED_PLACES:
        places = _MOST_CONVERTED_PLACES
    if places is not None:
        value = value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    # Digits that only say the scale are no decimals: 68.700 thousand for 68.7 million.
    text = f"{value:,f}"
    before = words.scale.format(
        name=operand.name,
        year=words.year.format(year=operand.year),
        given=f"{operand.text} {scales.get(operand.exponent or 0, '')}".strip(),
        result=f"{text} {scales[exponent]}",
    )
    return replace(operand, value=value, text=text, printed=text, exponent=exponent, before=before)
