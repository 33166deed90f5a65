"""Parse an inline XBRL file, as the reader of HTML does, and name its elements.

Read here with lxml and not by a library: ixbrlparse and the parser of edgartools (both MIT) keep no position of a fact
in its file, and Arelle loads taxonomies from the network.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from lxml import etree
from lxml import html as lxml_html

from apps.corpus.extraction.decoding import decode
from apps.corpus.extraction.errors import CorruptFileError
from apps.corpus.extraction.xbrl_instances import is_instance, render_instance

MOST_FACTS: Final = 100_000
"""A filing of a large bank has some 20,000. A file with more is not read at all."""
_FACT: Final = re.compile(r"<[\w.-]{1,40}:(?:non)?fraction\b", re.IGNORECASE)
_XML_DECLARATION: Final = re.compile(r"^\s*<\?xml[^>]{0,200}\?>")
# What a taxonomy's namespace holds, whatever the year, and how its elements are named here.
_KNOWN_NAMESPACES: Final = (
    (re.compile(r"^https?://fasb\.org/us-gaap/"), "us-gaap"),
    (re.compile(r"^https?://xbrl\.ifrs\.org/taxonomy/[^/]+/ifrs-full"), "ifrs-full"),
    (re.compile(r"^https?://xbrl\.sec\.gov/dei/"), "dei"),
    (re.compile(r"^https?://fasb\.org/srt/"), "srt"),
    (re.compile(r"^https?://(?:www\.)?xbrl\.org/(?:2013|2008)/inlineXBRL", re.IGNORECASE), "ix"),
    (re.compile(r"^https?://www\.xbrl\.org/2003/instance"), "xbrli"),
)
_MOST_PREFIXES: Final = 200


def parse_inline(content: bytes) -> Any | None:
    """Return the root of a file that holds inline XBRL; None if it holds none, too much, or nests too deep.

    An instance is read as the page of inline XBRL that extraction shows it as.

    An HTML parser expands no entities of a file's own, and loads nothing.
    """
    decoded = decode(content)
    if decoded.wrong:
        return None
    text = decoded.text
    if is_instance(text):
        try:
            text = render_instance(text, filename="")
        except CorruptFileError:
            return None
    text = _XML_DECLARATION.sub("", text)
    facts = sum(1 for _ in zip(_FACT.finditer(text), range(MOST_FACTS + 1), strict=False))
    if not 0 < facts <= MOST_FACTS:
        return None
    parser = lxml_html.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, huge_tree=False
    )
    try:
        root = lxml_html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.LxmlError, ValueError):
        return None
    cut = any(entry.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for entry in parser.error_log)
    return None if cut else root


def local_name(element: Any) -> str:
    """Return an element's name without its prefix, in lower case, as the HTML parser leaves it."""
    return element.tag.rpartition(":")[2] if isinstance(element.tag, str) else ""


def read_prefixes(root: Any) -> Mapping[str, str]:
    """Return the prefixes that stand for known taxonomies: "gaap24" -> "us-gaap"."""
    prefixes: dict[str, str] = {}
    for element in (root, root.find("body")):
        for name, namespace in element.attrib.items() if element is not None else ():
            prefix = name.removeprefix("xmlns:")
            if prefix == name or len(prefixes) >= _MOST_PREFIXES:
                continue
            known = next((known for pattern, known in _KNOWN_NAMESPACES if pattern.match(namespace)), prefix)
            prefixes[prefix] = known
    return prefixes


def element_names(prefixes: Mapping[str, str], known: str, *locals_: str) -> tuple[str, ...]:
    """List what elements are called in the file, by the prefixes that it gives a namespace. Args: known: "ix"."""
    own = sorted({known, *(prefix.lower() for prefix, name in prefixes.items() if name == known)})
    return tuple(f"{prefix}:{local}" for prefix in own for local in locals_)


def canonical_name(name: str, prefixes: Mapping[str, str]) -> str:
    """Return an element's qualified name with the usual prefix of its taxonomy."""
    prefix, colon, local = name.strip().partition(":")
    return f"{prefixes.get(prefix.lower(), prefix)}:{local}" if colon else prefix
