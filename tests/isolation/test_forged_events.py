"""Events that somebody with raw SQL would have the log vouch for: in another's name, of another time, of a decision
that they may not take, without what an event of its class has; and parts put to events that are there.

Each attack is made of the registry, for every class of event, as both roles that serve, and tried once more with what
stops it taken away. What a group says is sealed with keys that the database has not: a writer's own event can hold
what does not open its commitment. The verifier finds that, and tests/audit/test_mending.py takes it out again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from apps.audit.classes_table import event_classes_check
from apps.audit.ids import new_id
from apps.audit.keys.data_keys import current_data_key
from apps.audit.models import Event
from apps.audit.registry import ANYBODY, THEMSELVES, EventClass, Group, event_classes
from apps.audit.services import record
from apps.tenants.context import open_scope
from apps.tenants.principals import ACCEPTS, FACTOR_FRESH, OWN_KEYS, Principal, PrincipalKind
from apps.tenants.roles import Permission
from tests.audit.acting import sealed
from tests.audit.mutations import acting_as
from tests.isolation.harness import changed, held, held_each, outcome, past_policies, rolled_back, sql
from tests.isolation.world import World

ROLES = ("glassbox_api", "glassbox_worker")
THROUGH = "it was let through"
# Of version 4, and the id of nothing.
_RANDOM = UUID("6d0d3a0e-2f8c-4a34-9a55-0c5c7b1d7a10")
# A defence of its own for what a restore says (apps/audit/sql/recording.sql): taken away with the one that is tried.
_SECOND = "DROP POLICY restore_recorded ON audit_event"
TABLES = "audit_event, audit_payload, audit_unsealed"
APPROVED = "intents.policy.approved"
ANSWERED = "retrieval.question.answered"
RECEIVED = "corpus.document.received"
# Lists where the terms of a core are made of lists.
_LISTS = ("removals", "kept")


@pytest.fixture(params=ROLES)
def role(request: pytest.FixtureRequest) -> Iterator[str]:
    with acting_as(request.param):
        yield request.param


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What audit_record is called with; nobody is asked for a name, a tenant or a time."""

    id: UUID
    scopes: list[UUID]
    action: str
    key: UUID
    groups: list[str]
    subject: UUID | None = None
    commitments: list[bytes] | None = None
    outcome: str = "success"

    def made(self) -> str:
        commitments = [bytes(32)] * len(self.groups) if self.commitments is None else self.commitments
        sql(
            "SELECT audit_record(%s, %s::uuid[], %s, %s, '', %s, %s, %s::text[], %s::bytea[], %s::bytea[], %s::text[])",
            self.id,
            self.scopes,
            self.action,
            self.outcome,
            self.subject,
            self.key,
            self.groups,
            commitments,
            [b"x"] * len(self.groups),
            [""] * len(self.groups),
        )
        # As a commit would.
        sql("SET CONSTRAINTS ALL IMMEDIATE")
        return THROUGH


def call(world: World, action: str, **fields: Any) -> Call:
    """In the open scope: a call as it should be, but for what is named."""
    (each,) = (each for each in event_classes() if each.action == action)
    key = current_data_key(world.acme.id, timezone.now()).id
    return Call(
        **{"id": new_id(), "scopes": [], "action": action, "key": key, "groups": sorted(each.required), **fields}
    )


@contextmanager
def scope_of(world: World, person: Principal | None = None) -> Iterator[None]:
    """What a person has open, or the platform itself."""
    opened = (
        open_scope(tenant=person.tenant_id, principal=person)
        if person
        else open_scope(tenant=world.acme.id, reason="a test")
    )
    with opened:
        yield


def as_platform(world: World, act: Callable[[], Any]) -> Callable[[], Any]:
    def attack() -> Any:
        with scope_of(world):
            return act()

    return attack


def as_person(person: Principal, act: Callable[[], Any]) -> Callable[[], Any]:
    def attack() -> Any:
        with open_scope(tenant=person.tenant_id, principal=person):
            return act()

    return attack


ALONE = "and not alone"


def classes() -> list[EventClass]:
    """All but those that are written with what they tell of alone (test_bindings.py)."""
    return [each for each in event_classes() if not each.binding]


# --- What may be written ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_each_registered_class_is_written_by_the_platform(world: World, role: str) -> None:
    with rolled_back(), scope_of(world):
        for each in classes():
            groups = {str(group): _filled(names) for group, names in each.fields.items()}
            event = record(action=each.action, **groups)
            stored = Event.objects.get(id=event.id)
            assert (stored.action, stored.actor_kind, stored.occurred_at) == (each.action, "system", event.occurred_at)
            assert set(stored.commitments) == {str(group) for group in each.fields} | {"actor"}
            assert event.payload.keys() >= {str(group) for group in each.fields}


@pytest.mark.slow
def test_each_class_is_written_by_who_holds_its_permission_and_by_nobody_else(world: World) -> None:
    """The refusal is the database's: the token is asked, not the service."""
    for permission in (*Permission, OWN_KEYS):
        with rolled_back(), scope_of(world, _holding(world, permission)):
            for each in event_classes():
                brought = outcome(lambda each=each: call(world, each.action).made(), undone=True)
                may = each.permissions == ANYBODY or permission in each.permissions
                assert ((ALONE if each.binding else THROUGH) in brought) is may, (each.action, permission, brought)


@pytest.mark.slow
def test_every_class_of_a_decision_is_kept_from_who_may_not_take_it(world: World) -> None:
    """An analyst writes nothing but what an analyst does: their control is the database without the permission."""
    ann = world.people["ann"]
    kept = [each for each in event_classes() if each.permissions != ANYBODY and not each.permissions & ann.permissions]
    brought = held_each(
        [lambda each=each: call(world, each.action).made() for each in kept],
        loot=THROUGH,
        without=lambda: changed("UPDATE authz.event_class SET permissions = '{anybody}', binding = '{}'", _SECOND),
        within=lambda: scope_of(world, ann),
    )
    assert all("the token may not write" in each for each in brought)


def test_an_event_is_in_the_name_of_the_token_at_the_servers_time(world: World) -> None:
    ann = world.people["ann"]
    before = timezone.now()
    with rolled_back(), open_scope(tenant=world.acme.id, principal=ann):
        made = call(world, ANSWERED)
        made.made()
        event = Event.objects.get(id=made.id)
        assert (event.tenant_id, event.actor_kind) == (world.acme.id, PrincipalKind.USER)
        assert (event.actor_id, event.actor_label) == (ann.id, ann.label)
        assert abs(event.occurred_at - before) < timedelta(minutes=5)


# --- Forged events ----------------------------------------------------------------------------------------------------

_INSERT = (
    "INSERT INTO audit_event (id, tenant_id, scope_ids, action, outcome, occurred_at, actor_kind, actor_id, "
    "actor_label, subject_type, subject_id, commitments) "
    "VALUES (uuidv7(), authz.tenant(), '{{}}', '{action}', 'success', {time}, "
    "'user', {actor}, {label}, 'policy_version', NULL, {commitments}) RETURNING '{through}'"
)


@pytest.mark.slow
@pytest.mark.parametrize("part", ["actor", "time", "commitments", "nothing"])
def test_no_row_of_an_event_is_inserted_beside_the_function(world: World, role: str, part: str) -> None:
    ann = world.people["ann"]
    statements = [
        _INSERT.format(
            action=each.action,
            time="now() - interval '1 year'" if part == "time" else "now()",
            actor="gen_random_uuid()" if part == "actor" else f"'{ann.id}'",
            label="'Rita'" if part == "actor" else "'ann'",
            commitments='\'{"core": "00"}\'' if part == "commitments" else "'{}'",
            through=THROUGH,
        )
        for each in event_classes()
    ]
    brought = held_each(
        [lambda statement=statement: sql(statement) for statement in statements],
        loot=THROUGH,
        without=lambda: _inserting(role),
        within=lambda: scope_of(world, ann),
    )
    assert all("permission denied" in each for each in brought)


@pytest.mark.slow
def test_an_event_has_the_groups_of_its_class(world: World, role: str) -> None:
    wrong: list[tuple[str, list[str]]] = []
    for each in event_classes():
        required, others = sorted(each.required), sorted({*map(str, Group), "anything"} - each.groups)
        wrong += [(each.action, [group for group in required if group != left_out]) for left_out in required]
        wrong += [(each.action, [*required, other]) for other in others]
    brought = held_each(
        [lambda action=action, groups=groups: call(world, action, groups=groups).made() for action, groups in wrong],
        loot=THROUGH,
        without=lambda: changed(
            "UPDATE authz.event_class SET required = '{}', binding = '{}', "
            "groups = '{core,actor,question,answer,passages,anything}'"
        ),
        within=lambda: scope_of(world),
    )
    assert all("with other field groups" in each for each in brought)


@pytest.mark.parametrize(
    "fields",
    [
        {"commitments": [bytes(32)]},
        {"commitments": [bytes(32), b"short"]},
        {"commitments": [bytes(32)] * 3},
        {"groups": ["actor", "core", "core"]},
        {"groups": ["actor", None]},
        {"outcome": "approved"},
        {"id": _RANDOM},
        {"id": UUID(int=0)},
        {"key": _RANDOM},
        {"action": "intents.policy.imagined"},
    ],
    ids=str,
)
def test_what_is_no_event_is_refused(world: World, role: str, fields: dict[str, Any]) -> None:
    with rolled_back():
        assert THROUGH in outcome(as_platform(world, lambda: call(world, APPROVED).made()))
    with rolled_back():
        brought = outcome(as_platform(world, lambda: _changed_call(world, fields).made()))
    assert THROUGH not in brought


def test_an_event_keeps_within_the_scopes_of_the_token(world: World) -> None:
    """Nor does it take the id of one that is there, or the key of another tenant."""
    ann, beta = world.people["ann"], world.scope_id("acme", "fund:beta")
    held(
        as_person(ann, lambda: call(world, ANSWERED, scopes=[beta]).made()),
        loot=THROUGH,
        without=lambda: changed(past_policies("glassbox_recorder")),
    )
    with rolled_back():
        with open_scope(tenant=world.bolt.id, reason="a test"):
            foreign = current_data_key(world.bolt.id, timezone.now()).id
        assert THROUGH not in outcome(as_platform(world, lambda: call(world, ANSWERED, key=foreign).made()))
        with open_scope(tenant=world.acme.id, reason="a test"):
            there = Event.objects.values_list("id", flat=True).first()
        assert THROUGH not in outcome(as_platform(world, lambda: call(world, ANSWERED, id=there).made()))


def test_without_a_token_or_its_actor_nothing_is_recorded(world: World) -> None:
    with rolled_back():
        key = uuid4()
        nothing = Call(id=new_id(), scopes=[], action=ANSWERED, key=key, groups=["actor", "core"])
        assert "no scope is open" in outcome(nothing.made)


# --- Parts that are put to events -------------------------------------------------------------------------------------

_PUT = (
    "INSERT INTO audit_payload (tenant_id, event_id, scope_ids, field_group, ciphertext, data_key_id, terms) "
    "SELECT tenant_id, event_id, scope_ids, %s, ciphertext, data_key_id, terms FROM audit_payload "
    "WHERE event_id = %s LIMIT 1 "
    f"RETURNING '{THROUGH}'"
)


@pytest.mark.parametrize("is_sealed", [True, False])
@pytest.mark.parametrize("group", ["answer", "anything"])
def test_nothing_is_put_to_an_event_that_is_there(world: World, role: str, is_sealed: bool, group: str) -> None:
    """Also where something was removed: there, too, a row would be a new one."""
    with acting_as("glassbox_api"), open_scope(tenant=world.acme.id, reason="a test"):
        event = record(action=ANSWERED, core={"intent": "performance"})
    if is_sealed:
        sealed(world.acme)
    brought = held(
        as_platform(world, lambda: sql(_PUT, group, event.id)), loot=THROUGH, without=lambda: _inserting(role)
    )
    assert "permission denied" in brought


def test_nobody_has_an_event_wait_again_or_gives_it_a_leaf_for_a_person(world: World) -> None:
    """A leaf of a wrong hash would spoil the log for good; the worker's jobs act for persons, too."""
    again = f"INSERT INTO audit_unsealed VALUES (uuidv7(), authz.tenant()) RETURNING '{THROUGH}'"
    leaf = (
        "INSERT INTO audit_leaf (tenant_id, event_id, index, hash) SELECT authz.tenant(), uuidv7(), "
        f"coalesce(max(index) + 1, 0), sha256('x') FROM audit_leaf RETURNING '{THROUGH}'"
    )
    amy = world.people["amy"]
    for role in ROLES:
        with acting_as(role):
            held(as_person(amy, lambda: sql(again)), loot=THROUGH, without=lambda role=role: _inserting(role))
    with acting_as("glassbox_worker"):
        held(
            as_person(amy, lambda: sql(leaf)),
            loot=THROUGH,
            without=lambda: _as_role("glassbox_worker", "DROP POLICY by_the_platform ON audit_leaf"),
        )


def test_no_person_puts_a_key_where_the_next_quarters_will_be_looked_for(world: World) -> None:
    """One that does not unwrap would keep everybody from recording anything; nor do they wrap one anew."""
    made = (
        "INSERT INTO audit_datakey (tenant_id, epoch, kek_id, wrapped_key) "
        f"VALUES (authz.tenant(), '2099Q1', 'k', 'x') RETURNING '{THROUGH}'"
    )
    wrapped = f"UPDATE audit_datakey SET wrapped_key = 'x' RETURNING '{THROUGH}'"
    dan = world.people["dan"]
    for role, statement, policy in (
        ("glassbox_api", made, "made_by_the_platform"),
        ("glassbox_worker", made, "made_by_the_platform"),
        ("glassbox_worker", wrapped, "by_the_platform"),
    ):
        with acting_as(role):
            held(
                as_person(dan, lambda statement=statement: sql(statement)),
                loot=THROUGH,
                without=lambda role=role, policy=policy: _as_role(role, f"DROP POLICY {policy} ON audit_datakey"),
            )


# --- The database and the registry ------------------------------------------------------------------------------------


def test_a_start_is_refused_where_the_database_knows_other_classes(world: World) -> None:
    databases = ["default"]
    assert event_classes_check(databases=databases) == []
    for statement in (
        f"DELETE FROM authz.event_class WHERE action = '{APPROVED}'",
        f"UPDATE authz.event_class SET permissions = '{{anybody}}' WHERE action = '{APPROVED}'",
        f"UPDATE authz.event_class SET binding = '{{}}' WHERE action = '{RECEIVED}'",
        "INSERT INTO authz.event_class VALUES ('old.thing.done', '{}', '{}', '{}', '{}')",
    ):
        with changed(statement):
            (found,) = event_classes_check(databases=databases)
            assert found.id == "audit.E003"


def test_no_role_that_runs_anything_changes_what_a_class_must_be(world: World, role: str) -> None:
    for statement in (
        "UPDATE authz.event_class SET permissions = '{anybody}'",
        "DELETE FROM authz.event_class",
        "INSERT INTO authz.event_class VALUES ('x', '{}', '{}', '{anybody}')",
    ):
        assert "permission denied" in outcome(as_platform(world, lambda statement=statement: sql(statement)))


def test_every_class_says_who_writes_it() -> None:
    """A permission that no role has would be written by nobody, and nobody would notice."""
    known = {*map(str, Permission), OWN_KEYS, ACCEPTS, *ANYBODY, *THEMSELVES}
    assert not {each.action: each.permissions - known for each in event_classes() if each.permissions - known}


# --- Parts ------------------------------------------------------------------------------------------------------------


def _filled(names: Any) -> dict[str, Any]:
    return {name: [] if name in _LISTS else "x" for name in names}


def _holding(world: World, permission: str) -> Principal:
    """Somebody who holds this permission and no other, and has just used their second factor."""
    ada = world.people["ada"]

    class Holder(Principal):
        @property
        def permissions(self) -> frozenset[str]:
            return frozenset({permission, FACTOR_FRESH})

    return Holder(
        kind=PrincipalKind.USER,
        id=ada.id,
        label=ada.label,
        tenant_id=ada.tenant_id,
        scope_ids=ada.scope_ids,
        roles=frozenset(),
    )


def _changed_call(world: World, fields: dict[str, Any]) -> Call:
    made = call(world, APPROVED)
    values = {name: getattr(made, name) for name in ("id", "scopes", "action", "key", "groups")}
    return Call(**{**values, **fields})


def _inserting(role: str) -> AbstractContextManager[None]:
    return _as_role(role, _SECOND, f"GRANT INSERT ON {TABLES} TO {role}")


@contextmanager
def _as_role(role: str, *statements: str) -> Iterator[None]:
    with changed(*statements):
        sql(f"SET LOCAL ROLE {role}")
        yield
