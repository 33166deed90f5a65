"""A mention and a relation as they are read from a document, before they are stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from django.db import models


class EntityType(models.TextChoices):
    """What an entity is."""

    ORGANISATION = "organisation", "Organisation"
    PERSON = "person", "Person"
    LOCATION = "location", "Place"
    REGULATION = "regulation", "Regulation"
    CONCEPT = "concept", "Concept"
    PRODUCT = "product", "Product"
    DATE = "date", "Date"
    MONEY = "money", "Amount of money"
    PERCENT = "percent", "Percentage"
    DOCUMENT = "document", "Document"


class RelationType(models.TextChoices):
    """What a sentence says of its subject and its object. That a document names something is a mention."""

    DEFINES = "defines", "defines"
    GOVERNED_BY = "governed_by", "is governed by"
    LOCATED_IN = "located_in", "is located in"
    RELATED_TO = "related_to", "is related to"
    WORKS_FOR = "works_for", "works for"
    COMPETES_WITH = "competes_with", "competes with"
    ACQUIRED = "acquired", "acquired"
    SUBSIDIARY_OF = "subsidiary_of", "is a subsidiary of"
    REFERS_TO = "refers_to", "refers to"


LONGEST_NAME: Final = 120
LONGEST_KEY: Final = 160
LONGEST_SENTENCE: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadMention:
    """An entity on a page.

    key: its type and its normalised name, by which mentions are the same entity (keys.py).
    name: as the page prints it at the first place, blanks joined; `page.text[start:end]` is that place.
    times: how often the page names it.
    """

    item: Literal["mention"] = "mention"
    type: EntityType
    key: str
    name: str
    page: int
    start: int
    end: int
    times: int


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """The subject or the object of a relation.

    key: empty for what is not named: of an organisation the document's own company ("we"), of a document itself.
    name: as the sentence prints it.
    """

    type: EntityType
    key: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRelation:
    """What one sentence says: `page.text[start:end]`.

    target_page: of a reference within the document, the page that it leads to; None if that was not found.
    """

    item: Literal["relation"] = "relation"
    relation: RelationType
    subject: End
    object: End
    page: int
    start: int
    end: int
    target_page: int | None = None


ReadItem = ReadMention | ReadRelation
