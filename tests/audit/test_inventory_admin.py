"""The inventory's page, and its door by API: what stands there, for whom, and what can be done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import LazySettings

from apps.privacy.codes.inventory import Decision, Treatment
from apps.privacy.codes.life import RequestState
from apps.privacy.codes.requests import Ground, SubjectType
from apps.privacy.inventory.deciding import document_treat
from apps.privacy.models import ErasureRequest, InventoryHit
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.audit.inventorying import (
    NAME,
    OTHER,
    WORDS,
    Found,
    confirm_all,
    found_in,
    group_of,
    searched_for,
    stored,
)
from tests.audit.requesting import Office, make_office
from tests.baked import baked
from tests.corpus.ingesting import remote_profile
from tests.deciding import assess, identity_confirm
from tests.factories import as_, make_member, make_personal_key
from tests.model_server import ModelServer
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def office(settings: LazySettings) -> Iterator[Office]:
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(server)}
        yield baked(make_office)


@pytest.fixture
def found(office: Office) -> Found:
    return baked(found_in, on=office)


@pytest.fixture
def request_(office: Office, found: Found) -> ErasureRequest:
    return baked(searched_for, on=office)


@pytest.mark.slow
def test_it_shows_each_place_marked_with_how_it_was_found(office: Office, request_: ErasureRequest) -> None:
    page = Visitor("dora").open("erasure_inventory", request_.id)
    assert "places open" in page.text
    assert "Name, as entered" in page.text
    assert NAME in {mark.text_content() for mark in page.tree.xpath("//mark")}
    assert "Notes on calls" in page.text
    assert "no-store" in page.response["Cache-Control"]
    assert any("/corpus/document/" in link for link in page.links)


@pytest.mark.slow
def test_a_place_is_confirmed_and_a_second_person_with_an_old_page_is_told(
    office: Office, found: Found, request_: ErasureRequest
) -> None:
    hit = group_of(office, request_, found.note).hits[0]
    said = {"act": "decide", "hit": str(hit.id), "seen": "open", "reason": "named", "words": "On page one."}
    assert Visitor("dora").send("erasure_inventory", request_.id, **said).status == 302
    page = Visitor("dirk").send("erasure_inventory", request_.id, **{**said, "reason": "somebody_else"})
    assert page.status == 409
    assert "somebody has decided on 1 of these places in the meantime" in page.text
    assert "On page one." in page.text
    with as_(office.dora):
        assert InventoryHit.objects.get(id=hit.id).decision == Decision.CONFIRMED


@pytest.mark.slow
def test_without_a_reason_nothing_is_decided(office: Office, found: Found, request_: ErasureRequest) -> None:
    hit = group_of(office, request_, found.note).hits[0]
    page = Visitor("dora").send("erasure_inventory", request_.id, act="decide", hit=str(hit.id), seen="open", reason="")
    assert (page.status, "choose what this place is" in page.text) == (400, True)


@pytest.mark.slow
def test_all_certain_places_of_a_document_at_once(office: Office, found: Found, request_: ErasureRequest) -> None:
    dora = Visitor("dora")
    group = group_of(office, request_, found.letter)
    assert f"Confirm all {len(group.certain)} certain places" in dora.open("erasure_inventory", request_.id).text
    shown = shown_as(dora.open("erasure_inventory", request_.id))
    ids = ",".join(str(hit.id) for hit in group.certain)
    dora.send("erasure_inventory", request_.id, act="at_once", certain="1", hit=str(group.hits[0].id), hits=ids)
    confirmed = group_of(office, request_, found.letter).confirmed
    assert len(confirmed) == len(group.certain)
    # Each as the page showed it: a name as a name, an address as an address.
    assert {str(hit.id): hit.reason for hit in confirmed} == {str(hit.id): shown[str(hit.id)] for hit in confirmed}


def shown_as(page: Page) -> dict[str, str]:
    """By place: the category that its field offers."""
    places = page.tree.xpath("//li[contains(@class,'gb-place')]")
    offered = {each.get("id").removeprefix("place-"): each.xpath(".//option[@selected]/@value") for each in places}
    return {id: values[0] for id, values in offered.items() if values}


@pytest.mark.slow
def test_what_the_document_will_read_like_stands_beside_the_choice(
    office: Office, found: Found, request_: ErasureRequest
) -> None:
    confirm_all(office, request_)
    page = Visitor("dora").open("erasure_inventory", request_.id)
    assert "How it will read once redacted" in page.text
    assert "[redacted]" in {each.text_content() for each in page.tree.xpath("//ins")}
    assert NAME in {each.text_content() for each in page.tree.xpath("//del")}
    answer = Visitor("dora").send(
        "erasure_inventory", request_.id, act="treat", document=str(found.letter.id), treatment="redact", seen=""
    )
    assert answer.status == 302
    assert "Chosen Redact the passages" in Visitor("dora").open("erasure_inventory", request_.id).text


@pytest.mark.slow
def test_it_is_proposed_from_here_once_nothing_is_open(office: Office, found: Found, request_: ErasureRequest) -> None:
    dora = Visitor("dora")
    assert "Propose for approval" not in dora.open("erasure_inventory", request_.id).text
    confirm_all(office, request_)
    with as_(office.dora):
        for document in (found.letter, found.note):
            document_treat(request_.id, document.id, Treatment.REMOVE, seen=None)
    page = dora.open("erasure_inventory", request_.id)
    assert "What can't be undone" in page.text
    assert "2 documents" in page.text
    dora.send("erasure_inventory", request_.id, act="propose")
    assert office.again(request_).state == RequestState.AWAITING_APPROVAL
    approver = Visitor("rita").open("erasure_request", request_.id)
    assert "What will be removed" in approver.text
    assert "Pages" in approver.text
    assert Visitor("rita").open("erasure_inventory", request_.id).status == 200


@pytest.mark.slow
def test_who_may_not_know_the_person_sees_nothing_of_it(office: Office, request_: ErasureRequest) -> None:
    for name, role in (("anna", Role.ANALYST), ("tom", Role.TENANT_ADMIN)):
        make_member(office.firm, name, role)
    for name in ("ada", "anna", "tom"):
        assert Visitor(name).open("erasure_inventory", request_.id).status == 403
        assert Visitor(name).open("erasure_inventory_progress", request_.id).status == 403
    page = Visitor("rita").send("erasure_inventory", request_.id, act="search")
    assert page.status == 403


@pytest.mark.slow
def test_a_reader_of_fewer_scopes_is_told_that_there_is_more(office: Office, request_: ErasureRequest) -> None:
    make_member(office.firm, "nora", Role.DPO, scopes=["fund:beta"])
    page = Visitor("nora").open("erasure_inventory", request_.id)
    assert "You don't hold" in page.text
    assert "somebody who holds these scopes decides about them" in page.text
    assert not any(word in page.text.lower() for word in WORDS)


def test_a_document_as_subject_is_counted_and_proposed_without_places(office: Office) -> None:
    document = stored(office, OTHER, title="Other notes")
    request = office.received(about=SubjectType.DOCUMENT, subject_id=document.id)
    with as_(office.dora):
        identity_confirm(request.id)
        assess(request.id, ground=Ground.NOT_NEEDED)
    page = Visitor("dora").open("erasure_inventory", request.id)
    assert "there is nothing to confirm place by place" in page.text
    assert "1 document" in page.text
    Visitor("dora").send("erasure_inventory", request.id, act="propose")
    assert office.again(request).state == RequestState.AWAITING_APPROVAL


# --- By API ---


@pytest.mark.slow
def test_by_api_words_are_for_who_manages_privacy_alone(office: Office, request_: ErasureRequest) -> None:
    url = f"/api/v1/privacy/requests/{request_.id}/inventory/"
    dora: Any = Api(make_personal_key(office.firm, "dora", role=Role.DPO)[1])
    rita: Any = Api(make_personal_key(office.firm, "rita", role=Role.REVIEWER)[1])
    shown: Any = dora.get(url).json()
    assert (shown["search"]["state"], shown["standing"]["open"] >= 3) == ("done", True)
    assert any("open" in problem for problem in shown["problems"])
    mine: Any = dora.get(f"{url}hits/", {"decision": "open"})
    theirs: Any = rita.get(f"{url}hits/")
    assert {NAME} <= {each["excerpt"]["found"] for each in mine.json()["results"]}
    assert {each["excerpt"] for each in theirs.json()["results"]} == {None}
    assert not any(word in theirs.content.decode().lower() for word in WORDS)


@pytest.mark.slow
def test_by_api_decided_treated_and_never_overwritten(office: Office, found: Found, request_: ErasureRequest) -> None:
    url = f"/api/v1/privacy/requests/{request_.id}/inventory/"
    dora: Any = Api(make_personal_key(office.firm, "dora", role=Role.DPO)[1])
    hits: Any = dora.get(f"{url}hits/", {"target_id": str(found.note.id)}).json()["results"]
    said = {"decisions": [{"hit_id": each["id"], "reason": "named", "seen": "open"} for each in hits]}
    assert dora.post(f"{url}decisions/", said).json() == {"changed": len(hits)}
    assert dora.post(f"{url}decisions/", said).json()["code"] == "audit.inventory_hit_decided"
    remove = {"document_id": str(found.note.id), "treatment": "remove", "seen": None}
    chosen: Any = dora.post(f"{url}treatments/", remove)
    assert chosen.json()["treatment"] == "remove"
    with open_scope(tenant=office.firm.id, reason="a test"):
        assert InventoryHit.objects.filter(decision=Decision.CONFIRMED).count() == len(hits)
