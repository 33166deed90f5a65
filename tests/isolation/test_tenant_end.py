"""The functions that end a tenant, against whoever has SQL: who may call them, of which tenant, and what they touch.

Each attack runs as the role that would make it, and once more with what stops it taken away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest

from apps.audit.models import Event
from apps.audit.services import record
from apps.erasure.contracts import Target, TargetType
from apps.erasure.events import LOG_EMPTIED
from apps.erasure.models import RemovalRun
from apps.erasure.runs.lease import EnginePolicy, claim
from apps.erasure.stores.tenant_log import LogContents
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.audit.acting import sealed
from tests.audit.ending import hold, whole
from tests.audit.mutations import acting_as
from tests.audit.removing import approved, asked, documents, person, stores_of_documents
from tests.factories import Firm, make_firm
from tests.isolation.harness import changed, held, outcome, rolled_back, sql

OTHERS = ("glassbox_api", "glassbox_worker", "glassbox_auditor", "glassbox_owner")
CALLS = {
    "audit_remove_of_tenant(text, integer)": "audit_remove_of_tenant('intents_goldenvector', 5)",
    "audit_empty_log(uuid, integer)": "audit_empty_log('{said}', 5)",
    "audit_destroy_keys(uuid)": "audit_destroy_keys('{said}')",
}
THROUGH = "went through"
ALONE = "audit.log.emptied is written with what it tells of, and not alone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """A run that names Acme is being carried out, as far as that its log goes; in Bolt, one that names a document.

    held: in Corp, which is named as well, a part of an event under a hold. said: Acme's event; ordinary: another.
    """

    acme: Firm
    bolt: Firm
    corp: Firm
    said: UUID
    said_of_corp: UUID
    ordinary: UUID
    of_bolt: RemovalRun
    part: Target


@pytest.fixture(scope="module")
def ground(committed_ground: None) -> Ground:
    acme, bolt, corp = (make_firm(f"{name}-ends") for name in ("acme", "bolt", "corp"))
    with stores_of_documents(LogContents()):
        (part,) = asked(corp)
        runs = {}
        for firm, targets in ((acme, [whole(acme)]), (bolt, documents(bolt, 1)), (corp, [whole(corp)])):
            sealed(firm)
            runs[firm.tenant.slug] = approved(firm, targets)
            with acting_as("glassbox_eraser"):
                assert claim(tenant_id=firm.id, run_id=runs[firm.tenant.slug].id, policy=EnginePolicy())
        hold(person(corp, "dora-corp-ends", Role.DPO), part)
        said = {}
        for firm in (acme, corp):
            with acting_as("glassbox_eraser"), open_scope(tenant=firm.id, reason="a test"):
                assert LogContents().clear([whole(firm)], limit=5) == 0
                said[firm.tenant.slug] = Event.objects.get(action="audit.log.emptied").id
            sealed(firm)
        with open_scope(tenant=acme.id, reason="a test"):
            ordinary = Event.objects.order_by("id").values_list("id", flat=True)[:1].get()
    return Ground(
        acme=acme,
        bolt=bolt,
        corp=corp,
        said=said["acme-ends"],
        said_of_corp=said["corp-ends"],
        ordinary=ordinary,
        of_bolt=runs["bolt-ends"],
        part=part,
    )


def within(firm: Firm, statement: str, *values: Any) -> Callable[[], Any]:
    def attack() -> Any:
        with open_scope(tenant=firm.id, reason="an attack"):
            return sql(statement, *values)

    return attack


def called(firm: Firm, call: str, *values: Any) -> Callable[[], Any]:
    return within(firm, f"SELECT '{THROUGH}: ' || {call}", *values)


@contextmanager
def as_role_after(role: str, *statements: str) -> Iterator[None]:
    with changed(*statements, f"SET LOCAL ROLE {role}"):
        sql(f"SET LOCAL ROLE {role}")
        yield


@pytest.mark.parametrize("role", OTHERS)
@pytest.mark.parametrize("function", CALLS)
def test_the_eraser_alone_may_call_them(ground: Ground, role: str, function: str) -> None:
    attack = called(ground.acme, CALLS[function].format(said=ground.said))
    right = f"GRANT EXECUTE ON FUNCTION {function} TO {role}"
    with acting_as(role):
        brought = held(attack, loot=THROUGH, without=lambda: as_role_after(role, right))
    assert "permission denied for function" in brought


@pytest.mark.parametrize("function", CALLS)
def test_of_a_tenant_that_no_run_names_nothing_is_removed(ground: Ground, function: str) -> None:
    """Bolt's run names a document; Acme's names Acme, and says nothing of Bolt."""
    attack = called(ground.bolt, CALLS[function].format(said=ground.said))
    with acting_as("glassbox_eraser"):
        assert "no run that is carried out names it" in outcome(attack)
        named = (
            "ALTER TABLE audit_removaltarget DISABLE TRIGGER USER",
            "INSERT INTO audit_removaltarget (tenant_id, run_id, type, item_id, part, outcome, ground) "
            f"VALUES ('{ground.bolt.id}', '{ground.of_bolt.id}', 'tenant', '{ground.bolt.id}', '', 'pending', '')",
        )
        with as_role_after("glassbox_eraser", *named):
            # Named, its rows go; and still nobody says of its log what is said of Acme's.
            brought = outcome(attack)
        assert THROUGH in brought if "remove_of_tenant" in function else "no sealed event says so" in brought


@pytest.mark.parametrize("state", ["proposed", "approved", "failed", "completed", "partially_completed"])
def test_a_run_that_is_not_carried_out_removes_nothing(ground: Ground, state: str) -> None:
    without_state = (
        "ALTER TABLE audit_removalrun DISABLE TRIGGER USER",
        f"UPDATE audit_removalrun SET state = '{state}' WHERE tenant_id = '{ground.acme.id}'",
    )
    attack = called(ground.acme, "audit_remove_of_tenant('intents_goldenvector', 5)")
    with acting_as("glassbox_eraser"):
        with as_role_after("glassbox_eraser", *without_state):
            assert "no run that is carried out names it" in outcome(attack)
        with rolled_back():
            assert THROUGH in outcome(attack)


@pytest.mark.parametrize(
    "relation", ["corpus_page", "audit_payload", "audit_event", "audit_datakey", "tenants_user", "x; DROP TABLE x", ""]
)
def test_rows_of_other_tables_do_not_go_with_their_tenant(ground: Ground, relation: str) -> None:
    attack = called(ground.acme, "audit_remove_of_tenant(%s, 5)", relation)
    with acting_as("glassbox_eraser"):
        assert "do not go with their tenant" in outcome(attack)
        if relation == "corpus_page":
            opened = (
                "CREATE POLICY end_of_tenant ON corpus_page TO glassbox_remover USING (tenant_id = authz.tenant())",
                "GRANT SELECT, DELETE ON corpus_page TO glassbox_remover",
            )
            with as_role_after("glassbox_eraser", *opened):
                assert THROUGH in outcome(attack)


@pytest.mark.parametrize(
    "table", ["intents_policyversion", "intents_goldenexample", "audit_datakey", "audit_legalhold"]
)
@pytest.mark.parametrize("role", [*OTHERS, "glassbox_eraser"])
def test_nobody_removes_these_rows_without_the_function(ground: Ground, role: str, table: str) -> None:
    attack = within(ground.corp, f"DELETE FROM {table} RETURNING '{THROUGH}'")
    with acting_as(role):
        with rolled_back():
            brought = outcome(attack)
        assert THROUGH not in brought


@pytest.mark.parametrize("role", ["glassbox_api", "glassbox_worker", "glassbox_owner"])
def test_nobody_but_the_eraser_says_that_a_log_is_emptied(ground: Ground, role: str) -> None:
    with acting_as(role):
        brought = held(
            lambda: _emptied(ground.acme), loot=THROUGH, without=lambda: as_role_after("glassbox_eraser", "SELECT 1")
        )
    assert ALONE in brought or "permission denied" in brought


def test_the_eraser_says_it_of_a_tenant_that_a_run_names_alone(ground: Ground) -> None:
    with acting_as("glassbox_eraser"):
        with rolled_back():
            assert ALONE in outcome(lambda: _emptied(ground.bolt))
        with rolled_back():
            assert THROUGH in outcome(lambda: _emptied(ground.acme))


def _emptied(firm: Firm) -> str:
    with open_scope(tenant=firm.id, reason="a test"):
        record(action=LOG_EMPTIED, core={"run_id": "x", "kept": [], "keys": 0})
        return THROUGH


@pytest.mark.parametrize("function", ["audit_empty_log(uuid, integer)", "audit_destroy_keys(uuid)"])
def test_an_event_that_says_something_else_or_is_another_tenants_empties_nothing(ground: Ground, function: str) -> None:
    with acting_as("glassbox_eraser"):
        for event in (ground.ordinary, ground.said_of_corp):
            assert "no sealed event says so" in outcome(called(ground.acme, CALLS[function].format(said=event)))
        unsealed = (
            "SET LOCAL session_replication_role = replica",
            f"DELETE FROM audit_leaf WHERE event_id = '{ground.said}'",
        )
        with as_role_after("glassbox_eraser", *unsealed):
            assert "no sealed event says so" in outcome(called(ground.acme, CALLS[function].format(said=ground.said)))


def test_what_is_held_is_not_emptied_and_its_key_not_destroyed(ground: Ground) -> None:
    there = "(SELECT count(*) FROM audit_payload WHERE event_id = %s AND field_group = 'question')"

    def emptied() -> Any:
        with open_scope(tenant=ground.corp.id, reason="an attack"):
            sql("SELECT audit_empty_log(%s, 100000)", ground.said_of_corp)
            return f"left: {sql(f'SELECT {there}', ground.part.id)[0][0]}"

    released = (
        "SET LOCAL session_replication_role = replica",  # a decision is made in the decider's own name
        "UPDATE audit_legalhold SET released_at = now(), released_by = placed_by, release_reason = 'x' "
        f"WHERE tenant_id = '{ground.corp.id}'",
        "SET LOCAL session_replication_role = origin",
    )
    with acting_as("glassbox_eraser"):
        held(emptied, loot="left: 0", without=lambda: as_role_after("glassbox_eraser", *released))
        brought = outcome(called(ground.corp, "audit_destroy_keys(%s)", ground.said_of_corp))
        assert "something of the tenant is held" in brought
        brought = outcome(called(ground.corp, "audit_remove_of_tenant('audit_legalhold', 5)"))
        assert "something of the tenant is held" in brought


def test_a_key_by_which_something_is_sealed_still_is_not_destroyed(ground: Ground) -> None:
    """Before the log is emptied there is nothing to destroy, and past the function the foreign key says no."""
    with acting_as("glassbox_eraser"), rolled_back():
        assert outcome(called(ground.acme, "audit_destroy_keys(%s)", ground.said)) == f"{THROUGH}: 0"

    def past_it() -> Any:
        with open_scope(tenant=ground.acme.id, reason="an attack"):
            sql("DELETE FROM audit_datakey WHERE epoch NOT LIKE 'end.%'")
            sql("SET CONSTRAINTS ALL IMMEDIATE")
            return THROUGH

    lifted = ("ALTER TABLE audit_datakey DISABLE TRIGGER USER", "GRANT DELETE ON audit_datakey TO glassbox_worker")
    with as_role_after("glassbox_worker", *lifted):
        assert "foreign key" in outcome(past_it)


def test_one_tenants_end_leaves_the_others_rows(ground: Ground) -> None:
    with acting_as("glassbox_eraser"), rolled_back():
        with open_scope(tenant=ground.bolt.id, reason="a test"):
            before = sql("SELECT count(*), sum(hashtext(p.id::text)) FROM audit_payload p")
        with open_scope(tenant=ground.acme.id, reason="a test"):
            assert sql("SELECT audit_empty_log(%s, 100000)", ground.said)[0][0] > 10
            assert sql("SELECT audit_destroy_keys(%s)", ground.said)[0][0] == 1
            assert sql("SELECT audit_remove_of_tenant('intents_goldenvector', 100000)")
        with open_scope(tenant=ground.bolt.id, reason="a test"):
            assert sql("SELECT count(*), sum(hashtext(p.id::text)) FROM audit_payload p") == before
            assert sql("SELECT count(*) FROM audit_datakey")[0][0] == 1


def test_a_run_may_not_be_frozen_for_another_tenant(ground: Ground) -> None:
    """Should one name Bolt in Acme's rows, Bolt's own rows stay: what a run names, it names in its tenant."""
    named = (
        "ALTER TABLE audit_removaltarget DISABLE TRIGGER USER",
        "INSERT INTO audit_removaltarget (tenant_id, run_id, type, item_id, part, outcome, ground) "
        f"SELECT tenant_id, run_id, 'tenant', '{ground.bolt.id}', '', 'pending', '' FROM audit_removaltarget "
        f"WHERE tenant_id = '{ground.acme.id}' AND type = '{TargetType.TENANT}'",
    )
    attack = called(ground.bolt, "audit_remove_of_tenant('intents_goldenvector', 5)")
    with acting_as("glassbox_eraser"), as_role_after("glassbox_eraser", *named):
        assert "no run that is carried out names it" in outcome(attack)
