"""Render a package as one self-contained page, to read and print, with the design of the my_data page."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Final

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from apps.privacy.access_packages.wordings import counted, moment, wording_of
from apps.privacy.access_packages.wordings.contract import PackageWording
from apps.privacy.codes.requests import Language
from apps.privacy.my_data.as_html import STYLE, definitions, table
from apps.privacy.my_data.in_words import words
from apps.privacy.requests.letters import day

_MORE: Final = """
blockquote { background: #f3f5f7; border-left: 3px solid #c9d0d8; margin: .3rem 0 .8rem; overflow-wrap: anywhere;
             padding: .5rem .8rem; white-space: pre-line; }
mark { background: #fff3d6; font-weight: 600; }
.where { color: #55606e; margin: .6rem 0 0; }
section { break-inside: auto; }
th, td { hyphens: auto; }
"""


def as_html(package: Mapping[str, Any]) -> str:
    """Return the page, in the language that the package was made in."""
    about, looked_for = package["about"], package["looked_for"]
    wording = wording_of(about["language"])
    known = {wording.names: looked_for["names"], wording.numbers: looked_for["addresses_and_numbers"]}
    opening = format_html(
        wording.opening,
        firm=format_html("<strong>{}</strong>", about["firm"]),
        until=moment(datetime.fromisoformat(about["until"]), wording),
        reference=about["reference"],
        received=day(date.fromisoformat(about["received_on"]), Language(wording.language)),
        law=about["law"],
    )
    return format_html(
        '<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<title>{title}: {reference}, {firm}</title><style>{style}</style></head><body>\n<h1>{title}</h1>"
        "<p>{opening}</p>{summary}"
        "<h2>{looked_for}</h2><dl>{known}</dl>\n{categories}"
        "<h2>{recipients_heading}</h2>{recipients}\n{kinds}"
        "<h2>{article_heading}</h2><dl>{article}</dl>\n"
        "<h2>{searched_heading}</h2>{searched}<p>{end}</p></body></html>\n",
        language=wording.language,
        title=about["title"],
        reference=about["reference"],
        firm=about["firm"],
        style=mark_safe(STYLE + _MORE),  # noqa: S308 (constants)
        opening=opening,
        summary=_summary(package, wording),
        looked_for=wording.looked_for,
        known=definitions((name, words(value)) for name, value in known.items()),
        categories=format_html_join("", "{}", ((_category(each, wording),) for each in package["categories"])),
        recipients_heading=wording.recipients_heading,
        recipients=_recipients(package["recipients"], wording),
        kinds=_kinds(package["kinds_of_events"], wording),
        article_heading=wording.article_heading,
        article=definitions((wording.article_15[key][0], text) for key, text in package["article_15"].items()),
        searched_heading=wording.searched_heading,
        searched=_list(package["searched"]),
        end=wording.end,
    )


def _summary(package: Mapping[str, Any], wording: PackageWording) -> SafeString:
    places = package["about"]["places"]
    if not places:
        return format_html('<p class="note">{}</p>', wording.nothing_held)
    things = sum(len(each["entries"]) for each in package["categories"])
    named = wording.named.format(
        places=counted(places, wording.places_counted), things=counted(things, wording.things_counted)
    )
    return format_html('<p class="note">{}</p>', named)


def _category(category: Mapping[str, Any], wording: PackageWording) -> SafeString:
    if not category["entries"]:
        return format_html(
            '<h2>{}</h2><p>{}</p><p class="none">{}</p>\n', category["title"], category["about"], wording.none
        )
    facts = {
        wording.purpose: "purpose",
        wording.legal_basis: "legal_basis",
        wording.source: "source",
        wording.retention: "retention",
    }
    return format_html(
        "<h2>{}</h2><p>{}</p><dl>{}</dl>{}\n",
        category["title"],
        category["about"],
        definitions((label, category[name]) for label, name in facts.items()),
        format_html_join("", "{}", ((_thing(each),) for each in category["entries"])),
    )


def _thing(entry: Mapping[str, Any]) -> SafeString:
    return format_html(
        "<section><h3>{}</h3>{}{}</section>\n",
        entry["name"],
        format_html("<p>{}</p>", entry["detail"]) if entry["detail"] else "",
        format_html_join("", "{}", ((_place(each),) for each in entry["places"])),
    )


def _place(place: Mapping[str, Any]) -> SafeString:
    said = place["where"]
    where = format_html('<p class="where">{}</p>', said[0].upper() + said[1:]) if said else ""
    quote = place["quote"]
    if quote is None:
        return format_html('{}<p class="none">{}.</p>', where, place["not_quoted"])
    return format_html(
        "{}<blockquote>{}<mark>{}</mark>{}</blockquote>", where, quote["before"], quote["you"], quote["after"]
    )


def _list(names: list[str]) -> SafeString:
    return format_html("<ul>{}</ul>", format_html_join("", "<li>{}</li>", ((each,) for each in names)))


def _recipients(rows: list[Mapping[str, Any]], wording: PackageWording) -> SafeString:
    said = {True: wording.yes, False: wording.no}
    return table(wording.recipients.columns, [{**each, "leaves_region": said[each["leaves_region"]]} for each in rows])


def _kinds(kinds: list[Mapping[str, Any]], wording: PackageWording) -> SafeString:
    if not kinds:
        return mark_safe("")
    columns = wording.keeping.columns
    return format_html(
        "<h2>{}</h2>{}\n",
        wording.kinds_heading,
        table(columns, [{name: each[name] for name in columns} for each in kinds]),
    )
