"""The stores in which policies hold data of a person or a tenant.

A submitted version is never changed or deleted, and only its author changes a draft; triggers enforce this against
every role. So names, reasons and examples in versions stay when a person is erased (personal_data.py gives the legal
ground). They are deleted with their tenant, because then nobody can ask questions under them any more. The log keeps
the id, the number and the digest of a version.
"""

from __future__ import annotations

from typing import Final

from apps.erasure.contracts import Phase, TargetType
from apps.erasure.registry import register_store
from apps.erasure.stores.rows import OF_TENANT, Rows
from apps.erasure.stores.tenant_rows import TenantRows

COMMENT_AUTHORS: Final = Rows(
    key="intents.comment_authors",
    label="Names of a person on comments about policies",
    phase=Phase.DERIVED,
    table="intents_reviewcomment",
    found_by={TargetType.USER: "t.author_id = ANY (%(user)s::uuid[]) AND t.author_label <> ''"},
    emptied={"author_label": "''"},
)
COMMENTS: Final = Rows(
    key="intents.comments",
    label="Comments about policies",
    phase=Phase.DERIVED,
    table="intents_reviewcomment",
    found_by={TargetType.TENANT: OF_TENANT},
)
POLICIES: Final = TenantRows(
    key="intents.policies",
    label="Policy versions, with their reasons, intents and examples",
    phase=Phase.DOCUMENTS,
    tables=(
        "intents_goldenvector",
        "intents_goldenexample",
        "intents_intentterm",
        "intents_policyintentkind",
        "intents_policyintent",
        "intents_kindbudget",
        "intents_policyversion",
    ),
)


def register_stores() -> None:
    register_store(COMMENT_AUTHORS, COMMENTS, POLICIES)
