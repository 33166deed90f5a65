"""Ctrl K finds a request by its number, for those who may see requests, and says where it finds nothing."""

from __future__ import annotations

import pytest
from django.urls import reverse

from apps.tenants.roles import Role
from tests.audit.requesting import make_office
from tests.factories import make_member
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db


def asked(who: str, term: str) -> Page:
    return Page(Visitor(who).get(reverse("admin:search"), {"s": term, "extended": "1"}))


def found(who: str, term: str) -> list[tuple[str, str]]:
    """Address and title of each result."""
    links = asked(who, term).tree.xpath("//*[@id='command-results-list']//a")
    return [(link.get("href"), link.get("data-title")) for link in links]


def test_a_request_is_found_by_its_number_however_it_is_written() -> None:
    office = make_office("acme")
    request = office.received()
    link = reverse("admin:erasure_request", args=[request.id])
    for term in (request.reference, request.reference.lower(), f"{request.year}-{request.number}", str(request.number)):
        assert (link, request.reference) in found("dora", term), term
    assert not found("dora", f"{request.year}-9999")


def test_who_may_not_see_requests_finds_none() -> None:
    office = make_office("acme")
    request = office.received()
    make_member(office.firm, "alice", Role.ANALYST)
    assert (reverse("admin:erasure_request", args=[request.id]), request.reference) in found("dora", request.reference)
    assert not found("alice", request.reference)


def test_nothing_found_is_said_in_the_part_that_the_page_takes() -> None:
    make_office("acme")
    page = asked("dora", "no such <thing>")
    [told] = page.tree.xpath("//*[@id='command-results-list']")
    assert "Nothing found for “no such <thing>”" in told.text_content()
