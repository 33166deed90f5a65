"""What the log's keys, the directory, accounts and Redis hold. The directory lies below and can't register its own.

How a tenant's log ends is told in stores/tenant_log.py. Runs of removals stay: ids, counts and codes, the fact of the
erasure. So do requests for erasure, with details and letters that nobody can open once the keys are gone.
"""

from __future__ import annotations

from typing import Final

from apps.erasure.contracts import Phase, TargetType
from apps.erasure.registry import register_store
from apps.erasure.stores.accounts import Accounts
from apps.erasure.stores.counters import RateCounters
from apps.erasure.stores.directory_stores import (
    GRANTS,
    KEYS,
    MEMBERSHIPS,
    REQUESTS,
    SCOPES,
    TENANT,
)
from apps.erasure.stores.rows import OF_DOCUMENT, Rows
from apps.erasure.stores.tenant_log import DataKeys, LogContents
from apps.erasure.stores.tenant_rows import TenantRows

RETENTION: Final = TenantRows(
    key="audit.retention",
    label="Retention schedules and purges, with their reasons",
    phase=Phase.DOCUMENTS,
    tables=(
        "audit_purgepart",
        "audit_purgefigure",
        "audit_purge",
        "audit_retentioncount",
        "audit_retentionrule",
        "audit_retentionschedule",
    ),
)
HOLDS: Final = TenantRows(
    key="audit.holds",
    label="Legal holds that were released, with their matters and reasons",
    phase=Phase.ACCOUNTS,
    tables=("audit_restriction", "audit_helditem", "audit_legalhold"),
    waits_for_holds=True,
)
# Of a document that is gone: every reader's query is compared with these. Not before it, or it would be seen once more.
RESTRICTIONS: Final = Rows(
    key="audit.restrictions",
    label="Restrictions of documents",
    phase=Phase.LOG,
    table="audit_restriction",
    found_by={TargetType.DOCUMENT: f"{OF_DOCUMENT} AND t.because <> 'hold'"},
)
# They hold ids beside the address and the secret, so they go with their tenant alone.
WEBHOOKS: Final = TenantRows(
    key="audit.webhooks",
    label="Webhooks, with their addresses and secrets, and what was sent to each",
    phase=Phase.CACHES,
    tables=("audit_webhookattempt", "audit_webhookdelivery", "audit_webhook"),
)


def register_stores() -> None:
    register_store(RateCounters(), REQUESTS, Accounts(), GRANTS, KEYS, MEMBERSHIPS, SCOPES, RESTRICTIONS, TENANT)
    register_store(RETENTION, HOLDS, LogContents(), DataKeys(), WEBHOOKS)
