"""The fictional companies: their tables, paragraphs and figures, read from `material`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Final

MATERIAL: Final = Path(__file__).with_name("material")
SCALES: Final[Mapping[str, Decimal]] = {
    "thousand": Decimal(10**3),
    "million": Decimal(10**6),
    "billion": Decimal(10**9),
}
_YEARS: Final = ("2024", "2023", "2022")
_OUTFLOW: Final = "o"


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """What prose calls a measure."""

    text: str
    plural: bool = False

    @property
    def bare(self) -> str:
        """The name without its article."""
        return (
            re.sub(r"^(der|die|das|the) ", "", self.text)
            .replace("laufenden", "Laufende")
            .replace("maximale ", "Maximaler ")
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A figure of a passage. `value` is in the units of the row, and positive for an outflow printed in parentheses."""

    company: str
    key: str
    kind: str
    names: tuple[Name, ...]
    loss_names: tuple[Name, ...] = ()
    label: str
    column: str
    period: str
    raw: str
    value: Decimal
    scale: str
    unit: str = ""
    ref_id: str
    row: int
    col: int
    table: str
    segment: str = ""

    @property
    def base(self) -> Decimal:
        """The value in single units of currency, shares or per cents."""
        return self.value * SCALES[self.scale] if self.is_money else self.value

    @property
    def is_money(self) -> bool:
        return self.kind in "mrob"

    @property
    def places(self) -> int:
        digits = re.sub(r"[^\d.,]", "", self.raw)
        tail = re.search(r"[.,](\d{1,2})$", digits)
        return len(tail[1]) if tail else 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Passage:
    """A passage in the form in which a case holds it, with its figures."""

    fields: Mapping[str, Any]
    cells: tuple[Cell, ...]

    @property
    def ref_id(self) -> str:
        return str(self.fields["ref_id"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A question about words, right answers, and wrong ones: (class, which right answer, its words, other words)."""

    ask: str
    right: tuple[str, ...]
    wrong: tuple[tuple[str, int, str, str], ...]
    ref_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table as it was written down, before a layout gives it its form."""

    id: str
    section: str
    caption: str
    layout: str
    periods: tuple[str, ...]
    heads: tuple[str, ...]
    cells: tuple[tuple[Cell, ...], ...]
    segments: Name | None
    averages: tuple[str, ...]
    pershare: tuple[str, ...]
    spreads: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Company:
    """A fictional company. `english` names its measures for an answer in English about a German report."""

    slug: str
    name: str
    short: str
    it: tuple[str, ...]
    sector: str
    language: str
    currency: str
    scale: str
    report: str
    type: str
    pairs: tuple[str, ...]
    tables: tuple[Table, ...]
    told: tuple[Mapping[str, Any], ...]
    told_cells: tuple[tuple[Cell, ...], ...]
    facts: tuple[Fact, ...]
    english: Mapping[str, str] = field(default_factory=dict)


@cache
def companies(set_: str) -> tuple[Company, ...]:
    """The companies of a set, `open` or `kept`."""
    found: list[Company] = []
    for path in sorted((MATERIAL / set_).glob("*.toml")):
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("company", [])
        found.extend(_company(entry, path.stem) for entry in entries)
    return tuple(found)


def number(raw: str, language: str) -> Decimal:
    """Read a figure as a table prints it."""
    bare = re.sub(r"[^\d.,]", "", raw)
    plain = bare.replace(".", "").replace(",", ".") if language == "de" else bare.replace(",", "")
    return -Decimal(plain) if raw.startswith(("(", "-")) else Decimal(plain)


def _company(entry: dict[str, Any], sector: str) -> Company:
    tables = tuple(_table(entry, each) for each in entry["table"])
    told = tuple(entry["prose"])
    return Company(
        slug=entry["slug"],
        name=entry["name"],
        short=entry["short"],
        it=tuple(entry["it"]),
        sector=sector,
        language=entry.get("language", "en"),
        currency=entry["currency"],
        scale=entry["scale"],
        report=entry["report"],
        type=entry["type"],
        pairs=tuple(entry["pairs"]),
        tables=tables,
        told=told,
        told_cells=tuple(_told_cells(entry, each) for each in told),
        facts=tuple(_fact(each, f"{entry['slug']}|{told[each.get('in', 0)]['id']}") for each in entry["fact"]),
        english=entry.get("english", {}),
    )


def _names(text: str) -> tuple[Name, ...]:
    found = (each.strip() for each in text.split(",") if each.strip())
    return tuple(Name(text=each.rstrip("+"), plural=each.endswith("+")) for each in found)


def _table(entry: dict[str, Any], table: dict[str, Any]) -> Table:
    periods = tuple(table.get("periods", _YEARS))
    segments = _names(table["segments"])[0] if "segments" in table else None
    made: list[tuple[Cell, ...]] = []
    heads = tuple(table.get("heads", periods))
    for row, line in enumerate(table["rows"].strip().splitlines()):
        head, label, names, *values = (part.strip() for part in line.split(" | "))
        key, kind, *unit = head.split(" ", 2)
        if len(values) != len(periods):
            raise ValueError(f"{entry['slug']} {key}: {len(values)} values for {len(periods)} periods")
        profit, _, loss = names.partition(";")
        called = _names(profit) if segments is None else (_segment_name(segments, names, entry),)
        cells = [
            Cell(
                company=entry["slug"],
                key=key if segments is None else f"{table['id']}:{key}",
                kind=kind,
                names=called,
                loss_names=_names(loss),
                label=label,
                column=heads[col],
                period=periods[col],
                raw=raw,
                value=abs(_value(raw, entry)) if kind == _OUTFLOW else _value(raw, entry),
                scale=entry["scale"],
                unit=unit[0] if unit else "",
                ref_id=f"{entry['slug']}|{table['id']}",
                row=row,
                col=col,
                table=table["id"],
                segment="" if segments is None else names,
            )
            for col, raw in enumerate(values)
        ]
        made.append(tuple(cells))
    return Table(
        id=table["id"],
        section=table["section"],
        caption=table["caption"],
        layout=table["layout"],
        periods=periods,
        heads=heads,
        cells=tuple(made),
        segments=segments,
        averages=tuple(table.get("averages", ())),
        pershare=tuple(table.get("pershare", ())),
        spreads=tuple(table.get("spreads", ())),
    )


def _value(raw: str, entry: dict[str, Any]) -> Decimal:
    return number(raw, entry.get("language", "en"))


def _segment_name(segments: Name, segment: str, entry: dict[str, Any]) -> Name:
    within = "im Segment" if entry.get("language") == "de" else "in"
    return Name(text=f"{segments.text} {within} {segment}", plural=segments.plural)


def _told_cells(entry: dict[str, Any], prose: dict[str, Any]) -> tuple[Cell, ...]:
    made: list[Cell] = []
    for row, line in enumerate(prose["cells"].strip().splitlines()):
        head, names, raw, period, *scale = (part.strip() for part in line.split(" | "))
        key, kind, *unit = head.split(" ", 2)
        if not re.search(rf"(?<![\d.,]){re.escape(raw)}", prose["text"]):
            raise ValueError(f"{entry['slug']}: {raw} does not stand in the paragraph")
        made.append(
            Cell(
                company=entry["slug"],
                key=key,
                kind=kind,
                names=_names(names),
                label="",
                column="",
                period=period,
                raw=raw,
                value=_value(raw, entry),
                scale=scale[0] if scale else ("million" if kind == "m" else entry["scale"]),
                unit=unit[0] if unit else "",
                ref_id=f"{entry['slug']}|{prose['id']}",
                row=row,
                col=0,
                table=prose["id"],
            )
        )
    return tuple(made)


def _fact(entry: dict[str, Any], ref_id: str) -> Fact:
    wrong: list[tuple[str, int, str, str]] = []
    for each in entry["wrong"]:
        head, change = each.split(": ", 1)
        which, _, class_ = head.partition(" ")
        old, new = change.split(" => ")
        if entry["right"][int(which)].count(old) != 1:
            raise ValueError(f"{old} does not stand once in the right answer {entry['right'][int(which)]}")
        wrong.append((class_ or "predicate", int(which), old, new))
    return Fact(ask=entry["ask"], right=tuple(entry["right"]), wrong=tuple(wrong), ref_id=ref_id)
