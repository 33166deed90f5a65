"""The start page: right figures, each leading to the list of exactly what it counts, at a price that does not grow."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.audit.models import Outcome
from apps.audit.services import record
from apps.corpus.models import JobState
from apps.operations.selectors.overview import overview
from apps.retrieval.events import ANSWERED, REJECTED
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.services.api_keys import api_key_create
from tests.corpus.files import BROKEN
from tests.corpus.ingesting import change_job, ingest, run
from tests.factories import Firm, make_firm, make_member
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db


def figures(page: Page, section: str) -> dict[str, tuple[int, str]]:
    """Label -> (count, link) of one card."""
    return {
        item.xpath("string(.//span)").strip(): (int(item.xpath("string(.//strong)")), item.xpath("string(.//a/@href)"))
        for item in page.tree.xpath(f"//*[@id='{section}']//li")
    }


def asked(firm: Firm, principal: Principal, outcome: Outcome = Outcome.SUCCESS, action: str = ANSWERED) -> None:
    core: dict[str, Any] = {"code": "retrieval.question_empty"} if action == REJECTED else {"intent": "performance"}
    with open_scope(tenant=firm.id, principal=principal):
        record(action=action, core=core, outcome=outcome)


@pytest.mark.slow
def test_every_figure_leads_to_as_many_rows(acme: Firm) -> None:
    alice = make_member(acme, "alice", Role.TENANT_ADMIN)
    make_member(acme, "alice", Role.AUDITOR)
    ingest(acme, b"One.")
    ingest(acme, b"Two.")
    run(acme, ingest(acme, BROKEN, filename="cut.json").job)
    retrying = ingest(acme, b"Three.")
    change_job(acme, retrying.job.id, state=JobState.RETRY)
    for outcome in (Outcome.SUCCESS, Outcome.SUCCESS, Outcome.REFUSED, Outcome.DEGRADED):
        asked(acme, alice, outcome)
    asked(acme, alice, Outcome.FAILED, REJECTED)
    visitor = Visitor("alice")
    start = visitor.open("index")
    counted = {
        (section, label): (count, len(Page(visitor.get(link)).rows()))
        for section in ("documents", "jobs", "questions")
        for label, (count, link) in figures(start, section).items()
    }
    assert {key: shown for key, (shown, listed) in counted.items() if shown != listed} == {}
    assert counted[("documents", "Failed")] == (1, 1)
    assert counted[("jobs", "Waiting")] == (2, 2)
    assert counted[("questions", "Answered")] == (2, 2)


def test_an_analyst_sees_the_own_questions_alone(acme: Firm) -> None:
    alice = make_member(acme, "alice", Role.ANALYST)
    bob = make_member(acme, "bob", Role.ANALYST)
    asked(acme, alice)
    asked(acme, bob)
    start = Visitor("alice").open("index")
    assert figures(start, "questions")["Answered"] == (1, "")
    assert "Your questions today" in start.text


def test_yesterday_does_not_count(acme: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    alice = make_member(acme, "alice", Role.REVIEWER)
    asked(acme, alice)
    real_now = timezone.now
    monkeypatch.setattr(timezone, "now", lambda: real_now() + timedelta(days=1))
    with open_scope(tenant=acme.id, principal=alice):
        found = overview(alice).questions
    assert found is not None
    assert found.total == 0


def test_what_waits_is_what_the_role_can_do_something_about(acme: Firm) -> None:
    admin, auditor = make_member(acme, "alice", Role.TENANT_ADMIN), make_member(acme, "ada", Role.AUDITOR)
    run(acme, ingest(acme, BROKEN, filename="cut.json").job)
    with open_scope(tenant=acme.id, principal=admin):
        api_key_create(
            name="Portal", role=Role.ANALYST, scopes=[acme.root], expires_at=timezone.now() + timedelta(days=3)
        )
        waiting = overview(admin).waiting
    assert (waiting.failed_jobs, waiting.keys_expiring) == (1, 1)
    with open_scope(tenant=acme.id, principal=auditor):
        assert overview(auditor).waiting.total == 0


def test_other_tenants_do_not_count(acme: Firm) -> None:
    bolt = make_firm("bolt")
    ingest(bolt)
    asked(bolt, make_member(bolt, "bob", Role.ANALYST))
    alice = make_member(acme, "alice", Role.TENANT_ADMIN)
    with open_scope(tenant=acme.id, principal=alice):
        found = overview(alice)
    assert found.documents is not None
    assert sum(found.documents.values()) == 0
    assert found.questions is not None
    assert found.questions.total == 0


def test_the_price_does_not_grow_with_the_corpus(acme: Firm) -> None:
    alice = make_member(acme, "alice", Role.TENANT_ADMIN)

    def queries() -> int:
        with open_scope(tenant=acme.id, principal=alice), CaptureQueriesContext(connection) as captured:
            overview(alice)
        return len(captured)

    queries()
    few = queries()
    for number in range(10):
        ingest(acme, f"Text {number}.".encode())
    # Two of them ask whether a webhook fails.
    assert queries() == few <= 10


def test_the_policy_in_force_is_named(acme: Firm) -> None:
    make_member(acme, "ada", Role.AUDITOR)
    card = Visitor("ada").open("index").tree.xpath("string(//*[@id='policy'])")
    assert "Version 1" in card
    assert "shipped baseline" in card


def test_signs_of_life_come_after_the_page(acme: Firm) -> None:
    make_member(acme, "ada", Role.AUDITOR)
    visitor = Visitor("ada")
    address = visitor.open("index").tree.xpath("string(//*[@id='signs']/@data-fragment)")
    fragment = visitor.get(address).content.decode()
    assert "<strong>Redis</strong> answers" in fragment


def test_a_broker_that_is_away_is_said_and_breaks_nothing(acme: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    from kombu.exceptions import OperationalError

    from config.celery import app

    def refused(**_: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(app.control, "ping", refused)
    make_member(acme, "ada", Role.AUDITOR)
    fragment = Visitor("ada").open("signs_of_life").response.content.decode()
    assert "<strong>Redis</strong> does not answer" in fragment
    assert "Nothing is lost" in fragment
