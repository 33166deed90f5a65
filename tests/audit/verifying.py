"""Verifications in tests: asked for as somebody, and run as the worker does. For committed tests.

run(request(firm, alice))
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import psycopg
from django.conf import settings

from apps.audit.models import Verification, VerificationState
from apps.audit.verify.requests import verification_request
from apps.audit.verify.runs import VerificationOutcome, VerificationPolicy, verification_run
from apps.audit.verify.statements import state_verification
from apps.audit.verify.stating import export_statement
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.principals import Principal
from tests.audit.acting import as_worker
from tests.conftest import admin_dsn
from tests.factories import Firm


def request(firm: Firm, principal: Principal) -> Verification:
    with open_scope(tenant=firm.id, principal=principal):
        return verification_request()


def run(verification: Verification, policy: VerificationPolicy | None = None) -> VerificationOutcome:
    with as_worker():
        return verification_run(
            verification_id=verification.id, tenant_id=TenantId(verification.tenant_id), policy=policy
        )


def stored(verification: Verification) -> Verification:
    with open_scope(tenant=TenantId(verification.tenant_id), reason="a test"):
        found: Verification = Verification.objects.get(id=verification.id)
        return found


def verified(firm: Firm, principal: Principal) -> Verification:
    """Asked for, run, and as it ended."""
    asked = request(firm, principal)
    assert run(asked) == VerificationOutcome.DONE
    return stored(asked)


def as_of(verification: Verification, at: datetime) -> None:
    """As if it had ended then: what the worker's key says of it, and the row."""
    with as_worker():
        note = state_verification(
            tenant_id=verification.tenant_id,
            verification_id=verification.id,
            state=VerificationState(verification.state),
            at=at,
            result={},
        )
    with tampering() as connection:
        connection.execute(
            "UPDATE audit_verification SET note = %s, finished_at = %s WHERE id = %s", [note, at, verification.id]
        )
    export_statement(verification.tenant_id, note)


@contextmanager
def tampering() -> Iterator[psycopg.Connection[Any]]:
    """As the database's superuser, past every trigger; committed."""
    with psycopg.connect(f"{admin_dsn()} dbname={settings.TEST_DATABASE}") as connection:
        connection.execute("SET session_replication_role = replica")
        yield connection
