"""The auditor's page: a question, one sentence to quote, and everything that stands behind it."""

from __future__ import annotations

import json
from urllib.parse import unquote

import pytest

from apps.audit.models import Event
from apps.tenants.context import open_scope
from apps.tenants.models import ApiKey
from apps.tenants.roles import Role
from tests.factories import Firm, make_firm, make_key, make_member
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


def ask(visitor: Visitor, who: str = "", *, date: str = "", intent: str = "") -> Page:
    return visitor.open("policy_access", who=who, date=date, intent=intent)


def suggestions(page: Page, which: str) -> set[str]:
    return set(page.tree.xpath(f"//datalist[@id='access-{which}']/option/@value"))


def test_the_page_is_in_the_sidebar_and_asks_nothing_by_itself(acme: Firm, dora: Visitor) -> None:
    page = dora.open("policy_access")
    assert page.response.request["PATH_INFO"] in page.sidebar
    assert "Nothing asked yet" in page.text
    with open_scope(tenant=acme.id, reason="a test"):
        assert not Event.objects.filter(action="intents.access.asked").exists()


def test_now_is_the_default(dora: Visitor) -> None:
    (value,) = dora.open("policy_access").tree.xpath("//input[@name='date'][@type='datetime-local']/@value")
    assert len(value) == len("2026-01-31T12:00:00")


def test_people_and_keys_of_this_tenant_are_suggested_and_no_others(acme: Firm, dora: Visitor) -> None:
    make_key(acme)
    make_member(make_firm("bolt"), "bolt-member", Role.ANALYST)
    with open_scope(tenant=acme.id, reason="a test"):
        prefix = ApiKey.objects.get().prefix
    page = dora.open("policy_access")
    assert suggestions(page, "subjects") == {"alice", "dora", f"gbx_{prefix}"}
    assert suggestions(page, "intents") >= {"performance", "unrecognised"}


def test_the_answer_shows_the_sentence_the_kinds_the_scopes_and_what_gave_them(dora: Visitor) -> None:
    page = ask(dora, "alice", intent="performance")
    (sentence,) = page.tree.xpath("//*[@id='access-sentence']")
    assert "alice, as Analyst since" in sentence.text_content()
    columns = [each.text_content() for each in page.tree.xpath("//table[contains(@class,'gb-matrix')]//thead//th")][1:]
    cells = page.tree.xpath("//table[contains(@class,'gb-matrix')]/tbody/tr/td")
    reached = {kind for kind, cell in zip(columns, cells, strict=True) if "could be reached" in cell.text_content()}
    assert reached == {"Fund profiles", "Past runs", "Dataset summaries"}
    assert all(
        part in page.text for part in ("fund:alpha", "Membership Analyst yes", "the shipped baseline", "SHA-256")
    )
    assert any("/intents/policyversion/" in link for link in page.links)


def test_the_json_can_be_copied_and_downloaded_and_is_that_of_the_answer(dora: Visitor) -> None:
    page = ask(dora, "alice")
    copied = [json.loads(each) for each in page.tree.xpath("//button/@data-copy") if each.startswith("{")]
    (address,) = page.tree.xpath("//a[@download]/@href")
    kind, _, content = address.partition(",")
    assert (kind, copied) == ("data:application/json;charset=utf-8", [json.loads(unquote(content))])
    assert copied[0]["sentence"] in page.text


def test_an_answer_is_kept_by_nobody_on_the_way(dora: Visitor) -> None:
    assert ask(dora, "alice").response["Cache-Control"].startswith("no-store")


def test_an_api_key_is_asked_about_by_its_mark_and_prefix(acme: Firm, dora: Visitor) -> None:
    make_key(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        prefix = ApiKey.objects.get().prefix
    assert f"the API key analyst key (gbx_{prefix})" in ask(dora, f"gbx_{prefix}").text


def test_a_whole_key_is_refused_beside_its_field(acme: Firm, dora: Visitor) -> None:
    _, plain = make_key(acme)
    page = ask(dora, plain)
    assert page.status == 422
    assert "never the whole key" in page.errors_of("who")


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [("date", "soon", "Enter a valid date/time"), ("intent", "What is it?", "Enter the intent's short name")],
)
def test_what_can_not_be_read_is_said_beside_its_field(dora: Visitor, field: str, value: str, complaint: str) -> None:
    page = dora.open("policy_access", **{"who": "alice", "date": "", "intent": "", field: value})
    assert page.status == 422
    assert complaint in page.errors_of(field)
    assert "There is no answer" in page.text


def test_a_date_is_read_as_utc(dora: Visitor) -> None:
    text = ask(dora, "alice", date="2001-01-31T12:00").text
    assert "On 31 January 2001 at 12:00 UTC nobody could reach anything in Acme" in text


def test_somebody_unknown_is_not_known_to_this_tenant(dora: Visitor) -> None:
    make_member(make_firm("bolt"), "bolt-member", Role.ANALYST)
    known_elsewhere, nowhere = (ask(dora, name).text for name in ("bolt-member", "nobody-here"))
    assert "No member of Acme, past or present, has the name “bolt-member”" in known_elsewhere
    assert "No member of Acme, past or present, has the name “nobody-here”" in nowhere


def test_an_analyst_asks_about_themselves_and_sees_nobody_else(acme: Firm) -> None:
    alice = Visitor("alice")
    page = alice.open("policy_access")
    assert not page.tree.xpath("//input[@name='who']")
    assert suggestions(page, "subjects") == set()
    assert "alice, as Analyst since" in ask(alice, "dora").text


def test_scopes_that_the_auditor_may_not_see_are_counted(acme: Firm) -> None:
    make_member(acme, "erin", Role.AUDITOR, scopes=["fund:beta"])
    page = ask(Visitor("erin"), "alice")
    assert "1 more that you may not see" in page.text
    assert "1 grant of scopes that you may not see" in page.text
    assert "fund:alpha" not in page.response.content.decode()


def test_an_intent_that_was_none_names_those_that_were(dora: Visitor) -> None:
    text = ask(dora, "alice", intent="gossip").text
    assert "had no intent “gossip”" in text
    assert "performance, compliance" in text


def test_asking_is_recorded(acme: Firm, dora: Visitor) -> None:
    ask(dora, "alice")
    with open_scope(tenant=acme.id, reason="a test"):
        event = Event.objects.get(action="intents.access.asked")
        assert (event.actor_label, event.payload["core"]["verdict"]) == ("dora", "could_reach")
