"""Short ways to what the graph reads of a text."""

from __future__ import annotations

from apps.corpus.extraction import extract
from apps.filings.graph.contracts import EntityType, ReadMention, ReadRelation
from apps.filings.graph.reading import read_graph


def read(text: str, *, company: str = "", language: str = "en") -> tuple[list[ReadMention], list[ReadRelation]]:
    """Return the mentions and the relations of a Markdown text."""
    pages = extract(text.encode(), filename="text.md").pages
    items = read_graph(pages, company=company, language=language)
    return (
        [each for each in items if isinstance(each, ReadMention)],
        [each for each in items if isinstance(each, ReadRelation)],
    )


def keys(text: str, type: EntityType, *, language: str = "en") -> set[str]:
    """Return the ends of the keys of one type."""
    return {each.key.partition(":")[2] for each in read(text, language=language)[0] if each.type is type}


def told(text: str, *, company: str = "", language: str = "en") -> set[tuple[str, str, str]]:
    """Return relation, subject and object as their names, "we" for the document's own company."""
    return {
        (each.relation.value, each.subject.name or _unnamed(each.subject.type), each.object.name or "we")
        for each in read(text, company=company, language=language)[1]
    }


def _unnamed(type: EntityType) -> str:
    return "this" if type is EntityType.DOCUMENT else "we"
