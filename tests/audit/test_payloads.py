"""Reading the log: everything that is as it was recorded, and nothing that is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from pytest_django import DjangoAssertNumQueries

from apps.audit import sealing, selectors
from apps.audit.errors import PayloadDamagedError
from apps.audit.ids import new_id
from apps.audit.keys.data_keys import forget_keys
from apps.audit.models import Event, Payload
from apps.audit.registry import Group
from apps.audit.selectors import GroupState, payloads_of, readings_of, with_term
from apps.audit.services import record
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.audit.forging import ANSWERED, add_group, bare_event, sealed_for
from tests.factories import Firm, make_key, make_member
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db

CORE = {"intent": "performance", "policy_version": 3, "elapsed_ms": 12.0, "filters": [], "excluded": {"fuse": 2}}
QUESTION = {"hmac_sha256": "ab" * 32, "text": "What was the drawdown?"}


def answered(firm: Firm, **fields: Any) -> Event:
    with open_scope(tenant=firm.id, reason="a test"):
        return record(**{"action": ANSWERED, "core": CORE, "question": QUESTION, **fields})


def forged(firm: Firm, make: Callable[[], Event]) -> Event:
    with open_scope(tenant=firm.id, reason="a test"):
        return make()


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The groups that were decrypted, one after another."""
    groups: list[str] = []
    real = sealing.open_sealed

    def spy(*args: Any, **named: Any) -> dict[str, Any]:
        groups.append(named["place"].group)
        return real(*args, **named)

    monkeypatch.setattr(selectors, "open_sealed", spy)
    return groups


# --- What is whole ----------------------------------------------------------------------------------------------------


def test_a_payload_reads_as_it_was_recorded(acme: Firm) -> None:
    event = answered(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        found = Event.objects.get(id=event.id)
        assert found.payload == payloads_of([found])[event.id] == {"core": CORE, "question": QUESTION}
        assert set(found.commitments) == {"core", "question", "actor"}


def test_each_group_is_a_row_of_its_own_and_none_holds_its_words(acme: Firm) -> None:
    event = answered(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        rows = {row.group: row for row in Payload.objects.filter(event_id=event.id)}
    assert set(rows) == {"core", "question", "actor"}
    assert not any(b"drawdown" in bytes(row.ciphertext) for row in rows.values())
    assert rows["core"].terms == ["intent:performance", "policy_version:3"]
    assert rows["question"].terms == []


def test_many_events_cost_two_queries(acme: Firm, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    events = [answered(acme) for _ in range(5)]
    forget_keys(acme.id)
    with open_scope(tenant=acme.id, reason="a test"), django_assert_num_queries(2):
        assert len(payloads_of(events)) == 5
    # The transaction remembers the key that it has read.
    with open_scope(tenant=acme.id, reason="a test"), django_assert_num_queries(1):
        assert len(payloads_of(events)) == 5
    with open_scope(tenant=acme.id, reason="a test"), django_assert_num_queries(0):
        assert payloads_of([]) == {}


def test_only_what_is_asked_for_is_decrypted(acme: Firm, opened: list[str]) -> None:
    event = answered(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        found = payloads_of([event], groups=[Group.CORE])
    assert (found[event.id], opened) == ({"core": CORE}, ["core"])


def test_a_list_decrypts_the_cores_of_its_page_and_a_search_nothing_more(acme: Firm, opened: list[str]) -> None:
    make_member(acme, "ada", Role.AUDITOR)
    ada = Visitor("ada")
    for number in range(3):
        answered(acme, core={"intent": "compliance" if number else "performance"})
    opened.clear()
    assert len(ada.open("audit_event_changelist", action=ANSWERED, intent="compliance").rows()) == 2
    assert opened == ["core", "core"]


def test_the_api_lists_without_decrypting_anything(acme: Firm, opened: list[str]) -> None:
    answered(acme)
    api = Api(make_key(acme, Role.AUDITOR)[1])
    opened.clear()
    assert api.get("/api/v1/audit/events/").json()["results"]
    assert opened == []


def test_events_are_found_by_their_terms(acme: Firm) -> None:
    event = answered(acme, passages={"hits": [{"document_id": "d1"}, {"document_id": "d2"}]})
    answered(acme, core={"intent": "", "policy_version": 4})
    with open_scope(tenant=acme.id, reason="a test"):
        for group, name, value in (
            (Group.CORE, "intent", "performance"),
            (Group.CORE, "policy_version", 3),
            (Group.PASSAGES, "document_id", "d2"),
        ):
            found = Event.objects.filter(with_term(group=group, name=name, value=value))
            assert [each.id for each in found] == [event.id]
        assert not Event.objects.filter(with_term(group=Group.CORE, name="intent", value="perf")).exists()


# --- What is gone, and what is not what it was ------------------------------------------------------------------------


def removed(firm: Firm) -> Event:
    return forged(firm, lambda: bare_event({"core": "00" * 32, "question": "11" * 32}))


def of_another_event(firm: Firm) -> Event:
    """Its question is another event's, as it lies there."""
    source = answered(firm)

    def make() -> Event:
        row = Payload.objects.get(event_id=source.id, group="question")
        event = bare_event({"question": source.commitments["question"]})
        add_group(event, "question", bytes(row.ciphertext))
        return event

    return forged(firm, make)


def rewritten(firm: Firm) -> Event:
    """By somebody who has the data key and can't rewrite the event."""

    def make() -> Event:
        event = bare_event({"question": "22" * 32})
        add_group(event, "question", sealed_for(event, "question", QUESTION).ciphertext)
        return event

    return forged(firm, make)


def never_recorded(firm: Firm) -> Event:
    def make() -> Event:
        event = bare_event({})
        add_group(event, "question", sealed_for(event, "question", QUESTION).ciphertext)
        return event

    return forged(firm, make)


def renamed(firm: Firm) -> Event:
    """The name in the row is Mallory's; what was sealed is Alice's."""

    def make() -> Event:
        id = new_id()
        event = Event(id=id, tenant_id=firm.id, occurred_at=firm.tenant.created_at)
        sealed = sealed_for(event, "actor", {"actor_label": "alice"})
        event = bare_event({"actor": sealed.commitment.hex()}, id=id, actor_label="mallory")
        add_group(event, "actor", sealed.ciphertext)
        return event

    return forged(firm, make)


def test_a_group_that_was_removed_is_absent_and_said_to_be_removed(acme: Firm) -> None:
    event = removed(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        assert payloads_of([event]) == {event.id: {}}
        states = readings_of([event])[event.id].states
    assert states == {"core": GroupState.REMOVED, "question": GroupState.REMOVED}


@pytest.mark.parametrize(
    ("make", "group", "problem"),
    [
        (of_another_event, "question", "does not decrypt"),
        (rewritten, "question", "does not open its commitment"),
        (never_recorded, "question", "was written without it"),
        (renamed, "actor", "is not the one that was recorded"),
    ],
)
def test_what_is_not_what_was_recorded_raises_and_is_not_shown(
    acme: Firm, make: Callable[[Firm], Event], group: str, problem: str
) -> None:
    event, whole = make(acme), answered(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        with pytest.raises(PayloadDamagedError, match=problem):
            payloads_of([whole, event])
        with pytest.raises(PayloadDamagedError):
            _ = Event.objects.get(id=event.id).payload
        found = readings_of([whole, event])
    assert found[event.id].states[group] is GroupState.DAMAGED
    assert problem in found[event.id].problems[group]
    assert "drawdown" not in str(found[event.id])
    assert found[whole.id].payload == {"core": CORE, "question": QUESTION}


def test_the_error_names_the_event_and_tells_nothing_of_it(acme: Firm) -> None:
    event = rewritten(acme)
    with open_scope(tenant=acme.id, reason="a test"), pytest.raises(PayloadDamagedError) as caught:
        payloads_of([event])
    assert str(event.id) in str(caught.value)
    assert "drawdown" not in str(caught.value)


def test_the_admin_marks_what_is_damaged_and_what_is_gone(acme: Firm) -> None:
    make_member(acme, "ada", Role.AUDITOR)
    ada = Visitor("ada")
    page = ada.open("audit_event_change", rewritten(acme).id)
    assert "The question Damaged, and not shown." in page.text
    assert "drawdown" not in page.text
    page = ada.open("audit_event_change", removed(acme).id)
    assert "The question Removed." in page.text
    page = ada.open("audit_event_change", answered(acme).id)
    assert "What was the drawdown?" in page.text
    assert "Damaged" not in page.text
    assert "Removed" not in page.text


def test_a_list_goes_on_where_one_event_is_damaged(acme: Firm) -> None:
    make_member(acme, "ada", Role.AUDITOR)

    def make() -> Event:
        event = bare_event({"core": "22" * 32})
        add_group(event, "core", b"nothing that ever was sealed")
        return event

    forged(acme, make)
    answered(acme)
    page = Visitor("ada").open("audit_event_changelist", action=ANSWERED)
    assert len(page.rows()) == 2
    assert "damaged" in page.text


def test_the_api_says_what_became_of_each_group(acme: Firm) -> None:
    api = Api(make_key(acme, Role.AUDITOR)[1])
    whole, gone, bad = answered(acme), removed(acme), rewritten(acme)
    found = {event.id: api.get(f"/api/v1/audit/events/{event.id}/").json() for event in (whole, gone, bad)}
    assert found[whole.id]["payload"] == {"core": CORE, "question": QUESTION}
    assert found[whole.id]["groups"] == {"actor": "intact", "core": "intact", "question": "intact"}
    assert found[whole.id]["commitments"] == whole.commitments
    assert (found[gone.id]["payload"], found[gone.id]["groups"]) == ({}, {"core": "removed", "question": "removed"})
    assert (found[bad.id]["payload"], found[bad.id]["groups"]) == ({}, {"question": "damaged"})


def test_a_group_is_recorded_once(acme: Firm) -> None:
    event = answered(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        again = sealed_for(event, "core", CORE)
        with pytest.raises(Exception, match="payload_group_once"), transaction.atomic():
            add_group(event, "core", again.ciphertext)
