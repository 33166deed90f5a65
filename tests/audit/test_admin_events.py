"""The log in the admin: the auditor's questions, an event in words, and no way to touch one."""

from __future__ import annotations

import csv
import io
import json
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.urls import reverse
from django.utils.http import urlencode

from apps.audit.admin.events.payload import payload_groups
from apps.audit.admin.events.trace import STAGES
from apps.audit.models import Event, Outcome
from apps.audit.reporting.events import EVENTS_EXPORTED, EXPORT_CUT_SHORT
from apps.audit.reporting.export import ListFormat, events_export
from apps.audit.selectors import payloads_of
from apps.audit.services import record
from apps.errors import ApplicationError
from apps.retrieval.trace import Stage
from apps.tenants.context import open_scope
from apps.tenants.models import Membership
from apps.tenants.roles import Role
from apps.tenants.services.members import membership_revoke
from tests.audit.forging import bare_event
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
        ({"actor": "00000000-0000-7000-8000-000000000000"}, 0),
        ({"scope": "x"}, 0),
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
    assert [each.strip() for each in headings][1:] == [
        "What happened",
        "The question",
        "The passages",
        "What is kept of this event",
        "Its place in the log",
    ]
    assert "run, fund profile" in page.text
    assert f"/admin/corpus/document/{document_id}/change/" in page.links


def test_an_actor_is_found_by_id_and_a_scope_by_its_events(acme: Firm, ada: Visitor) -> None:
    principal = make_member(acme, "amy", Role.ANALYST)
    answered(acme, scopes=["fund:alpha"])
    with open_scope(tenant=acme.id, principal=principal):
        record(action=ANSWERED, core={"intent": "x"}, scopes=acme.scope_ids("fund:beta"))
    assert found(ada, actor=str(principal.id)) == 1
    assert found(ada, scope=str(acme.scopes["fund:alpha"].id)) == 1


TRACE = {
    "intent": "performance",
    "intent_score": 0.8,
    "intent_margin": 0.1,
    "policy_version": 3,
    "policy_version_id": "00000000-0000-7000-8000-000000000003",
    "recording_mode": "hash_only",
    "permitted_kinds": ["run", "fund_profile"],
    "withheld_kinds": ["reference_report"],
    "filters": ["company:sure"],
    "relaxed_filters": [],
    "excluded": {"cut_off": {"Below the cliff.": 4}},
    "embedding": {"provider": "local", "model": "mini", "region": "eu", "dimension": 384, "texts": 1},
    "generator": "extractive",
    "model": "",
    "answer_outcome": "closest_passages",
    "relevance": "partial",
    "degradations": [{"stage": "dense", "code": "retrieval.vectors_missing"}],
    "elapsed_ms": 100.0,
    "stage_ms": {"dense": 40.0, "classify": 10.0, "new_stage": 1.0},
}


def traced(firm: Firm) -> Event:
    hits = [
        {
            "rank": 1,
            "chunk_id": str(uuid4()),
            "document_id": str(uuid4()),
            "kind": "run",
            "ref_id": "alpha|p1|c1",
            "content_sha256": "ab" * 32,
            "ranks": {"dense": 7, "sparse": 2},
            "rrf_score": 0.03,
            "in_context": True,
            "cited": True,
        },
        {"rank": 2, "chunk_id": str(uuid4()), "document_id": str(uuid4()), "kind": "run", "ranks": {"sparse": 9}},
    ]
    with open_scope(tenant=firm.id, reason="a test"):
        return record(action=ANSWERED, core=TRACE, passages={"hits": hits}, scopes=firm.scope_ids("fund:alpha"))


def test_a_questions_way_is_told_stage_by_stage(acme: Firm, ada: Visitor) -> None:
    page = ada.open("audit_event_change", traced(acme).id)
    stages = [" ".join(row.text_content().split()) for row in page.tree.xpath("//*[@id='stages']//tbody/tr")]
    # In the order of the way, not of the letters; what this release does not know comes last, by its name.
    assert [each.split(" ms")[0] for each in stages] == [
        "Decide the intent 10",
        "Rank by meaning degraded 40",
        "Cut off 0.0",
        "new_stage 1.0",
    ]
    assert "4: Below the cliff." in stages[2]
    decision = " ".join(page.tree.xpath("//*[@id='decision']")[0].text_content().split())
    for words in (
        "version 3",
        "run, fund profile",
        "reference report",
        "mini (local, region eu",
        "vectors_missing",
        "the closest passages, which claim nothing; it answers a part of what was asked",
    ):
        assert words in decision
    heads = [each.strip() for each in page.tree.xpath("//*[@id='passages']//th/text()")]
    rows = page.tree.xpath("//*[@id='passages']//tbody/tr")
    first = dict(zip(heads, (" ".join(cell.text_content().split()) for cell in rows[0]), strict=True))
    assert (first["Rank by meaning"], first["Rank by words"], first["How far it got"]) == ("7", "2", "cited")
    assert len(rows) == 2
    assert "found, left out" in " ".join(rows[1].text_content().split())


def test_the_order_of_the_stages_is_that_of_the_pipeline() -> None:
    assert list(STAGES) == [stage.value for stage in Stage]


def test_an_event_leads_to_others_like_it_and_to_its_replay(acme: Firm, ada: Visitor) -> None:
    event = traced(acme)
    links = ada.open("audit_event_change", event.id).links
    for address in ("/admin/audit/event/?intent=performance", "/admin/audit/event/?policy_version=3"):
        assert address in links
    assert f"/admin/audit/replay/{event.id}/" in links
    assert not any("replay" in link for link in ada.open("audit_event_change", answered(acme).id).links)


def test_the_state_of_each_part_is_told(acme: Firm, ada: Visitor) -> None:
    page = ada.open("audit_event_change", traced(acme).id)
    parts = [[cell.text_content() for cell in row][:2] for row in page.tree.xpath("//*[@id='parts']//tbody/tr")]
    assert parts == [
        ["What happened", "Intact"],
        ["About the person who acted", "Intact"],
        ["The passages", "Intact"],
    ]


# --- the list as a file ---


def download(visitor: Visitor, format: str = "csv", **query: str) -> Any:
    return visitor.post(f"{reverse('admin:audit_event_export')}?{urlencode(query)}", {"format": format})


def lines(response: Any) -> list[dict[str, str]]:
    content = b"".join(response.streaming_content).decode()
    if "jsonl" in response["Content-Type"]:
        return [json.loads(line) for line in content.splitlines()]
    return list(csv.DictReader(io.StringIO(content)))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_the_filtered_list_is_handed_out_and_that_is_recorded(format: str) -> None:
    acme = make_firm("acme")
    make_member(acme, "ada", Role.AUDITOR)
    wanted = [answered(acme, policy_version=2), answered(acme, policy_version=2, intent="")]
    answered(acme)
    told = lines(download(Visitor("ada"), format, action=ANSWERED, policy_version="2", actor="system", p="1"))
    assert [each["event_id"] for each in told] == [str(each.id) for each in reversed(wanted)]
    assert "abab" not in json.dumps([{**each, "commitments": ""} for each in told])
    (taken,) = recorded_events(acme, EVENTS_EXPORTED)
    assert taken.actor_label == "ada"
    assert taken.payload["core"] == {
        "format": format,
        "events": 2,
        "filters": {"action": ANSWERED, "policy_version": "2", "actor": "typed"},
    }


@pytest.mark.django_db(transaction=True)
def test_a_list_is_handed_out_in_parts_and_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    acme = make_firm("acme")
    ada = make_member(acme, "ada", Role.AUDITOR)
    made = [answered(acme).id for _ in range(6)]
    for batch in (1, 2, 6, 7):
        with open_scope(tenant=acme.id, principal=ada):
            events = Event.objects.filter(action=ANSWERED)
            parts = events_export(events, format=ListFormat.CSV, filters={}, batch=batch)
        told = list(csv.DictReader(io.StringIO(b"".join(parts).decode())))
        assert [each["event_id"] for each in told] == [str(each) for each in reversed(made)]


@pytest.mark.django_db(transaction=True)
def test_a_list_holds_what_its_reader_may_see() -> None:
    acme = make_firm("acme")
    make_member(acme, "bob", Role.AUDITOR, scopes=["fund:alpha"])
    mine = answered(acme, scopes=["fund:alpha"])
    answered(acme, scopes=["fund:beta"])
    answered(make_firm("other"))
    told = lines(download(Visitor("bob"), action=ANSWERED))
    assert [each["event_id"] for each in told] == [str(mine.id)]


@pytest.mark.django_db(transaction=True)
def test_who_loses_the_role_in_the_middle_gets_no_more_and_that_is_recorded() -> None:
    acme = make_firm("acme")
    ada = make_member(acme, "ada", Role.AUDITOR)
    for _ in range(3):
        answered(acme)
    with open_scope(tenant=acme.id, principal=ada):
        parts = events_export(Event.objects.filter(action=ANSWERED), format=ListFormat.CSV, filters={}, batch=1)
    sent = next(parts)
    with open_scope(tenant=acme.id, reason="a test"):
        membership_revoke(membership=Membership.objects.get(user_id=ada.id))
    with pytest.raises(ApplicationError):
        next(parts)
    (cut,) = recorded_events(acme, EXPORT_CUT_SHORT)
    assert cut.outcome == Outcome.FAILED
    assert cut.payload["core"]["sent_bytes"] == len(sent)


def test_a_list_is_not_handed_out_for_the_asking(acme: Firm, ada: Visitor) -> None:
    make_member(acme, "ann", Role.ANALYST)
    assert download(Visitor("ann")).status_code == 403
    assert download(ada, "xml").status_code == 400
    assert ada.get(reverse("admin:audit_event_export")).status_code == 405
    assert recorded_events(acme, EVENTS_EXPORTED) == []


def recorded_events(firm: Firm, action: str) -> list[Event]:
    with open_scope(tenant=firm.id, reason="a test"):
        events = list(Event.objects.filter(action=action))
        for event, payload in zip(events, payloads_of(events).values(), strict=True):
            event.__dict__["payload"] = payload
    return events


def test_an_action_that_this_release_does_not_know_is_shown_by_its_name(acme: Firm, ada: Visitor) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        event = bare_event({}, action="old.thing.done", occurred_at="2020-01-01T00:00:00Z")
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
