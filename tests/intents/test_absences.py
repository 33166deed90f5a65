"""Absences of reviewers and their deputies: no right follows from one, and what was recorded stays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.core import mail
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from apps.audit.models import Event
from apps.intents.errors import AbsenceError, AlreadyApprovedError, OwnVersionError
from apps.intents.models import Absence, VersionStatus
from apps.intents.notices import announce_waiting
from apps.intents.reviewers import TwoFor
from apps.intents.services.absences import absence_end, absence_record, deputising
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.models import Membership
from apps.tenants.principals import Principal
from apps.tenants.roles import PERMISSIONS, Permission, Role
from apps.tenants.services.members import membership_revoke
from tests.api.client import Api
from tests.corpus.ingesting import short_profile
from tests.deciding import version_approve
from tests.factories import Firm, as_, make_key, make_member, make_personal_key
from tests.intents.reviewing import submitted
from tests.intents.test_two_reviewers import in_force
from tests.model_server import ModelServer
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/absences/"


@pytest.fixture
def olivia(acme: Firm, settings: LazySettings) -> Iterator[Principal]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield make_member(acme, "olivia", Role.COMPLIANCE_OFFICER)


@pytest.fixture
def rupert(acme: Firm) -> Principal:
    return make_member(acme, "rupert", Role.REVIEWER)


@pytest.fixture
def rita(acme: Firm) -> Principal:
    return make_member(acme, "rita", Role.REVIEWER)


def times(begins_days: float = 0, ends_days: float = 7) -> dict[str, Any]:
    now = timezone.now()
    return {"begins_at": now + timedelta(days=begins_days), "ends_at": now + timedelta(days=ends_days)}


@contextmanager
def refused(match: str) -> Iterator[None]:
    with pytest.raises(DatabaseError, match=match), transaction.atomic():
        yield


def row(person: Principal, **values: Any) -> Absence:
    said = {"member_id": person.id, "recorded_by_id": person.id, **times(), **values}
    made: Absence = Absence.objects.create(tenant_id=person.tenant_id, **said)
    return made


# --- By the services --------------------------------------------------------------------------------------------------


def test_a_reviewer_records_an_absence_and_the_deputy_is_told(acme: Firm, rupert: Principal, rita: Principal) -> None:
    with as_(rupert):
        made = absence_record(**times(), deputy_id=rita.id)
        (each,) = deputising()
        assert (each.deputy, each.absent, each.until) == ("rita", "rupert", made.ends_at)
        assert made.recorded_by_id == rupert.id
    with open_scope(tenant=acme.id, reason="a test"):
        event = Event.objects.get(action="intents.absence.recorded")
        assert (event.actor_id, event.subject_id) == (rupert.id, made.id)


def test_the_deputy_gets_a_letter(rupert: Principal, rita: Principal, django_capture_on_commit_callbacks: Any) -> None:
    with django_capture_on_commit_callbacks(execute=True), as_(rupert):
        absence_record(**times(), deputy_id=rita.id)
    (letter,) = mail.outbox
    assert letter.to == ["rita@example.com"]
    assert "rupert is away" in letter.body


def test_it_ends_early_once_and_then_another_may_begin(acme: Firm, rupert: Principal, rita: Principal) -> None:
    with as_(rupert):
        made = absence_record(**times(-1), deputy_id=rita.id)
        assert absence_end(made.id).ended_by_id == rupert.id
        assert deputising() == ()
        with pytest.raises(AbsenceError, match="ended already"):
            absence_end(made.id)
        absence_record(**times(0.01))


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (times(-8), "intents.absence_too_old"),
        (times(3, 2), "intents.absence_ends_early"),
        (times(-3, -2), "intents.absence_ends_early"),
        (times(2, 4), "intents.absence_overlaps"),
        (times(-2, 9), "intents.absence_overlaps"),
    ],
)
def test_times_that_can_not_be_are_refused(rupert: Principal, said: dict[str, Any], code: str) -> None:
    with as_(rupert):
        absence_record(**times(1, 3))
        with pytest.raises(AbsenceError) as error:
            absence_record(**said)
    assert error.value.code == code


def test_a_deputy_is_another_reviewer(acme: Firm, rupert: Principal, olivia: Principal) -> None:
    with as_(rupert):
        for deputy in (rupert, olivia):
            with pytest.raises(AbsenceError, match="another member who may approve"):
                absence_record(**times(), deputy_id=deputy.id)


def test_an_absence_is_its_own_members_or_an_administrators(acme: Firm, rupert: Principal, rita: Principal) -> None:
    ada, anna = make_member(acme, "ada", Role.TENANT_ADMIN), make_member(acme, "anna", Role.ANALYST)
    with as_(rita), pytest.raises(PermissionDeniedError):
        absence_record(**times(), member_id=rupert.id)
    with as_(anna), pytest.raises(PermissionDeniedError):
        absence_record(**times())
    with as_(ada):
        made = absence_record(**times(), member_id=rupert.id, deputy_id=rita.id)
        assert (made.member_id, made.recorded_by_id) == (rupert.id, ada.id)
    with as_(rita), pytest.raises(PermissionDeniedError):
        absence_end(made.id)
    with as_(rupert):
        absence_end(made.id)


# --- No right follows from it -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_one_person_gives_one_approval_for_themselves_and_for_whom_they_deputise(
    acme: Firm, olivia: Principal, rupert: Principal, rita: Principal
) -> None:
    in_force(olivia, rupert, TwoFor.WIDER_REACH)
    version = submitted(olivia)
    with as_(rupert):
        absence_record(**times(), deputy_id=rita.id)
    with as_(rita):
        assert version_approve(version.id).status == VersionStatus.IN_REVIEW
        with pytest.raises(AlreadyApprovedError):
            version_approve(version.id)
    # Whoever is away approves all the same, for themselves.
    with as_(rupert):
        assert version_approve(version.id).status == VersionStatus.ACTIVE


@pytest.mark.slow
def test_an_author_deputises_for_nobody_in_their_own_version(acme: Firm, olivia: Principal, rupert: Principal) -> None:
    make_member(acme, "otto", Role.COMPLIANCE_OFFICER)
    otto = make_member(acme, "otto", Role.REVIEWER)
    version = submitted(otto)
    with as_(rupert):
        absence_record(**times(), deputy_id=otto.id)
        assert deputising(author_id=otto.id) == ()
        assert len(deputising(author_id=olivia.id)) == 1
    with as_(otto), pytest.raises(OwnVersionError):
        version_approve(version.id)


def test_who_may_not_review_any_more_does_not_deputise(acme: Firm, rupert: Principal, rita: Principal) -> None:
    with as_(rupert):
        absence_record(**times(), deputy_id=rita.id)
    with as_(make_member(acme, "ada", Role.TENANT_ADMIN)):
        membership_revoke(Membership.objects.get(user_id=rita.id))
        assert deputising() == ()


# --- Where it is shown ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_review_page_and_the_reminder_say_who_deputises_until_when(
    acme: Firm, olivia: Principal, rupert: Principal, rita: Principal, django_capture_on_commit_callbacks: Any
) -> None:
    version = submitted(olivia)
    with as_(rupert):
        absence_record(**times(), deputy_id=rita.id)
    assert "rita deputises for rupert until" in Visitor("rita").open("policy_review", version.id).text
    mail.outbox.clear()
    with django_capture_on_commit_callbacks(execute=True), open_scope(tenant=acme.id, reason="a test"):
        deputies = [each.sentence for each in deputising(author_id=version.author_id)]
        announce_waiting(version, days=3, escalated=False, deputies=deputies)
    letter = next(each for each in mail.outbox if each.to == ["rita@example.com"])
    assert "rupert is away, and rita deputises until" in letter.body


def test_the_page_records_and_ends_an_absence(acme: Firm, rupert: Principal, rita: Principal) -> None:
    today = timezone.now().date()
    form = {"member": str(rupert.id), "first_day": str(today), "last_day": str(today + timedelta(days=3))}
    page = Visitor("rupert").send("absences", **form, deputy=str(rupert.id))
    assert page.status == 422
    assert "A deputy is another member" in page.text
    Visitor("rupert").send("absences", **form, deputy=str(rita.id))
    assert "End it now" in Visitor("rupert").open("absences").text
    assert "End it now" not in Visitor("rita").open("absences").text
    with as_(rupert):
        made = Absence.objects.get()
    Visitor("rupert").send("absence_end", made.id)
    assert "No reviewer is away now" in Visitor("rita").open("absences").text


def test_nobody_records_an_absence_for_others_by_the_page(acme: Firm, rupert: Principal, rita: Principal) -> None:
    today = timezone.now().date()
    form = {"first_day": str(today), "last_day": str(today), "deputy": ""}
    assert Visitor("rupert").send("absences", member=str(rita.id), **form).status == 422
    make_member(acme, "anna", Role.ANALYST)
    assert Visitor("anna").send("absences", member=str(rita.id), **form).status == 403
    assert "Record an absence" not in Visitor("anna").open("absences").text


def test_the_api_records_lists_and_ends_ones_own(acme: Firm, rupert: Principal, rita: Principal) -> None:
    api = Api(make_personal_key(acme, "rupert", role=Role.REVIEWER)[1])
    said = {name: at.isoformat() for name, at in times(1).items()}
    made = api.post(ADDRESS, {**said, "deputy_id": str(rita.id)})
    assert made.status_code == 201
    wrong = api.post(ADDRESS, {**said, "deputy_id": str(rupert.id)})
    assert (wrong.status_code, wrong.json()["code"]) == (400, "intents.absence_deputy")
    assert api.post(ADDRESS, said).json()["code"] == "intents.absence_overlaps"
    (shown,) = Api(make_key(acme, Role.AUDITOR)[1]).get(ADDRESS).json()["results"]
    assert shown["id"] == made.json()["id"]
    assert api.post(f"{ADDRESS}{shown['id']}/end/").json()["ended_by_id"] == str(rupert.id)
    assert api.post(f"{ADDRESS}{shown['id']}/end/").status_code == 409


# --- What the database holds by itself --------------------------------------------------------------------------------


def test_the_roles_that_may_review_are_those_of_the_table_of_roles(acme: Firm) -> None:
    may_review = {role for role in Role if Permission.POLICY_APPROVE in PERMISSIONS[role]}
    people = {role: make_member(acme, role.value, role) for role in Role}
    with open_scope(tenant=acme.id, reason="a test"), connection.cursor() as cursor:
        for role, person in people.items():
            cursor.execute("SELECT intents_may_review(%s, %s)", [acme.id, person.id])
            assert cursor.fetchone() == (role in may_review,)


def test_no_statement_records_what_an_absence_can_not_be(
    acme: Firm, rupert: Principal, rita: Principal, olivia: Principal
) -> None:
    with as_(rupert):
        row(rupert, **times(1, 3))
        for values, match in (
            (times(2, 4), "do not overlap"),
            (times(0, 1.5), "do not overlap"),
            (times(-8, 0.5), "at most 7 days ago"),
            (times(-2, -1), "in the future"),
            ({**times(4, 5), "deputy_id": rupert.id}, "another reviewer"),
            ({**times(4, 5), "deputy_id": olivia.id}, "another reviewer"),
        ):
            with refused(match):
                row(rupert, **values)
        for never in ("infinity", "10000-01-01"):
            with refused("in_the_calendar"), connection.cursor() as cursor:
                cursor.execute(
                    "INSERT INTO intents_absence (tenant_id, member_id, recorded_by_id, begins_at, ends_at) "
                    "VALUES (%s, %s, %s, now() + interval '5 days', %s)",
                    [acme.id, rupert.id, rupert.id, never],
                )
        with refused("its own reviewer"):
            row(rita)
    with as_(olivia), refused("its own reviewer"):
        row(olivia)
    with open_scope(tenant=acme.id, reason="a test"), refused("its own reviewer"):
        row(rupert, **times(6, 7))
    with as_(make_member(acme, "ada", Role.TENANT_ADMIN)):
        made = row(rita, recorded_by_id=rupert.id)
        made.refresh_from_db()
        assert made.recorded_by_id != rupert.id


def test_no_statement_rewrites_an_absence_or_ends_it_twice(acme: Firm, rupert: Principal, rita: Principal) -> None:
    with as_(rupert):
        made = row(rupert, deputy_id=rita.id)
        for statement in (
            "UPDATE intents_absence SET deputy_id = NULL",
            "UPDATE intents_absence SET ends_at = ends_at + interval '1 day'",
            "DELETE FROM intents_absence",
        ):
            with refused("permission denied"), connection.cursor() as cursor:
                cursor.execute(statement)
    with as_(rita):
        assert Absence.objects.update(ended_at=timezone.now(), ended_by_id=rita.id) == 0
    with as_(rupert):
        Absence.objects.update(ended_at=timezone.now() - timedelta(days=3), ended_by_id=rita.id)
        made.refresh_from_db()
        assert made.ended_by_id == rupert.id
        assert made.ended_at > timezone.now() - timedelta(minutes=1)
        with refused("early end"):
            Absence.objects.update(ended_at=timezone.now())
        with refused("early end"):
            Absence.objects.update(ended_at=None)
