"""Write a company's annual reports, as HTML or as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from random import Random

from tests.evaluation.forms.companies import TABLES, Company, Row, running

Cells = list[list[str]]


def report(company: Company, year: int) -> str:
    """Return the file of a company's report on a year."""
    blocks = _blocks(company, year)
    if company.spec["format"] == "html":
        body = "\n".join(_html(block) for block in blocks)
        return (
            f'<!DOCTYPE html>\n<html lang="{company.language}">\n<head><meta charset="utf-8">'
            f"<title>{escape(company.spec['name'])}</title></head>\n<body>\n{body}\n</body>\n</html>\n"
        )
    return "\n\n".join(_markdown(block) for block in blocks) + "\n"


def printed(value: int, places: int, language: str) -> str:
    """Return a figure as a table prints it: brackets for a negative one, a dash for nil."""
    if not value:
        return "\u2013"
    text = f"{abs(value) / 10**places:,.{places}f}"
    if language == "de":
        text = text.translate(str.maketrans(",.", ".,"))
    return f"({text})" if value < 0 else text


def _blocks(company: Company, year: int) -> Iterator[tuple[str, str | Cells]]:
    words, spec, rng = company.words, company.spec, Random(f"report {company.id}")
    heads = {table: rng.choice(given) for table, given in words["heads"].items()}
    heads["note"] = spec["note"]["title"]
    yield "h1", f"{spec['name']}: {words['title'].format(year=year)}"
    names = f", {words['and']} ".join([", ".join(spec["segments"][:-1]), spec["segments"][-1]]).replace(", und", " und")
    prose = [
        text.format(name=spec["name"], year=year, sector=spec["sector"], segments=names) for text in words["prose"]
    ]
    for place, table in enumerate(TABLES):
        if place < len(prose):
            yield "p", prose[place]
        unit = spec["note"].get("unit", spec["unit"]) if table == "note" else spec["unit"]
        for caption, rows in _parts(company, table):
            yield "h2", f"{heads[table]}{caption}"
            head = unit if spec.get("unit_in_head") else ""
            if not head:
                yield "unit", unit
            yield "table", _cells(company, table, year, rows, head)
    yield from (("p", text) for text in prose[len(TABLES) :])


def _parts(company: Company, table: str) -> Iterator[tuple[str, Sequence[Row | str]]]:
    """Yield a table's caption and rows. Segments share one table under headings, or have one for each measure."""
    rows: Sequence[Row] = company.tables[table]
    if table != "segments":
        yield "", rows
        return
    revenue, result = company.row("revenue"), company.row("pbt" if company.spec.get("bank") else "operating")
    by_measure: list[tuple[str, list[Row | str]]] = [
        (revenue.label, [*(row for row in rows if row.key.startswith("revenue")), revenue]),
        (result.label, [*(row for row in rows if not row.key.startswith("revenue")), result]),
    ]
    if company.spec["format"] == "md" or len(company.spec["segments"]) > 3:
        yield from ((f": {running(label, company.language)}", found) for label, found in by_measure)
    else:
        yield "", [each for label, found in by_measure for each in (label, *found)]


def _cells(company: Company, table: str, year: int, rows: Sequence[Row | str], head: str) -> Cells:
    years = company.shown(table, year)
    if not company.spec["newest_first"]:
        years = years[::-1]
    note = company.spec.get("note_column") and table in ("income", "balance")
    cells = [[head, *([company.words["note_column"]] if note else []), *map(str, years)]]
    for number, row in enumerate(rows):
        beside = ([str(number + 3)] if number % 3 == 1 else [""]) if note else []
        if isinstance(row, str):
            cells.append([row, *("" for _ in years)])
            continue
        figures = [printed(row.values[each], row.places, company.language) for each in years]
        # The last row of a part of the segment table is the group's, and is called the total.
        total = table == "segments" and row.table != table
        cells.append([company.words["total"] if total else row.label, *beside, *figures])
    return cells


def _html(block: tuple[str, str | Cells]) -> str:
    kind, content = block
    if isinstance(content, str):
        tag = "p" if kind == "unit" else kind
        return f"<{tag}>{escape(content)}</{tag}>"
    head, *rows = ([escape(cell, quote=False) for cell in row] for row in content)
    lines = ["<tr>" + "".join(f"<th>{cell}</th>" for cell in head) + "</tr>"]
    lines += ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows]
    return "<table>\n" + "\n".join(lines) + "\n</table>"


def _markdown(block: tuple[str, str | Cells]) -> str:
    kind, content = block
    if isinstance(content, str):
        return {"h1": "# ", "h2": "## "}.get(kind, "") + content
    head, *rows = ("| " + " | ".join(row) + " |" for row in content)
    return "\n".join([head, "|" + "---|" * len(content[0]), *rows])
