"""“What is held about me”: a page of everybody's own, and the file that it hands out."""

from __future__ import annotations

import zipfile
from io import BytesIO
from typing import Any

import pytest
from django.urls import reverse

from apps.audit.models import Event
from apps.privacy.my_data.contents import CATEGORIES
from apps.privacy.my_data.events import MY_DATA_EXPORTED
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.factories import Firm, make_member
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db
DOWNLOAD = "/admin/account/data/download/"


def content(response: Any) -> bytes:
    """Of an answer in parts."""
    found: bytes = b"".join(response.streaming_content)
    return found


def takings(firm: Firm) -> int:
    with open_scope(tenant=firm.id, reason="a test"):
        found: int = Event.objects.filter(action=MY_DATA_EXPORTED).count()
        return found


@pytest.mark.parametrize("role", list(Role))
def test_every_member_finds_the_page_and_takes_the_file(acme: Firm, role: Role) -> None:
    make_member(acme, "alice", role)
    alice = Visitor("alice")
    address = reverse("admin:my_data")
    assert address in alice.open("index").sidebar
    page = alice.open("my_data")
    assert page.status == 200
    assert all(category.title in page.text for category in CATEGORIES)
    assert takings(acme) == 0
    response = alice.post(DOWNLOAD, {"format": "zip"})
    assert response["Content-Disposition"].startswith("attachment")
    assert "no-store" in response["Cache-Control"]
    with zipfile.ZipFile(BytesIO(content(response))) as archive:
        assert "alice@example.com" in archive.read("my-data.html").decode()
    assert takings(acme) == 1


@pytest.mark.parametrize(("format", "media_type"), [("html", "text/html"), ("json", "application/json")])
def test_a_part_of_it_can_be_taken_alone(acme: Firm, format: str, media_type: str) -> None:
    make_member(acme, "alice", Role.ANALYST)
    response = Visitor("alice").post(DOWNLOAD, {"format": format})
    assert response["Content-Type"].startswith(media_type)
    assert response["X-Content-Type-Options"] == "nosniff"
    assert b"alice@example.com" in content(response)


def test_it_is_taken_by_a_post_in_a_known_form_alone(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST)
    alice = Visitor("alice")
    assert alice.get(DOWNLOAD).status_code == 405
    assert alice.post(DOWNLOAD, {"format": "pdf"}).status_code == 400
    assert alice.post(DOWNLOAD).status_code == 400
    assert takings(acme) == 0


def test_nobody_else_may_take_it(acme: Firm) -> None:
    """There is no address with a person in it: whoever asks gets their own, and who is not signed in gets nothing."""
    make_member(acme, "alice", Role.ANALYST)
    make_member(acme, "dora", Role.DPO)
    doras = content(Visitor("dora").post(DOWNLOAD, {"format": "json", "person": "alice"}))
    assert b"alice" not in doras
    assert Visitor().post(DOWNLOAD, {"format": "json"}).status_code == 302
    assert takings(acme) == 1


def test_the_page_says_who_gets_it_and_what_is_left_out(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST)
    text = Visitor("alice").open("my_data").text
    assert "Provider of answers" in text
    assert "(f) Complaint" in text
    assert "Passwords, keys and their digests" in text
