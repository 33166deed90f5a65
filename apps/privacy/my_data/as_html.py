"""Render the package as one self-contained page, to read and print."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from apps.privacy.my_data.contents import CATEGORIES
from apps.privacy.my_data.contracts import Category, Entry
from apps.privacy.my_data.in_words import is_there, label, words
from apps.privacy.my_data.package import Package
from apps.privacy.my_data.wording import ARTICLE_15

# This many fields of an entry are columns; the others are in a line below.
_COLUMNS: Final = 5

STYLE: Final = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { color: #1d2530; font: 15px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; margin: 0 auto;
       max-width: 60rem; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { border-top: 2px solid #1d2530; font-size: 1.25rem; margin: 2.5rem 0 .5rem; padding-top: .75rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
p { margin: .4rem 0; }
a { color: #0b5a72; }
dl { display: grid; gap: .2rem 1rem; grid-template-columns: minmax(8rem, 11rem) minmax(0, 1fr); margin: .6rem 0 1rem; }
dt { color: #55606e; }
dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; font-size: .87rem; margin: .8rem 0; table-layout: fixed; width: 100%; }
th, td { border-top: 1px solid #c9d0d8; overflow-wrap: anywhere; padding: .35rem .5rem .35rem 0; text-align: left;
         vertical-align: top; }
thead th { border-top: 0; color: #55606e; font-weight: 600; }
tbody tr.more td { border-top: 0; padding-top: 0; }
tr.more span { display: block; }
tr.more b { color: #55606e; font-weight: 400; }
.words { white-space: pre-line; }
.note { background: #fff3d6; border-left: 4px solid #b36b00; padding: .5rem .8rem; }
.none { color: #55606e; font-style: italic; }
ul { margin: .4rem 0; padding-left: 1.2rem; }
code { font-size: .8rem; overflow-wrap: anywhere; }
@media (max-width: 36rem) {
    dl { gap: 0; grid-template-columns: minmax(0, 1fr); }
    dd { margin-bottom: .5rem; }
    table, tbody, tr, td { display: block; width: 100%; }
    thead { clip-path: inset(50%); height: 1px; overflow: hidden; position: absolute; width: 1px; }
    td { border-top: 0; padding: .1rem 0; }
    td[data-label]::before { color: #55606e; content: attr(data-label) ": "; }
    tr { border-top: 1px solid #c9d0d8; padding: .4rem 0; }
    tr.more { border-top: 0; padding-top: 0; }
}
@page { margin: 18mm 16mm; }
@media print {
    body { font-size: 10pt; max-width: none; padding: 0; }
    h2, h3 { break-after: avoid; }
    tr, dl { break-inside: avoid; }
    tr.more { break-before: avoid; }
    nav { display: none; }
    a { color: inherit; text-decoration: none; }
}
"""


class HtmlWriter:
    """Writes the package as HTML. Each entry is a table row; fields without a column are in a second row below it."""

    def __init__(self) -> None:
        self._is_open = False

    def begin(self, package: Package) -> str:
        about = package.about
        return format_html(
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
            'content="width=device-width, initial-scale=1"><title>{title}: {person}, '
            "{firm}</title><style>{style}</style></head><body>\n<h1>{title}</h1><p>This is what "
            "<strong>{firm}</strong> holds about <strong>{person}</strong> in Glassbox, as it was on {until}. "
            '{law}.</p>{note}<nav><h3>Chapters</h3><ul>{chapters}</ul></nav>\n<h2 id="law">What the law requires '
            'us to tell you</h2><dl>{article}</dl>\n<h2 id="recipients">Who gets to see it</h2>{recipients}\n',
            title=about["title"],
            person=about["person"],
            firm=about["firm"],
            until=words(about["until"]),
            law=about["law"],
            style=mark_safe(STYLE),  # noqa: S308 (a constant)
            note=format_html('<p class="note">{}</p>', package.not_reached) if package.not_reached else "",
            chapters=format_html_join("", '<li><a href="#{}">{}</a></li>', _chapters()),
            article=definitions(ARTICLE_15.items()),
            recipients=table(
                {
                    "who": "Who",
                    "which": "Which",
                    "gets": "What they get",
                    "region": "Region",
                    "leaves_region": f"Outside {package.region}",
                },
                package.recipients,
            ),
        )

    def category(self, category: Category) -> str:
        self._is_open = False
        return format_html(
            '<h2 id="{}">{}</h2><p>{}</p><dl>{}</dl>\n',
            category.key,
            category.title,
            category.about,
            definitions(
                {
                    "What for": category.purpose,
                    "Legal basis": category.legal_basis,
                    "Source": category.source,
                    "Kept": category.retention,
                }.items()
            ),
        )

    def entries(self, category: Category, entries: Iterable[Entry]) -> str:
        rows = list(entries)
        if not rows:
            return ""
        opening = "" if self._is_open else _head(category.fields)
        self._is_open = True
        return opening + _rows(category.fields, rows)

    def category_end(self, category: Category) -> str:
        return "</tbody></table>\n" if self._is_open else '<p class="none">Nothing is held.</p>\n'

    def end(self, package: Package, kinds_of_events: list[Entry]) -> str:
        kept = {"what": "Event", "legal_basis": "Legal basis", "at_least": "At least", "in_force": "Rule in force"}
        return format_html(
            '<h2 id="kinds">How long events are kept</h2>{}\n<h2 id="left-out">What is not included, and '
            "why</h2>{}\n<p>End of the document.</p></body></html>\n",
            table(kept, [{name: entry[name] for name in kept} for entry in kinds_of_events]),
            format_html_join(
                "",
                "<h3>{}</h3><p><code>{}</code></p>",
                ((each["because"], ", ".join(each["what"])) for each in package.not_included),
            ),
        )


def _chapters() -> list[tuple[str, str]]:
    return [
        ("law", "What the law requires us to tell you"),
        ("recipients", "Who gets to see it"),
        *((category.key, category.title) for category in CATEGORIES),
        ("kinds", "How long events are kept"),
        ("left-out", "What is not included, and why"),
    ]


def definitions(pairs: Iterable[tuple[str, str]]) -> SafeString:
    return format_html_join("", "<dt>{}</dt><dd>{}</dd>", pairs)


def table(fields: Mapping[str, str], rows: list[Entry]) -> SafeString:
    if not rows:
        return mark_safe('<p class="none">Nothing is held.</p>')
    return format_html("{}{}</tbody></table>", _head(fields), _rows(fields, rows))


def _head(fields: Mapping[str, str]) -> SafeString:
    columns = [(each,) for each in list(fields.values())[:_COLUMNS]]
    return format_html(
        "<table><thead><tr>{}</tr></thead><tbody>\n", format_html_join("", '<th scope="col">{}</th>', columns)
    )


def _rows(fields: Mapping[str, str], rows: list[Entry]) -> SafeString:
    return format_html_join("", "{}", ((_row(fields, row),) for row in rows))


def _row(fields: Mapping[str, str], row: Entry) -> SafeString:
    names = list(fields)
    cells = format_html_join(
        "",
        '<td data-label="{}">{}</td>',
        ((fields[name], words(row.get(name))) for name in names[:_COLUMNS]),
    )
    more = [(fields[name], row[name]) for name in names[_COLUMNS:] if is_there(row.get(name))]
    if not more:
        return format_html("<tr>{}</tr>\n", cells)
    below = format_html_join(
        "", '<span class="words"><b>{}:</b> {}</span>', ((name, _below(value)) for name, value in more)
    )
    return format_html(
        '<tr>{}</tr><tr class="more"><td colspan="{}">{}</td></tr>\n', cells, len(names[:_COLUMNS]), below
    )


def _below(value: Any) -> str:
    if isinstance(value, Mapping) and isinstance(value.get("text"), str):
        # Show the text of a question before its other fields.
        rest = words({name: each for name, each in value.items() if name != "text"})
        return f"“{value['text']}” ({rest})"
    if isinstance(value, Mapping):
        return "; ".join(f"{label(name)}: {words(each)}" for name, each in value.items() if is_there(each))
    return words(value)
