"""A package as one page that needs nothing else, to be read and printed. In the look of one's own data (my_data)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from apps.audit.subject_access.as_html import STYLE, definitions, table
from apps.audit.subject_access.in_words import words

_MORE: Final = """
blockquote { background: #f3f5f7; border-left: 3px solid #c9d0d8; margin: .3rem 0 .8rem; overflow-wrap: anywhere;
             padding: .5rem .8rem; white-space: pre-line; }
mark { background: #fff3d6; font-weight: 600; }
.where { color: #55606e; margin: .6rem 0 0; }
section { break-inside: auto; }
"""
_FACTS: Final[Mapping[str, str]] = {
    "What for": "purpose",
    "Legal basis": "legal_basis",
    "Source": "source",
    "Kept": "retention",
}
_RECIPIENTS: Final[Mapping[str, str]] = {
    "who": "Who",
    "which": "Which",
    "gets": "What they get",
    "region": "Region",
    "leaves_region": "Outside the firm's region",
}
_KINDS: Final[Mapping[str, str]] = {
    "what": "Event",
    "legal_basis": "Legal basis",
    "at_least": "At least",
    "in_force": "Rule in force",
}


def as_html(package: Mapping[str, Any]) -> str:
    about, looked_for = package["about"], package["looked_for"]
    known = {"Names": looked_for["names"], "Addresses and numbers": looked_for["addresses_and_numbers"]}
    return format_html(
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<title>{title}: {reference}, {firm}</title><style>{style}</style></head><body>\n<h1>{title}</h1>"
        "<p>This is what <strong>{firm}</strong> holds about you in Glassbox, as it was on {until}, in answer to your "
        "request {reference} of {received}. {law}.</p>{summary}"
        "<h2>By what you were looked for</h2><dl>{known}</dl>\n{categories}"
        "<h2>Who gets to see it</h2>{recipients}\n{kinds}"
        "<h2>What the law wants you to be told</h2><dl>{article}</dl>\n"
        "<h2>Where was searched</h2>{searched}<p>End of the document.</p></body></html>\n",
        title=about["title"],
        reference=about["reference"],
        firm=about["firm"],
        until=words(about["until"]),
        received=about["received_on"],
        law=about["law"],
        style=mark_safe(STYLE + _MORE),  # noqa: S308 (constants)
        summary=_summary(package),
        known=definitions((name, words(value)) for name, value in known.items()),
        categories=format_html_join("", "{}", ((_category(each),) for each in package["categories"])),
        recipients=table(_RECIPIENTS, package["recipients"]),
        kinds=_kinds(package["kinds_of_events"]),
        article=definitions(package["article_15"].items()),
        searched=_list(package["searched"]),
    )


def _summary(package: Mapping[str, Any]) -> SafeString:
    places = package["about"]["places"]
    if not places:
        return mark_safe(
            '<p class="note">Nothing is held about you: you were found in no document, event or other text. What is '
            "kept is your request, with its letters, until it need not be kept any more.</p>"
        )
    things = sum(len(each["entries"]) for each in package["categories"])
    return format_html(
        '<p class="note">You are named in {} place{} of {} document{}.</p>',
        places,
        "s" * (places != 1),
        things,
        "s or other texts" if things != 1 else " or other text",
    )


def _category(category: Mapping[str, Any]) -> SafeString:
    if not category["entries"]:
        return format_html(
            '<h2>{}</h2><p>{}</p><p class="none">Nothing is held.</p>\n', category["title"], category["about"]
        )
    return format_html(
        "<h2>{}</h2><p>{}</p><dl>{}</dl>{}\n",
        category["title"],
        category["about"],
        definitions((label, category[name]) for label, name in _FACTS.items()),
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
    where = format_html('<p class="where">{}</p>', place["where"].capitalize()) if place["where"] else ""
    quote = place["quote"]
    if quote is None:
        return format_html('{}<p class="none">{}.</p>', where, place["not_quoted"])
    return format_html(
        "{}<blockquote>{}<mark>{}</mark>{}</blockquote>", where, quote["before"], quote["you"], quote["after"]
    )


def _list(names: list[str]) -> SafeString:
    return format_html("<ul>{}</ul>", format_html_join("", "<li>{}</li>", ((each,) for each in names)))


def _kinds(kinds: list[Mapping[str, Any]]) -> SafeString:
    if not kinds:
        return mark_safe("")
    return format_html(
        "<h2>How long events are kept</h2>{}\n",
        table(_KINDS, [{name: each[name] for name in _KINDS} for each in kinds]),
    )
