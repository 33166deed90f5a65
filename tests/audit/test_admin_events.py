"""The log in the admin: the auditor's questions, an event in words, and no way to touch one."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest

from apps.audit.admin.payload import payload_groups
from apps.audit.models import Event, Outcome
from apps.audit.services import record
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.factories import Firm, make_firm, make_member
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db

ANSWERED = "retrieval.question.answered"


@pytest.fixture
def acme() -> Firm:
    return make_firm("acme")


@pytest.fixture
def ada(acme: Firm) -> Visitor:
    make_member(acme, "ada", Role.AUDITOR)
    return Visitor("ada")


def answered(
    firm: Firm,
    *,
    intent: str = "performance",
    policy_version: int = 1,
    outcome: Outcome = Outcome.SUCCESS,
    document_id: UUID | None = None,
    scopes: list[str] | None = None,
) -> Event:
    hits = [{"rank": 1, "document_id": str(document_id), "kind": "run", "cited": True}] if document_id else []
    with open_scope(tenant=firm.id, reason="a test"):
        return record(
            action=ANSWERED,
            outcome=outcome,
            core={"intent": intent, "policy_version": policy_version, "permitted_kinds": ["run", "fund_profile"]},
            question={"hmac_sha256": "ab" * 32, "length_chars": 40},
            passages={"hits": hits},
            scopes=firm.scope_ids(*(scopes or [])),
        )


def found(visitor: Visitor, **query: Any) -> int:
    return len(visitor.open("audit_event_changelist", action=ANSWERED, **query).rows())


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, 3),
        ({"intent": "performance"}, 2),
        ({"intent": "Unrecognised"}, 1),
        ({"intent": "nothing"}, 0),
        ({"policy_version": "2"}, 1),
        ({"policy_version": "x"}, 0),
        ({"outcome__exact": "refused"}, 1),
        ({"actor": "SYSTEM"}, 3),
        ({"actor": "bob"}, 0),
        ({"document": "00000000-0000-7000-8000-000000000000"}, 0),
        ({"document": "x"}, 0),
        ({"subject": "x"}, 0),
        ({"occurred_at_from_0": "2001-01-01"}, 3),
        ({"occurred_at_from_0": "2999-01-01"}, 0),
        ({"occurred_at_to_0": "2999-01-01", "occurred_at_to_1": "12:00"}, 3),
        ({"occurred_at_from_0": "soon"}, 0),
    ],
)
def test_the_auditors_questions(acme: Firm, ada: Visitor, query: dict[str, str], expected: int) -> None:
    answered(acme)
    answered(acme, policy_version=2)
    answered(acme, intent="", outcome=Outcome.REFUSED)
    assert found(ada, **query) == expected


def test_a_document_is_found_in_the_answers_that_drew_on_it(acme: Firm, ada: Visitor) -> None:
    document_id = uuid4()
    answered(acme, document_id=document_id)
    answered(acme, document_id=uuid4())
    assert found(ada, document=str(document_id)) == 1


def test_events_of_scopes_that_a_reader_lacks_are_not_there(acme: Firm) -> None:
    make_member(acme, "bob", Role.AUDITOR, scopes=["fund:alpha"])
    answered(acme, scopes=["fund:alpha"])
    hidden = answered(acme, scopes=["fund:alpha", "fund:beta"])
    bob = Visitor("bob")
    assert found(bob) == 1
    assert bob.open("audit_event_change", hidden.id).status == 404


def test_an_event_is_told_in_words_by_group(acme: Firm, ada: Visitor) -> None:
    document_id = uuid4()
    page = ada.open("audit_event_change", answered(acme, document_id=document_id).id)
    headings = page.tree.xpath("//*[@id='content']//h2/text()")
    assert [each.strip() for each in headings][1:] == ["What happened", "The question", "The passages"]
    assert "run, fund profile" in page.text
    assert f"/admin/corpus/document/{document_id}/change/" in page.links


def test_an_action_that_this_release_does_not_know_is_shown_by_its_name(acme: Firm, ada: Visitor) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        event = Event.objects.create(
            tenant_id=acme.id,
            action="old.thing.done",
            outcome="success",
            occurred_at="2020-01-01T00:00:00Z",
            actor_kind="system",
            actor_label="system",
            commitments={},
        )
    assert "old.thing.done" in ada.open("audit_event_change", event.id).text


def test_nothing_can_be_done_to_an_event(acme: Firm, ada: Visitor) -> None:
    event = answered(acme)
    ada.send("audit_event_change", event.id, actor_label="nobody")
    assert ada.send("audit_event_delete", event.id, post="yes").status == 403
    assert not ada.open("audit_event_change", event.id).tree.xpath("//*[@id='content']//form")
    with open_scope(tenant=acme.id, reason="a test"):
        assert Event.objects.get(id=event.id).actor_label == event.actor_label


def test_a_rows_history_is_its_events(acme: Firm, ada: Visitor) -> None:
    answer = ada.open("tenants_tenant_history", acme.id)
    assert answer.location == f"/admin/audit/event/?subject={acme.id}"
    assert len(ada.open("audit_event_changelist", subject=str(acme.id)).rows()) == 1


def test_a_payload_can_not_bring_markup() -> None:
    (group,) = payload_groups({"core": {"reason": "<b>x</b>", "nested": {"<i>": ["<u>"]}}})
    shown = "".join(str(field.value) for field in group.fields)
    assert "<i>" not in shown
    assert "<u>" not in shown


@pytest.mark.parametrize("value", [None, "", [], {}, 0, False, True, 1.5, "x", [1, 2], {"a": {"b": [{"c": 1}]}}])
def test_every_value_has_words(value: object) -> None:
    (group,) = payload_groups({"core": {"something": value}})
    assert group.fields[0].value
