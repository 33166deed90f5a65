"""Tenants and scopes on their way out, in tests: holds on what lies in them, and runs brought to their end.

ended(acme, approved(acme, [whole(acme)]))
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

from django.db import connection
from django.utils import timezone

from apps.erasure import registry
from apps.erasure.contracts import RunState, Target, TargetType
from apps.erasure.hold_services import hold_place, hold_release
from apps.erasure.models import LegalHold, RemovalRun
from apps.erasure.registry import stores
from apps.erasure.runs.lease import EnginePolicy
from apps.erasure.stores.log_store import EventPartStore
from apps.erasure.stores.tenant_log import DataKeys, LogContents
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from tests.audit.acting import sealed
from tests.audit.mutations import acting_as
from tests.audit.removing import carried_out
from tests.factories import Firm, as_

MATTER: Final = "Northwind against the firm"
# Without waiting; large enough that a firm of these tests is soon gone, small enough for more than one part.
POLICY: Final = EnginePolicy(batch=40, wait_seconds=0.0, retry_seconds=0.0)
_TURNS: Final = 12
Rows = dict[str, frozenset[str]]


def whole(firm: Firm) -> Target:
    return Target(type=TargetType.TENANT, id=firm.tenant.id)


def ended(firm: Firm, run: RemovalRun, *, turns: int = _TURNS) -> RunState | None:
    """Turn after turn, the sealer at work meanwhile, until the run comes to an end or fails. Returns: its state."""
    for _ in range(turns):
        state = carried_out(firm, run, POLICY)
        sealed(firm)
        if state is not RunState.EXECUTING:
            return state
    return RunState.EXECUTING


def hold(by: Principal, *targets: Target) -> LegalHold:
    assert by.id is not None
    with as_(by):
        return hold_place(
            matter=MATTER,
            ground="A claim that was announced",
            owner_id=by.id,
            review_on=timezone.now().date() + timedelta(days=30),
            targets=targets,
        )


def release(by: Principal, placed: LegalHold) -> None:
    with as_(by):
        hold_release(hold_id=placed.id, reason="Settled out of court")


def counted(firm: Firm, *targets: Target) -> dict[str, int]:
    """By store, what it holds of the targets, as the eraser sees it; only what is not zero."""
    with acting_as("glassbox_eraser"), open_scope(tenant=firm.id, reason="a test"):
        found = {store.key: store.count(targets) for store in stores()}
    return {key: count for key, count in found.items() if count}


def all_rows() -> Rows:
    """Every row of every table, as the superuser sees them: table -> rows as text."""
    with acting_as("superuser"), connection.cursor() as cursor:
        cursor.execute("SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace")
        found = {}
        for (table,) in cursor.fetchall():
            cursor.execute(f'SELECT t::text FROM "{table}" t')
            found[table] = frozenset(row[0] for row in cursor.fetchall())
    return found


def holding(rows: Rows, *words: str) -> dict[str, frozenset[str]]:
    """The rows in which one of the words stands, in any case, as text or as the bytes of it; by table."""
    forms = [form for word in words for form in (word.lower(), word.encode().hex())]
    found = {
        table: frozenset(row for row in of if any(form in row.lower() for form in forms)) for table, of in rows.items()
    }
    return {table: of for table, of in found.items() if of}


@contextmanager
def only_the_log() -> Iterator[None]:
    """No stores but those that end a tenant's log, and the obstacles as they are."""
    before = dict(registry._stores)
    registry._stores.clear()
    registry.register_store(EventPartStore(), LogContents(), DataKeys())
    try:
        yield
    finally:
        registry._stores.clear()
        registry._stores.update(before)
