"""Hold what a question is made from: a company, the words of its set, and the draws; and what it is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random
from typing import Any, Final

from tests.evaluation.forms import wanted
from tests.evaluation.forms.companies import Company, Row

_ASKED: Final = (
    "revenue", "cogs", "gross", "research", "sga", "operating", "interest", "pbt", "tax", "net_income", "depreciation",
    "cfo", "capex", "dividends", "cash", "receivables", "inventories", "total_current_assets", "ppe", "total_assets",
    "payables", "total_current_liabilities", "long_debt", "total_liabilities", "total_equity", "interest_income",
    "interest_paid", "nii", "fees", "provision", "opex", "loans", "deposits", "securities",
)  # fmt: skip
LEAST_SHARE: Final = Decimal("0.002")
"""A change by less is not asked for: it says nothing once it is rounded."""
_NAMES: Final = {0: "", 3: " thousand", 6: " million"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What a question says and what answers it. answer: empty if the documents hold no answer."""

    slots: Mapping[str, str]
    answer: str = ""
    accepts: list[list[str]] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    evidence: list[dict[str, Any]] = field(default_factory=list)
    polarity: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A company to ask about, the words of its set, and the draws of one question."""

    company: Company
    companies: Sequence[Company]
    own: Mapping[str, Any]
    rng: Random
    number: int

    @property
    def words(self) -> Mapping[str, Any]:
        return self.company.words

    def row(self, *, years: int = 1, flow: bool = False, loss: bool = False) -> Row | None:
        """Draw a row of the statements, of a segment or of the note in turn, without losses if not asked for."""
        tables = (("income", "cash"), ("segments",), ("balance", "cash"), ("note",))[self.number % 4]
        found = [
            row
            for table in tables
            for row in self.company.tables[table]
            if (row.key in _ASKED or "/" in row.key)
            and len(row.years) >= years
            and (row.flow or not flow)
            and (loss or all(row.amount(year) > 0 for year in row.years))
        ]
        return self.rng.choice(found) if found else None

    def say(self, row: Row) -> str:
        return self.rng.choice(row.spoken)

    def made(self, slots: Mapping[str, str], rows: Sequence[tuple[Row, Sequence[int]]], **rest: Any) -> Made:
        return Made(slots=slots, **sources(self.company, rows), **rest)

    def amount(self, value: Decimal, row: Row) -> list[str]:
        return wanted.amount(value, [row.exponent], self.words)


def sources(company: Company, rows: Sequence[tuple[Row, Sequence[int]]]) -> dict[str, Any]:
    """Return the documents that show figures, and where each stands."""
    documents = {document for row, years in rows for document in company.document(row, years)}
    evidence = [
        {
            "document": next(iter(company.document(row, [year]))),
            "part": part_of(company, row),
            "row": row.label,
            "year": year,
        }
        for row, years in rows
        for year in years
    ]
    return {"documents": sorted(documents), "evidence": evidence}


def part_of(company: Company, row: Row) -> str:
    """Return the measure whose part of the segment table holds a row, or the note's title; empty for a statement."""
    if row.table == "segments":
        profit = "pbt" if company.spec.get("bank") else "operating"
        return company.row("revenue" if row.key.startswith("revenue") else profit).label
    return str(company.spec["note"]["title"]) if row.table == "note" else ""


def told(value: Decimal, row: Row) -> str:
    """Return an amount in the unit of its table."""
    return f"{row.currency} {value.scaleb(-row.exponent):,.{row.places}f}{_NAMES[row.exponent]}".strip()
