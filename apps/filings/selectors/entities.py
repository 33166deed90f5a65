"""Entities of the documents in force, their relations, and what is named beside them.

An entity is made here, of the rows that the open scope shows. No row is of an entity that several scopes share, so that
no name, count or link tells of a scope that is not open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db import connection

from apps.corpus.models import DocumentStatus
from apps.filings.graph.contracts import EntityType, RelationType
from apps.filings.graph.keys import key_of_search
from apps.sql_files import read_statements
from apps.tenants.context import current_scope

_SQL: Final = read_statements(__file__)
MOST_ENTITIES: Final = 100
MOST_DOCUMENTS: Final = 200
MOST_RELATIONS: Final = 100
MOST_BESIDE: Final = 30
_PAGES_OF_A_DOCUMENT: Final = 50
_PAGES_READ: Final = 500
_BESIDE: Final = (
    EntityType.ORGANISATION,
    EntityType.PERSON,
    EntityType.LOCATION,
    EntityType.REGULATION,
    EntityType.PRODUCT,
)
_AFTER_ALL: Final = "\U0010ffff"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """An entity as the open scope knows it. name: the most frequent one; mentions: how often it is named."""

    key: str
    name: str
    documents: int
    mentions: int
    first_year: int | None
    last_year: int | None

    @property
    def type(self) -> EntityType:
        return type_of(self.key)


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePlace:
    """A page, and the characters of the first mention on it."""

    page: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentMentions:
    """Where a document names an entity. pages: the first fifty that do."""

    document_id: UUID
    title: str
    company: str
    fiscal_year: int | None
    name: str
    times: int
    pages: tuple[PagePlace, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedEnd:
    """One end of a relation."""

    type: EntityType
    key: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedRelation:
    """A relation with the sentence that says so. hops: 1 if it is of an entity asked for, 2 if of its neighbour."""

    relation: RelationType
    subject: RelatedEnd
    object: RelatedEnd
    sentence: str
    document_id: UUID
    title: str
    fiscal_year: int | None
    page: int
    start: int
    end: int
    hops: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """An entity that is named on the same pages. documents: in how many documents; pages: on how many pages."""

    key: str
    name: str
    documents: int
    pages: int

    @property
    def type(self) -> EntityType:
        return type_of(self.key)


def type_of(key: str) -> EntityType:
    """Return the type of an entity by its key. Raises: ValueError: it is no key."""
    return EntityType(key.partition(":")[0])


def find_entities(name: str, type: EntityType, *, most: int = MOST_ENTITIES) -> list[Entity]:
    """Return the entities of a type whose names begin with this, by their keys. Costs: one query."""
    low = key_of_search(type, name)
    return [_entity(row) for row in _read(_SQL["found"], low=low, high=low + _AFTER_ALL, most=min(most, MOST_ENTITIES))]


def find_of_all_types(name: str, *, most: int = MOST_ENTITIES) -> list[Entity]:
    """Return the same of all types, those that are named in most documents first. Costs: a query for each type."""
    found = [each for type in EntityType for each in find_entities(name, type, most=most)]
    return sorted(found, key=lambda each: (-each.documents, -each.mentions, each.key))[:most]


def entity_of_key(key: str) -> Entity | None:
    """Return an entity; None if no document in force of the open scope names it."""
    rows = _read(_SQL["found"], low=key, high=key + "\x01", most=1) if "\x00" not in key else []
    return _entity(rows[0]) if rows else None


def mentions_of_entity(key: str, *, most: int = MOST_DOCUMENTS) -> list[DocumentMentions]:
    """Return the documents that name an entity, the latest year first."""
    return [
        DocumentMentions(
            document_id=id,
            title=title,
            company=company,
            fiscal_year=year,
            name=name,
            times=times,
            pages=tuple(
                PagePlace(page=page, start=start, end=end) for page, start, end in zip(pages, starts, ends, strict=True)
            ),
        )
        for id, title, company, year, _, name, times, pages, starts, ends in _read(
            _SQL["mentions"], key=key, pages=_PAGES_OF_A_DOCUMENT, most=most
        )
    ]


def relations_of(keys: Sequence[str], *, most: int = MOST_RELATIONS) -> list[StatedRelation]:
    """Return the relations of entities, each once, with their sentences: one hop for one entity, two for several.

    Costs: one query; two for several entities.
    """
    near = _relations(keys, most=most, hops=1)
    if len(keys) < 2:
        return near[:most]
    ends = {end.key for each in near for end in (each.subject, each.object)} - set(keys)
    known = {(each.relation, each.subject.key, each.object.key, each.document_id, each.start) for each in near}
    further = [
        each
        for each in (_relations(sorted(ends)[:most], most=most, hops=2) if ends else [])
        if (each.relation, each.subject.key, each.object.key, each.document_id, each.start) not in known
    ]
    return [*near, *further][:most]


def beside(key: str, *, most: int = MOST_BESIDE) -> list[Beside]:
    """Return the entities that are named on the same pages, those that share most documents first."""
    types = [each.value for each in _BESIDE]
    return [
        Beside(key=other, name=name, documents=documents, pages=pages)
        for other, name, documents, pages in _read(_SQL["beside"], key=key, types=types, pages=_PAGES_READ, most=most)
    ]


def _relations(keys: Sequence[str], *, most: int, hops: int) -> list[StatedRelation]:
    found: dict[UUID, StatedRelation] = {}
    for id, relation, *ends, page, start, end, document_id, title, year, sentence in _read(
        _SQL["relations"], keys=list(keys), most=most
    ):
        found[id] = StatedRelation(
            relation=RelationType(relation),
            subject=_end(ends[:3], title),
            object=_end(ends[3:], title),
            sentence=" ".join(sentence.split()),
            document_id=document_id,
            title=title,
            fiscal_year=year,
            page=page,
            start=start,
            end=end,
            hops=hops,
        )
    return list(found.values())


def _end(columns: Sequence[str], title: str) -> RelatedEnd:
    type, key, name = columns
    # A document has no name of its own in its rows: that is its title.
    return RelatedEnd(type=EntityType(type), key=key, name=name or title)


def _entity(row: Sequence[Any]) -> Entity:
    key, name, documents, mentions, first, last = row
    return Entity(key=key, name=name, documents=documents, mentions=mentions, first_year=first, last_year=last)


def _read(statement: str, **values: Any) -> list[tuple[Any, ...]]:
    scope = current_scope()
    gates: dict[str, Any] = {
        "tenant": scope.tenant_id,
        "scopes": list(scope.scope_ids),
        "ready": DocumentStatus.READY.value,
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, {**gates, **values})
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
