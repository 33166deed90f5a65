"""Show an XBRL instance, an XML file of facts that no page prints, as a web page with a table of them.

The page is inline XBRL: each figure stands in a cell that is marked as the fact it is. So a fact has a place that a
person can look at, and who reads inline XBRL can read an instance too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any, Final

from lxml import etree

from apps.corpus.extraction.errors import CorruptFileError

_INSTANCE: Final = re.compile(
    r"\s*(?:<\?xml[^>]{0,200}\?>)?\s*(?:<!--[^>]{0,2000}-->\s*){0,5}<(?:[\w-]{1,40}:)?xbrl[\s>]", re.IGNORECASE
)
_XML_DECLARATION: Final = re.compile(r"^\s*<\?xml[^>]{0,200}\?>")
_XBRLI: Final = "{http://www.xbrl.org/2003/instance}"
_MEMBERS: Final = ("{http://xbrl.org/2006/xbrldi}explicitMember", "{http://xbrl.org/2006/xbrldi}typedMember")
_NAMESPACES: Final = {
    "ix": "http://www.xbrl.org/2013/inlineXBRL",
    "xbrli": "http://www.xbrl.org/2003/instance",
    "xbrldi": "http://xbrl.org/2006/xbrldi",
}
_WORDS: Final = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z]?[A-Z][a-z]+|[a-z]+|[A-Z]|\d+")
_NO_PREFIX: Final = "own"
_LONGEST_NAME: Final = 200
_COLUMNS: Final = ("Element", "Value", "Unit", "Period", "Part")


def is_instance(text: str) -> bool:
    """Return whether a text is an XML file of XBRL facts."""
    return bool(_INSTANCE.match(text))


def name_in_words(name: str) -> str:
    """Return a qualified name as words: "srt:NorthAmericaMember" -> "North America"."""
    local = name.rpartition(":")[2][:_LONGEST_NAME].strip()
    return " ".join(_WORDS.findall(local.removesuffix("Member")) or [local])


def render_instance(text: str, *, filename: str) -> str:
    """Return an instance as a page of inline XBRL. Nothing is loaded, and no entities are expanded.

    Raises: CorruptFileError: it is no well-formed XML, or nests deeper than any instance does.
    """
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(_XML_DECLARATION.sub("", text).encode("utf-8", "replace"), parser=parser)
    except (etree.LxmlError, ValueError) as error:
        raise CorruptFileError(filename=filename, reason="its XML is not well-formed") from error
    prefixes = {prefix or _NO_PREFIX: uri for prefix, uri in root.nsmap.items()} | _NAMESPACES
    names = " ".join(f'xmlns:{prefix}="{escape(uri)}"' for prefix, uri in sorted(prefixes.items()))
    contexts = {each.get("id"): each for each in root.iter(f"{_XBRLI}context")}
    units = {each.get("id"): each for each in root.iter(f"{_XBRLI}unit")}
    resources = "".join(map(_context, contexts.values())) + "".join(map(_unit, units.values()))
    heads = "".join(f"<th>{name}</th>" for name in _COLUMNS)
    shown = {name: _unit_in_words(unit) for name, unit in units.items()}
    rows = "".join(_rows(root, {name: _period_and_part(each) for name, each in contexts.items()}, shown))
    return (
        f"<html {names}><body><ix:header><ix:resources>{resources}</ix:resources></ix:header>"
        f"<h1>XBRL facts</h1><table><tr>{heads}</tr>{rows}</table>{''.join(_texts(root))}</body></html>"
    )


def _rows(root: Any, places: Mapping[str, tuple[str, str]], units: Mapping[str, str]) -> Iterator[str]:
    for fact in root.iterchildren("{*}*"):
        unit = fact.get("unitRef")
        if unit is None or fact.get("contextRef") is None or len(fact):
            continue
        period, part = places.get(fact.get("contextRef"), ("", ""))
        nil = ' xsi:nil="true"' if _is_nil(fact) else ""
        value = (
            f'<ix:nonFraction name="{_name(fact)}" contextRef="{escape(fact.get("contextRef"))}" '
            f'unitRef="{escape(unit)}"{nil}>{escape((fact.text or "").strip())}</ix:nonFraction>'
        )
        cells = (escape(name_in_words(_name(fact))), value, *map(escape, (units.get(unit, ""), period, part)))
        yield "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _texts(root: Any) -> Iterator[str]:
    """Yield the facts that are words. Notes hold HTML, which is shown as such."""
    for fact in root.iterchildren("{*}*"):
        text = (fact.text or "").strip()
        if fact.get("unitRef") is not None or fact.get("contextRef") is None or len(fact) or not text:
            continue
        marked = f'<ix:nonNumeric name="{_name(fact)}" contextRef="{escape(fact.get("contextRef"))}">'
        label = escape(name_in_words(_name(fact)))
        if "<" in text:
            yield f"<h2>{label}</h2><div>{text}</div>"
        else:
            yield f"<p>{label}: {marked}{escape(text)}</ix:nonNumeric></p>"


def _name(fact: Any) -> str:
    return escape(f"{fact.prefix or _NO_PREFIX}:{etree.QName(fact).localname}")


def _is_nil(fact: Any) -> bool:
    return fact.get("{http://www.w3.org/2001/XMLSchema-instance}nil") in ("true", "1")


def _period_and_part(context: Any) -> tuple[str, str]:
    start, end, instant = (
        (context.findtext(f".//{_XBRLI}{name}") or "").strip() for name in ("startDate", "endDate", "instant")
    )
    members = [name_in_words("".join(each.itertext()).strip()) for each in context.iter(*_MEMBERS)]
    return (f"as of {instant}" if instant else f"{start} to {end}" if end else "", ", ".join(members))


def _context(context: Any) -> str:
    dates = "".join(
        f"<xbrli:{name}>{escape(each.text or '')}</xbrli:{name}>"
        for name in ("startDate", "endDate", "instant")
        for each in context.iter(f"{_XBRLI}{name}")
    )
    members = "".join(
        f'<xbrldi:{etree.QName(each).localname} dimension="{escape(each.get("dimension") or "")}">'
        f"{escape(''.join(each.itertext()).strip())}</xbrldi:{etree.QName(each).localname}>"
        for each in context.iter(*_MEMBERS)
    )
    return f'<xbrli:context id="{escape(context.get("id") or "")}">{members}{dates}</xbrli:context>'


def _unit(unit: Any) -> str:
    below = set(unit.iterfind(f".//{_XBRLI}unitDenominator/{_XBRLI}measure"))
    sides = {"unitNumerator": "", "unitDenominator": ""}
    for each in unit.iter(f"{_XBRLI}measure"):
        side = "unitDenominator" if each in below else "unitNumerator"
        sides[side] += f"<xbrli:measure>{escape((each.text or '').strip())}</xbrli:measure>"
    said = "".join(f"<xbrli:{side}>{measures}</xbrli:{side}>" for side, measures in sides.items() if measures)
    return f'<xbrli:unit id="{escape(unit.get("id") or "")}">{said}</xbrli:unit>'


def _unit_in_words(unit: Any) -> str:
    return " per ".join((each.text or "").strip().rpartition(":")[2] for each in unit.iter(f"{_XBRLI}measure"))
