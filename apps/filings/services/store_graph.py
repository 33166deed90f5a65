"""Write the mentions and relations of a document, each with one INSERT statement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.db import connection

from apps.corpus.models import Document
from apps.filings.graph.contracts import End, EntityType, ReadItem, ReadMention, ReadRelation
from apps.filings.graph.keys import entity_key
from apps.filings.graph.organisations import key_of_organisation
from apps.sql_files import read_statements

_SQL: Final = read_statements(__file__)
_LONGEST_NAME: Final = 200


def store_graph(document: Document, items: Sequence[ReadItem] | None) -> None:
    """Replace the graph of an earlier reading. Needs an open scope and its transaction.

    "We" is the company that the document's metadata names: who corrects that has the document read again.

    Args: items: None if this reading gave none.
    """
    own = [document.tenant_id, document.scope_id, document.id]
    mentions = [each for each in items or () if isinstance(each, ReadMention)]
    relations = [
        (each, subject, object)
        for each in items or ()
        if isinstance(each, ReadRelation)
        and (subject := _named(each.subject, document))
        and (object := _named(each.object, document))
    ]
    with connection.cursor() as cursor:
        cursor.execute(_SQL["forget_mentions"], own)
        cursor.execute(_SQL["forget_relations"], own)
        if mentions:
            rows = [(m.type.value, m.key, m.name, m.page, m.start, m.end, m.times) for m in mentions]
            cursor.execute(_SQL["mentions"], [*own, document.kind, *map(list, zip(*rows, strict=True))])
        if relations:
            told = [
                (number, r.relation.value, *_columns(s), *_columns(o), r.page, r.start, r.end, r.target_page)
                for number, (r, s, o) in enumerate(relations, start=1)
            ]
            cursor.execute(_SQL["relations"], [*own, document.kind, *map(list, zip(*told, strict=True))])


def _named(end: End, document: Document) -> End | None:
    """Return an end with its key; None for the document's own company where nothing says who that is."""
    if end.key:
        return end
    if end.type is EntityType.DOCUMENT:
        return End(type=end.type, key=entity_key(end.type, str(document.id)), name=end.name)
    if not document.company:
        return None
    key = entity_key(end.type, key_of_organisation(document.company))
    return End(type=end.type, key=key, name=document.company)


def _columns(end: End) -> tuple[str, str, str]:
    return end.type.value, end.key, end.name[:_LONGEST_NAME]
