"""What clears rows: how a table's rows are found for each type of target, and when they go.

apps/erasure/contracts.py has the interface of a store, and apps/erasure/stores/ what carries these out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Final


class TargetType(StrEnum):
    DOCUMENT = "document"  # one version of a document: Document.id
    EVENT_GROUP = "event_group"  # one field group of one event: Event.id, and the group as part
    USER = "user"  # an account's traces within the tenant: User.id
    SCOPE = "scope"  # a scope with all that is in it: Scope.id
    TENANT = "tenant"  # Tenant.id


class Phase(IntEnum):
    """The order in which stores are cleared: what is derived from a thing is removed before the thing."""

    CACHES = 10  # caches, queues, answers kept for repeated requests
    DERIVED = 20  # mentions, metrics, feedback, conversations, previews
    SEARCH = 30  # vectors and term statistics
    PASSAGES = 40  # chunks, pages
    DOCUMENTS = 50  # documents and their files
    ACCOUNTS = 60  # memberships, grants, keys of a person
    LOG = 70  # field groups of events
    KEYS = 80  # data keys


# The named scopes and all below them. What is named stays named although its row may be gone.
SCOPES_BELOW: Final = """ARRAY(
    WITH RECURSIVE below (id) AS (
        SELECT unnest(%(scope)s::uuid[])
        UNION
        SELECT s.id FROM tenants_scope s JOIN below b ON s.parent_id = b.id WHERE s.tenant_id = %(open_tenant)s
    ) SELECT id FROM below)"""
OF_DOCUMENT: Final = "t.document_id = ANY (%(document)s::uuid[])"
OF_SCOPE: Final = f"t.scope_id = ANY ({SCOPES_BELOW})"
OF_TENANT: Final = "t.tenant_id = ANY (%(tenant)s::uuid[])"
OF_ANY: Final = {TargetType.DOCUMENT: OF_DOCUMENT, TargetType.SCOPE: OF_SCOPE, TargetType.TENANT: OF_TENANT}


@dataclass(slots=True, kw_only=True, eq=False)
class RowStore:
    """Rows of one table, found by a column for each type of target, removed or emptied in parts.

    key, label, phase: see Store in apps/erasure/contracts.py.
    table: `t` in the conditions below; empty for that of the model that declares the store.
    found_by: which rows are a target's, by its type, as SQL. %(document)s, %(user)s, %(scope)s, %(tenant)s are the ids
        of the targets of each type, %(open_tenant)s the open tenant.
    emptied: columns that are set to these SQL expressions, where the row must stay and is of nobody then. found_by
        leaves out what is emptied already. Without it rows are removed.
    when: of the rows that are found, those that can go now: others go before them.
    order: which go first, where rows of the table point at one another; one that an index of the table has.
    tenant_column: the tenant of a row.
    document_column: the document of a row. One that must stay keeps its rows when its scope or tenant goes.
    waits_for_holds: see Store.
    reads: the columns, separated by blanks, that the eraser reads beside those that the conditions name as `t`'s: ids
        and states, never contents.

    The database lets the eraser do this to the table, and no more (eraser.py).
    """

    key: str
    label: str
    phase: Phase
    table: str = ""
    found_by: Mapping[TargetType, str]
    emptied: Mapping[str, str] = field(default_factory=dict)
    when: str = ""
    order: str = ""
    tenant_column: str = "tenant_id"
    document_column: str = ""
    waits_for_holds: bool = False
    reads: str = ""


def rows_of_document(key: str, label: str, phase: Phase, *, order: str = "", reads: str = "") -> RowStore:
    """Return the store of a table whose rows go with their document, its scope or its tenant."""
    return RowStore(
        key=key,
        label=label,
        phase=phase,
        found_by=OF_ANY,
        document_column="document_id",
        order=order,
        reads=reads,
    )


@dataclass(slots=True, kw_only=True, eq=False)
class TenantStore:
    """Whole tables, which the database keeps from everybody until their tenant goes.

    tables: in the order in which they are emptied. The database lets audit_remove_of_tenant at them, for a run that
        names the tenant and is being carried out (apps/tenants/eraser_rights.py).
    """

    key: str
    label: str
    phase: Phase
    tables: tuple[str, ...]
    waits_for_holds: bool = False
