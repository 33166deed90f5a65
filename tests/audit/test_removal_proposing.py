"""Runs of removals: who proposes and who approves, and what can't be proposed at all."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from django.utils import timezone

from apps.audit.ids import new_id
from apps.audit.services import record
from apps.erasure import registry
from apps.erasure.contracts import Origin, Phase, RunState, Target, TargetType
from apps.erasure.log_removal import ERASED
from apps.erasure.models import RemovalRun
from apps.erasure.runs.runs import RejectionReason, run_propose
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.roles import Role
from tests.audit.forging import recorded_at
from tests.audit.removing import (
    REASON,
    Table,
    actions,
    again,
    asked,
    documents,
    outcomes,
    person,
    proposed,
    stores_of_documents,
)
from tests.deciding import run_approve, run_reject, run_retry
from tests.factories import Firm, as_, make_key
from tests.raising import raises_code

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _stores() -> Iterator[None]:
    with stores_of_documents():
        yield


def test_nobody_approves_their_own(acme: Firm) -> None:
    run = proposed(acme, documents(acme, 1))
    with as_(person(acme, "dora-acme", Role.DPO)), raises_code("audit.removal_run_own"):
        run_approve(run.id)
    with as_(person(acme, "dirk", Role.DPO)):
        assert run_approve(run.id).state == RunState.APPROVED


@pytest.mark.parametrize("role", [Role.ANALYST, Role.COMPLIANCE_OFFICER, Role.AUDITOR, Role.TENANT_ADMIN])
def test_who_may_neither_manage_nor_approve_does_neither(acme: Firm, role: Role) -> None:
    targets = documents(acme, 1)
    run = proposed(acme, targets)
    with as_(person(acme, "otto", role)):
        for act in (
            partial(run_propose, Origin.PURGE, new_id(), targets, REASON),
            partial(run_approve, run.id),
            partial(run_reject, run.id, RejectionReason.NOT_DUE),
            partial(run_retry, run.id),
        ):
            with pytest.raises(PermissionDeniedError):
                act()


def test_a_reviewer_proposes_nothing(acme: Firm) -> None:
    with as_(person(acme, "rita", Role.REVIEWER)), pytest.raises(PermissionDeniedError):
        run_propose(Origin.PURGE, new_id(), documents(acme, 1), REASON)


def test_neither_the_system_nor_a_key_of_the_tenant_proposes_or_approves(acme: Firm) -> None:
    targets = documents(acme, 1)
    run = proposed(acme, targets)
    key = make_key(acme, Role.DPO)[0]
    # No key of the tenant carries what approves, whatever its role: it is refused before it is asked who it is.
    for principal, refusal in ((None, "audit.removal_person_needed"), (key, "tenants.withheld_from_key")):
        with open_scope(tenant=acme.id, principal=principal, reason="a test"):
            with raises_code("audit.removal_person_needed"):
                run_propose(Origin.PURGE, new_id(), targets, REASON)
            with raises_code(refusal):
                run_approve(run.id)
    assert actions(acme, run) == ["proposed"]


def test_a_run_is_decided_once(acme: Firm) -> None:
    run = proposed(acme, documents(acme, 1))
    with as_(person(acme, "rita", Role.REVIEWER)):
        rejected = run_reject(run.id, RejectionReason.MUST_BE_KEPT)
        assert (rejected.state, rejected.rejection_code) == ("rejected", "must_be_kept")
        with raises_code("audit.removal_run_state", match="can't be approved: it is rejected"):
            run_approve(run.id)
    assert actions(acme, run) == ["proposed", "rejected"]


def test_who_proposed_takes_it_back(acme: Firm) -> None:
    run = proposed(acme, documents(acme, 1))
    with as_(person(acme, "dora-acme", Role.DPO)):
        assert run_reject(run.id, RejectionReason.WITHDRAWN).rejected_by == run.proposed_by


def test_what_can_not_be_removed_is_refused_when_it_is_proposed(acme: Firm) -> None:
    event = asked(acme)[0]
    with open_scope(tenant=acme.id, reason="a test"), recorded_at(timezone.now()):
        proof = record(action=ERASED, core={"removals": [], "reason_code": REASON})
    with raises_code("audit.removal_of_nothing"):
        proposed(acme, [])
    with raises_code("audit.removal_target_unknown", match="of the type user"):
        proposed(acme, [*documents(acme, 1), Target(type=TargetType.USER, id=new_id())])
    with raises_code("audit.removal_target_refused", match="is not a part of an event"):
        proposed(acme, [Target(type=TargetType.EVENT_GROUP, id=event.id, part="words")])
    with raises_code("audit.removal_target_refused", match="authorises removals, and so must stay"):
        proposed(acme, [Target(type=TargetType.EVENT_GROUP, id=proof.id, part="core")])
    with open_scope(tenant=acme.id, reason="a test"):
        assert not RemovalRun.objects.exists()


def test_a_scope_is_frozen_with_the_scopes_below_it(acme: Firm) -> None:
    store = Table(
        key="test.files",
        label="Files",
        phase=Phase.CACHES,
        table="corpus_sourcefile",
        types=frozenset({TargetType.SCOPE}),
    )
    with stores_of_documents(store):
        run = proposed(acme, [Target(type=TargetType.SCOPE, id=acme.root.id)])
    assert {target.id for target in outcomes(acme, run)} == {scope.id for scope in acme.scopes.values()}


def test_a_listener_that_fails_undoes_the_step(acme: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    run = proposed(acme, documents(acme, 1))

    def listener(**_: object) -> None:
        raise RuntimeError

    monkeypatch.setitem(registry._listeners, Origin.REQUEST, listener)
    with pytest.raises(RuntimeError), as_(person(acme, "rita", Role.REVIEWER)):
        run_approve(run.id)
    assert again(acme, run).state == RunState.PROPOSED
    assert actions(acme, run) == ["proposed"]
