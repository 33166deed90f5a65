"""What the log's keys, the directory, accounts and Redis hold. The directory lies below and can't register its own.

How a tenant's log ends. Its events, leaves, subtrees and checkpoints stay: headers of ids, codes and times,
commitments and hashes, which are the fact that all of this happened and was erased, and by which the log still
verifies. What they hold of people goes by field groups, authorised in the log itself (event_groups_of gives them:
every group but core, and with the actor's group the name beside the event). Then the data keys are destroyed, which
closes the cores that are left and every copy of a payload in WAL, replicas and backups.

The last step can't be taken yet: a trigger keeps data keys from everybody (audit 0002), and whoever reads or verifies
the log would take a core whose key is gone for a damaged one. So audit.data_keys counts a tenant's keys truthfully
and removes none, and the removal of a tenant does not complete. It needs a function of glassbox_remover's that goes
by a sealed event and overwrites wrapped_key, a verifier that knows such a key, and a key of a new name for what is
recorded afterwards.
"""

from __future__ import annotations

from typing import Final

from apps.audit.erasure.accounts import Accounts
from apps.audit.erasure.contracts import Phase, TargetType
from apps.audit.erasure.counters import RateCounters
from apps.audit.erasure.directory_stores import GRANTS, KEYS, MEMBERSHIPS, REQUESTS, SCOPES, TENANT
from apps.audit.erasure.registry import register_store
from apps.audit.erasure.rows import OF_DOCUMENT, OF_TENANT, KeptRows, Rows

DATA_KEYS: Final = KeptRows(
    key="audit.data_keys",
    label="Keys that the log's payloads are sealed by",
    phase=Phase.KEYS,
    table="audit_datakey",
    found_by={TargetType.TENANT: OF_TENANT},
)
# Of a document that is gone: every reader's query is compared with these. Not before it, or it would be seen once more.
RESTRICTIONS: Final = Rows(
    key="audit.restrictions",
    label="Restrictions of documents",
    phase=Phase.LOG,
    table="audit_restriction",
    found_by={TargetType.DOCUMENT: f"{OF_DOCUMENT} AND t.because <> 'hold'"},
)


def register_stores() -> None:
    register_store(
        RateCounters(), REQUESTS, Accounts(), GRANTS, KEYS, MEMBERSHIPS, SCOPES, RESTRICTIONS, DATA_KEYS, TENANT
    )
