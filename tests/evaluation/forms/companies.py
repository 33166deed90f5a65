"""The companies of a set, with the rows of their tables: what each is called, and its figures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.evaluation.forms.figures import Line, statements

SETS: Final = ("open", "kept")
TABLES: Final = ("income", "balance", "cash", "segments", "note")
_LINES: Final[Mapping[str, str]] = {
    "income": "revenue cogs gross research sga operating other_income interest pbt tax net_income",
    "balance": "cash receivables inventories other_current total_current_assets ppe intangibles total_assets payables "
    "short_debt other_current_liabilities total_current_liabilities long_debt other_non_current total_liabilities "
    "share_capital retained total_equity liabilities_and_equity",
    "cash": "net_income depreciation change_receivables change_inventories change_other cfo capex acquisitions cfi "
    "borrowed dividends cff net_change opening closing",
}
_LINES_OF_BANK: Final[Mapping[str, str]] = {
    "income": "interest_income interest_paid nii fees revenue provision opex pbt tax net_income",
    "balance": "cash securities loans ppe total_assets deposits long_debt total_liabilities share_capital retained "
    "total_equity liabilities_and_equity",
    "cash": "net_income depreciation provision change_loans change_deposits cfo capex change_securities cfi borrowed "
    "dividends cff net_change opening closing",
}
_COSTS: Final = ("cogs", "research", "sga", "interest", "tax")
_PAID: Final = ("capex", "dividends")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of a table. values: as it is printed, in steps of the last place, by year that a report shows.

    exponent: of ten, of the unit that the table states. spoken: what people call it, beginning with the label's words.
    """

    key: str
    table: str
    label: str
    values: Line
    places: int
    exponent: int
    currency: str
    spoken: tuple[str, ...]
    flow: bool = True

    def amount(self, year: int) -> Decimal:
        """Return the figure in whole units. A payment or a cost counts without its sign."""
        value = Decimal(self.values[year]).scaleb(self.exponent - self.places)
        return abs(value) if self.key in _COSTS + _PAID else value

    @property
    def years(self) -> list[int]:
        return sorted(self.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """An invented company. tables: its rows by table, as the reports print them."""

    spec: Mapping[str, Any]
    words: Mapping[str, Any]
    tables: Mapping[str, tuple[Row, ...]]

    @property
    def id(self) -> str:
        return str(self.spec["id"])

    @property
    def short(self) -> str:
        return str(self.spec["short"])

    @property
    def language(self) -> str:
        return str(self.spec["language"])

    @property
    def reports(self) -> list[int]:
        """The years that a report is about, the latest first."""
        return [self.spec["last"] - back for back in range(self.spec["reports"])]

    def has(self, *keys: str) -> bool:
        return all(any(row.key == key for rows in self.tables.values() for row in rows) for key in keys)

    def row(self, key: str) -> Row:
        """Return the first row with a key. Raises StopIteration if there is none."""
        return next(row for table in TABLES for row in self.tables[table] if row.key == key)

    def shown(self, table: str, report: int) -> list[int]:
        """Return the years that a report shows in a table, the latest first."""
        many = {"balance": 2, "segments": self.spec["segment_years"]}.get(table, 3)
        return [report - back for back in range(many)]

    def document(self, row: Row, years: Sequence[int]) -> set[str]:
        """Return the documents, the latest where several do, that show a row in these years."""
        reports = {next(r for r in self.reports if year in self.shown(row.table, r)) for year in years}
        return {self.document_id(report) for report in reports}

    def document_id(self, report: int) -> str:
        return f"{self.id}-ar{report % 100}"


@cache
def words_of(name: str) -> Mapping[str, Any]:
    """Return one of the JSON files beside this module: `words`, or the words and companies of a set."""
    found: Mapping[str, Any] = json.loads(Path(__file__).with_name(f"{name}.json").read_text(encoding="utf-8"))
    return found


@cache
def companies_of(set_: str) -> tuple[Company, ...]:
    """Return the companies of a set, with the labels that are the set's own."""
    return tuple(_company(spec, words_of(set_)[spec["language"]]) for spec in words_of(set_)["companies"])


def _company(spec: Mapping[str, Any], own: Mapping[str, Any]) -> Company:
    shared = words_of("words")[spec["language"]]
    rng, lines, language = Random(f"labels {spec['id']}"), statements(spec), spec["language"]
    labels = {**shared["labels"], **{key: rng.choice(given) for key, given in own["labels"].items()}}
    company = Company(spec=spec, words=shared, tables={})

    def row(table: str, key: str, label: str, spoken: Sequence[str], *, flow: bool = True) -> Row:
        years = {year for report in company.reports for year in company.shown(table, report)}
        counts = table == "note" and spec["note"]["kind"] == "counts"
        minus = -1 if spec.get("brackets") and key in _COSTS else 1
        return Row(
            key=key,
            table=table,
            label=label,
            values={year: minus * lines[key][year] for year in sorted(years)},
            places=0 if counts else spec["places"],
            exponent=spec["note"].get("exponent", 0) if counts else spec["exponent"],
            currency="" if counts else spec["currency"],
            spoken=tuple(dict.fromkeys(spoken)),
            flow=flow,
        )

    tables: dict[str, tuple[Row, ...]] = {}
    for table, keys in (_LINES_OF_BANK if spec.get("bank") else _LINES).items():
        tables[table] = tuple(
            row(
                table,
                key,
                labels[key],
                [running(labels[key], language), *own["spoken"].get(key, ())],
                flow=table != "balance",
            )
            for key in keys.split()
            if key in lines
        )
    note, spoken = spec["note"], shared["segment_spoken"]
    measures = (("revenue", "revenue"), ("profit", "pbt" if spec.get("bank") else "operating"))
    tables["segments"] = (
        *(
            row(
                "segments",
                f"{part}/{place}",
                name,
                [each.format(m=running(labels[key], language), s=name) for each in spoken],
            )
            for part, key in measures
            for place, name in enumerate(spec["segments"])
        ),
        row("segments", "corporate", labels["corporate"], ()),
    )
    flow, how = note.get("flow", note["kind"] == "regions"), note.get("spoken", "{row}")
    tables["note"] = (
        *(
            row(
                "note",
                f"note/{place}",
                _capital(name),
                [how.format(row=name if "spoken" in note else running(name, language))],
                flow=flow,
            )
            for place, name in enumerate(note["rows"])
        ),
        row("note", "note_total", shared["total"], ()),
    )
    return Company(spec=spec, words=shared, tables=tables)


def running(label: str, language: str) -> str:
    """Return a label as it stands within a sentence. German nouns and abbreviations keep their capital."""
    return label if language == "de" or label[1:2].isupper() else label[:1].lower() + label[1:]


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]


def missing_years(row: Row) -> list[int]:
    """Return years that no report shows for a row, near those that one shows."""
    return [row.years[0] - 1, row.years[0] - 2, row.years[-1] + 1]
