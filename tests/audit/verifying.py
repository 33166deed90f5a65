"""Verifications in tests: asked for as somebody, and run as the worker does. For committed tests.

run(request(firm, alice))
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.conf import settings

from apps.audit.models import Verification
from apps.audit.verify.lease import VerificationPolicy
from apps.audit.verify.requests import verification_request
from apps.audit.verify.runs import VerificationOutcome, verification_run
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


@contextmanager
def tampering() -> Iterator[psycopg.Connection[Any]]:
    """As the database's superuser, past every trigger; committed."""
    with psycopg.connect(f"{admin_dsn()} dbname={settings.TEST_DATABASE}") as connection:
        connection.execute("SET session_replication_role = replica")
        yield connection
