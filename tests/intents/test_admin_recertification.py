"""The pages of recertifications: begun by an officer, decided by owners, read as a report, closed."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.intents.models import CertifiedGrant, Recertification
from apps.intents.services.recertification import recertification_begin
from apps.tenants.context import open_scope
from apps.tenants.models import Grant
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.factories import Firm, as_, make_member
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga(acme: Firm) -> Principal:
    make_member(acme, "ann", Role.ANALYST, scopes=["fund:alpha"])
    make_member(acme, "wanda", Role.DPO)
    return make_member(acme, "olga", Role.COMPLIANCE_OFFICER)


@pytest.fixture
def begun(acme: Firm, olga: Principal) -> Recertification:
    with as_(olga):
        wanda = make_member(acme, "wanda", Role.DPO)
        return recertification_begin(
            owner_ids=[wanda.id],
            due_at=timezone.now() + timedelta(days=9),
            roles=[Role.ANALYST],  # type: ignore[list-item]
        )


def row(firm: Firm) -> CertifiedGrant:
    with open_scope(tenant=firm.id, reason="a test"):
        found: CertifiedGrant = CertifiedGrant.objects.get()
        return found


def test_an_officer_begins_one_by_the_form(acme: Firm, olga: Principal) -> None:
    officer = Visitor("olga")
    form = officer.open("recertification_begin")
    owners = {
        each.getparent().text_content().strip(): each.get("value")
        for each in form.tree.xpath("//input[@name='owners']")
    }
    wanda = next(value for name, value in owners.items() if "wanda" in name)
    due = (timezone.now() + timedelta(days=3)).date().isoformat()
    page = officer.send("recertification_begin", owners=[wanda], due_on=due, roles=["analyst"])
    assert page.status == 302
    assert row(acme).owner_id == make_member(acme, "wanda", Role.DPO).id


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({}, "Name one or more owners"),
        ({"due_on": "2020-01-01"}, "The date has passed"),
        ({"roles": ["reviewer"]}, "There is no valid grant"),
    ],
)
def test_what_can_not_begin_is_told_beside_its_field(
    acme: Firm, olga: Principal, said: dict[str, object], told: str
) -> None:
    due = (timezone.now() + timedelta(days=3)).date().isoformat()
    owners = {"owners": [str(make_member(acme, "wanda", Role.DPO).id)]} if said else {}
    page = Visitor("olga").send("recertification_begin", **{"due_on": due, **owners, **said})
    assert page.status == 422
    assert told in page.text
    with open_scope(tenant=acme.id, reason="a test"):
        assert not Recertification.objects.exists()


def test_an_owner_sees_what_waits_and_ends_it_with_a_reason(acme: Firm, begun: Recertification) -> None:
    wanda = Visitor("wanda")
    assert "Grants to confirm or end" in wanda.open("index").text
    assert "1 grant waits for your decision" in wanda.open("recertifications").text
    without = wanda.send("recertification", begun.id, grant=str(row(acme).id), act="end", reason="")
    assert without.status == 422
    assert "Say why" in without.text
    assert wanda.send("recertification", begun.id, grant=str(row(acme).id), act="end", reason="Left.").status == 302
    with open_scope(tenant=acme.id, reason="a test"):
        assert Grant.objects.get(id=row(acme).grant_id).valid_to is not None
    assert "Ended" in wanda.open("recertification", begun.id).text


def test_whoever_has_no_part_in_it_does_not_see_it(acme: Firm, begun: Recertification) -> None:
    ann = Visitor("ann")
    assert "None concerns you" in ann.open("recertifications").text
    assert ann.open("recertification", begun.id).status == 404
    assert ann.post(f"/admin/policy/recertifications/{begun.id}/csv/").status_code == 404
    assert ann.open("recertification_begin").status == 403


def test_an_overdue_one_is_shown_as_overdue_and_nobody_else_can_decide(
    acme: Firm, begun: Recertification, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = begun.due_at + timedelta(seconds=1)
    monkeypatch.setattr("django.utils.timezone.now", lambda: later)
    officer = Visitor("olga")
    page = officer.open("recertification", begun.id)
    assert "Overdue" in page.text
    assert officer.send("recertification", begun.id, grant=str(row(acme).id), act="confirm", reason="x").status == 422


def test_the_officer_reminds_changes_the_owner_and_closes(acme: Firm, begun: Recertification, olga: Principal) -> None:
    officer = Visitor("olga")
    assert officer.send("recertification", begun.id, act="remind").status == 302
    changed = officer.send("recertification", begun.id, grant=str(row(acme).id), act="owner", owner=str(olga.id))
    assert changed.status == 302
    assert row(acme).owner_id == olga.id
    assert "wait" in officer.open("recertification_close", begun.id).text
    assert officer.send("recertification_close", begun.id).status == 302
    page = officer.open("recertification", begun.id)
    assert "0 confirmed, 0 ended, 1 undecided" in page.text
    assert officer.send("recertification", begun.id, act="remind").status == 422
    csv = officer.post(f"/admin/policy/recertifications/{begun.id}/csv/").content.decode()
    assert csv.splitlines()[1].startswith("ann,Analyst,fund:alpha,")


@pytest.mark.parametrize("said", [{"act": "nonsense"}, {"act": "end", "grant": "x"}, {}])
def test_a_post_that_says_nothing_changes_nothing(acme: Firm, begun: Recertification, said: dict[str, str]) -> None:
    assert Visitor("wanda").send("recertification", begun.id, **said).status == 422
    assert row(acme).decision == ""
