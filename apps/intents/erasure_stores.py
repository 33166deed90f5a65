"""What policies hold of a person or a tenant.

A version that was submitted is never changed or deleted, and a draft only by its author: triggers hold that against
every role. So names, reasons and examples in versions stay when a person is erased (see personal_data.py for the
ground), and intents.policies counts a tenant's versions truthfully and removes none: until somebody gives the
database a function for it, the removal of a tenant does not complete. It would be one of glassbox_remover's, called
by glassbox_eraser, that the triggers of 0001 to 0004 let through as those of the log do (audit 0004), and that goes
by a sealed event which authorises the removal of this very tenant.
"""

from __future__ import annotations

from typing import Final

from apps.audit.erasure.contracts import Phase, TargetType
from apps.audit.erasure.registry import register_store
from apps.audit.erasure.rows import OF_TENANT, KeptRows, Rows

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
POLICIES: Final = KeptRows(
    key="intents.policies",
    label="Policy versions, with their reasons, intents and examples",
    phase=Phase.DOCUMENTS,
    table="intents_policyversion",
    found_by={TargetType.TENANT: OF_TENANT},
)


def register_stores() -> None:
    register_store(COMMENT_AUTHORS, COMMENTS, POLICIES)
