"""The eraser goes on in one session for as long as it likes: every way of a removal, seven times, whatever the plans.

PostgreSQL changes from plans for the values at hand to one for all values with the sixth use of a statement in a
session, and asks for other rights then.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from uuid import UUID

import pytest
from django.conf import settings
from django.db import connections
from django.db.backends.postgresql.base import DatabaseWrapper

from apps.erasure.contracts import Origin, RunState
from apps.erasure.engine import run_carry_out
from apps.erasure.models import RemovalRun
from apps.privacy.codes.life import RequestState
from apps.privacy.codes.requests import Ground, Requester, SubjectType
from apps.privacy.models import ErasureRequest
from apps.privacy.requests.details import Details
from apps.privacy.requests.services.receiving import request_receive
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from apps.tenants.services.tenants import scope_create
from tests.audit.acting import sealed
from tests.audit.ending import POLICY
from tests.audit.removing import approved, asked, documents, person
from tests.audit.requesting import Office, make_office
from tests.deciding import assess, identity_confirm, request_approve, request_propose
from tests.factories import Firm, as_, make_member
from tests.isolation.harness import changed, outcome, sql

pytestmark = pytest.mark.django_db(transaction=True)
# The sixth use is the first with a plan for all values, and the seventh one more of them. Where the plan is always of
# one kind, no later time differs from the second.
TIMES = {"auto": 7, "force_generic_plan": 2, "force_custom_plan": 2}


class Eraser:
    """One connection of glassbox_eraser, kept from run to run as the process keeps its own."""

    def __init__(self, mode: str) -> None:
        configured = connections["default"].settings_dict
        options = {name: value for name, value in configured["OPTIONS"].items() if name != "pool"}
        role = "glassbox_eraser"
        self.times = TIMES[mode]
        self._connection = DatabaseWrapper(
            {**configured, "USER": role, "PASSWORD": settings.GLASSBOX_DB_PASSWORDS[role], "OPTIONS": options},
            alias="default",
        )
        with self.acting():
            sql(f"SET plan_cache_mode = {mode}")
            (self.backend,) = sql("SELECT pg_backend_pid()")

    @contextmanager
    def acting(self) -> Iterator[None]:
        ordinary = connections["default"]
        connections["default"] = self._connection
        try:
            yield
        finally:
            connections["default"] = ordinary

    def ended(self, firm: Firm, *runs: UUID) -> None:
        """Turn after turn, the sealer at work meanwhile, until all of them have ended."""
        for _ in range(12):
            with self.acting():
                states = [run_carry_out(tenant_id=firm.id, run_id=run, policy=POLICY) for run in runs]
            assert RunState.FAILED not in states
            sealed(firm)
            if all(_state(firm, run) == RunState.COMPLETED for run in runs):
                return
        raise AssertionError([_state(firm, run) for run in runs])

    def close(self) -> None:
        with self.acting():
            # Still the session that it began with.
            assert sql("SELECT pg_backend_pid()") == [self.backend]
        self._connection.close()


def _state(firm: Firm, run: UUID) -> str:
    with open_scope(tenant=firm.id, reason="a test"):
        return str(RemovalRun.objects.values_list("state", flat=True).get(id=run))


@pytest.fixture(params=TIMES)
def eraser(request: pytest.FixtureRequest) -> Iterator[Eraser]:
    made = Eraser(request.param)
    yield made
    made.close()


def requested(office: Office, about: SubjectType, subject: UUID | None) -> ErasureRequest:
    """Received, proposed by dora and approved by rita."""
    with as_(office.dora):
        received = request_receive(subject_type=about, subject_id=subject, requester=Requester.FIRM, details=Details())
        identity_confirm(received.id)
        assess(received.id, ground=Ground.NOT_NEEDED)
        request_propose(received.id)
    with as_(office.rita):
        return request_approve(received.id)


@pytest.mark.slow
def test_every_way_of_a_request_and_a_purge_goes_on_in_one_session(eraser: Eraser) -> None:
    office = make_office()
    firm = office.firm
    with open_scope(tenant=firm.id, reason="a test"):
        scopes = [
            scope_create(key=f"fund:{number}", name=f"Fund {number}", parent=firm.root)
            for number in range(eraser.times)
        ]
    # With the scopes that were made since.
    office = replace(office, dora=person(firm, "dora", Role.DPO), rita=person(firm, "rita", Role.REVIEWER))
    ways = []
    for number, scope in enumerate(scopes):
        leaver = make_member(firm, f"leaver-{number}", Role.ANALYST)
        (document,) = documents(firm, 1)
        requests = [
            requested(office, SubjectType.DOCUMENT, document.id),
            requested(office, SubjectType.SCOPE, scope.id),
            requested(office, SubjectType.USER, leaver.id),
        ]
        purge = approved(firm, [*documents(firm, 1), *asked(firm)], origin=Origin.PURGE)
        runs = [each.run_id for each in requests if each.run_id is not None] + [purge.id]
        sealed(firm)
        eraser.ended(firm, *runs)
        ways += [office.again(each).state for each in requests]
    assert ways == [RequestState.COMPLETED] * 3 * eraser.times


@pytest.mark.slow
def test_the_end_of_a_tenant_goes_on_in_one_session(eraser: Eraser) -> None:
    for number in range(eraser.times):
        office = make_office(f"acme-{number}")
        run_id = requested(office, SubjectType.TENANT, None).run_id
        assert run_id is not None
        sealed(office.firm)
        eraser.ended(office.firm, run_id)


def test_without_the_right_the_step_is_refused_by_the_plan_for_all_values_alone() -> None:
    """The control: what stopped the eraser, and why nothing of it was seen before the sixth time."""
    office = make_office()
    request = requested(office, SubjectType.DOCUMENT, documents(office.firm, 1)[0].id)

    def step(mode: str) -> str:
        sql("SET LOCAL ROLE glassbox_eraser")
        sql(f"SET LOCAL plan_cache_mode = {mode}")
        with open_scope(tenant=office.firm.id, reason="a test"):
            ErasureRequest.objects.filter(id=request.id).update(state=RequestState.EXECUTING)
        return "taken"

    revoked = "REVOKE SELECT (expires_at) ON audit_accesspackage FROM glassbox_eraser"
    for mode, refused in (("force_custom_plan", False), ("force_generic_plan", True)):
        with changed(revoked):
            assert ("permission denied" in outcome(lambda mode=mode: step(mode))) is refused
    with changed("SELECT 1"):
        assert outcome(lambda: step("force_generic_plan")) == "taken"
