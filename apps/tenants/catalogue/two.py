"""Check that no single person can remove what two people decide on: which rows runtime roles may delete, and how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from apps.sql_files import read_statements
from apps.tenants.catalogue.contracts import Cursor, Finding
from apps.tenants.catalogue.guarded import GUARDED, rows
from apps.tenants.rights import RUNTIME_ROLES

_SQL: Final = read_statements(__file__)

# Tables whose rows one person alone may remove, and why. Every other table from which a runtime role may delete must
# have a trigger that checks who deletes.
ONE_PERSON: Final[Mapping[str, str]] = {
    "audit_restriction": "lifting one brings a document back into sight; those of a hold last as long as the hold",
    "audit_webhook": "the log keeps that there was one, and its events; only a tenant's administrator",
    "audit_webhookdelivery": "what was sent goes with its endpoint, and after a month; the events stay in the log",
    "audit_webhookattempt": "what was sent goes with its endpoint, and after a month; the events stay in the log",
    "research_researchrun": "its time is over: the policy lets the platform alone; the events stay in the log",
    "research_researchstep": "it goes with its run: the policy lets the platform alone; the events stay in the log",
    "retrieval_evaluationquery": "a question that somebody typed for a test of the policy",
    "retrieval_evaluationrun": "figures of such a test",
    "retrieval_evaluationanswer": "figures of such a test",
    "retrieval_keptanswer": "its days are over: the policy lets the platform alone; the event stays in the log",
    "retrieval_sentquestion": "who sent it takes it back, and what is decided goes in time; the events stay in the log",
    "tenants_idempotentrequest": "kept for a day, to answer a repeated request",
    "tenants_session": "somebody signs out",
    "tenants_accountlink": "it has expired: the policy shows no other one to who serves",
}
# Tables on which two people decide: table -> the trigger function that enforces it, and for which commands.
KEPT_BY_TWO: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "corpus_document": ("corpus_document_by_two", ("DELETE", "UPDATE")),
    **dict.fromkeys(
        (
            "corpus_sourcefile",
            "corpus_page",
            "corpus_chunk",
            "corpus_posting",
            "corpus_embedding384",
            "corpus_embedding768",
            "corpus_embedding1536",
            "filings_entitymention",
            "filings_fact",
            "filings_relation",
        ),
        ("corpus_contents_by_two", ("INSERT", "UPDATE", "DELETE")),
    ),
    "corpus_ingestjob": ("corpus_contents_by_two", ("DELETE",)),
}
# The bits of pg_trigger.tgtype.
_BITS: Final[Mapping[str, int]] = {"INSERT": 4, "DELETE": 8, "UPDATE": 16}
_REMEDY: Final = "Run migrate; a new table's migration adds a trigger, or says in this check why one person may."


def deletable_by_one(cursor: Cursor) -> Iterator[Finding]:
    """Find tables whose rows a runtime role may delete without a trigger that checks who deletes."""
    unasked = rows(
        cursor,
        GUARDED + _SQL["deletable_by_one"],
        one=list(ONE_PERSON),
        roles=list(RUNTIME_ROLES),
    )
    for (table,) in unasked:
        yield Finding(subject=f"Table {table}", problem="is emptied by one person alone.", remedy=_REMEDY)
    for table, (function, commands) in KEPT_BY_TWO.items():
        for command in commands:
            held = rows(
                cursor,
                """
                SELECT 1 FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
                 WHERE c.relname = %(table)s AND p.proname = %(function)s AND NOT t.tgisinternal
                   AND t.tgenabled IN ('O', 'A') AND (t.tgtype & %(bit)s) <> 0
                """,
                table=table,
                function=function,
                bit=_BITS[command],
            )
            if not held:
                yield Finding(
                    subject=f"Table {table}",
                    problem=f"lets one person alone {command.lower()} what two decide on.",
                    remedy=_REMEDY,
                )
