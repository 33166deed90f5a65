"""Previews as rows first and messages second: on submission, by the sweeper, and with a real worker."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.db import transaction
from django.utils import timezone

from apps.intents.fund_house import FundHouse
from apps.intents.models import PolicyVersion
from apps.quality.impact.runner import ImpactOutcome, impact_run
from apps.quality.models import ImpactState, PolicyImpact
from apps.quality.tasks import run_impact
from apps.tenants.context import open_scope
from apps.tenants.leased_jobs import sweep_all
from apps.tenants.models import Tenant
from apps.tenants.models.tenant import TenantStatus
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from config.celery import app
from tests.corpus.ingesting import remote_profile
from tests.corpus.test_jobs_celery import Worker, empty_queues, wait_for
from tests.deciding import version_send_back, version_submit
from tests.factories import Firm, as_, make_firm, make_member
from tests.model_server import ModelServer
from tests.quality.impacting import asked, change_impact, draft_of, expects, impact_row, requested, with_kinds
from tests.retrieval.asking import QUESTION, make_acme

committed = pytest.mark.django_db(transaction=True)
NARROWER = with_kinds("performance", FundHouse.FUND_PROFILE)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The messages that would have gone to the broker."""
    messages: list[list[str]] = []

    def send_task(name: str, args: list[str], countdown: float | None) -> None:
        assert name == run_impact.name
        messages.append(args)

    monkeypatch.setattr(app, "send_task", send_task)
    return messages


@pytest.fixture
def bare(server: ModelServer) -> Firm:
    return make_firm("acme")


@pytest.fixture
def officer(bare: Firm) -> Principal:
    return make_member(bare, "olivia", Role.COMPLIANCE_OFFICER)


@pytest.fixture
def draft(officer: Principal) -> PolicyVersion:
    return draft_of(officer, NARROWER)


def submit(officer: Principal, draft: PolicyVersion) -> PolicyImpact:
    with as_(officer):
        submitted = version_submit(draft.id)
        found: PolicyImpact = PolicyImpact.objects.get(revision=submitted.revision)
        return found


def overdue(officer: Principal, impact: PolicyImpact, **values: object) -> None:
    change_impact(officer, impact.id, next_attempt_at=timezone.now() - timedelta(seconds=1), **values)


@committed
def test_a_submission_writes_the_row_and_the_message_follows_its_commit(
    officer: Principal, draft: PolicyVersion, sent: list[list[str]]
) -> None:
    with as_(officer):
        submitted = version_submit(draft.id)
        impact = PolicyImpact.objects.get()
        assert sent == []
    assert (impact.version_id, impact.revision, impact.state) == (draft.id, submitted.revision, ImpactState.QUEUED)
    assert sent == [[str(officer.tenant_id), str(impact.id)]]


@committed
def test_a_submission_that_is_rolled_back_leaves_neither(
    officer: Principal, draft: PolicyVersion, sent: list[list[str]]
) -> None:
    with as_(officer):
        version_submit(draft.id)
        transaction.set_rollback(True)
    with as_(officer):
        assert not PolicyImpact.objects.exists()
    assert sent == []


@committed
def test_what_was_sent_back_and_is_submitted_again_is_computed_again(
    bare: Firm, officer: Principal, draft: PolicyVersion, sent: list[list[str]]
) -> None:
    impact = submit(officer, draft)
    change_impact(officer, impact.id, state=ImpactState.DONE)
    with as_(make_member(bare, "rupert", Role.REVIEWER)):
        version_send_back(draft.id, reason="Look again.")
    again = submit(officer, draft)
    assert (again.state, len(sent)) == (ImpactState.QUEUED, 2)
    assert again.revision > impact.revision, "each submission is a revision of its own"


@committed
def test_a_broker_that_is_down_loses_nothing(
    officer: Principal, draft: PolicyVersion, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from kombu.exceptions import OperationalError

    def refused(*_: object, **__: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(app, "send_task", refused)
    with caplog.at_level(logging.WARNING):
        impact = submit(officer, draft)
    assert impact_row(officer, impact.id).state == ImpactState.QUEUED
    assert "waits for the sweep" in caplog.text


@committed
def test_a_lost_message_is_sent_again_once_and_a_fresh_one_is_not(
    officer: Principal, draft: PolicyVersion, sent: list[list[str]]
) -> None:
    impact = requested(officer, draft)
    sent.clear()
    assert sweep_all() == 0
    overdue(officer, impact)
    assert (sweep_all(), sweep_all()) == (1, 0)
    assert sent == [[str(officer.tenant_id), str(impact.id)]]


@committed
def test_a_dead_workers_preview_is_sent_and_a_living_ones_is_not(
    officer: Principal, draft: PolicyVersion, sent: list[list[str]]
) -> None:
    impact = requested(officer, draft)
    now = timezone.now()
    overdue(officer, impact, state=ImpactState.RUNNING, lease_until=now + timedelta(seconds=30))
    assert sweep_all() == 0
    change_impact(officer, impact.id, lease_until=now - timedelta(seconds=1))
    assert sweep_all() == 1


@committed
@pytest.mark.parametrize("state", [ImpactState.DONE, ImpactState.FAILED])
def test_what_has_ended_is_not_sent(
    officer: Principal, draft: PolicyVersion, sent: list[list[str]], state: ImpactState
) -> None:
    overdue(officer, requested(officer, draft), state=state)
    assert sweep_all() == 0


@committed
def test_a_suspended_tenants_previews_wait(officer: Principal, draft: PolicyVersion, sent: list[list[str]]) -> None:
    impact = requested(officer, draft)
    overdue(officer, impact)
    with open_scope(tenant=officer.tenant_id, reason="a test"):
        Tenant.objects.filter(id=officer.tenant_id).update(status=TenantStatus.SUSPENDED)
    assert sweep_all() == 0
    # Its message was sent before.
    assert impact_run(tenant_id=officer.tenant_id, impact_id=impact.id) is ImpactOutcome.NOT_CLAIMED
    assert impact_row(officer, impact.id).state == ImpactState.QUEUED


@pytest.fixture
def remote(server: ModelServer, settings: LazySettings) -> Firm:
    """Its profile has the name and the width that the worker's settings know."""
    settings.GLASSBOX_EMBEDDING_PROFILES = {
        **settings.GLASSBOX_EMBEDDING_PROFILES,
        "remote": remote_profile(server),
    }
    firm = make_acme()
    with open_scope(tenant=firm.id, reason="a test"):
        Tenant.objects.filter(id=firm.id).update(embedding_profile="remote")
    return firm


@pytest.fixture
def worker(remote: Firm, settings: LazySettings, server: ModelServer, tmp_path: Path) -> Iterator[Worker]:
    empty_queues()
    running = Worker(settings, server, tmp_path)
    yield running
    running.close()


@pytest.mark.slow
@committed
def test_a_worker_takes_a_submission_to_its_preview(remote: Firm, worker: Worker) -> None:
    officer = make_member(remote, "olivia", Role.COMPLIANCE_OFFICER)
    asked(officer, QUESTION)
    expects(officer, QUESTION, document="alpha.md", scope="firm:acme", pages=(1,))
    impact = submit(officer, draft_of(officer, NARROWER))
    wait_for(lambda: impact_row(officer, impact.id).state in (ImpactState.DONE, ImpactState.FAILED))
    row = impact_row(officer, impact.id)
    assert (row.state, row.error_detail) == (ImpactState.DONE, "")
    assert row.done == row.total > 100
    assert row.result["evaluation"]["after"]["page_recall_at_5"] == 0.0
