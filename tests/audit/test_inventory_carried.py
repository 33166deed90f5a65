"""Places that were cleared stay so in the redacted version, in the name of who cleared them; and no others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connection, transaction

from apps.audit.models import Event
from apps.corpus.models import Document
from apps.erasure.models import RemovalRun
from apps.erasure.runs.staying import Reason
from apps.privacy.codes.inventory import Decision, InventoryState, Treatment
from apps.privacy.codes.life import RequestState
from apps.privacy.inventory.deciding import Said, document_treat, hits_decide, words_part
from apps.privacy.inventory.excerpts import Excerpts
from apps.privacy.inventory.selectors import standing
from apps.privacy.models import ErasureRequest, InventoryHit
from apps.privacy.proposals.prospect import prospect
from apps.privacy.requests.details import words_of
from apps.privacy.requests.services.receiving import request_describe
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.audit.accessing import asked
from tests.audit.inventorying import (
    LETTER,
    NAME,
    PERSON,
    assessed,
    group_of,
    inventoried,
    on_pages,
    redacted_by_worker,
    searched_after_redaction,
    searched_for,
    stored,
)
from tests.audit.mutations import acting_as
from tests.audit.requesting import Office, make_office
from tests.baked import baked
from tests.corpus.ingesting import ingest, remote_profile, run
from tests.deciding import inventory_propose, redactions_prepare
from tests.factories import as_, make_personal_key
from tests.isolation.harness import changed, sql
from tests.model_server import ModelServer
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db(transaction=True)

_PARTS = ("decision", "reason", "decided_by_id", "decided_at")


@pytest.fixture
def office(settings: LazySettings) -> Iterator[Office]:
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(server)}
        yield baked(make_office)


@pytest.fixture
def letter(office: Office) -> Document:
    return baked(stored, LETTER, title="Letters", on=office)


@pytest.fixture
def request_(office: Office, letter: Document) -> ErasureRequest:
    return baked(searched_for, on=office)


def cleared(
    office: Office,
    request: ErasureRequest,
    hit: InventoryHit,
    *,
    who: Principal | None = None,
    reason: Reason = Reason.SOMEBODY_ELSE,
    words: str = "",
) -> InventoryHit:
    with as_(who or office.dora):
        hits_decide(request.id, [Said(hit_id=hit.id, seen=Decision.OPEN, reason=reason, words=words)])
        found: InventoryHit = InventoryHit.objects.get(id=hit.id)
        return found


def confirmed(office: Office, request: ErasureRequest, *hits: InventoryHit) -> None:
    with as_(office.dora):
        hits_decide(request.id, [Said(hit_id=hit.id, seen=Decision.OPEN, reason=Reason.NAMED) for hit in hits])


def left_open(office: Office, hit: InventoryHit) -> None:
    """A place that nobody has decided on, found after the redaction was asked for."""
    with as_(office.dora):
        assert InventoryHit.objects.filter(id=hit.id).update(
            decision=Decision.OPEN, reason="", decided_by_id=None, decided_at=None
        )


def redaction_asked(office: Office, request: ErasureRequest, document: Document) -> None:
    with as_(office.dora):
        document_treat(request.id, document.id, Treatment.REDACT, seen=None)
        assert redactions_prepare(request.id) == 1


def next_version(office: Office, of: Document) -> Document:
    with open_scope(tenant=office.firm.id, reason="a test"):
        found: Document = Document.objects.get(series_id=of.series_id, version=of.version + 1)
        return found


def redacted(office: Office, request: ErasureRequest, document: Document) -> Document:
    """Made by the worker, and searched. Returns: the redacted version."""
    redaction_asked(office, request, document)
    redacted_by_worker(office, request)
    return next_version(office, document)


def told(office: Office) -> list[dict[str, Any]]:
    with open_scope(tenant=office.firm.id, reason="a test"):
        events = Event.objects.filter(action="audit.inventory.carried_over").order_by("id")
        return [event.payload["core"] for event in events]


@pytest.mark.slow
def test_a_cleared_place_stays_cleared_in_the_name_of_who_cleared_it(
    office: Office, letter: Document, request_: ErasureRequest
) -> None:
    first, last = on_pages(office, request_, letter)
    before = cleared(office, request_, last, who=office.dirk, words="A cousin of his")
    confirmed(office, request_, first)
    version = redacted(office, request_, letter)
    (after,) = group_of(office, request_, version).hits
    assert [getattr(after, part) for part in _PARTS] == [getattr(before, part) for part in _PARTS]
    assert (after.decision, after.decided_by_id) == (Decision.CLEARED, office.dirk.id)
    assert (after.carried_from_id, after.char_start != before.char_start) == (before.id, True)
    with as_(office.dora):
        excerpt = Excerpts().of(after)
        assert excerpt is not None
        assert (excerpt.found, excerpt.after.startswith(" agreed")) == (NAME, True)
        assert words_of(request_, bytes(after.words or b""), part=words_part(after)) == "A cousin of his"
        there = standing(request_)
        assert (there.open, there.cleared, there.carried) == (0, 2, 1)
        assert inventory_propose(request_.id).state == RequestState.AWAITING_APPROVAL


@pytest.mark.slow
def test_it_is_recorded_with_the_search_that_wrote_it_and_tells_who_decided(
    office: Office, letter: Document, request_: ErasureRequest
) -> None:
    first, last = on_pages(office, request_, letter)
    cleared(office, request_, last, who=office.dirk, words="A cousin of his")
    confirmed(office, request_, first)
    version = redacted(office, request_, letter)
    (core,) = told(office)
    assert (core["reference"], core["places"], core["cleared"]) == (request_.reference, 1, 1)
    assert (core["document_id"], core["redacted_id"]) == (str(letter.id), str(version.id))
    assert core["decided_by"] == str(office.dirk.id)
    # One transaction wrote the place, what was decided of it, and the event.
    with changed("SELECT 1"):
        sql("RESET ROLE")
        (row,) = sql(
            "SELECT h.xmin::text = e.xmin::text FROM audit_inventoryhit h, audit_event e"
            " WHERE h.carried_from_id IS NOT NULL AND e.action = 'audit.inventory.carried_over'"
        )
    assert row == (True,)


def test_two_people_who_cleared_places_of_one_document_are_both_told(office: Office) -> None:
    document = stored(office, LETTER + f"\n\n{NAME} called twice.\n".encode(), title="Letters")
    request = assessed(office)
    inventoried(office, request)
    first, second, third = on_pages(office, request, document)
    confirmed(office, request, first)
    cleared(office, request, second, who=office.dora)
    cleared(office, request, third, who=office.dirk, reason=Reason.NO_PERSON)
    version = redacted(office, request, document)
    by = {hit.decided_by_id: hit.reason for hit in group_of(office, request, version).hits}
    assert by == {office.dora.id: Reason.SOMEBODY_ELSE, office.dirk.id: Reason.NO_PERSON}
    assert {core["decided_by"]: core["places"] for core in told(office)} == {
        str(office.dora.id): 1,
        str(office.dirk.id): 1,
    }


@pytest.mark.slow
def test_what_was_open_before_and_what_is_found_anew_is_open(office: Office) -> None:
    document = stored(office, LETTER + f"\n\n{NAME} called twice.\n".encode(), title="Letters")
    request = assessed(office)
    inventoried(office, request)
    first, second, third = on_pages(office, request, document)
    confirmed(office, request, first)
    cleared(office, request, second)
    cleared(office, request, third)
    redaction_asked(office, request, document)
    left_open(office, third)
    with as_(office.dora):
        request_describe(request.id, details=replace(PERSON, aliases=("Alpha",)))
    redacted_by_worker(office, request)
    hits = on_pages(office, request, next_version(office, document))
    with as_(office.dora):
        read = Excerpts()
        found = {hit.id: excerpt.found for hit in hits if (excerpt := read.of(hit)) is not None}
    assert [(found[hit.id], hit.decision) for hit in hits] == [
        ("Alpha", Decision.OPEN),
        (NAME, Decision.CLEARED),
        # The same words as those that were cleared, elsewhere: nobody had said what they are.
        (NAME, Decision.OPEN),
    ]


def test_the_same_words_in_a_version_that_is_not_the_redacted_one_are_open(
    office: Office, letter: Document, request_: ErasureRequest
) -> None:
    first, last = on_pages(office, request_, letter)
    cleared(office, request_, first)
    cleared(office, request_, last)
    other = ingest(office.firm, LETTER.replace(b"in March", b"in April"), title="Letters", replaces=letter.id)
    run(office.firm, other.job)
    inventoried(office, request_)
    hits = on_pages(office, request_, other.document)
    assert [hit.char_start for hit in hits] == [first.char_start, last.char_start]
    assert {hit.decision for hit in hits} == {Decision.OPEN}
    assert told(office) == []


@pytest.mark.slow
def test_what_one_request_cleared_is_open_for_another(
    office: Office, letter: Document, request_: ErasureRequest
) -> None:
    first, last = on_pages(office, request_, letter)
    cleared(office, request_, last)
    confirmed(office, request_, first)
    version = redacted(office, request_, letter)
    another = assessed(office)
    inventoried(office, another)
    assert {hit.decision for hit in group_of(office, another, version).hits} == {Decision.OPEN}
    assert len(told(office)) == 1


@pytest.mark.slow
def test_a_request_for_access_keeps_its_own_decisions_when_another_request_redacts(
    office: Office, letter: Document, request_: ErasureRequest
) -> None:
    access = asked(office)
    inventoried(office, access)
    first, last = on_pages(office, access, letter)
    mine = cleared(office, access, last, who=office.dirk, reason=Reason.NO_PERSON)
    confirmed(office, request_, on_pages(office, request_, letter)[0])
    cleared(office, request_, on_pages(office, request_, letter)[1])
    version = redacted(office, request_, letter)
    inventoried(office, access)
    (hit,) = group_of(office, access, version).hits
    assert (hit.decision, hit.reason, hit.carried_from_id) == (Decision.CLEARED, Reason.NO_PERSON, mine.id)
    assert {core["reference"] for core in told(office)} == {request_.reference, access.reference}
    assert first.decision == Decision.OPEN


@pytest.mark.slow
def test_it_can_be_decided_again_and_no_later_search_says_otherwise(
    office: Office, letter: Document, request_: ErasureRequest
) -> None:
    first, last = on_pages(office, request_, letter)
    cleared(office, request_, last, who=office.dirk, words="A cousin of his")
    confirmed(office, request_, first)
    version = redacted(office, request_, letter)
    (hit,) = group_of(office, request_, version).hits
    with as_(office.dora):
        hits_decide(request_.id, [Said(hit_id=hit.id, seen=Decision.CLEARED, reason=None)])
    inventoried(office, request_)
    (opened,) = group_of(office, request_, version).hits
    assert (opened.decision, opened.carried_from_id, opened.words) == (Decision.OPEN, None, None)
    confirmed(office, request_, opened)
    inventoried(office, request_)
    (again,) = group_of(office, request_, version).hits
    assert (again.decision, again.decided_by_id) == (Decision.CONFIRMED, office.dora.id)
    with as_(office.dora):
        assert standing(request_).carried == 0
        assert "Choose for 1 document" in " ".join(prospect(office.again(request_)).problems)
    assert len(told(office)) == 1


@pytest.mark.slow
def test_it_goes_along_to_the_version_after_the_next(office: Office) -> None:
    document = stored(office, LETTER + f"\n\n{NAME} called twice.\n".encode(), title="Letters")
    request = assessed(office)
    inventoried(office, request)
    first, second, third = on_pages(office, request, document)
    confirmed(office, request, first)
    cleared(office, request, second, who=office.dirk)
    cleared(office, request, third)
    redaction_asked(office, request, document)
    left_open(office, third)
    redacted_by_worker(office, request)
    second_version = next_version(office, document)
    kept, left = on_pages(office, request, second_version)
    assert (kept.decision, left.decision) == (Decision.CLEARED, Decision.OPEN)
    confirmed(office, request, left)
    third_version = redacted(office, request, second_version)
    (hit,) = group_of(office, request, third_version).hits
    assert (hit.decision, hit.decided_by_id, hit.carried_from_id) == (Decision.CLEARED, office.dirk.id, kept.id)


@pytest.mark.slow
def test_what_must_stay_by_law_is_counted_once_however_many_versions_hold_it(
    office: Office, letter: Document, request_: ErasureRequest
) -> None:
    first, last = on_pages(office, request_, letter)
    cleared(office, request_, last, reason=Reason.LEGAL_DUTY, words="It is evidence.")
    confirmed(office, request_, first)
    redacted(office, request_, letter)
    with as_(office.dora):
        (staying,) = prospect(office.again(request_)).staying
        assert staying.places == 1
        run_id = inventory_propose(request_.id).run_id
        assert [each["places"] for each in RemovalRun.objects.get(id=run_id).staying] == [1]


@pytest.mark.slow
def test_what_can_not_be_carried_over_fails_the_search_and_leaves_neither_places_nor_the_event(
    office: Office, letter: Document, request_: ErasureRequest
) -> None:
    first, last = on_pages(office, request_, letter)
    cleared(office, request_, last, words="A cousin of his")
    confirmed(office, request_, first)
    redaction_asked(office, request_, letter)
    with acting_as("superuser"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute("UPDATE audit_inventoryhit SET words = 'damaged' WHERE id = %s", [last.id])
    assert searched_after_redaction(office, request_) == [InventoryState.FAILED]
    version = next_version(office, letter)
    with open_scope(tenant=office.firm.id, reason="a test"):
        assert not InventoryHit.objects.filter(target_id=version.id).exists()
    assert told(office) == []


# --- What the DPO sees ---


@pytest.mark.slow
def test_the_page_counts_and_marks_what_was_carried_over_with_who_decided_it(
    office: Office, letter: Document, request_: ErasureRequest
) -> None:
    first, last = on_pages(office, request_, letter)
    cleared(office, request_, last, who=office.dirk, words="A cousin of his")
    confirmed(office, request_, first)
    before = Visitor("dora").open("erasure_inventory", request_.id).text
    assert "arried over" not in before
    version = redacted(office, request_, letter)
    page = Visitor("dora").open("erasure_inventory", request_.id)
    assert "1 of the 2 was carried over: decided in an earlier version of a document" in page.text
    assert "1 place here was cleared in the earlier version of this document and carried over." in page.text
    assert "Carried over Decided by dirk in the earlier version of this document, on" in page.text
    (hit,) = group_of(office, request_, version).hits
    said = {"act": "take_back", "hit": str(hit.id), "seen": "cleared"}
    assert Visitor("dora").send("erasure_inventory", request_.id, **said).status == 302
    assert "arried over" not in Visitor("dora").open("erasure_inventory", request_.id).text


@pytest.mark.slow
def test_by_api_it_is_told_as_well(office: Office, letter: Document, request_: ErasureRequest) -> None:
    first, last = on_pages(office, request_, letter)
    cleared(office, request_, last, who=office.dirk)
    confirmed(office, request_, first)
    version = redacted(office, request_, letter)
    url = f"/api/v1/privacy/requests/{request_.id}/inventory/"
    dora: Any = Api(make_personal_key(office.firm, "dora", role=Role.DPO)[1])
    assert dora.get(url).json()["standing"]["carried"] == 1
    (shown,) = dora.get(f"{url}hits/", {"target_id": str(version.id)}).json()["results"]
    assert (shown["decision"], shown["carried_from_id"]) == ("cleared", str(last.id))
    (origin,) = [
        each
        for each in dora.get(f"{url}hits/", {"target_id": str(letter.id)}).json()["results"]
        if each["id"] == str(last.id)
    ]
    assert origin["carried_from_id"] is None
