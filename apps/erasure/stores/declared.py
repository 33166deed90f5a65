"""Register the stores that models declare, and those of this room and the ones below that are classes of their own.

How a tenant's log ends is told in stores/tenant_log.py. Runs of removals stay: ids, counts and codes, the fact of the
erasure. So do requests for erasure, with details and letters that nobody can open once the keys are gone.

Keys of stores sort as foreign keys point: accounts are emptied while their memberships still tell whose they are, and
grants go before what they are given to. Where something in a scope or tenant is held, all that gives access waits:
whoever answers for the hold must be able to sign in.
"""

from __future__ import annotations

from dataclasses import fields

from apps.erasure.registry import register_store
from apps.erasure.stores.accounts import Accounts
from apps.erasure.stores.counters import RateCounters
from apps.erasure.stores.log_store import EventPartStore
from apps.erasure.stores.rows import Rows
from apps.erasure.stores.tenant_log import DataKeys, LogContents
from apps.erasure.stores.tenant_rows import TenantRows
from apps.tenants.personal_data import RowStore, TenantStore, declarations


def register_stores() -> None:
    register_store(RateCounters(), Accounts(), EventPartStore(), LogContents(), DataKeys())
    for model, declared in declarations():
        register_store(*(store_of(each, model._meta.db_table) for each in declared.stores))


def store_of(declared: RowStore | TenantStore, table: str) -> Rows | TenantRows:
    given = {each.name: getattr(declared, each.name) for each in fields(declared)}
    if isinstance(declared, TenantStore):
        return TenantRows(**given)
    return Rows(**{**given, "table": declared.table or table})
