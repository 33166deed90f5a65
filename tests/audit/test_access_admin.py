"""The pages of requests for access, and their door by API: what stands there, for whom, and what can be done."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from django.conf import LazySettings

from apps.audit.models import Event
from apps.privacy.codes.life import RequestState
from apps.privacy.codes.requests import Delivery, Purpose
from apps.privacy.models import AccessPackage, ErasureRequest, InventoryHit
from apps.privacy.requests.selectors import history
from apps.tenants.context import open_scope
from apps.tenants.models import IdempotentRequest
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.audit.accessing import asked, confirmed, made, prepared, quote_all, things
from tests.audit.inventorying import NAME, WORDS, Found, assessed, found_in, inventoried
from tests.audit.requesting import Office, make_office
from tests.baked import baked
from tests.corpus.ingesting import remote_profile
from tests.factories import as_, make_key, make_personal_key
from tests.model_server import ModelServer
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db(transaction=True)
TOLD = {
    "purposes": "To answer letters.",
    "legal_basis": "6(1)(b)",
    "source": "You wrote to us.",
    "retention": "7 years",
}


@pytest.fixture
def office(settings: LazySettings) -> Iterator[Office]:
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(server)}
        yield baked(make_office)


@pytest.fixture
def found(office: Office) -> Found:
    return baked(found_in, on=office)


def url(request: ErasureRequest, end: str = "") -> str:
    return f"/api/v1/privacy/requests/{request.id}/{end}"


@pytest.fixture
def api(office: Office) -> Api:
    return Api(make_personal_key(office.firm, "dora", role=Role.DPO)[1])


# --- Pages ---


def test_it_is_taken_in_and_told_apart_in_the_list(office: Office) -> None:
    office.received()
    dora = Visitor("dora")
    assert "Access for somebody who is named" in dora.open("erasure_request_receive").text
    page = dora.open("erasure_request_receive", purpose="access", subject="data_subject")
    assert "Take in a request for access" in page.text
    answer = dora.post(
        f"{page.response.request['PATH_INFO']}?purpose=access&subject=data_subject",
        {"names": NAME, "requester": "person", "language": "en", "received_at": "2026-01-05T09:00"},
    )
    assert answer.status_code == 302
    with open_scope(tenant=office.firm.id, reason="a test"):
        request = ErasureRequest.objects.get(purpose=Purpose.ACCESS)
    listed = dora.open("erasure_requests", purpose="access").text
    assert request.reference in listed
    assert "ER-" not in listed.replace("ER-2026-0007", "")
    assert "what is held about a person" in dora.open("erasure_request", request.id).text


@pytest.mark.slow
def test_its_inventory_offers_nothing_of_an_erasure(office: Office, found: Found) -> None:
    request = confirmed(office)
    page = Visitor("dora").open("erasure_inventory", request.id)
    assert "Go on to the package" in page.text
    for words in ("What happens to the document", "out of use", "Propose", "must stay by law", "It stays"):
        assert words not in page.text


@pytest.mark.slow
def test_places_are_quoted_on_the_page_and_the_package_is_made_taken_out_and_answered(
    office: Office, found: Found
) -> None:
    request, dora = confirmed(office), Visitor("dora")
    page = dora.open("access_package", request.id)
    assert "nobody has decided whether the words around them are quoted" in page.text
    assert not page.tree.xpath("//button[contains(., 'Make the package')]")
    for thing in things(office, request):
        hits = ",".join(str(id) for id in thing.quotable)
        assert dora.send("access_package", request.id, act="at_once", hits=hits).status == 302
    refused = dora.send("access_package", request.id, act="make", **{**TOLD, "source": ""})
    assert (refused.status, "The package was not made" in refused.text) == (422, True)
    assert dora.send("access_package", request.id, act="make", **TOLD).status == 302
    assert "Download the package" in dora.open("access_package", request.id).text
    answer = dora.send("access_package_download", request.id).response
    assert answer["Content-Disposition"] == f'attachment; filename="{request.reference}.zip"'
    assert "no-store" in answer["Cache-Control"]
    with ZipFile(BytesIO(answer.content)) as archive:
        assert "To answer letters." in archive.read("what-is-held.html").decode()
    letter = dora.open("erasure_request_step", request.id, "answer")
    (body,) = letter.tree.xpath("//textarea[@name='body']/text()")
    sent = {"phase": "send", "delivery": Delivery.POST, "subject": "Your request", "body": body}
    assert dora.send("erasure_request_step", request.id, "answer", **sent).status == 302
    assert office.again(request).state == RequestState.COMPLETED
    assert "it is answered" in dora.open("erasure_request", request.id).text


def test_words_that_are_not_there_are_said_beside_and_nothing_is_changed(office: Office, found: Found) -> None:
    request = confirmed(office)
    hit = things(office, request)[0].quotes[0].hit
    page = Visitor("dora").send(
        "access_package", request.id, act="quote", hit=str(hit.id), seen="", quoting="quoted", hidden="Nobody There"
    )
    assert page.status == 400
    assert "Copy them from the quote" in page.text
    with as_(office.dora):
        assert InventoryHit.objects.get(id=hit.id).quoting == ""


@pytest.mark.slow
def test_a_package_is_destroyed_to_change_something(office: Office, found: Found) -> None:
    request = prepared(office)
    assert Visitor("dora").send("access_package", request.id, act="take_back").status == 302
    with open_scope(tenant=office.firm.id, reason="a test"):
        assert not AccessPackage.objects.exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rita", "ada"])
def test_others_are_shown_no_package_and_refused_when_typing_it(office: Office, found: Found, name: str) -> None:
    request = prepared(office)
    visitor = Visitor(name)
    page = visitor.open("erasure_request", request.id)
    assert page.status == 200
    assert not any("/package/" in link for link in page.links)
    assert visitor.open("access_package", request.id).status == 403
    assert visitor.send("access_package_download", request.id).status == 403
    assert visitor.send("access_package", request.id, act="take_back").status == 403


def test_a_request_for_erasure_has_no_package_and_one_for_access_no_steps_of_erasing(
    office: Office, found: Found
) -> None:
    erasure, access = assessed(office), asked(office)
    dora = Visitor("dora")
    assert dora.open("access_package", erasure.id).status == 404
    assert dora.open("erasure_request_step", erasure.id, "answer").status == 404
    assert dora.open("erasure_request_step", access.id, "done").status == 404
    grounds = dora.open("erasure_request_step", access.id, "refuse").tree.xpath("//select[@name='code']/option/@value")
    assert [each for each in grounds if each] == ["12_5_unfounded", "12_5_excessive", "12_2"]


# --- By API ---


@pytest.mark.slow
def test_the_whole_way_by_api(office: Office, found: Found, api: Api) -> None:
    given = {
        "purpose": "access",
        "subject_type": "data_subject",
        "requester": "person",
        "details": {"names": [NAME], "requester_name": NAME},
    }
    taken: Any = api.post("/api/v1/privacy/requests/", given)
    assert (taken.status_code, taken.json()["purpose"]) == (201, "access")
    with open_scope(tenant=office.firm.id, reason="a test"):
        request: ErasureRequest = ErasureRequest.objects.get(id=taken.json()["id"])
    assert api.step(url(request, "confirm-identity/")).status_code == 200
    inventoried(office, request)
    hits: Any = api.get(url(request, "inventory/hits/")).json()["results"]
    decisions = [{"hit_id": hit["id"], "reason": "named", "seen": "open"} for hit in hits]
    assert api.post(url(request, "inventory/decisions/"), {"decisions": decisions}).status_code == 200
    quotes: Any = api.get(url(request, "quotes/")).json()
    places = [quote for thing in quotes["things"] for quote in thing["quotes"]]
    assert {place["is_open"] for place in places} == {True}
    early: Any = api.step(url(request, "package/"), {})
    assert (early.status_code, early.json()["code"]) == (409, "audit.access_not_preparable")
    choices = [{"hit_id": place["hit_id"], "quoting": "quoted", "seen": None} for place in places]
    assert api.post(url(request, "quotes/"), {"choices": choices}).json() == {"changed": len(places)}
    package: Any = api.step(url(request, "package/"), TOLD)
    assert (package.status_code, package.json()["places"]) == (201, len(places))
    content = api.get(url(request, "package/content/"))
    assert content["Content-Type"] == "application/zip"
    with ZipFile(BytesIO(content.content)) as archive:
        assert NAME in archive.read("what-is-held.json").decode()
    answered: Any = api.step(url(request, "answer/"), {"delivery": "post"})
    assert (answered.status_code, answered.json()["state"]) == (200, "completed")
    with open_scope(tenant=office.firm.id, reason="a test"):
        kept = " ".join(str(body) for body in IdempotentRequest.objects.values_list("body", flat=True)).lower()
    assert not any(word in kept for word in WORDS)


def test_what_others_do_with_it_is_refused_by_api(office: Office, found: Found, api: Api) -> None:
    request = prepared(office)
    nobody = Api(make_key(office.firm, Role.DPO)[1])
    refused: Any = nobody.get(url(request, "package/content/"))
    assert (refused.status_code, refused.json()["code"]) == (403, "audit.request_person_needed")
    reviewer = Api(make_personal_key(office.firm, "rita", role=Role.REVIEWER)[1])
    for end in ("package/", "package/content/", "quotes/"):
        assert reviewer.get(url(request, end)).status_code == 403
    with as_(office.dora):
        assert "audit.access.downloaded" not in [event.action for event in history(request)]
        assert Event.objects.filter(action="audit.access.prepared").count() == 1


def test_who_asks_only_for_the_head_takes_nothing_out(office: Office, found: Found, api: Api) -> None:
    request = confirmed(office)
    quote_all(office, request)
    made(office, request)
    assert api.get(url(request, "package/")).json()["made"] is True
    with as_(office.dora):
        assert "audit.access.downloaded" not in [event.action for event in history(request)]
