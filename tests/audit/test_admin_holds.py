"""Legal holds in the admin: the list, the decisions, and the way to them from a document, an event, the start page."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from apps.erasure.admin.holds import acts as hold_acts
from apps.erasure.admin.holds.links import code_of, target_of_code
from apps.erasure.contracts import Target, TargetType
from apps.erasure.models import LegalHold, RemovalRun
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.test_holds import GROUND, MATTER, asked, placed, released, soon, stored
from tests.factories import Firm, as_, make_member
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db


@pytest.fixture
def dora(acme: Firm) -> Principal:
    return make_member(acme, "dora", Role.DPO)


@pytest.fixture
def visitor(dora: Principal) -> Visitor:
    return Visitor("dora")


def fields(dora: Principal, **changes: object) -> dict[str, object]:
    return {
        "matter": MATTER,
        "ground": GROUND,
        "owner": str(dora.id),
        "review_on": soon().isoformat(),
        **changes,
    }


def holds(by: Principal) -> list[LegalHold]:
    with as_(by):
        return list(LegalHold.objects.order_by("id"))


def test_a_hold_is_placed_by_searching_ticking_and_deciding(acme: Firm, dora: Principal, visitor: Visitor) -> None:
    document, other = stored(acme, "Letter to Northwind"), stored(acme, "Minutes")
    page = visitor.open("audit_legalhold_add")
    assert "Documents are restricted at once" in page.text
    assert "never deleted" in page.text
    found = visitor.send("audit_legalhold_add", find="1", words="northwind", **fields(dora))
    assert holds(dora) == []
    assert "Letter to Northwind" in found.text
    assert "Minutes" not in found.text
    assert found.tree.xpath("//input[@name='matter']/@value") == [MATTER]
    assert found.tree.xpath("//input[@name='item']/@value") == [code_of(document)]
    done = visitor.send("audit_legalhold_add", item=[code_of(document), code_of(other)], **fields(dora))
    (hold,) = holds(dora)
    assert done.location.endswith(f"/{hold.id}/change/")
    shown = visitor.open("audit_legalhold_change", hold.id)
    assert "Letter to Northwind" in shown.text
    assert "Legal hold placed" in shown.text
    assert GROUND in shown.text


def test_what_is_wrong_stands_beside_its_field_and_nothing_chosen_is_lost(
    acme: Firm, dora: Principal, visitor: Visitor
) -> None:
    document = stored(acme)
    today = timezone.now().date().isoformat()
    refused = visitor.send("audit_legalhold_add", item=[code_of(document)], **fields(dora, review_on=today))
    assert "is not after today" in refused.errors_of("review_on")
    assert refused.tree.xpath("//input[@name='item'][@checked]/@value") == [code_of(document)]
    missing = visitor.send("audit_legalhold_add", item=[code_of(document)], **fields(dora, matter=" "))
    assert missing.errors_of("matter")
    empty = visitor.send("audit_legalhold_add", **fields(dora))
    assert "Name between 1 and 500 items" in empty.text
    assert holds(dora) == []


def test_an_item_that_is_not_there_is_left_out_and_said(acme: Firm, dora: Principal, visitor: Visitor) -> None:
    nobodys = Target(type=TargetType.DOCUMENT, id=uuid4())
    page = visitor.open("audit_legalhold_add", item=[code_of(nobodys), "nonsense", "document:x", "scope:1"])
    assert "1 of the chosen items is gone" in page.text
    refused = visitor.send("audit_legalhold_add", item=[code_of(nobodys)], **fields(dora))
    assert "could hold" in refused.text


def test_a_part_of_an_event_is_held_from_the_events_page(acme: Firm, dora: Principal, visitor: Visitor) -> None:
    part = asked(acme)
    page = visitor.open("audit_event_change", part.id)
    (link,) = [each for each in page.links if "item=" in each and "question" in each]
    form = Page(visitor.get(link))
    assert form.tree.xpath("//input[@name='item'][@checked]/@value") == [code_of(part)]
    visitor.send("audit_legalhold_add", item=[code_of(part)], **fields(dora))
    (hold,) = holds(dora)
    assert f"/{hold.id}/change/" in " ".join(visitor.open("audit_event_change", part.id).links)
    by_id = visitor.send("audit_legalhold_add", find="1", words=str(part.id), **fields(dora))
    assert "the question part" in by_id.text


def test_open_holds_come_first_and_what_is_due_is_marked(acme: Firm, dora: Principal, visitor: Visitor) -> None:
    over = placed(dora, stored(acme, "One"), matter="Ended")
    placed(dora, stored(acme, "Two"), matter="Later")
    due = placed(dora, stored(acme, "Three"), matter="Due")
    released(dora, over)
    with as_(dora):
        LegalHold.objects.filter(id=due.id).update(review_on=timezone.now().date() - timedelta(days=1))
    rows = visitor.open("audit_legalhold_changelist").rows()
    assert [row.split()[0] for row in rows] == ["Due", "Later", "Ended"]
    assert [("Review is due" in row, "Released" in row) for row in rows] == [
        (True, False),
        (False, False),
        (False, True),
    ]
    assert "Legal holds to review" in visitor.open("index").text


def test_a_review_lets_it_go_on_with_a_reason(acme: Firm, dora: Principal, visitor: Visitor) -> None:
    hold = placed(dora, stored(acme))
    later = (soon() + timedelta(days=30)).isoformat()
    assert visitor.send("audit_legalhold_review", hold.id, review_on=later, reason="").errors_of("reason")
    visitor.send("audit_legalhold_review", hold.id, review_on=later, reason="Still pending")
    assert holds(dora)[0].review_on.isoformat() == later
    assert "Review of a legal hold moved" in visitor.open("audit_legalhold_change", hold.id).text


def test_more_is_put_under_it(acme: Firm, dora: Principal, visitor: Visitor) -> None:
    hold, more = placed(dora, stored(acme, "One")), stored(acme, "Two")
    visitor.send("audit_legalhold_items", hold.id, item=[code_of(more)])
    assert "Two" in visitor.open("audit_legalhold_change", hold.id).text


@pytest.mark.slow
def test_the_release_says_what_waits_and_what_stays_before_it_is_done(
    acme: Firm, dora: Principal, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone, shared = stored(acme, "One"), stored(acme, "Two")
    hold = placed(dora, alone, shared)
    placed(dora, shared)
    assert "No erasure waits for this hold" in visitor.open("audit_legalhold_release", hold.id).text
    monkeypatch.setattr(hold_acts, "runs_waiting", len)
    page = visitor.open("audit_legalhold_release", hold.id)
    assert "1 approved erasure waited for this hold, and is queued at the moment of release" in page.text
    assert "1 item stays held, by another hold" in page.text
    assert "can't be reopened" in page.text
    assert visitor.send("audit_legalhold_release", hold.id, reason="").errors_of("reason")
    visitor.send("audit_legalhold_release", hold.id, reason="Settled")
    shown = visitor.open("audit_legalhold_change", hold.id)
    assert "Settled" in shown.text
    assert not [link for link in shown.links if link.endswith("/release/")]
    assert visitor.open("audit_legalhold_release", hold.id).status == 409


@pytest.mark.parametrize("role", [Role.ANALYST, Role.TENANT_ADMIN])
def test_who_may_not_read_the_log_sees_no_hold(acme: Firm, dora: Principal, role: Role) -> None:
    hold = placed(dora, stored(acme))
    make_member(acme, "amy", role)
    amy = Visitor("amy")
    for name in ("change", "items", "review", "release"):
        assert amy.open(f"audit_legalhold_{name}", hold.id).status == 403
    assert amy.open("audit_legalhold_changelist").status == 403
    assert amy.open("audit_legalhold_add").status == 403
    assert not [link for link in amy.open("index").sidebar if "legalhold" in link]


def test_an_auditor_reads_holds_and_decides_nothing(acme: Firm, dora: Principal) -> None:
    document, part = stored(acme, "Letter"), asked(acme)
    hold = placed(dora, document, part)
    make_member(acme, "ada", Role.AUDITOR)
    ada = Visitor("ada")
    page = ada.open("audit_legalhold_change", hold.id)
    assert MATTER in page.text
    assert "Letter" not in page.text
    assert "not visible to you" in page.text
    assert not [link for link in page.links if link.endswith(("/release/", "/items/", "/review/"))]
    assert not [link for link in ada.open("audit_event_change", part.id).links if "item=" in link]
    for name in ("items", "review", "release"):
        assert ada.send(f"audit_legalhold_{name}", hold.id, reason="x").status == 403


def test_a_document_leads_to_its_hold_and_back(acme: Firm, dora: Principal, visitor: Visitor) -> None:
    document = stored(acme)
    page = visitor.open("corpus_document_change", document.id)
    assert [each for each in page.links if each.endswith("/remove/")]
    (link,) = [each for each in page.links if "item=" in each]
    assert code_of(document).replace(":", "%3A") in link
    hold = placed(dora, document)
    page = visitor.open("corpus_document_change", document.id)
    assert "Held, and restricted" in page.text
    assert f"/{hold.id}/change/" in " ".join(page.links)
    assert not [each for each in page.links if each.endswith("/remove/")]
    refused = visitor.send("corpus_document_remove", document.id, reason="duplicate", words="Twice.")
    assert refused.status == 200
    assert str(hold.id) in refused.text
    with as_(dora):
        assert not RemovalRun.objects.exists()


def test_a_code_is_read_back_as_what_it_stands_for() -> None:
    for target in (
        Target(type=TargetType.DOCUMENT, id=uuid4()),
        Target(type=TargetType.EVENT_GROUP, id=uuid4(), part="question"),
    ):
        assert target_of_code(code_of(target)) == target
    assert target_of_code("document") is None
