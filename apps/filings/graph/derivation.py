"""The graph as what is derived from a file while it is read (apps/corpus/registry.py)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from pydantic import Field, TypeAdapter

from apps.corpus.description import Description
from apps.corpus.extraction.contracts import ExtractedDocument, Page
from apps.corpus.reader.answers import ContradictionError
from apps.corpus.registry import Derivation, Derived, register_derivation
from apps.filings.graph.contracts import (
    LONGEST_KEY,
    LONGEST_NAME,
    LONGEST_SENTENCE,
    End,
    EntityType,
    ReadItem,
    ReadMention,
    ReadRelation,
    RelationType,
)
from apps.filings.graph.keys import keys_of_name
from apps.filings.graph.named_concepts import named_concepts
from apps.filings.graph.organisations import known_organisations
from apps.filings.graph.places import places
from apps.filings.graph.reading import read_graph
from apps.filings.graph.regulations import regulation_names

NAME: Final = "graph"
MOST_ITEMS: Final = 30_000
"""A document's further mentions are left out, with a warning; its relations come first."""
_UNNAMED: Final = frozenset({EntityType.ORGANISATION, EntityType.DOCUMENT})


def prepare() -> None:
    """Read the names of places, authorities, laws and concepts."""
    for index in (places, known_organisations, regulation_names, named_concepts):
        index()


def derive(content: bytes, extracted: ExtractedDocument, about: Description, language: str) -> Derived:
    """Return the relations and mentions of a document, without those that the check would not take."""
    items: tuple[ReadItem, ...] = read_graph(extracted.pages, company=about.company, language=language)
    pages = {page.number: page for page in extracted.pages}
    while True:
        printed = _printed_keys(items)
        kept = tuple(each for each in items if _problem_of(each, pages, printed) is None)
        # What is left out may have been what gave another one its name.
        if len(kept) == len(items):
            return Derived(items=items)
        items = kept


def check(items: Sequence[ReadItem], pages: Mapping[int, Page], media_type: str) -> None:
    """Check that each item says what its page prints, since the process that read it may be in the hands of the file.

    A key is that of its own printed name, or of another that the document prints of the same type: that "Mr. Cook" is
    Timothy Cook, and not another person of the document, is the reader's word. Raises: ContradictionError.
    """
    if len(items) > MOST_ITEMS:
        raise ContradictionError("too many entities")
    printed = _printed_keys(items)
    seen = set()
    for each in items:
        if (problem := _problem_of(each, pages, printed)) is not None:
            raise ContradictionError(problem)
        if isinstance(each, ReadMention):
            if (each.page, each.key) in seen:
                raise ContradictionError("an entity twice on a page")
            seen.add((each.page, each.key))


def _printed_keys(items: Sequence[ReadItem]) -> Mapping[EntityType, set[str]]:
    """Return the keys of the names that are printed, by type."""
    printed: dict[EntityType, set[str]] = defaultdict(set)
    for each in items:
        # What is longer no page prints as a name (_problem_of_mention), and it is not read for a key.
        if isinstance(each, ReadMention) and len(each.name) <= LONGEST_NAME:
            printed[each.type].update(keys_of_name(each.type, each.name))
    return printed


def _problem_of(item: ReadItem, pages: Mapping[int, Page], printed: Mapping[EntityType, set[str]]) -> str | None:
    """Return what is wrong with an item; None if its page prints what it says."""
    page = pages.get(item.page)
    if page is None:
        return "an entity on no page"
    if isinstance(item, ReadMention):
        return _problem_of_mention(item, page.text, printed)
    return _problem_of_relation(item, page.text, pages, printed)


def _problem_of_mention(mention: ReadMention, text: str, printed: Mapping[EntityType, set[str]]) -> str | None:
    if not 0 <= mention.start < mention.end <= len(text) or mention.end - mention.start > LONGEST_NAME:
        return "an entity beyond its page"
    if " ".join(text[mention.start : mention.end].split()) != mention.name or not 1 <= mention.times <= len(text):
        return "an entity that its page does not print"
    if len(mention.key) > LONGEST_KEY:
        return "a key that is none"
    return None if mention.key in printed.get(mention.type, ()) else "an entity by another name"


def _problem_of_relation(
    relation: ReadRelation, text: str, pages: Mapping[int, Page], printed: Mapping[EntityType, set[str]]
) -> str | None:
    if not 0 <= relation.start < relation.end <= len(text) or relation.end - relation.start > LONGEST_SENTENCE:
        return "a sentence beyond its page"
    sentence = " ".join(text[relation.start : relation.end].split())
    for end in (relation.subject, relation.object):
        if end.name not in sentence or len(end.name) > LONGEST_NAME:
            return "a relation that its sentence does not print"
        if end.key not in printed.get(end.type, ()) if end.key else end.type not in _UNNAMED:
            return "a relation of what the document does not name"
    reference = relation.relation is RelationType.REFERS_TO
    if reference != (relation.subject == _DOCUMENT and relation.object.type is EntityType.DOCUMENT):
        return "a reference that is none"
    if relation.target_page is not None and (not reference or relation.target_page not in pages):
        return "a reference to no page"
    return None


_DOCUMENT: Final = End(type=EntityType.DOCUMENT, key="", name="")


register_derivation(
    Derivation(
        module=__name__,
        name=NAME,
        label="What it names",
        result=TypeAdapter(tuple[Annotated[ReadMention | ReadRelation, Field(discriminator="item")], ...]),
        most=MOST_ITEMS,
        prepare=prepare,
        derive=derive,
        check=check,
    )
)
