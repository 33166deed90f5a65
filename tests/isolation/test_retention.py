"""Attempts to set retention rules alone, in another's name, or behind everybody's back; with any SQL in hand.

Acme's people: dora and dina (data protection officers), rupert (reviewer), amy (tenant administrator).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from apps.erasure.models import RetentionSchedule
from apps.erasure.retention.selectors import schedule_in_force
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.mutations import acting_as
from tests.audit.retaining import approved, drafted, submitted
from tests.factories import make_member
from tests.isolation.harness import changed, forgetful, held, rolled_back, sql
from tests.isolation.world import World

THROUGH = "it was let through"
_STEP = "ALTER TABLE audit_retentionschedule DISABLE TRIGGER USER"
_RULE = "ALTER TABLE audit_retentionrule DISABLE TRIGGER USER"
TABLES = (
    "audit_retentionschedule",
    "audit_retentionrule",
    "audit_retentioncount",
    "audit_purge",
    "audit_purgefigure",
    "audit_purgepart",
)


@pytest.fixture(scope="module", autouse=True)
def schedules(world: World) -> dict[str, RetentionSchedule]:
    """Of dora: one in force, one in review, and a draft."""
    for name, role in (("dora", Role.DPO), ("dina", Role.DPO), ("rupert", Role.REVIEWER)):
        world.people[name] = make_member(world.acme, name, role)
    dora, rupert = world.people["dora"], world.people["rupert"]
    return {
        "in_force": approved(dora, rupert, keep_months=120),
        "in_review": submitted(dora, keep_months=132),
        "draft": drafted(dora, keep_months=144),
    }


def as_person(world: World, name: str, act: Callable[[], Any]) -> Callable[[], Any]:
    def attack() -> Any:
        with open_scope(tenant=world.acme.id, principal=world.people[name]):
            act()
            return THROUGH

    return attack


def one_row(statement: str, *parameters: Any) -> Callable[[], None]:
    """An attack that counts as failed where no row was changed."""

    def act() -> None:
        assert sql(f"{statement} RETURNING 1", *parameters), "no row"

    return act


def approving(schedule: UUID, approver: UUID | None) -> Callable[[], None]:
    return one_row(
        "UPDATE audit_retentionschedule SET status = 'in_force', approver_id = %s, approver_label = 'x', "
        "decided_at = now(), decided_revision = revision WHERE id = %s",
        approver,
        schedule,
    )


def id_of(world: World, name: str) -> UUID:
    found = world.people[name].id
    assert found is not None
    return found


# --- The wall ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", TABLES)
def test_another_tenants_rows_are_not_seen(world: World, table: str) -> None:
    def attack() -> Any:
        with forgetful(), open_scope(tenant=world.acme.id, principal=world.people["dora"]):
            return sql(f"SELECT tenant_id FROM {table}")

    held(attack, loot=str(world.bolt.id))


# --- The life of a schedule -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("who", "approver"),
    [
        ("dora", "dora"),  # one's own
        ("dora", "rupert"),  # one's own, in the reviewer's name
        ("dina", "rupert"),  # somebody else's, in a third one's name
        ("amy", "amy"),  # without the permission
    ],
)
def test_nobody_approves_their_own_or_in_anothers_name(
    world: World, schedules: dict[str, RetentionSchedule], who: str, approver: str
) -> None:
    act = approving(schedules["in_review"].id, id_of(world, approver))
    four_eyes = "ALTER TABLE audit_retentionschedule DROP CONSTRAINT retention_four_eyes"
    from_when = "ALTER TABLE audit_retentionschedule DROP CONSTRAINT retention_valid_from_when_in_force"
    one = "DROP INDEX retention_one_in_force"
    brought = held(as_person(world, who, act), loot=THROUGH, without=lambda: changed(_STEP, four_eyes, from_when, one))
    assert "decided on by somebody else who may, in their own name" in brought


def test_the_platform_itself_approves_nothing(world: World, schedules: dict[str, RetentionSchedule]) -> None:
    def attack() -> Any:
        with open_scope(tenant=world.acme.id, reason="a test"):
            approving(schedules["in_review"].id, id_of(world, "rupert"))()
            return THROUGH

    with rolled_back(), pytest.raises(Exception, match="in their own name"):
        attack()


def test_the_right_second_person_is_let_through(world: World, schedules: dict[str, RetentionSchedule]) -> None:
    """So that the refusals above mean something."""
    with rolled_back():
        act = approving(schedules["in_review"].id, id_of(world, "rupert"))
        assert as_person(world, "rupert", act)() == THROUGH
        with open_scope(tenant=world.acme.id, reason="a test"):
            found = schedule_in_force()
            assert found is not None
            assert found.id == schedules["in_review"].id
            before = RetentionSchedule.objects.get(id=schedules["in_force"].id)
            assert (before.status, before.valid_to) == ("superseded", found.valid_from)


@pytest.mark.parametrize("name", ["in_force", "in_review"])
@pytest.mark.parametrize("command", ["UPDATE", "INSERT", "DELETE"])
def test_no_rule_changes_after_the_draft(
    world: World, schedules: dict[str, RetentionSchedule], name: str, command: str
) -> None:
    statement = {
        "UPDATE": "UPDATE audit_retentionrule SET keep_months = 1 WHERE schedule_id = %s",
        "INSERT": "INSERT INTO audit_retentionrule (tenant_id, schedule_id, subject, field_group, legal_basis, "
        "clock_start, keep_months, includes_current) SELECT tenant_id, schedule_id, subject, 'question', legal_basis, "
        "clock_start, 1, false FROM audit_retentionrule WHERE schedule_id = %s LIMIT 1",
        "DELETE": "DELETE FROM audit_retentionrule WHERE schedule_id = %s",
    }[command]
    for who in ("dora", "rupert"):
        act = one_row(statement, schedules[name].id)
        brought = held(as_person(world, who, act), loot=THROUGH, without=lambda: changed(_RULE))
        assert "only a draft can be changed" in brought


@pytest.mark.parametrize(
    "change",
    [
        "reason = 'Another.'",
        "number = 77",
        "revision = revision + 1",
        "author_label = 'nobody'",
        "valid_from = valid_from - interval '1 year'",
        "valid_to = now()",
        "approver_label = 'somebody'",
        "decision_reason = 'Another.'",
        "submitted_at = now()",
    ],
)
def test_no_column_of_the_schedule_in_force_changes(
    world: World, schedules: dict[str, RetentionSchedule], change: str
) -> None:
    act = one_row(f"UPDATE audit_retentionschedule SET {change} WHERE id = %s", schedules["in_force"].id)
    valid_to = "ALTER TABLE audit_retentionschedule DROP CONSTRAINT retention_valid_to_when_superseded"
    # The stamp would write the author's own name again, which changes nothing and is let through.
    stamp = ("ALTER TABLE audit_retentionschedule DISABLE TRIGGER aa_stamp",) if "author_label" in change else ()
    held(as_person(world, "dora", act), loot=THROUGH, without=lambda: changed(_STEP, valid_to), alone=stamp)


@pytest.mark.parametrize("status", ["superseded", "draft", "rejected"])
def test_the_schedule_in_force_gives_way_to_its_successor_alone(
    world: World, schedules: dict[str, RetentionSchedule], status: str
) -> None:
    act = one_row(
        "UPDATE audit_retentionschedule SET status = %s, valid_to = now() WHERE id = %s",
        status,
        schedules["in_force"].id,
    )
    constraints = [
        f"ALTER TABLE audit_retentionschedule DROP CONSTRAINT retention_{name}"
        for name in ("valid_to_when_superseded", "valid_from_when_in_force")
    ]
    brought = held(as_person(world, "dora", act), loot=THROUGH, without=lambda: changed(_STEP, *constraints))
    assert "can't go from in_force" in brought


def test_neither_a_schedule_in_force_nor_one_in_review_is_deleted(
    world: World, schedules: dict[str, RetentionSchedule]
) -> None:
    for name in ("in_force", "in_review"):

        def act(id: UUID = schedules[name].id) -> None:
            sql("DELETE FROM audit_retentionrule WHERE schedule_id = %s", id)
            assert sql("DELETE FROM audit_retentionschedule WHERE id = %s RETURNING 1", id)

        brought = held(as_person(world, "dora", act), loot=THROUGH, without=lambda: changed(_STEP, _RULE))
        assert "only a draft can be" in brought


@pytest.mark.parametrize("who", ["dina", "rupert", "amy"])
def test_somebody_elses_draft_is_left_alone(world: World, schedules: dict[str, RetentionSchedule], who: str) -> None:
    draft = schedules["draft"].id
    for act, without in (
        (one_row("UPDATE audit_retentionrule SET keep_months = 999 WHERE schedule_id = %s", draft), _RULE),
        (one_row("UPDATE audit_retentionschedule SET reason = 'x' WHERE id = %s", draft), _STEP),
        (one_row("UPDATE audit_retentionschedule SET status = 'in_review' WHERE id = %s", draft), _STEP),
    ):
        brought = held(as_person(world, who, act), loot=THROUGH, without=partial(changed, without))
        assert "only its author may change a draft" in brought


@pytest.mark.parametrize(("who", "author"), [("dina", "dora"), ("rupert", "rupert"), ("amy", "amy")])
def test_nobody_drafts_in_anothers_name_or_without_the_permission(world: World, who: str, author: str) -> None:
    act = one_row(
        "INSERT INTO audit_retentionschedule (tenant_id, number, status, origin, reason, revision, author_id, "
        "author_label, approver_label, created_at, decision_reason) "
        "VALUES (%s, 900, 'draft', 'draft', 'x', 1, %s, 'x', '', now(), '')",
        world.acme.id,
        id_of(world, author),
    )
    brought = held(as_person(world, who, act), loot=THROUGH, without=lambda: changed(_STEP))
    assert "in its author's own name" in brought


def test_no_person_puts_a_baseline_in_force(world: World) -> None:
    act = one_row(
        "INSERT INTO audit_retentionschedule (tenant_id, number, status, origin, reason, revision, author_label, "
        "approver_label, created_at, decision_reason) VALUES (%s, 1, 'draft', 'baseline', 'x', 1, '', '', now(), '')",
        world.acme.id,
    )
    once = "ALTER TABLE audit_retentionschedule DROP CONSTRAINT retention_number_once"
    brought = held(as_person(world, "dora", act), loot=THROUGH, without=lambda: changed(_STEP, once))
    assert "is the platform's" in brought


# --- Counts and purges ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["glassbox_api", "glassbox_worker", "glassbox_auditor", "glassbox_eraser"])
@pytest.mark.parametrize("table", ["audit_retentioncount", "audit_purge", "audit_purgefigure", "audit_purgepart"])
@pytest.mark.parametrize("command", ["DELETE FROM {}", "UPDATE {} SET tenant_id = tenant_id", "TRUNCATE {} CASCADE"])
def test_what_was_counted_and_proposed_stays_as_it_was(world: World, role: str, table: str, command: str) -> None:
    with (
        acting_as(role),
        rolled_back(),
        pytest.raises(Exception, match=f"permission denied for table {table}"),
        # Without scopes: not every role may read which there are.
        open_scope(tenant=world.acme.id, scopes=[], reason="a test"),
    ):
        sql(command.format(table))


_PURGE = (
    "INSERT INTO audit_purge (tenant_id, schedule_id, reach, subject, reason, counted_for, created_at, created_by_id, "
    "created_by_label) SELECT tenant_id, id, 'may', '', 'x', current_date, now(), %s, 'x' FROM audit_retentionschedule "
    "WHERE number = 1"
)
_PART = (
    "INSERT INTO audit_purgepart (tenant_id, purge_id, number, targets, kept, last_position, is_last, proposed_at, "
    "proposed_by_id, proposed_by_label) SELECT tenant_id, id, 99, 0, '{{}}', 0, true, now(), %s, 'x' FROM audit_purge"
).replace("{{}}", "{}")
_COUNT = (
    "INSERT INTO audit_retentioncount (tenant_id, schedule_id, counted_on, counted_at, may_remove, must_remove) "
    "SELECT tenant_id, id, current_date, now(), 0, 0 FROM audit_retentionschedule WHERE number = 1 AND %s <> ''"
)


@pytest.mark.parametrize(
    ("statement", "table", "who", "name"),
    [
        (_PURGE, "audit_purge", "dora", "dina"),  # in another's name
        (_PURGE, "audit_purge", "amy", "amy"),  # without the permission
        (_PART, "audit_purgepart", "dora", "dina"),
        (_PART, "audit_purgepart", "rupert", "rupert"),
        (_COUNT, "audit_retentioncount", "dora", "dora"),  # what is overdue, counted away
    ],
)
def test_nobody_purges_in_anothers_name_or_counts_for_the_clock(
    world: World, statement: str, table: str, who: str, name: str
) -> None:
    def act() -> None:
        sql(statement, str(id_of(world, name)))

    attack = as_person(world, who, act)
    brought = held(attack, loot=THROUGH, without=lambda: changed(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY"))
    assert "row-level security" in brought
    with rolled_back():
        own: Principal = world.people["dora"]
        allowed = as_person(world, "dora", lambda: sql(_PURGE, str(own.id)))
        assert allowed() == THROUGH
