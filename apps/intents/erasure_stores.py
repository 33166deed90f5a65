"""What policies hold of a person or a tenant.

A version that was submitted is never changed or deleted, and a draft only by its author: triggers hold that against
every role. So names, reasons and examples in versions stay when a person is erased (see personal_data.py for the
ground). They go with their tenant, as rows, for nobody can ask by them then. The log says of a version its id, its
number and its digest, which stay.
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
