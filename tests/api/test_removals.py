"""Removing a document takes two: one proposes it with a reason, another approves, the eraser carries it out."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.urls import reverse
from django.utils import timezone

from apps.audit.models import Event
from apps.corpus.errors import (
    RemovalByTwoError,
    RemovalKeptError,
)
from apps.corpus.models import Document, DocumentStatus
from apps.corpus.services import documents
from apps.corpus.services.ingest.restart import job_restart
from apps.corpus.services.removals import document_remove
from apps.erasure.contracts import Origin, RunState, Target, TargetType
from apps.erasure.hold_services import hold_place
from apps.erasure.log_removal import RemovalReason
from apps.erasure.models import RemovalRun
from apps.erasure.runs.runs import RejectionReason
from apps.erasure.runs.selectors import words_of
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.api.client import Api, person
from tests.api.conftest import firm_with_provider, ready_document
from tests.audit.removing import carried_out
from tests.corpus.files import BROKEN
from tests.corpus.ingesting import ingest, run, short_profile
from tests.deciding import run_approve, run_reject
from tests.factories import Firm, as_, make_key, make_member
from tests.model_server import ModelServer
from tests.raising import raises_code
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = "A draft that went up twice."


@pytest.fixture
def acme(model_server: ModelServer, settings: LazySettings) -> Firm:
    settings.GLASSBOX_EMBEDDING_PROFILES = {
        **settings.GLASSBOX_EMBEDDING_PROFILES,
        "remote": short_profile(model_server),
    }
    return firm_with_provider("acme")


@pytest.fixture
def alice(acme: Firm) -> Principal:
    return make_member(acme, "alice", Role.TENANT_ADMIN)


@pytest.fixture
def rita(acme: Firm) -> Principal:
    return make_member(acme, "rita", Role.REVIEWER)


@pytest.fixture
def dora(acme: Firm) -> Principal:
    return make_member(acme, "dora", Role.DPO)


def is_there(firm: Firm, document: Document) -> bool:
    with open_scope(tenant=firm.id, reason="a test"):
        return bool(Document.objects.filter(id=document.id, status=document.status).exists())


def proposed(principal: Principal, document: Document, **said: str) -> RemovalRun:
    with as_(principal):
        made = document_remove(document_id=document.id, **{"reason": "duplicate", "words": WORDS, **said})
    assert made is not None
    return made


def refused(principal: Principal, document: Document, code: str, **said: str) -> None:
    with as_(principal), raises_code(code):
        document_remove(document_id=document.id, **{"reason": "duplicate", **said})
    with as_(principal):
        assert not RemovalRun.objects.filter(origin=Origin.REMOVAL, state=RunState.PROPOSED).exists()


# --- Two people -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_one_proposes_another_approves_and_the_eraser_removes_it(acme: Firm, alice: Principal, rita: Principal) -> None:
    document, other = ready_document(acme), ready_document(acme, b"# Another\n\nText.")
    made = proposed(alice, document)
    assert (made.state, made.origin, made.reason_code) == ("proposed", "removal", "duplicate")
    assert is_there(acme, document)
    with as_(rita):
        assert words_of(made) == WORDS
        run_approve(made.id)
    assert is_there(acme, document)
    assert carried_out(acme, made) is RunState.COMPLETED
    assert not is_there(acme, document)
    assert is_there(acme, other)
    # What was removed so may come again: nobody asked for its erasure.
    assert ingest(acme).created


def test_nobody_approves_their_own(acme: Firm, alice: Principal, dora: Principal) -> None:
    document = ready_document(acme)
    by_alice = proposed(alice, document)
    with as_(alice), pytest.raises(PermissionDeniedError):
        run_approve(by_alice.id)
    with as_(alice):
        assert run_reject(by_alice.id, RejectionReason.WITHDRAWN).state == RunState.REJECTED
    by_dora = proposed(dora, document)
    with as_(dora), raises_code("audit.removal_run_own"):
        run_approve(by_dora.id)
    with as_(alice), pytest.raises(PermissionDeniedError):
        run_reject(by_dora.id, RejectionReason.WITHDRAWN)
    assert is_there(acme, document)


def test_what_was_rejected_is_not_approved_and_can_be_proposed_anew(
    acme: Firm, alice: Principal, rita: Principal
) -> None:
    document = ready_document(acme)
    made = proposed(alice, document)
    with as_(rita):
        run_reject(made.id, RejectionReason.MUST_BE_KEPT)
        with raises_code("audit.removal_run_state"):
            run_approve(made.id)
    assert proposed(alice, document).id != made.id


def test_it_is_proposed_for_a_reason_by_a_person_who_sees_it(acme: Firm, alice: Principal) -> None:
    document = ready_document(acme)
    refused(alice, document, "corpus.removal_reason", reason="")
    refused(alice, document, "corpus.removal_reason", reason=RemovalReason.RETENTION_ENDED.value)
    refused(make_member(acme, "ann", Role.ANALYST), document, "tenants.permission_denied")
    refused(make_member(acme, "beta", Role.TENANT_ADMIN, scopes=["fund:beta"]), document, "corpus.document_not_found")
    key, _ = make_key(acme, Role.TENANT_ADMIN)
    refused(key, document, "audit.removal_person_needed")


# --- Retention, holds, requests ---------------------------------------------------------------------------------------


def test_what_is_held_or_proposed_already_is_not_proposed(acme: Firm, alice: Principal, dora: Principal) -> None:
    document, second = ready_document(acme), ready_document(acme, b"# Another\n\nText.")
    proposed(alice, second)
    with as_(alice), pytest.raises(RemovalKeptError, match="already"):
        document_remove(document_id=second.id, reason="duplicate")
    with as_(dora):
        assert dora.id is not None
        hold_place(
            matter="Northwind",
            ground="A claim.",
            owner_id=dora.id,
            review_on=timezone.now().date() + timedelta(days=30),
            targets=[Target(type=TargetType.DOCUMENT, id=document.id)],
        )
        with raises_code("audit.item_held"):
            document_remove(document_id=document.id, reason="duplicate")


def test_what_is_not_needed_any_more_goes_once_the_rules_let_it(acme: Firm, alice: Principal) -> None:
    first, second = (ready_document(acme, content, external_id="dms-7") for content in (b"# One\n\nT.", b"# Two\n\nT."))
    refused(alice, first, "corpus.removal_not_due", reason="no_longer_needed")
    refused(alice, second, "corpus.removal_not_due", reason="no_longer_needed")
    with open_scope(tenant=acme.id, reason="a test"):
        long_ago = timezone.now() - timedelta(days=366 * 8)
        Document.objects.filter(id=first.id).update(valid_to=long_ago)
    assert proposed(alice, first, reason="no_longer_needed").reason_code == "no_longer_needed"
    assert proposed(alice, second, reason="wrong_place")


# --- What stays one person's ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["received", "failed"])
def test_an_upload_of_one_s_own_that_never_was_searchable_goes_at_once(
    acme: Firm, alice: Principal, state: str
) -> None:
    made = ingest(acme, BROKEN, filename="cut.json", principal=alice)
    if state == "failed":
        run(acme, made.job)
    with as_(alice):
        assert Document.objects.get(id=made.document.id).status == state
        assert document_remove(document_id=made.document.id) is None
        assert not Document.objects.filter(id=made.document.id).exists()
        assert Event.objects.filter(action="corpus.document.deleted", actor_id=alice.id).count() == 1


def test_somebody_else_s_upload_is_proposed_whatever_became_of_it(
    acme: Firm, alice: Principal, dora: Principal
) -> None:
    """Also by who started it again: the log says who brought it."""
    made = ingest(acme, BROKEN, filename="cut.json", principal=alice)
    run(acme, made.job)
    other = make_member(acme, "arthur", Role.TENANT_ADMIN)
    with as_(other):
        job_restart(job=made.job)
    for principal in (dora, other):
        with as_(principal), pytest.raises(RemovalByTwoError):
            documents.document_delete(document_id=made.document.id)
    assert proposed(other, made.document, reason="uploaded_by_mistake")


def test_one_s_own_document_that_was_searchable_is_nobody_s_to_remove_alone(acme: Firm, alice: Principal) -> None:
    made = ingest(acme, principal=alice)
    run(acme, made.job)
    with as_(alice), pytest.raises(RemovalByTwoError):
        documents.document_delete(document_id=made.document.id)


def test_a_key_removes_its_own_broken_upload(acme: Firm) -> None:
    principal, key = make_key(acme, Role.TENANT_ADMIN)
    made = ingest(acme, BROKEN, filename="cut.json", principal=principal)
    other = Api(make_key(acme, Role.TENANT_ADMIN)[1])
    assert other.delete(f"/api/v1/documents/{made.document.id}/?reason=duplicate").status_code == 403
    assert Api(key).delete(f"/api/v1/documents/{made.document.id}/").status_code == 204


# --- By API -----------------------------------------------------------------------------------------------------------


def test_by_api_it_is_202_with_the_proposal_s_address(acme: Firm, alice: Principal, rita: Principal) -> None:
    document = ready_document(acme)
    path = f"/api/v1/documents/{document.id}/"
    admin, reviewer = person(alice), person(rita)
    missing: Any = admin.delete(path).json()
    assert list(missing["errors"]) == ["reason"]
    answer: Any = admin.delete(f"{path}?reason=duplicate")
    assert (answer.status_code, answer["Location"]) == (202, f"/api/v1/removals/{answer.json()['id']}/")
    address = answer["Location"]
    shown: Any = admin.get(address).json()
    assert (shown["document_id"], shown["state"], shown["reason"]) == (str(document.id), "proposed", "duplicate")
    listed: Any = reviewer.get("/api/v1/removals/", {"state": "proposed"}).json()
    assert [each["id"] for each in listed["results"]] == [shown["id"]]
    read = {"document_id": shown["document_id"], "revision": shown["revision"]}
    assert admin.post(f"{address}approve/", read).status_code == 403
    late: Any = reviewer.post(f"{address}approve/", {**read, "revision": 7})
    assert (late.status_code, late.json()["code"]) == (409, "audit.removal_run_changed")
    other: Any = reviewer.post(f"{address}approve/", {**read, "document_id": shown["id"]})
    assert other.status_code == 409
    assert list(reviewer.post(f"{address}approve/", {"revision": 1}).json()["errors"]) == ["document_id"]
    taken: Any = reviewer.post(f"{address}approve/", read)
    assert (taken.status_code, taken.json()["state"]) == (200, "approved")
    assert is_there(acme, document)


def test_by_api_it_is_rejected_or_taken_back(acme: Firm, alice: Principal, rita: Principal) -> None:
    document = ready_document(acme)
    for api, step, said in ((person(rita), "reject", {"reason": "must_be_kept"}), (person(alice), "take-back", {})):
        made = proposed(alice, document)
        read = {"document_id": str(document.id), "revision": 1, **said}
        answer: Any = api.post(f"/api/v1/removals/{made.id}/{step}/", read)
        assert (answer.status_code, answer.json()["state"]) == (200, "rejected")
    assert is_there(acme, document)


def test_a_removal_is_shown_to_who_sees_the_document(acme: Firm, alice: Principal) -> None:
    made = proposed(alice, ready_document(acme))
    beta = person(make_member(acme, "beta", Role.ANALYST, scopes=["fund:beta"]))
    assert beta.get(f"/api/v1/removals/{made.id}/").status_code == 404
    assert beta.get("/api/v1/removals/").json()["results"] == []
    assert person(make_member(acme, "ann", Role.ANALYST)).get(f"/api/v1/removals/{made.id}/").status_code == 200


# --- Pages ------------------------------------------------------------------------------------------------------------


def test_the_page_proposes_and_another_person_decides(acme: Firm, alice: Principal, rita: Principal) -> None:
    document = ready_document(acme)
    admin, reviewer = Visitor("alice"), Visitor("rita")
    page = admin.open("corpus_document_remove", document.id)
    assert "No single person removes a document" in page.text
    assert "rita" in page.text
    assert "require it to be kept for longer" in page.text
    missing = admin.send("corpus_document_remove", document.id, reason="", words="")
    assert "Choose why it is to be removed" in missing.text
    sent = admin.send("corpus_document_remove", document.id, reason="duplicate", words=WORDS)
    with as_(alice):
        made = RemovalRun.objects.get(origin=Origin.REMOVAL)
    assert sent.location == reverse("admin:removal_run", args=[made.id])
    own = admin.open("removal_run", made.id)
    assert "Take it back" in own.text
    assert "Approve, and remove" not in own.text
    assert "Its removal is proposed" in admin.open("corpus_document_change", document.id).text
    assert "1 Removals to approve" in reviewer.open("index").text
    assert document.title in reviewer.open("removals").text
    decision = reviewer.open("removal_run", made.id)
    assert all(each in decision.text for each in (document.title, WORDS, "It is a duplicate", "kept for longer"))
    assert reviewer.send("removal_run", made.id, act="approve").status == 302
    assert "Its removal is approved" in admin.open("corpus_document_change", document.id).text
    assert is_there(acme, document)
    assert Visitor("alice").open("removals").status == 403


def test_the_page_of_a_broken_upload_of_one_s_own_removes_it(acme: Firm, alice: Principal) -> None:
    made = ingest(acme, BROKEN, filename="cut.json", principal=alice)
    run(acme, made.job)
    admin = Visitor("alice")
    assert "was never searchable" in admin.open("corpus_document_remove", made.document.id).text
    assert admin.send("corpus_document_remove", made.document.id).status == 302
    with as_(alice):
        assert not Document.objects.filter(id=made.document.id).exists()


def test_what_fails_stays_what_it_was(acme: Firm, alice: Principal) -> None:
    document = ready_document(acme)
    page = Visitor("alice").send("corpus_document_remove", document.id, reason="no_longer_needed", words="Old.")
    assert "requires document" in page.text
    assert document.status == DocumentStatus.READY
    assert is_there(acme, document)
