"""A fact as it is read from a document, before it is stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from django.db import models


class FactUnit(models.TextChoices):
    """What a figure counts."""

    MONEY = "money", "Amount of money"
    PER_SHARE = "per_share", "Amount per share"
    SHARES = "shares", "Shares"
    PERCENT = "percent", "Per cent"
    NUMBER = "number", "Number"


class HowRead(models.TextChoices):
    """From what a figure was read."""

    XBRL = "xbrl", "Inline XBRL"
    HTML_TABLE = "html_table", "Table of an HTML page"
    PDF_TABLE = "pdf_table", "Table of a PDF page"
    OCR = "ocr", "Table of a scanned page (OCR)"
    OTHER_TABLE = "other_table", "Table of another file"


class CheckResult(models.TextChoices):
    """Whether the sums that a figure belongs to hold. Failed: the figure is not quoted without saying so."""

    UNCHECKED = "unchecked", "Not checked"
    PASSED = "passed", "Sums hold"
    FAILED = "failed", "Sums do not hold"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSpan:
    """Characters of a page's text: page.text[start:end]."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFact:
    """One figure of a table, or of inline XBRL, with its place.

    concept: its name in the vocabulary; empty for a row that the vocabulary does not know.
    tag: its XBRL element, such as "us-gaap:Revenues"; empty where none is stated.
    label, column, group: what its row is called, the heading of its column, and the line above it in the table that
        names what the rows under it have in common.
    value: with its sign, in whole units: 1,577 in millions is 1577000000; 12.5 % is 12.5.
    printed: as the page prints it, in `cell`. exponent: of the stated scale (6 for millions); None if none is stated.
    decimals: that the page prints.
    currency: an ISO 4217 code; empty if none is stated.
    starts_on, ends_on: of its period; starts_on is None for an instant; both are None where only the year is known.
    fiscal_year, fiscal_quarter: quarter 0 is the whole year. months: the length of its period, 0 for an instant.
    statement: a Statement's value; empty for a table that is no statement.
    dimension: a segment or another part of the group; empty for all of it.
    consolidated: False for the parent company alone. restated: whether the document says that it was restated.
    page: its number; row, cell, heading are spans of its text. heading is that of the column, None if there is none.
    confidence: 0 to 1. check_detail: which sum holds or fails, in words; empty if unchecked.
    """

    concept: str
    tag: str = ""
    label: str
    column: str
    group: str
    value: Decimal
    printed: str
    exponent: int | None
    decimals: int
    unit: FactUnit
    currency: str
    starts_on: date | None
    ends_on: date | None
    fiscal_year: int
    fiscal_quarter: int
    months: int
    statement: str
    dimension: str = ""
    consolidated: bool = True
    restated: bool = False
    page: int
    row: TextSpan
    cell: TextSpan
    heading: TextSpan | None
    how_read: HowRead
    confidence: Decimal
    check: CheckResult = CheckResult.UNCHECKED
    check_detail: str = ""
