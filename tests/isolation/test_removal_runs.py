"""Runs of removals against whoever has SQL: four eyes, what is frozen, and what the eraser may delete.

Each attack runs as the role that would make it, in a scope of Acme's, and once more with what stops it taken away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest

from apps.audit.ids import new_id
from apps.audit.registry import Group
from apps.audit.services import record
from apps.erasure.contracts import Target, TargetType
from apps.erasure.log_removal import Removal, RemovalReason, payload_erase
from apps.erasure.models import RemovalRun
from apps.erasure.runs.lease import EnginePolicy, claim
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.acting import sealed
from tests.audit.mutations import acting_as
from tests.audit.removing import approved, documents, proposed, stores_of_documents
from tests.factories import Firm, make_firm, make_member
from tests.isolation.harness import changed, held, outcome, rolled_back, sql

THROUGH = "it was let through"
ROLES = ("glassbox_api", "glassbox_worker", "glassbox_auditor", "glassbox_eraser", "glassbox_owner")
TABLES = {
    "audit_removalrun": "reason_code = 'x'",
    "audit_removaltarget": "item_id = uuidv7()",
    "audit_removalstep": "before = 0",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Acme's runs: one that waits for approval, one that is approved, one that is carried out; and a stranger's."""

    acme: Firm
    bolt: Firm
    people: dict[str, Principal]
    proposed: RemovalRun
    approved: RemovalRun
    executing: RemovalRun
    waiting: Target
    cleared: Target
    going: Target
    part: Target
    other_part: Target
    foreign: Target
    bystander: Target


@pytest.fixture(scope="module")
def ground(committed_ground: None) -> Iterator[Ground]:
    acme, bolt = make_firm("acme"), make_firm("bolt")
    with stores_of_documents():
        people = {
            "dirk": make_member(acme, "dirk", Role.DPO),
            "ralf": make_member(acme, "ralf", Role.REVIEWER),
            "ann": make_member(acme, "ann", Role.ANALYST),
        }
        waiting, cleared, going, bystander = documents(acme, 4)
        with open_scope(tenant=acme.id, reason="a test"):
            parts = [
                record(action="retrieval.question.answered", core={"intent": "x"}, question={"text": "Who?"})
                for _ in range(2)
            ]
        sealed(acme)
        part, other_part = (Target(type=TargetType.EVENT_GROUP, id=each.id, part="question") for each in parts)
        foreign = documents(bolt, 1)[0]
        taken = approved(bolt, [foreign])
        made = Ground(
            acme=acme,
            bolt=bolt,
            people=people,
            proposed=proposed(acme, [waiting]),
            approved=approved(acme, [cleared]),
            executing=approved(acme, [going, part]),
            waiting=waiting,
            cleared=cleared,
            going=going,
            part=part,
            other_part=other_part,
            foreign=foreign,
            bystander=bystander,
        )
        with acting_as("glassbox_eraser"):
            assert claim(tenant_id=acme.id, run_id=made.executing.id, policy=EnginePolicy())
            assert claim(tenant_id=bolt.id, run_id=taken.id, policy=EnginePolicy())
            with open_scope(tenant=acme.id, reason="a test"):
                sql(
                    "INSERT INTO audit_removalstep (tenant_id, run_id, store, ordinal, before, removed, retained, "
                    "remaining) VALUES (%s, %s, 'test.pages', 0, 3, 0, 0, 3)",
                    acme.id,
                    made.executing.id,
                )
        yield made


def in_acme(ground: Ground, statement: str, *values: Any, by: str = "") -> Callable[[], Any]:
    """The statement in a scope of Acme's, as somebody or as the system. It brings its rows and what it changed home."""

    def attack() -> Any:
        principal = ground.people[by] if by else None
        with open_scope(tenant=ground.acme.id, principal=principal, reason="an attack"):
            return f"{THROUGH}: {sql(statement, *values)}"

    return attack


# --- Four eyes --------------------------------------------------------------------------------------------------------

_APPROVE = (
    "UPDATE audit_removalrun SET state = 'approved', approved_by = %s, approved_at = now(), "
    "decided_revision = revision WHERE id = %s RETURNING 1"
)
_STEP = (
    "ALTER TABLE audit_removalrun DISABLE TRIGGER audit_removalrun_step, DISABLE TRIGGER ab_flow, "
    "DISABLE TRIGGER zz_second_person_approved_by, DISABLE TRIGGER zz_second_person_unproven_agreed_by"
)
_CHECKS = "ALTER TABLE audit_removalrun DROP CONSTRAINT removal_approved_by_another"


@pytest.mark.parametrize(
    ("by", "whose", "problem"),
    [
        ("dora", "dora", "approved by somebody else"),  # one's own, as who proposed it
        ("dora", "dirk", "approved by somebody else"),  # one's own, in another's name
        ("ralf", "dirk", "in the approver's own name"),
        ("ralf", "dora", "in the approver's own name"),
        ("ann", "ann", "who may approve"),  # without the permission
        ("", "dirk", "in the approver's own name"),  # as the system
        ("", "nobody", "in the approver's own name"),
    ],
)
def test_nobody_approves_but_a_second_person_in_their_own_name(
    ground: Ground, by: str, whose: str, problem: str
) -> None:
    people = {**ground.people, "dora": _dora(ground)}
    name = people[whose].id if whose != "nobody" else None

    def attack() -> Any:
        principal = people[by] if by else None
        with open_scope(tenant=ground.acme.id, principal=principal, reason="an attack"):
            return f"{THROUGH}: {sql(_APPROVE, name, ground.proposed.id)}"

    lifted = (_STEP, _CHECKS, "ALTER TABLE audit_removalrun DROP CONSTRAINT removal_approved_by_somebody")
    assert problem in held(attack, loot=f"{THROUGH}: [(1,)]", without=lambda: changed(*lifted))


def _dora(ground: Ground) -> Principal:
    from apps.tenants.selectors.grants import user_principal
    from apps.tenants.selectors.people import user_by_name

    user = user_by_name("dora-acme")
    assert user is not None
    return user_principal(user, ground.acme.id)


def test_the_constraint_stands_where_the_trigger_does_not(ground: Ground) -> None:
    attack = in_acme(ground, _APPROVE, ground.proposed.proposed_by, ground.proposed.id)
    with changed(_STEP):
        assert "removal_approved_by_another" in outcome(attack)


@pytest.mark.parametrize("name", ["another", "oneself"])
def test_nobody_proposes_in_anothers_name_or_without_the_permission(ground: Ground, name: str) -> None:
    by, whose = ("dirk", ground.people["ralf"]) if name == "another" else ("ralf", ground.people["ralf"])
    attack = in_acme(
        ground,
        "INSERT INTO audit_removalrun (tenant_id, origin, origin_id, state, reason_code, made_in, proposed_by, "
        "rejection_code, attempts, lease_owner, error_code, proof, verification, end_events, staying, unproven_code) "
        "VALUES (%s, 'purge', uuidv7(), 'proposed', 'x', '', %s, '', 0, '', '', 'counts', '{}', '{}', '[]', '') "
        "RETURNING 1",
        ground.acme.id,
        whose.id,
        by=by,
    )
    assert "in one's own name" in held(attack, loot=THROUGH, without=lambda: changed(_STEP))


@pytest.mark.parametrize("state", ["approved", "executing", "completed", "rejected", "failed"])
def test_no_run_begins_beyond_its_proposal(ground: Ground, state: str) -> None:
    attack = in_acme(
        ground,
        "INSERT INTO audit_removalrun (tenant_id, origin, origin_id, state, reason_code, made_in, frozen_at, "
        "proposed_by, approved_by, approved_at, rejection_code, attempts, lease_owner, error_code, "
        "proof, verification, end_events, staying, unproven_code) "
        "VALUES (%s, 'purge', uuidv7(), %s, 'x', '', now(), %s, %s, now(), '', 0, '', '', 'counts', '{}', '{}', "
        "'[]', '') RETURNING 1",
        ground.acme.id,
        state,
        ground.people["dirk"].id,
        ground.people["ralf"].id,
        by="dirk",
    )
    assert "starts as a proposal" in held(attack, loot=THROUGH, without=lambda: changed(_STEP))


# --- What is frozen ---------------------------------------------------------------------------------------------------

_ADD = (
    "INSERT INTO audit_removaltarget (tenant_id, run_id, type, item_id, part, outcome, ground) "
    "VALUES (%s, %s, 'document', %s, '', 'pending', '') RETURNING 1"
)


@pytest.mark.parametrize("run", ["proposed", "approved", "executing"])
@pytest.mark.parametrize("by", ["dirk", ""])
def test_no_target_is_added_once_the_run_is_made(ground: Ground, run: str, by: str) -> None:
    attack = in_acme(ground, _ADD, ground.acme.id, getattr(ground, run).id, ground.bystander.id, by=by)
    lifted = "ALTER TABLE audit_removaltarget DISABLE TRIGGER audit_removaltarget_added"
    brought = held(attack, loot=f"{THROUGH}: [(1,)]", without=lambda: changed(lifted))
    assert "added to a removal run where it is made" in brought


def test_no_run_is_thawed(ground: Ground) -> None:
    attack = in_acme(
        ground, "UPDATE audit_removalrun SET frozen_at = NULL WHERE id = %s RETURNING 1", ground.proposed.id, by="dirk"
    )
    assert "frozen once" in held(attack, loot=THROUGH, without=lambda: changed(_STEP))


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("command", ["DELETE FROM {}", "UPDATE {} SET {change}", "TRUNCATE {} CASCADE"])
def test_nobody_removes_or_rewrites_what_was_decided(ground: Ground, role: str, table: str, command: str) -> None:
    statement = command.format(table, change=TABLES[table])

    def attack() -> Any:
        with open_scope(tenant=ground.acme.id, reason="an attack"):
            sql(statement)
            return THROUGH

    with acting_as(role):
        brought = outcome(attack)
    assert THROUGH not in brought
    assert any(reason in brought for reason in ("permission denied", "is kept", "keeps", "frozen", "eraser alone"))


@pytest.mark.parametrize("role", ["glassbox_api", "glassbox_worker"])
@pytest.mark.parametrize(
    ("run", "change"),
    [
        ("approved", "state = 'executing'"),
        ("approved", "next_attempt_at = now() + interval '10 years'"),
        ("executing", "state = 'completed'"),
        ("executing", "state = 'failed'"),
        ("executing", "error_code = 'x'"),
        ("approved", "approved_by = uuidv7()"),
        ("approved", "state = 'proposed'"),
        ("proposed", "state = 'executing'"),
    ],
)
def test_who_serves_requests_does_not_move_a_run(ground: Ground, role: str, run: str, change: str) -> None:
    id = getattr(ground, run).id
    attack = in_acme(ground, f"UPDATE audit_removalrun SET {change} WHERE id = %s RETURNING 1", id)
    with acting_as(role):
        brought = outcome(attack)
    assert THROUGH not in brought
    with changed(_STEP, "ALTER TABLE audit_removalrun DROP CONSTRAINT removal_approved_by_somebody"):
        assert THROUGH in outcome(attack)


def test_who_serves_requests_says_nothing_of_what_became_of_a_target(ground: Ground) -> None:
    attack = in_acme(ground, "UPDATE audit_removaltarget SET outcome = 'removed' RETURNING 1")
    brought = held(
        attack,
        loot=THROUGH,
        without=lambda: changed(
            "GRANT UPDATE ON audit_removaltarget TO glassbox_api",
            "ALTER TABLE audit_removaltarget DISABLE TRIGGER audit_removaltarget_step",
        ),
    )
    assert "permission denied" in brought
    with changed("GRANT UPDATE ON audit_removaltarget TO glassbox_api"):
        assert "the eraser's to say" in outcome(attack)


# --- The eraser -------------------------------------------------------------------------------------------------------

_DELETE = "DELETE FROM corpus_page WHERE document_id = %s RETURNING 'gone'"


def deleted(ground: Ground, target: Target, statement: str = _DELETE) -> str:
    with acting_as("glassbox_eraser"), rolled_back():
        return outcome(in_acme(ground, statement, target.id))


def test_the_eraser_deletes_what_an_executing_run_names(ground: Ground) -> None:
    assert deleted(ground, ground.going).count("gone") == 3


@pytest.mark.parametrize("name", ["bystander", "waiting", "cleared", "foreign"])
@pytest.mark.parametrize(
    "statement",
    [
        _DELETE,
        "DELETE FROM corpus_chunk WHERE document_id = %s RETURNING 'gone'",
        "DELETE FROM corpus_document WHERE id = %s RETURNING 'gone'",
    ],
)
def test_it_deletes_nothing_that_no_executing_run_names(ground: Ground, name: str, statement: str) -> None:
    """No target at all, of a run that is not approved, of one that is not begun, and another tenant's."""
    brought = deleted(ground, getattr(ground, name), statement)
    assert brought == f"{THROUGH}: []"
    if name != "foreign":
        table = statement.split()[2]

        def attack() -> Any:
            return in_acme(ground, statement, getattr(ground, name).id)()

        lifted = (f"DROP POLICY removal_of_targets ON {table}", f"GRANT DELETE ON {table} TO glassbox_eraser")
        with changed(*lifted, "ALTER TABLE corpus_page DISABLE TRIGGER ALL"):
            sql("SET LOCAL ROLE glassbox_eraser")
            assert "gone" in outcome(attack)


@pytest.mark.parametrize("column", ["text"])
def test_it_reads_no_word_of_what_it_deletes(ground: Ground, column: str) -> None:
    attack = f"DELETE FROM corpus_page WHERE document_id = %s RETURNING {column}"
    assert "permission denied" in deleted(ground, ground.going, attack)
    assert "permission denied" in deleted(ground, ground.going, "SELECT title FROM corpus_document WHERE id = %s")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_removalrun SET state = 'executing' WHERE id = %s RETURNING 1",
        "UPDATE audit_removalrun SET approved_by = proposed_by WHERE id = %s RETURNING 1",
    ],
)
def test_it_approves_nothing_itself(ground: Ground, statement: str) -> None:
    with acting_as("glassbox_eraser"):
        brought = outcome(in_acme(ground, statement, ground.proposed.id))
    assert "can't go from proposed to executing" in brought or "permission denied" in brought


_PROGRESS = {
    "attempts": "7",
    "error_code": "'x'",
    "finished_at": "'2020-01-01T00:00Z'",
    "lease_owner": "'somebody'",
    "lease_until": "now() + interval '1 year'",
    "next_attempt_at": "now() + interval '10 years'",
    "started_at": "'2020-01-01T00:00Z'",
    "verifying_at": "'2020-01-01T00:00Z'",
}


@pytest.mark.parametrize("role", ["glassbox_eraser", "glassbox_api", "glassbox_worker"])
@pytest.mark.parametrize("state", ["proposed", "rejected", "completed", "partially_completed"])
def test_how_far_a_run_is_changes_while_it_is_carried_out(ground: Ground, state: str, role: str) -> None:
    """Nobody takes the lease of a run that is not theirs to carry out, nor says later when it began and ended."""
    there = (
        "SET LOCAL session_replication_role = replica; "
        f"UPDATE audit_removalrun SET state = '{state}' WHERE id = '{ground.executing.id}'; "
        "SET LOCAL session_replication_role = origin; "
        "GRANT UPDATE ON audit_removalrun TO glassbox_api, glassbox_worker"
    )

    def tried(change: str) -> str:
        def attack() -> Any:
            sql(f"SET LOCAL ROLE {role}")
            return in_acme(
                ground, f"UPDATE audit_removalrun SET {change} WHERE id = %s RETURNING 1", ground.executing.id
            )()

        return outcome(attack, undone=True)

    with changed(there):
        for column, value in _PROGRESS.items():
            assert "eraser alone carries out" in tried(f"{column} = {value}"), column
    with changed(there, "ALTER TABLE audit_removalrun DISABLE TRIGGER audit_removalrun_step"):
        for column, value in _PROGRESS.items():
            assert f"{THROUGH}: [(1,)]" in tried(f"{column} = {value}"), column


def test_a_target_that_is_retained_is_no_target_any_more(ground: Ground) -> None:
    with acting_as("glassbox_eraser"), rolled_back():
        with open_scope(tenant=ground.acme.id, reason="a test"):
            sql(
                "UPDATE audit_removaltarget SET outcome = 'retained', ground = 'hold:1' WHERE item_id = %s",
                ground.going.id,
            )
        assert deleted_here(ground) == f"{THROUGH}: []"


def deleted_here(ground: Ground) -> str:
    return outcome(in_acme(ground, _DELETE, ground.going.id))


@pytest.mark.parametrize(("name", "is_let"), [("part", True), ("other_part", False)])
def test_it_authorises_in_the_log_only_what_an_executing_run_names(ground: Ground, name: str, is_let: bool) -> None:
    target: Target = getattr(ground, name)

    def attack() -> Any:
        with open_scope(tenant=ground.acme.id, reason="an attack"):
            removal = Removal(event_id=target.id, group=Group(target.part))
            payload_erase(removals=[removal], reason_code=RemovalReason.ERASURE_REQUEST)
            return THROUGH

    with acting_as("glassbox_eraser"), rolled_back():
        brought = outcome(attack)
    assert (brought == THROUGH) is is_let
    if not is_let:
        assert "no run that is carried out names what is to be removed" in brought


@pytest.mark.parametrize("role", ["glassbox_api", "glassbox_worker"])
def test_nobody_else_authorises_not_even_what_an_executing_run_names(ground: Ground, role: str) -> None:
    def attack() -> Any:
        with open_scope(tenant=ground.acme.id, reason="an attack"):
            removal = Removal(event_id=ground.part.id, group=Group(ground.part.part))
            payload_erase(removals=[removal], reason_code=RemovalReason.ERASURE_REQUEST)
            return THROUGH

    with acting_as(role), rolled_back():
        assert "no run that is carried out names what is to be removed" in outcome(attack)


@pytest.mark.parametrize("role", ["glassbox_api", "glassbox_worker", "glassbox_auditor"])
@pytest.mark.parametrize("call", ["audit_removal_targets('document')", "audit_removal_terms()"])
def test_nobody_else_asks_what_may_be_deleted(ground: Ground, role: str, call: str) -> None:
    with acting_as(role):
        assert "permission denied" in outcome(in_acme(ground, f"SELECT {call}"))


def test_a_run_of_another_tenant_is_not_there(ground: Ground) -> None:
    loot = str(ground.foreign.id)
    attack = in_acme(ground, "SELECT item_id FROM audit_removaltarget")
    assert str(ground.going.id) in held(attack, loot=loot)
    with acting_as("glassbox_eraser"), rolled_back():
        found = outcome(in_acme(ground, "SELECT audit_removal_targets('document')"))
    assert loot not in found
    assert str(ground.going.id) in found


def test_a_forged_id_of_a_run_is_refused(ground: Ground) -> None:
    attack = in_acme(ground, _ADD, ground.acme.id, new_id(), UUID(int=1), by="dirk")
    assert "added to a removal run where it is made" in outcome(attack)
