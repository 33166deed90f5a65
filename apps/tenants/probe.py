"""A probe of the isolation of tenants in the live database. It tries to read and write forbidden rows.

It makes a tenant with a scope in a transaction that is always rolled back. Then it looks for that scope as another
tenant, without a scope, and with invalid tokens. It also looks for rows that it must be able to see, because a probe
that sees nothing at all would find nothing wrong.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from uuid import UUID

from django.db import DatabaseError, connection, transaction

from apps.tenants.catalogue import PLATFORM_TABLES, guarded_tables
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.models import Scope, Tenant
from apps.tenants.selectors.tenants import all_tenants
from apps.tenants.tokens import TOKEN_LIFE_SECONDS, Bearer, scope_token
from apps.tenants.transaction_tokens import signing_key

REASON = "manage.py isolation check"
# The probe looks at this many tenants at most, because a thousand would take a while.
MOST_TENANTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One thing that was tried.

    claim: what must be true. holds: whether it is. seen: what was seen otherwise.
    """

    claim: str
    holds: bool
    seen: str = ""


def observations() -> list[Observation]:
    """Try everything, as the runtime role of this process, and roll it back."""
    with transaction.atomic():
        found = list(_probe())
        transaction.set_rollback(True)
    return found


def _probe() -> Iterator[Observation]:
    canary, stranger = TenantId(uuid.uuid4()), TenantId(uuid.uuid4())
    scope = ScopeId(uuid.uuid4())
    word = f"canary-{canary.hex[:12]}"
    with open_scope(tenant=canary, scopes=[scope], reason=REASON):
        Tenant(
            id=canary, slug=word, name=word, residency_region="eu", embedding_profile="-", generation_profile="-"
        ).save(force_insert=True)
        Scope(id=scope, tenant_id=canary, key=f"canary:{canary.hex[:12]}", name=word).save(force_insert=True)
        seen = _count("SELECT count(*) FROM tenants_scope WHERE id = %s", scope)
        yield Observation(claim="a tenant sees its own row (so this probe is not blind)", holds=seen == 1)
        with open_scope(tenant=canary, scopes=[], reason=REASON):
            seen = _count("SELECT count(*) FROM tenants_scope WHERE id = %s", scope)
            yield Observation(claim="a scope that was not granted is not seen within its own tenant", holds=seen == 0)
    with open_scope(tenant=stranger, scopes=[scope], reason=REASON):
        seen = _count("SELECT count(*) FROM tenants_scope WHERE id = %s", scope)
        yield Observation(claim="another tenant does not see it, even naming its scope", holds=seen == 0)
        seen = _count("SELECT count(*) FROM tenants_tenant WHERE slug = %s", word)
        yield Observation(claim="another tenant does not see that it exists", holds=seen == 0)
        yield _refused(
            "another tenant can't write into it",
            "INSERT INTO tenants_scope (id, tenant_id, key, name, created_at) VALUES (%s, %s, 'canary:two', '', now())",
            uuid.uuid4(),
            canary,
        )
    for table in _tables():
        yield _closed(table)
    yield from _tokens(canary, scope)
    for role in ("glassbox_owner", "glassbox_backup"):
        yield _refused(f"the role can't become {role}", f"SET LOCAL ROLE {role}")
    yield _refused("the signing keys can't be read", "SELECT count(*) FROM authz.signing_key")
    with open_scope(tenant=stranger, scopes=[], reason=REASON):
        yield _refused(
            "switching row-level security off is an error, not a way",
            "SELECT count(*) FROM tenants_scope",
            before="SET LOCAL row_security = off",
        )
        for table in _tables():
            yield _refused(
                f"conditions on {table} run in no other order than the policies'",
                f"SELECT count(*) FROM {connection.ops.quote_name(table)}",  # noqa: S608
                before="SET LOCAL cpu_operator_cost = 0.0025",
            )
    yield from _tenants(besides=canary)


def _closed(table: str) -> Observation:
    """Try to read a table without a scope, and as a tenant that owns nothing.

    Without a scope, the query must raise or find no row. As a tenant that owns nothing, it must find no row.
    """
    name = connection.ops.quote_name(table)
    claim = f"{table} shows nothing without a scope, and nothing to a tenant that owns nothing"
    try:
        with transaction.atomic():
            if _count(f"SELECT count(*) FROM (SELECT FROM {name} LIMIT 1) AS one"):  # noqa: S608
                return Observation(claim=claim, holds=False, seen="rows without a scope")
    except DatabaseError as error:
        if "no scope is open" not in str(error):
            return Observation(claim=claim, holds=False, seen=_first_line(error))
    with open_scope(tenant=TenantId(uuid.uuid4()), scopes=[], reason=REASON):
        rows = _count(f"SELECT count(*) FROM (SELECT FROM {name} LIMIT 1) AS one")  # noqa: S608
    return Observation(claim=claim, holds=rows == 0, seen="rows of others" if rows else "")


def _tokens(tenant: TenantId, scope: ScopeId) -> Iterator[Observation]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid(), authz.transaction_mark(), extract(epoch FROM clock_timestamp())")
        backend_pid, mark, now = cursor.fetchone()
    bearer = Bearer(backend_pid=backend_pid, transaction=mark)

    def mint(bearer: Bearer, *, age_s: float = 0) -> str:
        return scope_token(key=signing_key(), bearer=bearer, tenant=tenant, scopes=[scope], now=float(now) - age_s)

    good = mint(bearer)
    tries = {
        "forged": good[:-1] + ("0" if good[-1] != "0" else "1"),
        "widened": good.replace(str(scope), f"{scope},{uuid.uuid4()}"),
        "of another connection": mint(replace(bearer, backend_pid=backend_pid + 1)),
        "of another transaction": mint(replace(bearer, transaction="0")),
        "expired": mint(bearer, age_s=TOKEN_LIFE_SECONDS + 2),
    }
    with _set(good):
        seen = _count("SELECT count(*) FROM tenants_scope WHERE id = %s", scope)
        yield Observation(claim="a good token opens its scope (so the next lines mean something)", holds=seen == 1)
    for kind, token in tries.items():
        with _set(token):
            yield _refused(f"a token that is {kind} opens nothing", "SELECT count(*) FROM tenants_scope")


def _tenants(*, besides: TenantId) -> Iterator[Observation]:
    """Look, as each of a sample of the real tenants, for rows of other tenants in any table."""
    tenants = [tenant for tenant in all_tenants() if tenant.id != besides]
    for tenant in tenants[:MOST_TENANTS]:
        with open_scope(tenant=TenantId(tenant.id), reason=REASON):
            leaks = [
                table
                for table in _tables()
                if table not in PLATFORM_TABLES
                and _count(
                    f"SELECT count(*) FROM (SELECT FROM {connection.ops.quote_name(table)} "  # noqa: S608
                    "WHERE tenant_id <> %s LIMIT 1) AS one",
                    tenant.id,
                )
            ]
        yield Observation(
            claim=f"the tenant {tenant.slug} sees no row of another tenant", holds=not leaks, seen=", ".join(leaks)
        )
    if len(tenants) > MOST_TENANTS:
        yield Observation(claim=f"({len(tenants) - MOST_TENANTS} more tenants were not looked at)", holds=True)


def _tables() -> list[str]:
    with connection.cursor() as cursor:
        return guarded_tables(cursor)


def _count(statement: str, *parameters: UUID | str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters or None)
        count: int = cursor.fetchone()[0]
        return count


def _refused(claim: str, statement: str, *parameters: UUID | str, before: str = "") -> Observation:
    """Try a statement that PostgreSQL must refuse with the error insufficient_privilege (42501)."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            if before:
                cursor.execute(before)
            cursor.execute(statement, parameters or None)
            transaction.set_rollback(True)
            return Observation(claim=claim, holds=False, seen="it was let through")
    except DatabaseError as error:
        refused = getattr(error.__cause__, "sqlstate", "") == "42501"
        return Observation(claim=claim, holds=refused, seen="" if refused else _first_line(error))


@contextmanager
def _set(token: str) -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('glassbox.scope', %s, true)", [token])
        try:
            yield
        finally:
            cursor.execute("SELECT set_config('glassbox.scope', '', true)")


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
