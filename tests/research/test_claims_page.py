"""The page on which a text is checked."""

from __future__ import annotations

import pytest

from apps.audit.models import Event
from apps.research.events import CLAIMS_CHECKED
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.factories import Firm, make_member
from tests.filings.held import take_in
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db

TEXT = "Velden Cranes reported revenue of $4,971 million in fiscal 2024.\r\nWe expect revenue to grow in 2025."


@pytest.fixture
def ann(acme: Firm) -> Visitor:
    take_in(acme, 2024, kind="reference_report")
    make_member(acme, "ann", Role.ANALYST, scopes=["fund:alpha"])
    return Visitor("ann")


def check(visitor: Visitor, text: str = TEXT, scopes: tuple[str, ...] = ("fund:alpha",)) -> Page:
    return visitor.send("claims", text=text, company="", scopes=list(scopes))


def test_the_text_is_shown_with_its_claims_marked_by_word_and_sign(ann: Visitor) -> None:
    page = check(ann)
    assert page.status == 200
    first, second = page.tree.xpath("//a[contains(@class, 'cl-mark')]")
    assert first.text == "$4,971 million"
    assert "Contradicted" in first.text_content()
    assert "Not checkable" in second.text_content()
    assert first.get("href") == "#claim-1"


def test_a_card_has_the_evidence_the_correction_and_a_way_to_the_page(ann: Visitor) -> None:
    page = check(ann)
    (card,) = page.tree.xpath("//*[@id='claim-1']")
    words = " ".join(card.text_content().split())
    assert "Instead: $4,471 million" in words
    assert "Revenue, FY2024: 4,471" in words
    (link,) = card.xpath(".//ul//a")
    opened = Page(ann.get(link.get("href")))
    assert opened.status == 200


def test_a_text_is_shown_as_text(ann: Visitor) -> None:
    page = check(ann, 'Velden Cranes said <script>alert("x")</script> of its revenue of $4,471 million in 2024.')
    assert not page.tree.xpath("//section[contains(@class, 'cl-report')]//script")
    assert '<script>alert("x")' in page.tree.xpath("//*[contains(@class, 'cl-marked')]")[0].text_content()


def test_an_empty_text_is_refused_beside_its_field(ann: Visitor) -> None:
    page = check(ann, "")
    assert page.status == 422
    assert "The text is empty" in page.tree.xpath("//*[@id='text-error']")[0].text_content()


def test_without_a_scope_nothing_is_checked(ann: Visitor, acme: Firm) -> None:
    assert check(ann, scopes=()).status == 422
    with open_scope(tenant=acme.id, reason="a test"):
        assert not Event.objects.filter(action=CLAIMS_CHECKED).exists()


def test_who_may_not_ask_has_no_such_page(acme: Firm) -> None:
    make_member(acme, "carol", Role.AUDITOR)
    assert Visitor("carol").open("claims").status == 403
