"""Tell which part of a group a figure of a table is of: a segment, a region, a product, or the parent company."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from apps.filings.contracts import FactUnit
from apps.filings.reading.headings import ColumnKind, kind_of
from apps.filings.reading.layout import Table
from apps.filings.reading.naming import clean_label, find_concept, may_be
from apps.filings.vocabulary.concepts import Concept, Period, find_by_name, find_in_text

_SEGMENTS: Final = re.compile(
    r"\bsegments?\b|\bgeograph\w*|\bby\s+(?:region|product|country|market|business|division|channel|category|area)\w*\b"
    r"|\bdisaggregat\w*|\bsegmentbericht\w*|\bgesch\u00e4ftsbereich\w*|\bnach\s+(?:regionen|l\u00e4ndern|produkt\w*|segment\w*)\b",
    re.IGNORECASE,
)
_TOTAL: Final = re.compile(
    r"^(?:sub-?)?totals?\b|\btotals?$|^consolidated\b|^group$|^worldwide$|^summe\b|^gesamt\b|\bgesamt$|^konzern$|^as\s+reported$|^actual$",
    re.IGNORECASE,
)
_NOT_THE_GROUP: Final = re.compile(
    r"\bpro\s+forma\b|\bpurchase\s+price\b|\bacquired\b|\bacquisitions?\b|\bfair\s+values?\b|\blevel\s+[123]\b|\bpensions?\b"
    r"|\bpost-?retirement\b|\bplan\s+assets\b|\bdiscontinued\b|\bheld\s+for\s+sale\b|\bvariable\s+interest\b|\bvies?\b"
    r"|\bguarantors?\b|\bunconsolidated\b|\bequity[\s-]method\b|\binvestees?\b|\bmaturit\w+|\bsensitivity\b|\bhypothetical\b"
    r"|\brestructuring\b|\bderivatives?\b|\bhedg\w+|\bstock\s+options?\b|\bpercent(?:age)?\s+of\b|\bas\s+a\s+%|\bimpact\s+of\b|\beffects?\s+of\b"
    r"|\bstatements?\s+of\s+(?:\w+\s+){0,4}equity\b|\bchanges\s+in\s+.{0,40}\bequity\b|eigenkapitalver\u00e4nderung"
    r"|\bpreviously\s+reported\b",
    re.IGNORECASE,
)
_PARENT: Final = re.compile(
    r"\bparent\s+company(?:\s+only)?\b|\bcondensed\s+financial\s+information\s+of\b|\bregistrant\b|\bparent[\s-]only\b"
    r"|\beinzelabschluss\b|\bjahresabschluss\s+der\b",
    re.IGNORECASE,
)
_CHANGES: Final = re.compile(
    r"\bchanges?\b|\bgrowth\b|\badjustments?\b|\breconcil\w+|\beffects?\s+of\b|\bver\u00e4nderung", re.IGNORECASE
)
_UNALLOCATED: Final = re.compile(r"\bunallocated\b|\beliminations?\b")
_NO_PART: Final = re.compile(
    r"^(?:less|add|plus)\b|\b(?:loss|losses|gains?|net|expenses?|costs?|income|profits?|earnings|amorti[sz]ation|depreciation"
    r"|average|equity|items|charges|commissions|impairments?|ratio|connections|arpa|arpu|segments?|intersegment|revenues?|sales"
    r"|interest|tax(?:es)?|ebitda?r?|numerator|denominator|unrealized|realized)\b|ergebnis|aufwand|aufwendung|erl\u00f6se|\bzinsen",
    re.IGNORECASE,
)
_COUNTS: Final = re.compile(
    r"\b(?:connections|statistics|customers|accounts|subscribers|members(?:hips?)?|units|rooms|stores|volumes?|mix)\b",
    re.IGNORECASE,
)
_SHORTEST_NAME: Final = 4
_LONGEST_NAME: Final = 80
_LETTER: Final = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """What a cell is of. concept: None if it cannot be told. dimension: empty for the whole group."""

    concept: Concept | None
    dimension: str


class TableParts:
    """Which parts of the group the rows and columns of a table, that is no statement, are of."""

    def __init__(self, table: Table) -> None:
        near = "\n".join((*table.titles[:2], *(each.text for each in table.headers)))
        self.is_parent = is_of_parent("\n".join((near, *table.head)))
        self.is_of_segments = _SEGMENTS.search(near) is not None
        self.is_readable = _NOT_THE_GROUP.search(near) is None
        self._of_title = _concept_in(table.titles[:2]) if self.is_of_segments else None

    def is_readable_under(self, group: str) -> bool:
        """Return whether rows under a line may be of the group: not changes, and not what their title excludes."""
        return _CHANGES.search(group) is None and _NOT_THE_GROUP.search(group) is None

    def name(self, label: str, group: str, words: str, unit: FactUnit) -> Naming | None:
        """Return what a cell is of; None if it is no fact. Args: words: of its column, beside the period."""
        of_column = "" if _TOTAL.search(words) else words
        concept = find_concept(label, "" if self.is_of_segments else group, statement="", unit=unit)
        if concept is not None and not (self.is_of_segments and _UNALLOCATED.search(concept.name)):
            return self._of_row(concept, group, of_column, unit)
        if not self.is_of_segments or not _is_part(label) or kind_of(label) is not ColumnKind.FIGURES:
            return None
        if _COUNTS.search(group):
            return None
        named = find_by_name(of_column) if of_column else None
        if of_column and named is None:
            return None
        concept = named or _of_group(group, unit) or self._of_title
        if concept is None or not may_be(concept, "", unit):
            return None
        return Naming(concept=concept, dimension="" if _TOTAL.search(label) else clean_label(label))

    def name_unknown(self, label: str) -> Naming | None:
        """Return what a row is of that no name of the vocabulary fits: known by its label alone."""
        if not _is_name(label) or kind_of(label) is not ColumnKind.FIGURES:
            return None
        is_part = self.is_of_segments and _is_part(label) and not _TOTAL.search(label)
        return Naming(concept=None, dimension=clean_label(label) if is_part else "")

    def _of_row(self, concept: Concept, group: str, of_column: str, unit: FactUnit) -> Naming | None:
        if of_column and find_by_name(of_column) is not None:
            return None
        if of_column:
            return Naming(concept=concept, dimension=of_column) if self.is_of_segments else None
        if self.is_of_segments and group and _is_name(group) and _of_group(group, unit) is None:
            if not _is_part(group):
                return None
            part = clean_label(group)
            return Naming(concept=concept, dimension="" if _TOTAL.search(part) else part)
        return Naming(concept=concept, dimension="")


def is_of_parent(text: str) -> bool:
    """Return whether a text names figures of the parent company alone."""
    return _PARENT.search(text) is not None


def is_total(label: str) -> bool:
    """Return whether a row or column is called the total of others."""
    return _TOTAL.search(label) is not None


def _of_group(group: str, unit: FactUnit) -> Concept | None:
    name = clean_label(group)
    # A line of two or three letters is seldom what a short name of the vocabulary means.
    return find_concept(name, "", statement="", unit=unit) if len(name) >= _SHORTEST_NAME else None


def _is_part(text: str) -> bool:
    """Return whether a label may name a segment: no line of a reconciliation, and no kind of income or cost."""
    return _is_name(text) and _NO_PART.search(text) is None


def _is_name(text: str) -> bool:
    return len(text) <= _LONGEST_NAME and _LETTER.search(text) is not None


def _concept_in(titles: tuple[str, ...]) -> Concept | None:
    """Return the flow that a title names, if it names one: "Net sales by region"."""
    for title in titles:
        found = {each.concept.name: each.concept for each in find_in_text(title[:_LONGEST_NAME])}
        flows = [each for each in found.values() if each.period is Period.DURATION]
        if len(flows) == 1:
            return flows[0]
    return None
