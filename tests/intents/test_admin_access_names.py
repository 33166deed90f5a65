"""The auditor's page by names as people write them: an answer, a choice, or no statement at all."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from apps.audit.models import Event
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.factories import Firm, make_firm
from tests.intents.named import end_memberships, make_named
from tests.intents.test_admin_access import ask, suggestions
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db


@pytest.fixture
def acme() -> Firm:
    firm = make_firm("acme")
    make_named(firm, "mlind", "Maria", "Lindqvist")
    make_named(firm, "maria2", "Maria", "Lindqvist")
    make_named(firm, "bjorn", "Björn", "Åkesson")
    end_memberships(firm, "maria2")
    make_named(make_firm("bolt"), "maria-of-bolt", "Maria", "Lindqvist")
    return firm


@pytest.fixture
def dora(acme: Firm) -> Visitor:
    make_named(acme, "dora", "Dora", "Auditor", role=Role.AUDITOR)
    return Visitor("dora")


def people(page: Page, section: str) -> list[str]:
    found = page.tree.xpath(f"//*[@id='{section}']//li")
    return [" ".join(each.text_content().split()) for each in found]


def states_nothing(page: Page) -> bool:
    """Whether there is no sentence to quote, nothing to copy and nothing to download."""
    return not page.tree.xpath("//*[@id='access-sentence'] | //*[@id='main']//*[@data-copy] | //a[@download]")


def test_the_page_says_who_was_meant(dora: Visitor) -> None:
    page = ask(dora, "akesson, bjorn")
    (subject,) = page.tree.xpath("//*[@id='access-subject']")
    assert subject.text_content() == "This is about Björn Åkesson, user name bjorn."
    assert "Björn Åkesson (bjorn), as Analyst since" in page.text


def test_of_several_each_is_a_link_to_the_same_question(dora: Visitor) -> None:
    page = ask(dora, "Maria Lindqvist", date="2026-01-31T12:00", intent="performance")
    assert (page.status, states_nothing(page)) == (200, True)
    assert people(page, "access-candidates") == [
        "Maria Lindqvist maria2, former member",
        "Maria Lindqvist mlind, Analyst",
    ]
    (link,) = [link for link in page.links if "who=mlind" in link]
    asked = parse_qs(urlsplit(link).query, keep_blank_values=True)
    assert asked == {"who": ["mlind"], "date": ["2026-01-31T12:00"], "intent": ["performance"]}
    assert not states_nothing(Page(dora.get(link)))


def test_of_nobody_the_page_states_nothing_and_shows_the_nearest_names(dora: Visitor) -> None:
    page = ask(dora, "Bjorn Akeson")
    assert states_nothing(page)
    assert "No member of Acme, past or present, has the name “Bjorn Akeson”, so there is no answer." in page.text
    assert people(page, "access-unknown") == ["Björn Åkesson bjorn, Analyst"]
    assert not states_nothing(Page(dora.get(next(link for link in page.links if "who=bjorn" in link))))


def test_without_a_like_name_none_is_shown(dora: Visitor) -> None:
    page = ask(dora, "Xaver Quirin")
    assert (states_nothing(page), people(page, "access-unknown")) == (True, [])
    assert "nearest names" not in page.text


def test_a_choice_is_recorded_without_a_name(acme: Firm, dora: Visitor) -> None:
    ask(dora, "Maria Lindqvist")
    with open_scope(tenant=acme.id, reason="a test"):
        event = Event.objects.get(action="intents.access.asked")
        assert event.payload["core"]["verdict"] == "ambiguous"
        assert "Maria" not in str(event.payload)


def test_an_analyst_gets_the_same_page_for_every_name(acme: Firm) -> None:
    """The name in the address is not read: the page is about the analyst."""
    bjorn = Visitor("bjorn")
    for typed in ("Maria Lindqvist", "mlind", "Mria Lindquist", "nobody"):
        page = ask(bjorn, typed)
        assert "Björn Åkesson (bjorn), as Analyst since" in page.text
        assert not any(name in page.text for name in ("Maria", "mlind", "maria2"))
    assert suggestions(page, "subjects") == set()
