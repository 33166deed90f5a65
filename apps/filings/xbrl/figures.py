"""The figure that an element of a fact states: its value, its period, its unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from apps.filings.contracts import FactUnit
from apps.filings.xbrl.contexts import Context, Unit, read_contexts, read_units
from apps.filings.xbrl.markup import canonical_name, element_names, local_name, read_prefixes
from apps.filings.xbrl.values import PrintedValue, apply_scale, plain_decimal, read_printed, read_scale

_FRACTION_DECIMALS: Final = Decimal("1e-12")
_PERCENT_SCALE: Final = -2


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure without a place. exponent: of its scale, None if it states none."""

    tag: str
    value: Decimal
    decimals: int
    exponent: int | None
    unit: FactUnit
    currency: str
    context: Context


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineFile:
    """What a file of inline XBRL says of its facts as a whole."""

    root: Any
    prefixes: Mapping[str, str]
    contexts: Mapping[str, Context]
    units: Mapping[str, Unit]

    @property
    def fact_tags(self) -> frozenset[str]:
        """What elements of facts are called in this file."""
        return frozenset(element_names(self.prefixes, "ix", "nonfraction", "fraction"))

    def context_of(self, element: Any) -> Context | None:
        return self.contexts.get(element.get("contextref") or "")

    def figure_of(self, element: Any, printed: str, *, percent: bool) -> Figure | None:
        """Return what an element states; None if it is nil, no number, or refers to nothing.

        Args: printed: what it shows. percent: a percent sign follows it.
        """
        context = self.context_of(element)
        unit = self.units.get(element.get("unitref") or "")
        tag = canonical_name(element.get("name") or "", self.prefixes)
        if context is None or unit is None or not tag or len(tag) > 200 or _is_nil(element):
            return None
        scale = read_scale(element.get("scale"))
        is_percent = unit.is_pure and (scale == _PERCENT_SCALE or (percent and scale in (None, 0)))
        if local_name(element) == "fraction":
            value, decimals = _read_fraction(element), 0
        else:
            shown = read_printed(printed, element.get("format") or "")
            decimals = shown.decimals if shown is not None else 0
            value = _value(element, shown, 0 if is_percent else scale or 0)
        if value is None:
            return None
        return Figure(
            tag=tag,
            value=value,
            decimals=decimals,
            exponent=scale if scale is not None and scale >= 0 and not is_percent else None,
            unit=FactUnit.PERCENT if is_percent else unit.kind,
            currency=unit.currency,
            context=context,
        )


def read_file(root: Any) -> InlineFile:
    """Return the contexts and units of a file."""
    prefixes = read_prefixes(root)
    return InlineFile(
        root=root,
        prefixes=prefixes,
        contexts=read_contexts(root, prefixes),
        units=read_units(root, prefixes),
    )


def is_hidden(element: Any) -> bool:
    """Return whether a fact stands in the part of the file that no page shows."""
    return any(local_name(each) in ("hidden", "header") and ":" in each.tag for each in element.iterancestors())


def _value(element: Any, shown: PrintedValue | None, scale: int) -> Decimal | None:
    if shown is None:
        return None
    return apply_scale(shown.number, scale=scale, negative=(element.get("sign") or "").strip() == "-")


def _read_fraction(element: Any) -> Decimal | None:
    sides: dict[str, Decimal] = {}
    for each in element.iter():
        name = local_name(each)
        if name in ("numerator", "denominator") and name not in sides:
            shown = read_printed(each.text_content()[:100], each.get("format") or "")
            value = _value(each, shown, read_scale(each.get("scale")) or 0)
            if value is not None:
                sides[name] = value
    if len(sides) < 2 or not sides["denominator"]:
        return None
    quotient = sides["numerator"] / sides["denominator"]
    return plain_decimal(quotient.quantize(_FRACTION_DECIMALS).normalize()) if abs(quotient) < 10**12 else None


def _is_nil(element: Any) -> bool:
    return (element.get("xsi:nil") or "").strip().lower() in ("true", "1")
