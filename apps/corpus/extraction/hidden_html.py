"""All texts of a web page: elements that are shown or not, comments, attributes, scripts."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree
from lxml import html as lxml_html

from apps.corpus.extraction.decoding import decode
from apps.corpus.extraction.errors import CorruptFileError


def html_texts(content: bytes) -> Iterator[tuple[str, str]]:
    """Parts (Part) with a text each. Raises: CorruptFileError."""
    parser = lxml_html.HTMLParser(encoding="utf-8", no_network=True, huge_tree=True)
    text = decode(content).text
    try:
        root = lxml_html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise CorruptFileError(filename="", reason="no readable HTML structure") from error
    for element in root.getroottree().iter():
        if element.tag is etree.Comment or not isinstance(element.tag, str):
            yield "comments", element.text or ""
        elif element.tag in ("script", "style"):
            yield "scripts", element.text_content()
        elif element.tag == "title":
            yield "properties", element.text_content()
        else:
            yield "rest", element.text or ""
        yield "rest", element.tail or ""
        if isinstance(element.tag, str):
            part = "properties" if element.tag == "meta" else "attributes"
            yield from ((part, value) for value in element.attrib.values())
    # Words of one name may be in elements of their own.
    for block in root.iter("p", "div", "td", "th", "li", "span", "option", "button", "template", "noscript"):
        yield "rest", " ".join(block.text_content().split())
