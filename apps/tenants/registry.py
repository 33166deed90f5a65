"""The one place where the rooms above register what this room calls, each in its AppConfig.ready.

This room may not import them. tests/audit/test_registries.py fails if nothing is registered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

if TYPE_CHECKING:
    from apps.tenants.models import Scope, Tenant

Rows = Sequence[tuple[Any, ...]]
Item = TypeVar("Item")
# Records an event of this room, with the arguments of events.emit.
Writer = Callable[..., object]


class Watched(StrEnum):
    """What is watched. The parts of the platform's health have the same names."""

    VERIFICATION = "verification"
    REMOVALS = "removals"
    SCHEDULE = "schedule"
    SESSIONS = "sessions"
    QUEUES = "queues"
    WEBHOOKS = "webhooks"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """One thing that is wrong.

    tenant_id: the tenant concerned; None for the platform.
    what: a sentence that says what is wrong.
    todo: what a reader in the tenant can do.
    operators: what the operators should look at.
    page: the name of the admin page that shows more.
    """

    watched: Watched
    tenant_id: UUID | None
    what: str
    todo: str
    operators: str
    page: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """A registered watch.

    sql: a statement that runs within one open tenant, or over all tenants.
    judge: makes the alarms from the statement's rows and the present time.
    age: returns how many seconds ago the watched thing last went well, for the tenant where that is longest ago; None
        if it never did.
    """

    watched: Watched
    sql: str
    judge: Callable[[Rows, datetime], Iterable[Alarm]]
    age: Callable[[Rows, datetime], int | None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstPolicy:
    """How a new tenant gets its first policy.

    packs: what may be chosen, by key, each with a sentence for whom it is made.
    give: puts the policy of these packs in force, of the default ones for none, in the transaction that creates the
        tenant and with a scope open on it. If it raises, the tenant is undone.
    """

    packs: Mapping[str, str]
    give: Callable[[Sequence[str]], None]


_writer: list[Writer] = []
_first_policy: list[FirstPolicy] = []
_on_created: list[Callable[[Tenant], None]] = []
_on_configured: list[Callable[[Tenant, Tenant], None]] = []
_before_scope: list[Callable[[Scope], None]] = []
_on_migrated: list[Callable[[str, str], None]] = []
_gates: list[Callable[[], None]] = []
_watches: list[Watch] = []


def register_writer(writer: Writer) -> None:
    """Register who records the events of this room."""
    _writer[:] = [writer]


def write_event(**event: Any) -> None:
    """Record an event. An action that can't be recorded must not happen.

    Raises: RuntimeError: no writer is registered.
    """
    if not _writer:
        raise RuntimeError("no audit writer is registered; is apps.audit installed?")
    _writer[0](**event)


def register_on_tenant_created(callback: Callable[[Tenant], None]) -> None:
    """Call back inside the transaction that creates a tenant, with a scope open on it.

    A callback that raises undoes the tenant.
    """
    _add(_on_created, callback)


def announce_created(tenant: Tenant) -> None:
    for callback in _on_created:
        callback(tenant)


def register_first_policy(policy: FirstPolicy) -> None:
    """Register what gives a new tenant its first policy."""
    _first_policy[:] = [policy]


def first_policy() -> FirstPolicy:
    """Raises: RuntimeError: nobody registered, so that a tenant could never answer a question."""
    if not _first_policy:
        raise RuntimeError("nobody registered the first policy of a tenant; is apps.intents installed?")
    return _first_policy[0]


def register_on_tenant_configured(callback: Callable[[Tenant, Tenant], None]) -> None:
    """Call back inside the transaction that changes a tenant's settings, with the tenant before and after the change.

    The scope of the acting principal is open. A callback that raises undoes the change.
    """
    _add(_on_configured, callback)


def announce_configured(before: Tenant, after: Tenant) -> None:
    for callback in _on_configured:
        callback(before, after)


def register_before_scope(callback: Callable[[Scope], None]) -> None:
    """Call back with the parent scope before a scope is made below it, inside the same transaction.

    A callback that raises refuses the new scope.
    """
    _add(_before_scope, callback)


def announce_scope_below(parent: Scope) -> None:
    for callback in _before_scope:
        callback(parent)


def register_on_migrated(callback: Callable[[str, str], None]) -> None:
    """Call back after every migration of a database, with the administrator's connection string and the name."""
    _add(_on_migrated, callback)


def announce_migrated(admin_url: str, database: str) -> None:
    for callback in _on_migrated:
        callback(admin_url, database)


def register_gate(gate: Callable[[], None]) -> None:
    """Call back before each command. A callback raises an ApplicationError where nothing may be done."""
    _add(_gates, gate)


def pass_gates() -> None:
    for gate in _gates:
        gate()


def register_watch(watch: Watch) -> None:
    _add(_watches, watch)


def watches() -> tuple[Watch, ...]:
    return tuple(_watches)


def _add(kept: list[Item], item: Item) -> None:
    if item not in kept:
        kept.append(item)
