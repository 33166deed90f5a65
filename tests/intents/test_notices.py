"""Notices within the product: who is told of what, who sees them, and what the database holds of them by itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from apps.audit.models import Event
from apps.intents.models import Notice, PolicyVersion
from apps.intents.services.discussion import version_comment
from apps.intents.services.notices import count_unread, notice_read, own_notices
from apps.tenants.context import open_scope
from apps.tenants.models import Membership
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.services.members import membership_revoke
from tests.api.client import Api
from tests.corpus.ingesting import short_profile
from tests.deciding import version_approve, version_reject, version_send_back
from tests.factories import Firm, as_, make_key, make_member, make_personal_key
from tests.intents.reviewing import submitted
from tests.model_server import ModelServer
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/notices/"


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
    make_member(acme, "anna", Role.ANALYST)
    return make_member(acme, "rita", Role.REVIEWER)


@pytest.fixture
def version(olivia: Principal, rupert: Principal, rita: Principal) -> PolicyVersion:
    return submitted(olivia)


def told(person: Principal) -> list[str]:
    with as_(person):
        return [notice.happening for notice in own_notices().order_by("created_at", "id")]


@contextmanager
def refused(match: str) -> Iterator[None]:
    with pytest.raises(DatabaseError, match=match), transaction.atomic():
        yield


def insert(version: PolicyVersion, receiver: UUID | None, event_id: UUID, happening: str = "submitted") -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO intents_notice (tenant_id, version_id, event_id, happening, receiver_id) "
            "VALUES (%s, %s, %s, %s, %s)",
            [version.tenant_id, version.id, event_id, happening, receiver],
        )


def event_of(version: PolicyVersion, action: str) -> Event:
    return Event.objects.filter(action=action, subject_id=version.id).latest("occurred_at")


# --- Who is told ------------------------------------------------------------------------------------------------------


def test_reviewers_are_told_of_a_submission_and_its_author_of_what_becomes_of_it(
    version: PolicyVersion, olivia: Principal, rupert: Principal, rita: Principal
) -> None:
    assert (told(olivia), told(rupert), told(rita)) == ([], ["submitted"], ["submitted"])
    with as_(rupert):
        version_comment(version.id, text="Which schedules?")
        version_send_back(version.id, reason="Say which.")
    assert told(olivia) == ["commented", "sent_back"]
    assert told(rita) == ["submitted", "commented", "sent_back"]
    assert told(rupert) == ["submitted"]


def test_a_version_put_in_force_at_once_is_one_notice_and_one_for_later_says_so(
    version: PolicyVersion, olivia: Principal, rupert: Principal
) -> None:
    later = submitted(olivia)
    with as_(rupert):
        version_approve(version.id)
    assert told(olivia) == ["activated"]
    with as_(rupert):
        version_approve(later.id, effective_from=timezone.now() + timedelta(days=1))
    assert told(olivia) == ["activated", "approved"]


def test_who_has_no_part_in_it_is_told_nothing(acme: Firm, version: PolicyVersion, rupert: Principal) -> None:
    with as_(rupert):
        version_reject(version.id, reason="Too wide.")
    assert told(make_member(acme, "anna", Role.ANALYST)) == []


def test_an_author_who_is_no_member_any_more_is_told_nothing(
    acme: Firm, version: PolicyVersion, olivia: Principal, rupert: Principal
) -> None:
    ada = make_member(acme, "ada", Role.TENANT_ADMIN)
    with as_(ada):
        membership_revoke(Membership.objects.get(user_id=olivia.id))
    with as_(rupert):
        version_reject(version.id, reason="Too wide.")
    with open_scope(tenant=acme.id, reason="a test"), connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM intents_notice")
        assert cursor.fetchone() == (0,)
    assert told(olivia) == []


# --- Read and unread --------------------------------------------------------------------------------------------------


def test_a_notice_is_read_once_and_keeps_its_time(version: PolicyVersion, rupert: Principal) -> None:
    with as_(rupert):
        (notice,) = own_notices()
        assert count_unread() == 1
        at = notice_read(notice.id).read_at
        assert at is not None
        assert count_unread() == 0
        assert notice_read(notice.id).read_at == at
        Notice.objects.update(read_at=None)
        assert own_notices().get().read_at == at


def test_the_header_counts_them_and_the_page_opens_what_each_is_about(
    version: PolicyVersion, rupert: Principal
) -> None:
    visitor = Visitor("rupert")
    assert "1 unread notice" in visitor.open("policy_reviews").response.content.decode()
    page = visitor.open("notices")
    assert "Waits for review" in page.text
    with as_(rupert):
        (notice,) = own_notices()
    opened = visitor.send("notice_open", notice.id)
    assert opened.response["Location"] == f"/admin/policy/versions/{version.id}/review/"
    assert "unread notice" not in visitor.open("policy_reviews").response.content.decode()


def test_all_are_marked_as_read_at_once(version: PolicyVersion, olivia: Principal, rupert: Principal) -> None:
    submitted(olivia)
    assert "2 unread" in Visitor("rupert").open("notices").text
    Visitor("rupert").send("notices")
    with as_(rupert):
        assert count_unread() == 0


def test_the_api_lists_ones_own_and_marks_them_as_read(acme: Firm, version: PolicyVersion) -> None:
    rupert = Api(make_personal_key(acme, "rupert", role=Role.REVIEWER)[1])
    (shown,) = rupert.get(ADDRESS).json()["results"]
    assert (shown["happening"], shown["number"], shown["read_at"]) == ("submitted", version.number, None)
    assert rupert.get(f"{ADDRESS}?state=read").json()["results"] == []
    assert rupert.post(f"{ADDRESS}{shown['id']}/read/").json()["read_at"]
    assert rupert.get(f"{ADDRESS}?state=unread").json()["results"] == []
    rita = Api(make_personal_key(acme, "rita", role=Role.REVIEWER)[1])
    assert rita.post(f"{ADDRESS}{shown['id']}/read/").json()["code"] == "intents.notice_not_there"
    assert Api(make_key(acme, Role.AUDITOR)[1]).get(ADDRESS).json()["results"] == []


# --- What the database holds by itself --------------------------------------------------------------------------------


def test_nobody_but_its_receiver_sees_a_notice_by_any_statement(
    acme: Firm, version: PolicyVersion, olivia: Principal, rupert: Principal, rita: Principal
) -> None:
    ada = make_member(acme, "ada", Role.TENANT_ADMIN)
    for person, seen in ((olivia, set()), (ada, set()), (rupert, {rupert.id})):
        with as_(person):
            assert set(Notice.objects.values_list("receiver_id", flat=True)) == seen
            assert Notice.objects.exclude(receiver_id=person.id).update(read_at=timezone.now()) == 0
    with open_scope(tenant=acme.id, reason="a test"):
        assert Notice.objects.count() == 0


def test_a_notice_tells_what_the_log_says_to_another_member_and_nothing_else(
    acme: Firm, version: PolicyVersion, olivia: Principal, rupert: Principal, rita: Principal
) -> None:
    other = submitted(olivia)
    with as_(olivia):
        event = event_of(version, "intents.policy.submitted")
        began = event_of(version, "intents.policy.drafted")
        with refused("an event of its version"):
            insert(other, rupert.id, event.id)
        with refused("an event of its version"):
            insert(version, rupert.id, UUID(int=0))
        with refused("another member"):
            insert(version, olivia.id, event.id)
        with refused("another member"):
            insert(version, UUID(int=0), event.id)
        with refused("notice_once_a_person"):
            insert(version, rupert.id, event.id, "rejected")
        # What happened is the event's, whatever is written; a beginning is nothing to tell.
        with refused("notice_of_a_known_happening"):
            insert(version, rupert.id, began.id, "activated")
    with as_(rupert), refused("by whoever acted in it"):
        insert(version, rita.id, event.id)


def test_no_key_tells_anybody_of_what_the_platform_did(
    acme: Firm, version: PolicyVersion, rupert: Principal, rita: Principal
) -> None:
    """Nobody's name stands in such an event. The control: the platform tells of it."""
    with open_scope(tenant=acme.id, reason="a test"):
        active = PolicyVersion.objects.get(status="active")
        event = Event.objects.get(action="intents.policy.activated", subject_id=active.id, actor_id=None)
        insert(active, rita.id, event.id, "activated")
    with as_(make_key(acme, Role.ANALYST)[0]), refused("by whoever acted in it"):
        insert(active, rupert.id, event.id, "activated")


@pytest.mark.parametrize(
    "statement",
    ["UPDATE intents_notice SET happening = 'rejected'", "DELETE FROM intents_notice", "TRUNCATE intents_notice"],
)
def test_a_receiver_changes_nothing_of_a_notice_but_that_it_is_read(
    version: PolicyVersion, rupert: Principal, statement: str
) -> None:
    with as_(rupert), refused("permission denied"), connection.cursor() as cursor:
        cursor.execute(statement)


def test_the_author_reads_no_notice_by_writing_one(
    version: PolicyVersion, olivia: Principal, rupert: Principal
) -> None:
    values: dict[str, Any] = {"version": version, "receiver_id": rupert.id, "tenant_id": version.tenant_id}
    with as_(olivia), refused("row-level security"):
        Notice.objects.create(event_id=event_of(version, "intents.policy.drafted").id, happening="submitted", **values)
