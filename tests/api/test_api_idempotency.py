"""A write that is sent twice acts once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from unittest.mock import Mock

import pytest
import time_machine
from django.db import ProgrammingError, transaction
from django.utils import timezone
from redis.exceptions import ConnectionError as RedisConnectionError

from apps.audit.models import Event
from apps.corpus.models import Document
from apps.corpus.services import documents
from apps.retrieval.api import query
from apps.tenants.api import idempotency
from apps.tenants.api.idempotency import REPEATS_HEADER, REPLAYED_HEADER, forget_expired
from apps.tenants.context import open_scope
from apps.tenants.models import IdempotentRequest
from apps.tenants.roles import PERMISSIONS, Role
from tests.api.client import Api, person
from tests.api.conftest import KeyMaker, ready_document
from tests.corpus.files import BROKEN
from tests.corpus.ingesting import ingest, run
from tests.factories import Firm, make_key, make_member

pytestmark = pytest.mark.django_db

KEY = {"Idempotency-Key": "3f0a"}
QUESTION = "What was the maximum drawdown of the Alpha Fund?"


@pytest.fixture(scope="module")
def asker(bolt: Firm) -> Api:
    """An analyst of Bolt's, which has a document to ask about. Acme has none: there, tests count what they upload."""
    ready_document(bolt)
    api = Api(make_key(bolt, Role.ANALYST)[1])
    # The first question of a tenant embeds its golden examples; no test should have to.
    api.post("/api/v1/query/", {"question": "What was the drawdown?"})
    return api


def rows(firm: Firm) -> list[IdempotentRequest]:
    with open_scope(tenant=firm.id, reason="a test"):
        return list(IdempotentRequest.objects.all())


def events(firm: Firm, action: str) -> list[Event]:
    with open_scope(tenant=firm.id, reason="a test"):
        return list(Event.objects.filter(action=action).order_by("occurred_at"))


def test_an_upload_sent_twice_is_answered_twice_and_done_once(analyst: Api, acme: Firm) -> None:
    first, second = analyst.upload(headers=KEY), analyst.upload(headers=KEY)
    assert second.json() == first.json()
    assert (second.status_code, second["Location"]) == (202, first["Location"])
    assert (first.get(REPLAYED_HEADER), second[REPLAYED_HEADER]) == (None, "true")
    assert len(events(acme, "corpus.document.received")) == 1


def test_a_removal_proposed_twice_is_one_proposal(acme: Firm) -> None:
    document = ingest(acme).document
    alice = person(make_member(acme, "alice", Role.TENANT_ADMIN))
    answers = [alice.delete(f"/api/v1/documents/{document.id}/?reason=duplicate", **KEY) for _ in range(2)]
    assert [(answer.status_code, answer["Location"]) for answer in answers] == [(202, answers[0]["Location"])] * 2
    assert len(events(acme, "audit.removal.proposed")) == 1


def test_an_upload_discarded_twice_is_gone_once(acme: Firm) -> None:
    principal = make_member(acme, "alice", Role.TENANT_ADMIN)
    document, alice = ingest(acme, principal=principal).document, person(principal)
    answers = [alice.delete(f"/api/v1/documents/{document.id}/", **KEY) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [204, 204]
    assert len(events(acme, "corpus.document.deleted")) == 1


def test_a_retry_sent_twice_starts_the_job_once(admin: Api, acme: Firm) -> None:
    result = ingest(acme, BROKEN, filename="report.json")
    run(acme, result.job)
    answers = [admin.post(f"/api/v1/jobs/{result.job.id}/retry/", **KEY) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [202, 202]
    assert len(events(acme, "corpus.job.restarted")) == 1


@pytest.mark.parametrize(
    "change", [{"title": "Another"}, {"content": b"# Other\n\nText."}, {"filename": "other.md"}, {"kind": "schedule"}]
)
def test_a_key_with_another_body_is_refused(analyst: Api, acme: Firm, change: dict[str, Any]) -> None:
    analyst.upload(headers=KEY)
    response = analyst.upload(headers=KEY, **change)
    assert (response.status_code, response.json()["code"]) == (422, "api.idempotency_key_reused")
    with open_scope(tenant=acme.id, reason="a test"):
        assert Document.objects.count() == 1


def test_a_key_at_another_address_is_refused(acme: Firm) -> None:
    alice = person(make_member(acme, "alice", Role.TENANT_ADMIN))
    ids = [ingest(acme, f"# Note {number}\n\nText.".encode()).document.id for number in range(2)]
    alice.delete(f"/api/v1/documents/{ids[0]}/?reason=duplicate", **KEY)
    assert alice.delete(f"/api/v1/documents/{ids[1]}/?reason=duplicate", **KEY).status_code == 422


def test_two_clients_may_use_the_same_key(key: KeyMaker) -> None:
    first, second = key(), key()
    first.upload(headers=KEY)
    response = second.upload(b"# Other\n\nText.", headers=KEY)
    assert (response.status_code, response.get(REPLAYED_HEADER)) == (202, None)


def test_a_refused_request_may_be_mended_and_sent_again_with_its_key(analyst: Api, acme: Firm) -> None:
    assert analyst.upload(scope="fund:nowhere", headers=KEY).status_code == 400
    assert rows(acme) == []
    assert analyst.upload(headers=KEY).status_code == 202


def test_what_breaks_half_way_leaves_neither_the_act_nor_the_memory_of_it(
    admin: Api, acme: Firm, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = admin.upload()["Location"]

    def broken(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patched:
        patched.setattr(documents, "record_document_event", broken)
        assert admin.delete(path, **KEY).status_code == 500
    assert rows(acme) == []
    assert admin.delete(path, **KEY).status_code == 204


def test_a_key_is_forgotten_after_a_day(analyst: Api, acme: Firm) -> None:
    analyst.upload(headers=KEY)
    with time_machine.travel(timezone.now() + timedelta(hours=25), tick=True):
        response = analyst.upload(b"# Other\n\nText.", headers=KEY)
        assert (response.status_code, response.get(REPLAYED_HEADER)) == (202, None)
    assert len(rows(acme)) == 1


def test_expired_rows_are_removed(analyst: Api, acme: Firm) -> None:
    analyst.upload(headers=KEY)
    with (
        time_machine.travel(timezone.now() + timedelta(hours=25), tick=True),
        open_scope(tenant=acme.id, reason="a test"),
    ):
        assert forget_expired() == 1


def test_neither_the_key_nor_the_file_is_kept(analyst: Api, acme: Firm) -> None:
    analyst.upload(b"# Secret plan\n\nText.", headers={"Idempotency-Key": "alice@example.com"})
    (row,) = rows(acme)
    kept = str({field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields})
    assert "alice" not in kept
    assert "Secret plan" not in kept


def test_discarding_an_upload_removes_the_answer_that_names_it(admin: Api, acme: Firm) -> None:
    uploaded = admin.upload(headers=KEY).json()
    admin.delete(f"/api/v1/documents/{uploaded['id']}/")
    assert rows(acme) == []


def test_the_rows_lie_behind_the_wall(analyst: Api, acme: Firm, bolt: Firm) -> None:
    analyst.upload(headers=KEY)
    for firm, scopes in ((bolt, None), (acme, acme.scope_ids("fund:beta"))):
        with open_scope(tenant=firm.id, scopes=scopes, reason="a test"):
            assert not IdempotentRequest._base_manager.exists()
    with pytest.raises(ProgrammingError, match="no scope is open"), transaction.atomic():
        IdempotentRequest._base_manager.exists()


def test_a_question_sent_twice_is_answered_and_recorded_twice_and_told_apart(asker: Api) -> None:
    first = asker.post("/api/v1/query/", {"question": QUESTION}, **KEY)
    second = asker.post("/api/v1/query/", {"question": QUESTION}, **KEY)
    assert second.json()["answer"] == first.json()["answer"]
    assert second[REPEATS_HEADER] == first.json()["audit_event_id"] != second.json()["audit_event_id"]
    assert second.get(REPLAYED_HEADER) is None


def test_without_redis_a_question_sent_twice_at_once_is_answered_twice_and_told_apart(
    asker: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing keeps the second one out then, and the first one finds what it recorded."""
    monkeypatch.setattr(idempotency.cache, "add", Mock(side_effect=RedisConnectionError))
    answer, meanwhile = query.ask, []

    def slowly(**asked: Any) -> Any:
        if not meanwhile:
            meanwhile.append(None)
            meanwhile[0] = asker.post("/api/v1/query/", {"question": QUESTION}, **KEY)
        return answer(**asked)

    monkeypatch.setattr(query, "ask", slowly)
    first = asker.post("/api/v1/query/", {"question": QUESTION}, **KEY)
    assert (first.status_code, meanwhile[0].status_code) == (200, 200)
    assert first[REPEATS_HEADER] == meanwhile[0].json()["audit_event_id"] != first.json()["audit_event_id"]


def test_of_a_question_nothing_is_kept_but_its_event(asker: Api, bolt: Firm) -> None:
    answer = asker.post("/api/v1/query/", {"question": QUESTION}, **KEY).json()
    (row,) = rows(bolt)
    assert (row.replayable, row.body, str(row.subject_id)) == (False, None, answer["audit_event_id"])


def test_a_key_with_another_question_is_refused(asker: Api) -> None:
    asker.post("/api/v1/query/", {"question": QUESTION}, **KEY)
    assert asker.post("/api/v1/query/", {"question": "Who are we?"}, **KEY).status_code == 422


@pytest.mark.parametrize("value", ["", "x" * 256, "schlüssel", "a\tb"])
def test_a_key_that_is_none_is_refused(analyst: Api, value: str) -> None:
    response = analyst.upload(headers={"Idempotency-Key": value})
    assert (response.status_code, response.json()["code"]) == (400, "api.idempotency_key_invalid")


def test_a_role_is_checked_before_an_answer_is_repeated(key: KeyMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    api = key(Role.ANALYST)
    assert api.upload(headers=KEY).status_code == 202
    monkeypatch.setitem(PERMISSIONS, Role.ANALYST, frozenset())
    assert api.upload(headers=KEY).status_code == 403
