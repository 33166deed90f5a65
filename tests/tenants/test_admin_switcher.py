"""One tenant at a time, shown on every page; changing it is checked and recorded."""

from __future__ import annotations

import pytest

from apps.audit.models import Event
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.corpus.ingesting import ingest
from tests.factories import Firm, make_firm, make_member
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db

SWITCHED = "tenants.session.tenant_switched"


@pytest.fixture
def bolt() -> Firm:
    return make_firm("bolt")


@pytest.fixture
def alice(acme: Firm, bolt: Firm) -> Visitor:
    """An analyst of Acme and an auditor of Bolt."""
    make_member(acme, "alice", Role.ANALYST)
    make_member(bolt, "alice", Role.AUDITOR)
    return Visitor("alice")


def active(page: Page) -> str:
    return str(page.tree.xpath("string(//*[@id='active-tenant'])"))


def switched(firm: Firm) -> int:
    with open_scope(tenant=firm.id, reason="a test"):
        return Event.objects.filter(action=SWITCHED).count()


@pytest.mark.slow
def test_the_switch_leads_to_the_start_page_of_the_other_tenant(alice: Visitor, bolt: Firm) -> None:
    assert active(alice.open("index")) == "Acme"
    answer = alice.send("tenant_switch", tenant=str(bolt.id))
    assert (answer.status, answer.location) == (302, "/admin/")
    assert active(alice.open("index")) == "Bolt"


def test_the_roles_of_the_new_tenant_count_from_then_on(alice: Visitor, bolt: Firm) -> None:
    assert alice.open("audit_event_changelist").status == 403
    alice.send("tenant_switch", tenant=str(bolt.id))
    assert alice.open("audit_event_changelist").status == 200
    assert alice.open("corpus_document_add").status == 403


def test_it_is_recorded_in_the_log_of_the_tenant_that_is_entered(alice: Visitor, acme: Firm, bolt: Firm) -> None:
    alice.send("tenant_switch", tenant=str(bolt.id))
    assert (switched(acme), switched(bolt)) == (0, 1)


@pytest.mark.parametrize("wanted", ["", "nonsense", "00000000-0000-7000-8000-000000000000"])
def test_an_unknown_tenant_is_refused_and_nothing_changes(alice: Visitor, wanted: str) -> None:
    assert alice.send("tenant_switch", tenant=wanted).status == 404
    assert active(alice.open("index")) == "Acme"


@pytest.mark.slow
def test_a_tenant_without_a_membership_is_refused_like_an_unknown_one(alice: Visitor) -> None:
    charlies = make_firm("charlies")
    refused = alice.send("tenant_switch", tenant=str(charlies.id))
    assert refused.status == 404
    assert "Charlies" not in refused.text


def test_a_link_can_not_switch(alice: Visitor, bolt: Firm) -> None:
    assert alice.open("tenant_switch", tenant=str(bolt.id)).status == 405


def test_a_form_from_elsewhere_can_not_switch(alice: Visitor, bolt: Firm) -> None:
    alice.handler.enforce_csrf_checks = True
    assert alice.send("tenant_switch", tenant=str(bolt.id)).status == 403


def test_who_has_one_tenant_sees_it_and_no_switch(acme: Firm) -> None:
    make_member(acme, "bob", Role.ANALYST)
    start = Visitor("bob").open("index")
    assert active(start) == "Acme"
    assert not start.tree.xpath("//select[@name='tenant']")


def test_a_search_answers_from_the_active_tenant_alone(alice: Visitor, acme: Firm, bolt: Firm) -> None:
    """Also when the same words were just searched in the other one: nothing is kept between the two."""
    ingest(acme, title="Drawdown of Alpha")
    assert "Drawdown of Alpha" in alice.open("search", s="drawdown", extended="1").response.content.decode()
    alice.send("tenant_switch", tenant=str(bolt.id))
    assert "Drawdown of Alpha" not in alice.open("search", s="drawdown", extended="1").response.content.decode()


@pytest.mark.slow
def test_a_search_finds_pages_that_the_role_may_open(alice: Visitor) -> None:
    assert "/admin/corpus/ingestjob/" in alice.open("search", s="jobs").response.content.decode()
    assert "/admin/tenants/apikey/" not in alice.open("search", s="keys").response.content.decode()


def test_lists_hold_nothing_of_the_other_tenant(alice: Visitor, acme: Firm, bolt: Firm) -> None:
    ingest(acme, title="Drawdown of Alpha")
    assert len(alice.open("corpus_document_changelist").rows()) == 1
    alice.send("tenant_switch", tenant=str(bolt.id))
    assert alice.open("corpus_document_changelist").rows() == []
