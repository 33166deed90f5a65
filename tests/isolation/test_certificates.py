"""Certificates against whoever has SQL: none without a clean scan, none altered, none of another tenant."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from psycopg.types.json import Jsonb

from apps.erasure.models import Certificate, RemovalRun
from apps.tenants.context import open_scope
from tests.audit.mutations import acting_as
from tests.audit.proving import PHYSICAL, SCAN, certified, ending
from tests.factories import Firm, make_firm
from tests.isolation.harness import changed, held, sql

THROUGH = "it was let through"
ROLES = ("glassbox_api", "glassbox_worker", "glassbox_auditor", "glassbox_eraser", "glassbox_owner")
_COLUMNS = "number, run_id, origin, origin_id, outcome, event_id, leaf_index, size, root, body, note"
_STEP = "ALTER TABLE audit_removalrun DISABLE TRIGGER audit_removalrun_step, DISABLE TRIGGER ab_flow"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    acme: Firm
    bolt: Firm
    certificate: Certificate
    verifying: RemovalRun


@pytest.fixture(scope="module")
def ground(committed_ground: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settings, "GLASSBOX_CHECKPOINT_URL", str(Path(tmp_path_factory.mktemp("outside"))))
        acme, bolt = make_firm("acme"), make_firm("bolt")
        yield Ground(acme=acme, bolt=bolt, certificate=certified(acme), verifying=ending(acme))


def in_acme(ground: Ground, statement: str, *values: Any) -> Any:
    def attack() -> Any:
        with open_scope(tenant=ground.acme.id, reason="an attack"):
            return f"{THROUGH}: {sql(statement, *values)}"

    return attack


@contextmanager
def _as_role_after(role: str, *statements: str) -> Iterator[None]:
    with changed(*statements, f"SET LOCAL ROLE {role}"):
        sql(f"SET LOCAL ROLE {role}")
        yield


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_certificate SET outcome = 'partially_completed'",
        "UPDATE audit_certificate SET body = '{}'",
        "DELETE FROM audit_certificate",
        "TRUNCATE audit_certificate",
    ],
)
def test_one_is_altered_and_removed_by_nobody(ground: Ground, role: str, statement: str) -> None:
    def without() -> Any:
        return _as_role_after(
            role,
            f"GRANT SELECT, DELETE, UPDATE, TRUNCATE ON audit_certificate TO {role}",
            f"GRANT SELECT ON tenants_scope TO {role}",
            "ALTER TABLE audit_certificate DISABLE TRIGGER USER",
        )

    with acting_as(role):
        brought = held(in_acme(ground, statement), loot=THROUGH, without=without)
    assert any(each in brought for each in ("permission denied", "kept as they were issued", "row-level")), brought


@pytest.mark.parametrize("role", ["glassbox_api", "glassbox_eraser"])
def test_one_is_issued_by_the_role_that_signs_alone(ground: Ground, role: str) -> None:
    statement = (
        f"INSERT INTO audit_certificate (tenant_id, {_COLUMNS}) SELECT tenant_id, 2, run_id, origin, origin_id, "
        "outcome, event_id, leaf_index, size, root, body, note FROM audit_certificate"
    )

    def without() -> Any:
        return _as_role_after(
            role,
            f"GRANT SELECT, INSERT ON audit_certificate TO {role}",
            f"GRANT SELECT ON tenants_scope TO {role}",
            "ALTER TABLE audit_certificate DISABLE TRIGGER USER, DROP CONSTRAINT certificate_once_an_end",
        )

    with acting_as(role):
        assert "permission denied" in held(in_acme(ground, statement), loot=THROUGH, without=without)


def test_the_worker_issues_none_of_a_run_that_is_still_verified(ground: Ground) -> None:
    """Though there is a leaf and a checkpoint, and the body says what it likes."""
    statement = (
        f"INSERT INTO audit_certificate (tenant_id, {_COLUMNS}) SELECT c.tenant_id, 2, r.id, r.origin, r.origin_id, "
        "'completed', l.event_id, l.index, c.size, c.root, '{}', '' FROM audit_removalrun r, audit_leaf l, "
        "audit_checkpoint c WHERE r.id = %s AND l.index = 0 AND c.size > 0 LIMIT 1"
    )
    with acting_as("glassbox_worker"):
        brought = held(
            in_acme(ground, statement, ground.verifying.id),
            loot=THROUGH,
            without=lambda: _as_role_after(
                "glassbox_worker", "ALTER TABLE audit_certificate DISABLE TRIGGER audit_certificate_kept"
            ),
        )
    assert "an end of a removal run that a checkpoint of the log holds" in brought


@pytest.mark.parametrize("role", ["glassbox_api", "glassbox_worker", "glassbox_eraser"])
def test_a_clean_scan_is_written_by_nobody_of_the_application(ground: Ground, role: str) -> None:
    found = Jsonb({"control": {"proves": True}, "physical": PHYSICAL, "scan": SCAN})
    statement = "UPDATE audit_removalrun SET verification = %s, prepared_at = now() WHERE id = %s RETURNING 1"

    def without() -> Any:
        return _as_role_after(role, f"GRANT UPDATE ON audit_removalrun TO {role}", _STEP)

    with acting_as(role):
        brought = held(in_acme(ground, statement, found, ground.verifying.id), loot=THROUGH, without=without)
    assert "permission denied" in brought


def test_with_the_right_to_write_it_the_eraser_is_refused_all_the_same(ground: Ground) -> None:
    statement = "UPDATE audit_removalrun SET verification = '{}' WHERE id = %s"
    with acting_as("glassbox_eraser"):
        with _as_role_after("glassbox_eraser", "GRANT UPDATE ON audit_removalrun TO glassbox_eraser"):
            brought = _caught(in_acme(ground, statement, ground.verifying.id))
        assert "by whoever looked" in brought


@pytest.mark.parametrize(
    ("lacking", "said"),
    [
        ("verification = verification - 'scan'", "after a control that proves"),
        ("verification = jsonb_set(verification, '{scan,clean}', 'false')", "after a control that proves"),
        ("verification = jsonb_set(verification, '{physical,complete}', 'false')", "after a control that proves"),
        ("verification = verification - 'control'", "after a control that proves"),
        ("attempts = 0", "one event of the log"),
    ],
)
def test_the_eraser_ends_no_run_without_a_clean_scan_and_the_event_that_says_so(
    ground: Ground, lacking: str, said: str
) -> None:
    before = (
        "ALTER TABLE audit_removalrun DISABLE TRIGGER audit_removalrun_step, DISABLE TRIGGER ab_flow",
        f"UPDATE audit_removalrun SET {lacking} WHERE id = '{ground.verifying.id}'",
        "ALTER TABLE audit_removalrun ENABLE TRIGGER audit_removalrun_step, ENABLE TRIGGER ab_flow",
    )
    statement = "UPDATE audit_removalrun SET state = 'completed', finished_at = now() WHERE id = %s RETURNING state"
    with acting_as("glassbox_eraser"):
        with _as_role_after("glassbox_eraser", *before):
            assert said in _caught(in_acme(ground, statement, ground.verifying.id))
        with _as_role_after("glassbox_eraser", *before, _STEP):
            assert THROUGH in _caught(in_acme(ground, statement, ground.verifying.id))


def test_another_tenants_is_not_seen(ground: Ground) -> None:
    def attack() -> Any:
        with open_scope(tenant=ground.bolt.id, reason="a test"):
            return sql("SELECT id FROM audit_certificate")

    held(attack, loot=str(ground.certificate.id))


def _caught(attack: Any) -> str:
    try:
        return str(attack())
    except Exception as error:  # noqa: BLE001 - what it says is what is asked for
        return str(error)
