"""POST move/ of a document: it is filed in the other scope, and another person takes it from the present one."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.conf import LazySettings

from apps.corpus.models import Document, IngestJob
from apps.corpus.services.correct import document_correct
from apps.erasure.contracts import Target, TargetType
from apps.erasure.holds.restrictions import restrict
from apps.erasure.models import Because, RemovalRun
from apps.tenants.context import open_scope
from apps.tenants.models import Membership
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.services.people import membership_scopes_set
from tests.api.client import Api, person
from tests.api.conftest import firm_with_provider, ready_document
from tests.audit.removing import carried_out
from tests.corpus.ingesting import run, short_profile
from tests.deciding import run_approve
from tests.factories import Firm, as_, make_key, make_member
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db(transaction=True)


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


def address(document_id: object) -> str:
    return f"/api/v1/documents/{document_id}/move/"


@pytest.mark.slow
def test_it_is_moved_by_two(acme: Firm, alice: Principal) -> None:
    document = ready_document(acme, title="Costs")
    rita = make_member(acme, "rita", Role.REVIEWER)
    api = person(alice)
    said = {"scope": "fund:beta", "words": "Filed in the wrong fund."}
    answer = api.post(address(document.id), said, **{"idempotency-key": "move-1"})
    body = answer.json()
    assert (answer.status_code, answer["Location"]) == (202, f"/api/v1/documents/{body['document']['id']}/")
    assert (body["document"]["scope"], body["document"]["title"]) == ("fund:beta", "Costs")
    assert [each["reason"] for each in body["removals"]] == ["wrong_place"]
    again = api.post(address(document.id), said, **{"idempotency-key": "move-1"})
    assert again.json()["document"]["id"] == body["document"]["id"]
    assert api.post(address(document.id), said).status_code == 409

    with open_scope(tenant=acme.id, reason="a test"):
        job = IngestJob.objects.get(document_id=body["document"]["id"])
        proposal = RemovalRun.objects.get()
    run(acme, job)
    with as_(rita):
        run_approve(proposal.id)
    carried_out(acme, proposal)
    with as_(make_member(acme, "anna", Role.ANALYST, scopes=["fund:alpha"])):
        assert not Document.objects.exists()
    with as_(make_member(acme, "berta", Role.ANALYST, scopes=["fund:beta"])):
        there = Document.objects.get()
        assert (str(there.id), there.status) == (body["document"]["id"], "ready")
        # The removal in the other scope leaves nothing behind that refuses these bytes here.
        assert document_correct(document_id=there.id, changes={"title": "Costs of Beta"}).version == 2


def test_what_can_t_be_moved_is_told_in_its_place(acme: Firm, alice: Principal) -> None:
    document = ready_document(acme)
    api = person(alice)
    same = api.post(address(document.id), {"scope": "fund:alpha"})
    assert (same.status_code, same.json()["document"]["id"], same.json()["removals"]) == (200, str(document.id), [])
    unknown = api.post(address(document.id), {"scope": "fund:nowhere"})
    assert (unknown.status_code, list(unknown.json()["errors"])) == (400, ["scope"])
    assert list(api.post(address(document.id), {}).json()["errors"]) == ["scope"]
    assert api.post(address("01a1f2c4-6f0b-7c3d-9a51-3d2b8f6e4a10"), {"scope": "fund:beta"}).status_code == 404
    with open_scope(tenant=acme.id, reason="a test"):
        assert (Document.objects.count(), RemovalRun.objects.count()) == (1, 0)


def test_a_key_that_acts_for_nobody_is_refused(acme: Firm) -> None:
    document = ready_document(acme)
    refused = Api(make_key(acme, Role.TENANT_ADMIN)[1]).post(address(document.id), {"scope": "fund:beta"})
    assert refused.status_code == 403
    with open_scope(tenant=acme.id, reason="a test"):
        assert Document.objects.count() == 1


def test_a_repeated_answer_is_for_who_still_holds_both_scopes(acme: Firm, alice: Principal) -> None:
    document = ready_document(acme, title="Costs")
    said = {"scope": "fund:beta", "words": "Filed in the wrong fund."}
    first = person(alice).post(address(document.id), said, **{"idempotency-key": "move-1"})
    assert first.status_code == 202
    with open_scope(tenant=acme.id, reason="a test"):
        membership_scopes_set(Membership.objects.get(user_id=alice.id), scopes=[acme.scopes["fund:alpha"]])
    again = person(alice).post(address(document.id), said, **{"idempotency-key": "move-1"})
    assert again.status_code == 400
    assert first.json()["document"]["id"] not in again.content.decode()


def test_a_repeated_answer_does_not_show_a_copy_that_is_restricted_since(acme: Firm, alice: Principal) -> None:
    document = ready_document(acme, title="Costs")
    said = {"scope": "fund:beta", "words": "Filed in the wrong fund."}
    first = person(alice).post(address(document.id), said, **{"idempotency-key": "move-1"})
    with as_(make_member(acme, "dora", Role.DPO)):
        copy = Target(type=TargetType.DOCUMENT, id=UUID(first.json()["document"]["id"]))
        restrict([copy], Because.REQUEST, copy.id)
    again = person(alice).post(address(document.id), said, **{"idempotency-key": "move-1"})
    assert again.status_code == 409
    assert "Costs" not in again.content.decode()
