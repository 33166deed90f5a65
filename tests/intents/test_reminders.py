"""Versions that wait for a review: who is reminded when, once for each time, and who else when it lasts."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from django.conf import LazySettings
from django.core import mail
from django.db import connection

from apps.audit.models import Event
from apps.audit.registry import Group
from apps.audit.selectors import readings_of
from apps.intents import tasks
from apps.intents.models import PolicyVersion
from apps.intents.services.reminders import REMINDED, remind_of_waiting
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.forging import superuser
from tests.baked import baked
from tests.corpus.ingesting import short_profile
from tests.deciding import version_approve, version_send_back, version_submit
from tests.factories import Firm, as_, make_firm, make_member
from tests.intents.reviewing import submitted
from tests.model_server import ModelServer
from tests.visitor import Visitor

# On committed rows: what waits is made older by a superuser, since the database sets every time by its own clock.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def acme(transactional_db: None, settings: LazySettings) -> Iterator[Firm]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield baked(make_firm, "acme")


@pytest.fixture
def olivia(acme: Firm) -> Principal:
    return make_member(acme, "olivia", Role.COMPLIANCE_OFFICER)


@pytest.fixture
def rupert(acme: Firm) -> Principal:
    make_member(acme, "oscar", Role.COMPLIANCE_OFFICER)
    make_member(acme, "ada", Role.TENANT_ADMIN)
    make_member(acme, "anna", Role.ANALYST)
    return make_member(acme, "rupert", Role.REVIEWER)


@pytest.fixture
def version(olivia: Principal, rupert: Principal) -> PolicyVersion:
    made = submitted(olivia)
    mail.outbox.clear()
    return made


def wait(version: PolicyVersion, days: float) -> None:
    """As if so many days more had passed since its submission, and since everybody was reminded."""
    with superuser() as administrator:
        administrator.execute(
            "UPDATE intents_policyversion SET submitted_at = submitted_at - make_interval(hours => %s) WHERE id = %s",
            [int(days * 24), version.id],
        )
        administrator.execute(
            "UPDATE audit_event SET occurred_at = occurred_at - make_interval(hours => %s) WHERE action = %s",
            [int(days * 24), REMINDED],
        )


def written_to() -> list[str]:
    found = sorted(letter.to[0].removesuffix("@example.com") for letter in mail.outbox)
    mail.outbox.clear()
    return found


def test_nobody_is_reminded_of_what_was_just_submitted(acme: Firm, version: PolicyVersion) -> None:
    wait(version, 2.9)
    assert tasks.remind_of_reviews() == 0
    assert written_to() == []


def test_after_three_days_the_reviewers_and_the_author_are_reminded_once(acme: Firm, version: PolicyVersion) -> None:
    wait(version, 3.1)
    assert tasks.remind_of_reviews() == 1
    assert "has waited 3 days for its review" in mail.outbox[0].subject
    assert written_to() == ["olivia", "rupert"]
    assert tasks.remind_of_reviews() == 0
    wait(version, 2.8)
    assert tasks.remind_of_reviews() == 0
    assert written_to() == []


def test_after_seven_days_the_officers_and_administrators_are_told_too(acme: Firm, version: PolicyVersion) -> None:
    wait(version, 3.1)
    tasks.remind_of_reviews()
    written_to()
    wait(version, 4)
    assert tasks.remind_of_reviews() == 1
    assert written_to() == ["ada", "olivia", "oscar", "rupert"]
    with open_scope(tenant=acme.id, reason="a test"):
        events = list(Event.objects.filter(action=REMINDED).order_by("occurred_at", "id"))
        cores = [readings_of([each], groups=[Group.CORE])[each.id].payload[Group.CORE] for each in events]
    assert [(core["waits_days"], core["escalated"]) for core in cores] == [(3, False), (7, True)]


def test_nobody_is_reminded_of_what_was_decided_or_sent_back_and_submitted_again(
    acme: Firm, version: PolicyVersion, olivia: Principal, rupert: Principal
) -> None:
    wait(version, 8)
    with as_(rupert):
        version_send_back(version.id, reason="Which ones?")
    assert tasks.remind_of_reviews() == 0
    with as_(olivia):
        version_submit(version.id)
    assert tasks.remind_of_reviews() == 0
    wait(version, 8)
    with as_(rupert):
        version_approve(version.id)
    mail.outbox.clear()
    assert tasks.remind_of_reviews() == 0
    assert written_to() == []


def test_two_workers_remind_once(acme: Firm, version: PolicyVersion) -> None:
    wait(version, 4)
    barrier, done = threading.Barrier(2), []

    def remind() -> None:
        barrier.wait(20)
        done.append(remind_of_waiting(acme.id))
        connection.close()

    both = [threading.Thread(target=remind) for _ in range(2)]
    for each in both:
        each.start()
    for each in both:
        each.join(60)
    assert sorted(done) == [0, 1]
    assert written_to() == ["olivia", "rupert"]


def test_the_work_list_says_that_it_is_overdue(acme: Firm, version: PolicyVersion) -> None:
    assert "overdue" not in Visitor("rupert").open("policy_reviews").text
    wait(version, 4)
    assert "overdue" in Visitor("rupert").open("policy_reviews").text
