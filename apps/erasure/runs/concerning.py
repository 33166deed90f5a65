"""Which field groups of the log concern a document or a person: what a removal of them takes along.

Of a document: the passages of every event that hit it, and the answer of the same events, whose references are made of
the document's title. Its own events' core stays: ids, a kind, a version, counts and a digest of the file, which is the
proof that it was here and that it went (GDPR 17(3)(b) and (e)), and by which it is told when it comes again.

Of a person: the actor's group of everything that they did, and with it the name beside the event; and what they asked.
The core stays, with the id of their account, which names nobody once that is empty.

Of a scope: questions, answers and passages of events that touched it and the scopes below alone. An event that touched
others too is theirs as well: of it, what concerns the scope's documents goes with them, as targets of their own
(apps.corpus.contents.documents_of).

Of a tenant: every group but core. The cores are closed by destroying the keys (see apps/erasure/stores/declared.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.db import connection

from apps.audit.registry import Group
from apps.audit.terms import DOCUMENT, term
from apps.erasure.contracts import Target, TargetType
from apps.erasure.stores.rows import ids, ids_of
from apps.sql_files import read_statements
from apps.tenants.personal_data.stores import SCOPES_BELOW

_SQL: Final = read_statements(__file__)
_OF_DOCUMENTS: Final = _SQL["of_documents"].format(passages=Group.PASSAGES, answer=Group.ANSWER)
_OF_USERS: Final = _SQL["of_users"].format(actor=Group.ACTOR, question=Group.QUESTION)
_OF_SCOPES: Final = _SQL["of_scopes"].format(
    scopes_below=SCOPES_BELOW, question=Group.QUESTION, answer=Group.ANSWER, passages=Group.PASSAGES
)
_OF_TENANT: Final = _SQL["of_tenant"].format(core=Group.CORE)
_QUERIES: Final = {
    TargetType.DOCUMENT: _OF_DOCUMENTS,
    TargetType.USER: _OF_USERS,
    TargetType.SCOPE: _OF_SCOPES,
    TargetType.TENANT: _OF_TENANT,
}


def event_groups_of(targets: Sequence[Target]) -> tuple[Target, ...]:
    """The groups that concern the targets and are still there, of all events that the open scope sees, each once.

    Costs: one query for each type of target. It reads the groups of a tenant's log once for documents, scopes and
    tenants; nothing is decrypted.
    """
    found: set[Target] = set()
    parameters = {**ids_of(targets), "terms": [term(DOCUMENT, id) for id in ids(targets, TargetType.DOCUMENT)]}
    for type in sorted({target.type for target in targets} & _QUERIES.keys()):
        with connection.cursor() as cursor:
            cursor.execute(_QUERIES[type], parameters)
            found |= {
                Target(type=TargetType.EVENT_GROUP, id=event_id, part=group) for event_id, group in cursor.fetchall()
            }
    return tuple(sorted(found))
