"""The page of the access centre: a question in the address, its answer below, a report to print, and a CSV."""

from __future__ import annotations

import pytest

from apps.audit.models import Event
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.factories import Firm, make_firm, make_member
from tests.intents.named import make_named
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db


@pytest.fixture
def acme() -> Firm:
    firm = make_firm("acme")
    make_member(firm, "alice", Role.ANALYST, scopes=["fund:alpha"])
    return firm


@pytest.fixture
def dora(acme: Firm) -> Visitor:
    make_member(acme, "dora", Role.AUDITOR)
    return Visitor("dora")


def listed(firm: Firm) -> list[str]:
    with open_scope(tenant=firm.id, reason="a test"):
        events = Event.objects.filter(action="intents.access.listed").order_by("occurred_at")
        return [event.payload["core"]["format"] for event in events]


def test_the_page_is_in_the_sidebar_of_who_reads_the_log_and_asks_nothing_by_itself(acme: Firm, dora: Visitor) -> None:
    page = dora.open("access_centre")
    assert page.response.request["PATH_INFO"] in page.sidebar
    assert "Nothing asked yet" in page.text
    assert listed(acme) == []


def test_an_analyst_is_shown_no_entry_and_refused_when_they_type_it(acme: Firm) -> None:
    alice = Visitor("alice")
    assert "/admin/policy/access/centre/" not in alice.open("index").sidebar
    for name in ("access_centre", "access_report"):
        assert alice.open(name, mode="at").status == 403


def test_everybody_stands_below_the_question(acme: Firm, dora: Visitor) -> None:
    page = dora.open("access_centre", mode="at")
    assert [each.text_content() for each in page.tree.xpath("//section[@id='centre-list']//tbody//th")] == [
        "alice",
        "dora",
    ]
    assert "2 people could reach documents of Acme" in page.text
    assert listed(acme) == ["page"]


def test_a_wrong_field_is_marked_in_its_place_and_nothing_is_stated(acme: Firm, dora: Visitor) -> None:
    page = dora.open("access_centre", mode="range", kind="run")
    assert page.status == 422
    assert "A range and a comparison need a second time" in page.text
    assert "could reach" not in page.tree.xpath("string(//section)")
    assert listed(acme) == []


def test_of_several_people_one_is_chosen_first(acme: Firm, dora: Visitor) -> None:
    make_named(acme, "m1", "Maria", "Lind")
    make_named(acme, "m2", "Maria", "Lind")
    page = dora.open("access_centre", mode="at", who="Lind, Maria")
    (first, _) = page.tree.xpath("//section[@id='centre-candidates']//a/@href")
    assert not page.tree.xpath("//*[@id='centre-sentence']")
    chosen = Page(dora.get(first))
    assert [each.text_content() for each in chosen.tree.xpath("//section[@id='centre-list']//tbody//th")] == [
        "Maria Lind (m1)"
    ]


def test_the_report_tells_of_the_same_moment_and_names_policy_and_log(acme: Firm, dora: Visitor) -> None:
    page = dora.open("access_centre", mode="at", kind="run")
    (link,) = page.tree.xpath("//a[text()='Report to print']/@href")
    make_member(acme, "later", Role.ANALYST)
    report = Page(dora.get(link))
    assert report.tree.xpath("string(//*[@id='report-sentence'])") == page.tree.xpath(
        "string(//*[@id='centre-sentence'])"
    )
    assert "SHA-256" in report.text
    assert "root" in report.text
    assert listed(acme) == ["page", "print"]


def test_the_csv_is_posted_and_recorded(acme: Firm, dora: Visitor) -> None:
    response = dora.post("/admin/policy/access/centre/csv/?mode=at&since=&until=&who=&role=&scope=&kind=run&document=")
    assert response.status_code == 200
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert b"".join(response.streaming_content).decode().count("\n") == 1 + 2 + 3
    assert listed(acme) == ["csv"]
    assert dora.post("/admin/policy/access/centre/csv/?mode=range").status_code == 422
