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
    """Return the relations and mentions of a document."""
    return Derived(items=read_graph(extracted.pages, company=about.company, language=language))


def check(items: Sequence[ReadItem], pages: Mapping[int, Page], media_type: str) -> None:
    """Check that each item says what its page prints, since the process that read it may be in the hands of the file.

    A key is that of its own printed name, or of another that the document prints of the same type: that "Mr. Cook" is
    Timothy Cook, and not another person of the document, is the reader's word. Raises: ContradictionError.
    """
    if len(items) > MOST_ITEMS:
        raise ContradictionError("too many entities")
    own_keys = [keys_of_name(each.type, each.name) if isinstance(each, ReadMention) else None for each in items]
    printed: dict[EntityType, set[str]] = defaultdict(set)
    for each, keys in zip(items, own_keys, strict=True):
        if isinstance(each, ReadMention):
            _check_mention(each, pages)
            printed[each.type].update(keys or ())
    seen = set()
    for each in items:
        if isinstance(each, ReadMention):
            if each.key not in printed[each.type]:
                raise ContradictionError("an entity by another name")
            if (each.page, each.key) in seen:
                raise ContradictionError("an entity twice on a page")
            seen.add((each.page, each.key))
        else:
            _check_relation(each, pages, printed)


def _check_mention(mention: ReadMention, pages: Mapping[int, Page]) -> None:
    text = _text(pages, mention.page)
    if not 0 <= mention.start < mention.end <= len(text) or mention.end - mention.start > LONGEST_NAME:
        raise ContradictionError("an entity beyond its page")
    if " ".join(text[mention.start : mention.end].split()) != mention.name or not 1 <= mention.times <= len(text):
        raise ContradictionError("an entity that its page does not print")
    if len(mention.key) > LONGEST_KEY:
        raise ContradictionError("a key that is none")


def _check_relation(relation: ReadRelation, pages: Mapping[int, Page], printed: Mapping[EntityType, set[str]]) -> None:
    text = _text(pages, relation.page)
    if not 0 <= relation.start < relation.end <= len(text) or relation.end - relation.start > LONGEST_SENTENCE:
        raise ContradictionError("a sentence beyond its page")
    sentence = " ".join(text[relation.start : relation.end].split())
    for end in (relation.subject, relation.object):
        if end.name not in sentence or len(end.name) > LONGEST_NAME:
            raise ContradictionError("a relation that its sentence does not print")
        if end.key not in printed.get(end.type, ()) if end.key else end.type not in _UNNAMED:
            raise ContradictionError("a relation of what the document does not name")
    reference = relation.relation is RelationType.REFERS_TO
    if reference != (relation.subject == _DOCUMENT and relation.object.type is EntityType.DOCUMENT):
        raise ContradictionError("a reference that is none")
    if relation.target_page is not None and (not reference or relation.target_page not in pages):
        raise ContradictionError("a reference to no page")


_DOCUMENT: Final = End(type=EntityType.DOCUMENT, key="", name="")


def _text(pages: Mapping[int, Page], number: int) -> str:
    page = pages.get(number)
    if page is None:
        raise ContradictionError("an entity on no page")
    return page.text


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
