"""A verification's result is what the worker found: nobody invents one, alters one, or takes one away.

Each attack is tried once more with what stops it taken away.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings

from apps.audit.models import Verification
from apps.tenants.context import open_scope
from tests.audit.acting import checkpointed, sealed
from tests.audit.mutations import acting_as
from tests.audit.verifying import run
from tests.isolation.harness import changed, held, rolled_back, sql
from tests.isolation.world import World

THROUGH = "it was let through"
ROLES = ("glassbox_api", "glassbox_worker", "glassbox_auditor", "glassbox_eraser", "glassbox_owner")
_REFUSED = ("permission denied", "kept as they ended", "begins without a result", "row-level security")


@pytest.fixture(scope="module")
def finished(world: World, tmp_path_factory: pytest.TempPathFactory) -> UUID:
    """Acme's verification, as it ended."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settings, "GLASSBOX_CHECKPOINT_URL", str(Path(tmp_path_factory.mktemp("outside"))))
        sealed(world.acme)
        checkpointed(world.acme)
        with open_scope(tenant=world.acme.id, reason="a test"):
            asked: Verification = Verification.objects.get()
        run(asked)
    with open_scope(tenant=world.acme.id, reason="a test"):
        assert Verification.objects.get().state == "intact"
    return asked.id


@contextmanager
def _as_role_after(role: str, *statements: str) -> Iterator[None]:
    with changed(*statements, f"SET LOCAL ROLE {role}"):
        sql(f"SET LOCAL ROLE {role}")
        yield


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_verification SET state = 'findings', finding_count = 1",
        "UPDATE audit_verification SET started_by = NULL, night = '2026-01-01'",
        "DELETE FROM audit_verification",
        "TRUNCATE audit_verification",
    ],
)
def test_a_finished_one_is_altered_and_removed_by_nobody(
    world: World, finished: UUID, role: str, statement: str
) -> None:
    def attack() -> Any:
        with open_scope(tenant=world.acme.id, reason="a test"):
            assert sql("SELECT count(*) FROM audit_verification")[0][0]
            sql(statement)
            return THROUGH

    def without() -> Any:
        return _as_role_after(
            role,
            f"GRANT SELECT, DELETE, UPDATE, TRUNCATE ON audit_verification TO {role}",
            f"GRANT SELECT ON tenants_scope TO {role}",
            "ALTER TABLE audit_verification DISABLE TRIGGER USER",
        )

    with acting_as(role):
        brought = held(attack, loot=THROUGH, without=without)
    assert any(each in brought for each in _REFUSED), brought


def _invented(world: World, columns: str, values: str, principal: Any = None) -> Any:
    def attack() -> Any:
        named = {"principal": principal} if principal else {"reason": "a test"}
        with open_scope(tenant=world.acme.id, **named):
            sql(
                f"INSERT INTO audit_verification (tenant_id, done, total, lease_owner, attempts, events, leaves, "
                f"groups, finding_count, findings, error_code, {columns}) "
                f"VALUES ('{world.acme.id}', 0, 0, '', 0, 0, 0, 0, 0, '{{}}', '', {values})"
            )
            return THROUGH

    return attack


def test_a_result_is_not_invented(world: World, finished: UUID) -> None:
    columns, values = "state, started_by, finished_at", f"'intact', '{finished}', now()"
    brought = held(
        _invented(world, columns, values),
        loot=THROUGH,
        without=lambda: changed("ALTER TABLE audit_verification DISABLE TRIGGER USER"),
    )
    assert "begins without a result" in brought


@pytest.mark.parametrize(
    ("person", "columns", "values"),
    [
        # An analyst's scope, which may not see the log; an auditor's, in the name of the clock.
        ("ann", "state, started_by", "'waiting', '00000000-0000-7000-8000-000000000001'"),
        ("ada", "state, night", "'waiting', '2026-01-01'"),
    ],
)
def test_who_may_not_ask_for_one_inserts_none(
    world: World, finished: UUID, person: str, columns: str, values: str
) -> None:
    brought = held(
        _invented(world, columns, values, world.people[person]),
        loot=THROUGH,
        without=lambda: changed("DROP POLICY verification_asked_for ON audit_verification"),
    )
    assert "row-level security" in brought


@pytest.mark.parametrize(
    ("columns", "values"),
    [
        ("night", "'2116-01-01'"),
        ("next_attempt_at, night", "'2116-01-01', '2026-01-01'"),
        ("lease_until, night", "'2116-01-01', '2026-01-01'"),
        ("note, night", "'it is intact', '2026-01-01'"),
    ],
)
def test_one_is_asked_for_now_and_says_nothing_yet(world: World, finished: UUID, columns: str, values: str) -> None:
    brought = held(
        _invented(world, f"state, {columns}", f"'waiting', {values}"),
        loot=THROUGH,
        without=lambda: changed("ALTER TABLE audit_verification DISABLE TRIGGER audit_verification_in_time"),
    )
    assert "a verification" in brought


def test_it_is_asked_for_now_whatever_the_row_says(world: World, finished: UUID) -> None:
    def attack() -> Any:
        _invented(world, "state, requested_at, night", "'waiting', '2116-01-01', '2026-01-01'")()
        with open_scope(tenant=world.acme.id, reason="a test"):
            return sql("SELECT 'in ' || extract(year FROM max(requested_at)) FROM audit_verification")

    in_time = "ALTER TABLE audit_verification DISABLE TRIGGER audit_verification_in_time"
    brought = held(
        attack,
        loot="in 2116",
        without=lambda: changed(in_time, "ALTER TABLE audit_verification DISABLE TRIGGER aa_stamp"),
        alone=(in_time,),
    )
    assert "in 20" in brought


@pytest.mark.parametrize("column", ["lease_until", "next_attempt_at", "started_at"])
def test_the_worker_keeps_none_from_going_on_for_a_century(world: World, finished: UUID, column: str) -> None:
    def attack() -> Any:
        _invented(world, "state, night", "'waiting', '2026-01-01'")()
        with open_scope(tenant=world.acme.id, reason="a test"):
            sql(f"UPDATE audit_verification SET {column} = '2116-01-01' WHERE state = 'waiting'")
            return THROUGH

    def without() -> Any:
        return _as_role_after(
            "glassbox_worker", "ALTER TABLE audit_verification DISABLE TRIGGER audit_verification_in_time"
        )

    with acting_as("glassbox_worker"):
        assert "waits for hours at most" in held(attack, loot=THROUGH, without=without)


def test_another_tenants_is_not_seen(world: World, finished: UUID) -> None:
    def attack() -> Any:
        with open_scope(tenant=world.bolt.id, reason="a test"):
            return sql("SELECT id FROM audit_verification")

    held(attack, loot=str(finished))


def test_the_worker_finishes_one_and_no_other_role_does(world: World) -> None:
    def attack() -> Any:
        with open_scope(tenant=world.bolt.id, reason="a test"):
            sql("UPDATE audit_verification SET state = 'intact', finished_at = now()")
            return THROUGH

    right = "GRANT UPDATE ON audit_verification TO glassbox_api"
    assert "permission denied" in held(attack, loot=THROUGH, without=lambda: changed(right))
    # Undone: other tests of this world want one that waits.
    with acting_as("glassbox_worker"), rolled_back(), open_scope(tenant=world.bolt.id, reason="a test"):
        assert sql("UPDATE audit_verification SET state = 'intact', finished_at = now() RETURNING state")
