"""The policy in the admin: what an officer reads is what the pipeline works with, and nothing of it can be changed."""

from __future__ import annotations

import pytest

from apps.intents.admin.matrix import matrix
from apps.intents.models import PolicyVersion
from apps.intents.selectors import policy_in_force
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.factories import Firm, make_firm, make_member
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db


@pytest.fixture
def oscar(acme: Firm) -> Visitor:
    make_member(acme, "oscar", Role.COMPLIANCE_OFFICER)
    return Visitor("oscar")


def test_the_ticks_are_the_kinds_that_each_intent_may_reach(acme: Firm, oscar: Visitor) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        snapshot = policy_in_force()
    page = oscar.open("intents_policyversion_in_force")
    columns = [each.text_content() for each in page.tree.xpath("//table[contains(@class,'gb-matrix')]//thead//th")][1:]
    ticked = {
        row.xpath("string(th)").strip(): {
            kind for kind, cell in zip(columns, row.xpath("td"), strict=True) if "permitted" in cell.text_content()
        }
        for row in page.tree.xpath("//table[contains(@class,'gb-matrix')]/tbody/tr")
    }
    expected = {rule.label: {kind.label for kind in rule.kinds} for rule in snapshot.intents}
    assert ticked == {**expected, snapshot.fallback.label: {kind.label for kind in snapshot.fallback.kinds}}


def test_the_unrecognised_stand_last_and_reach_the_least(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        rows = matrix(policy_in_force())
    assert rows[-1].is_fallback
    assert rows[-1].reach <= min(row.reach for row in rows)


def test_it_says_since_when_and_by_whom(oscar: Visitor) -> None:
    text = oscar.open("intents_policyversion_in_force").text
    assert "Version 1" in text
    assert "Shipped baseline" in text


def test_budgets_stand_in_their_order_with_their_caps(oscar: Visitor) -> None:
    rows = oscar.open("intents_policyversion_in_force").tree.xpath("//table[tfoot]//tr")
    cells = [[cell.text_content().strip() for cell in row.xpath("td")] for row in rows]
    assert [cells[1][0], *cells[1][2:]] == ["1", "Firm profile", "who may add documents", "3200"]
    assert cells[1][1].startswith("Firm profiles org_profile")
    assert [cells[10][0], *cells[10][2:]] == ["10", "Reference packs", "who may add documents", "2400"]
    assert cells[11] == ["16384"]


def test_a_version_has_a_page_and_no_form(acme: Firm, oscar: Visitor) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        version = PolicyVersion.objects.get()
    page = oscar.open("intents_policyversion_change", version.id)
    assert page.status == 200
    assert not page.tree.xpath("//*[@id='content']//form")
    assert oscar.send("intents_policyversion_delete", version.id, post="yes").status == 403


def test_the_list_holds_the_versions_of_this_tenant(acme: Firm, oscar: Visitor) -> None:
    make_firm("bolt")
    (row,) = oscar.open("intents_policyversion_changelist").rows()
    assert row.startswith("Version 1 In force Shipped baseline")
