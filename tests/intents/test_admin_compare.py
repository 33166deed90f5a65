"""Two versions compared in the admin: in words, side by side, and never with a file of the server's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.utils import timezone

from apps.intents.models import PolicyVersion
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.corpus.ingesting import short_profile
from tests.deciding import version_approve
from tests.factories import Firm, as_, make_firm, make_member
from tests.intents.reviewing import drafted, submitted
from tests.model_server import ModelServer
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db

WIDER = "Performance can now reach Schedules."


@pytest.fixture
def acme(settings: LazySettings) -> Iterator[Firm]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield make_firm("acme")


@pytest.fixture
def olivia(acme: Firm) -> Principal:
    return make_member(acme, "olivia", Role.COMPLIANCE_OFFICER)


@pytest.fixture
def alice(acme: Firm) -> Visitor:
    make_member(acme, "alice", Role.ANALYST)
    return Visitor("alice")


def compare(visitor: Visitor, before: str, after: str, **more: str) -> Page:
    return visitor.open("policy_compare", before=before, after=after, **more)


def approved(firm: Firm, olivia: Principal) -> PolicyVersion:
    version = submitted(olivia)
    with as_(make_member(firm, "rupert", Role.REVIEWER)):
        return version_approve(version.id)


def changes(page: Page) -> str:
    return " ".join("".join(page.tree.xpath("//*[@id='changes']")[0].itertext()).split())


def test_the_form_offers_the_versions_and_begins_with_the_latest_change(
    acme: Firm, olivia: Principal, alice: Visitor
) -> None:
    approved(acme, olivia)
    page = alice.open("policy_compare")
    assert page.status == 200
    assert page.tree.xpath("//input[@name='before']/@value") == ["1"]
    assert page.tree.xpath("//input[@name='after']/@value") == ["active"]
    assert set(page.tree.xpath("//datalist/option/@value")) == {"active", "baseline", "1", "2"}
    assert not page.tree.xpath("//*[@id='changes']")


def test_two_numbers_are_compared_in_words_and_side_by_side(olivia: Principal, alice: Visitor) -> None:
    submitted(olivia)
    page = compare(alice, "1", "2")
    assert "From version 1 (active) to version 2 (in review)" in changes(page)
    assert WIDER in changes(page)
    assert "schedule" in "".join(page.tree.xpath("//*[@id='sides']//ins/text()"))


def test_the_other_way_round_it_becomes_narrower(olivia: Principal, alice: Visitor) -> None:
    submitted(olivia)
    page = compare(alice, "2", "1")
    assert "Performance can no longer reach Schedules." in changes(page)
    assert "narrower" in changes(page)
    assert "No intent can reach a kind that it could not reach before." in changes(page)


def test_dates_active_and_baseline_name_versions_too(acme: Firm, olivia: Principal, alice: Visitor) -> None:
    approved(acme, olivia)
    now = timezone.now().isoformat()
    assert "to version 2 (active)" in changes(compare(alice, "baseline", "active"))
    assert f"version 2 (active, in force at {now})" in changes(compare(alice, "1", now))


def test_equal_versions_say_the_same(alice: Visitor) -> None:
    page = compare(alice, "baseline", "1")
    assert "They say the same." in changes(page)
    assert "The two files are the same, line by line." in page.text


def test_all_lines_are_shown_when_they_are_asked_for(olivia: Principal, alice: Visitor) -> None:
    submitted(olivia)
    page = compare(alice, "1", "2")
    (link,) = (link for link in page.links if "all=1" in link)
    assert "unchanged lines" in page.text
    assert link == "?before=1&after=2&all=1#sides"
    assert "unchanged lines" not in compare(alice, "1", "2", all="1").text


def test_no_file_of_the_server_is_ever_read(alice: Visitor, tmp_path: Path) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("PASSWORD = 'hunter2'")
    for path in (str(secret), "/etc/passwd", "../manage.py", "manage.py", "."):
        page = compare(alice, path[:40], "1")
        assert page.status == 422
        assert "names no version" in page.errors_of("before")
        assert "hunter2" not in page.text
        assert "no such file" not in page.text
        assert "can't be read" not in page.text


@pytest.mark.parametrize(
    ("reference", "complaint"),
    [
        ("99", "versions go from 1 to 1"),
        ("2026-13-01", "there is no such date"),
        ("1999-01-01", "No version was in force at 1999-01-01."),
        ("", "Enter a version's number"),
        ("last week", "names no version"),
        ("9" * 40, "versions go from 1 to 1"),
        ("x" * 41, "at most 40 characters"),
        ("a\0b", "Null characters are not allowed"),
    ],
)
def test_what_names_no_version_is_said_beside_its_field(alice: Visitor, reference: str, complaint: str) -> None:
    page = compare(alice, "1", reference)
    assert page.status == 422
    assert complaint in page.errors_of("after")
    assert page.errors_of("before") == ""


def test_a_number_is_one_of_this_tenant_s(acme: Firm, olivia: Principal) -> None:
    drafted(olivia)
    make_member(make_firm("bolt"), "ben", Role.AUDITOR)
    page = compare(Visitor("ben"), "1", "2")
    assert "versions go from 1 to 1" in page.errors_of("after")
    assert WIDER not in page.text
    with open_scope(tenant=acme.id, reason="a test"):
        assert PolicyVersion.objects.count() == 2


def test_what_is_typed_is_shown_as_text(alice: Visitor) -> None:
    page = compare(alice, "<script>alert(1)</script>", "1")
    assert b"<script>alert(1)" not in page.response.content
