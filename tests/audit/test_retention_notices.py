"""Who is written to when retention rules are submitted, and that they are told that, and not what."""

from __future__ import annotations

import logging

import pytest
from django.conf import LazySettings
from django.core import mail
from django.db import transaction
from pytest_django import DjangoCaptureOnCommitCallbacks

from apps.erasure.models import RetentionSchedule, ScheduleStatus
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.retaining import REASON, submitted
from tests.factories import Firm, make_firm, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def dora(acme: Firm) -> Principal:
    return make_member(acme, "dora", Role.DPO)


def test_all_who_may_approve_are_told_that_rules_wait_but_their_author_and_not_what_they_say(
    acme: Firm, dora: Principal, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    for name, role in (("rupert", Role.REVIEWER), ("dina", Role.DPO), ("arthur", Role.AUDITOR)):
        make_member(acme, name, role)
    make_member(make_firm("bolt"), "bea", Role.REVIEWER)
    with django_capture_on_commit_callbacks(execute=True):
        submitted(dora, keep_months=120)
    assert [message.to for message in mail.outbox] == [["dina@example.com"], ["rupert@example.com"]]
    for message in mail.outbox:
        assert message.subject == "Retention schedule 2 of Acme waits for approval"
        assert "Sign in, and open Privacy, Retention." in message.body
        assert REASON not in message.body
        assert "120" not in message.body


def test_a_submission_that_is_undone_tells_nobody(
    acme: Firm, dora: Principal, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    make_member(acme, "rupert", Role.REVIEWER)
    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        submitted(dora, keep_months=120)
        transaction.set_rollback(True)
    assert mail.outbox == []


def test_a_mail_server_that_is_away_undoes_nothing_and_the_log_says_so_without_a_name(
    acme: Firm,
    dora: Principal,
    settings: LazySettings,
    caplog: pytest.LogCaptureFixture,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    make_member(acme, "rupert", Role.REVIEWER)
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_USE_TLS = "127.0.0.1", 1, False
    with caplog.at_level(logging.ERROR), django_capture_on_commit_callbacks(execute=True):
        schedule = submitted(dora, keep_months=120)
    with open_scope(tenant=acme.id, reason="a test"):
        assert RetentionSchedule.objects.get(id=schedule.id).status == ScheduleStatus.IN_REVIEW
    assert "somebody was not written to: ConnectionRefusedError" in caplog.text
    assert "rupert" not in caplog.text
