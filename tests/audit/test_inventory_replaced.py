"""Open places of a document that is redacted: they hold the redaction up, or go with the old version; never both.

And nothing that is left of the person, in the redacted version or the old one, goes undecided.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from threading import Thread
from typing import Any
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.db import connection, connections

from apps.corpus.models import Document, DocumentStatus
from apps.corpus.services.documents import document_delete
from apps.erasure.contracts import TargetType
from apps.erasure.models import RemovalTarget
from apps.erasure.runs.staying import Reason
from apps.privacy.codes.inventory import Decision, InventoryState, Treatment
from apps.privacy.codes.life import RequestState
from apps.privacy.inventory.deciding import Said, document_treat, hits_decide
from apps.privacy.inventory.redacting import redactions_make, redactions_send_again
from apps.privacy.inventory.replaced import fixed_documents, going_documents
from apps.privacy.inventory.selectors import Standing, standing
from apps.privacy.models import ErasureRequest, Inventory, InventoryHit, InventoryTreatment
from apps.privacy.proposals.prospect import prospect
from apps.privacy.proposals.targets import found_targets
from apps.privacy.requests.services.receiving import request_describe
from apps.tenants import leased_jobs
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.audit.inventorying import (
    LETTER,
    NAME,
    PERSON,
    assessed,
    confirm_all,
    erased,
    group_of,
    inventoried,
    on_pages,
    redacted_by_worker,
    searched_after_redaction,
    searched_for,
    stored,
)
from tests.audit.requesting import Office, make_office
from tests.baked import baked
from tests.corpus.ingesting import ingest, remote_profile, run
from tests.deciding import inventory_propose, redactions_prepare, request_approve, withdraw
from tests.factories import as_, make_personal_key
from tests.model_server import Fault, ModelServer
from tests.raising import raises_code
from tests.visitor import Page, Visitor

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

# Stands once in the document, and is known of the person only later.
NICK = "Bergmann"
SIGNED = LETTER + f"\n\nIt is signed by {NICK}.\n".encode()
WITH_NICK = replace(PERSON, aliases=(NICK,))


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def office(settings: LazySettings, server: ModelServer) -> Office:
    settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(server)}
    return baked(make_office)


@pytest.fixture
def letter(office: Office) -> Document:
    return baked(stored, SIGNED, title="Letters", on=office)


@pytest.fixture
def request_(office: Office, letter: Document) -> ErasureRequest:
    return baked(searched_for, on=office)


def say(office: Office, request: ErasureRequest, reason: Reason, *hits: InventoryHit) -> None:
    with as_(office.dora):
        hits_decide(request.id, [Said(hit_id=hit.id, seen=Decision.OPEN, reason=reason) for hit in hits])


def treat(office: Office, request: ErasureRequest, document: Document, treatment: Treatment = Treatment.REDACT) -> None:
    with as_(office.dora):
        known = InventoryTreatment.objects.filter(request=request, document_id=document.id).first()
        document_treat(request.id, document.id, treatment, seen=Treatment(known.treatment) if known else None)


def asked(office: Office, request: ErasureRequest, document: Document) -> None:
    """All that was found is confirmed, and the redacted version is asked for."""
    confirm_all(office, request)
    treat(office, request, document)
    with as_(office.dora):
        assert redactions_prepare(request.id) == 1


def left_open(office: Office, hit: InventoryHit) -> None:
    """As before a redaction could be held up: asked for with an open place."""
    with as_(office.dora):
        assert InventoryHit.objects.filter(id=hit.id).update(
            decision=Decision.OPEN, reason="", decided_by_id=None, decided_at=None
        )


def known_as(office: Office, request: ErasureRequest) -> None:
    with as_(office.dora):
        request_describe(request.id, details=WITH_NICK)


def version(office: Office, of: Document, number: int = 2) -> Document:
    with open_scope(tenant=office.firm.id, reason="a test"):
        found: Document = Document.objects.get(series_id=of.series_id, version=number)
        return found


def versions(office: Office, of: Document) -> set[int]:
    with open_scope(tenant=office.firm.id, reason="a test"):
        return set(Document.objects.filter(series_id=of.series_id).values_list("version", flat=True))


def counted(office: Office, request: ErasureRequest) -> Standing:
    with as_(office.dora):
        return standing(office.again(request))


def problems(office: Office, request: ErasureRequest) -> str:
    with as_(office.dora):
        return " ".join(prospect(office.again(request)).problems)


def to_go(office: Office, request: ErasureRequest) -> set[UUID]:
    with as_(office.dora):
        targets = found_targets(office.again(request))
    return {target.id for target in targets if target.type is TargetType.DOCUMENT}


def proposed(office: Office, request: ErasureRequest) -> set[UUID]:
    """Returns: the documents that are frozen with the proposal."""
    with as_(office.dora):
        made = inventory_propose(request.id)
        assert made.state == RequestState.AWAITING_APPROVAL
        rows = RemovalTarget.objects.filter(run_id=made.run_id, type=TargetType.DOCUMENT)
        return set(rows.values_list("item_id", flat=True))


def carried_out(office: Office, request: ErasureRequest) -> None:
    with as_(office.rita):
        request_approve(request.id)
    assert erased(office, request) == RequestState.COMPLETED


def test_a_redaction_whose_message_was_lost_is_sent_again_until_it_is_made(
    office: Office, letter: Document, request_: ErasureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(office, request_, Reason.NAMED, *on_pages(office, request_, letter))
    treat(office, request_, letter)
    with as_(office.dora):
        redactions_prepare(request_.id)
    sent: list[list[str]] = []
    monkeypatch.setattr(leased_jobs, "send", lambda task, arguments, after_s: sent.append([task, *arguments]))
    assert redactions_send_again() == 0, "it may be under way"
    monkeypatch.setattr(Inventory, "resend_after", timedelta())
    assert redactions_send_again() == 1
    assert sent == [["apps.privacy.tasks.redact_inventory", str(office.firm.id), str(request_.id)]]
    redacted_by_worker(office, request_)
    assert redactions_send_again() == 0


# --- Asked for while something is open ---


def test_a_redaction_is_not_asked_for_while_a_place_of_the_document_is_open(
    office: Office, letter: Document, request_: ErasureRequest
) -> None:
    first, last = on_pages(office, request_, letter)
    say(office, request_, Reason.NAMED, first)
    treat(office, request_, letter)
    with as_(office.dora):
        with raises_code("audit.inventory_redaction_open") as told:
            redactions_prepare(request_.id)
        assert f"1 place is open (document {letter.id}: page 1)" in told.value.detail
        assert not InventoryTreatment.objects.filter(asked_at__isnull=False).exists()
    say(office, request_, Reason.NAMED, last)
    with as_(office.dora):
        assert redactions_prepare(request_.id) == 1
    redacted_by_worker(office, request_)
    assert proposed(office, request_) == {letter.id}
    carried_out(office, request_)
    assert versions(office, letter) == {2}


def test_of_several_documents_each_is_told_with_where_its_places_are(office: Office) -> None:
    several = [stored(office, LETTER + f"\n{n}.\n".encode(), title=f"About {NAME}, {n}") for n in range(7)]
    request = assessed(office)
    inventoried(office, request)
    for document in several:
        say(office, request, Reason.NAMED, on_pages(office, request, document)[0])
        treat(office, request, document)
    with as_(office.dora), raises_code("audit.inventory_redaction_open") as told:
        redactions_prepare(request.id)
    ids = sorted(str(document.id) for document in several)
    assert "places are open" in told.value.detail
    assert [id in told.value.detail for id in ids] == [True] * 5 + [False] * 2
    assert "; and 2 more)" in told.value.detail
    assert "title, page 1" in told.value.detail or "page 1, title" in told.value.detail
    # An error says ids and numbers: the titles name the person.
    assert "Falkenhayn" not in told.value.detail


def test_what_was_asked_for_with_an_open_place_can_be_proposed_once_the_place_is_decided_in_the_redacted_version(
    office: Office, letter: Document, request_: ErasureRequest
) -> None:
    _, last = on_pages(office, request_, letter)
    asked(office, request_, letter)
    left_open(office, last)
    assert counted(office, request_).open == 1
    assert "1 place is open" in problems(office, request_)
    redacted_by_worker(office, request_)
    # It was redacted by nobody's word: it stands in the redacted version, open, and there it counts.
    (left,) = group_of(office, request_, version(office, letter)).hits
    there = counted(office, request_)
    assert (left.decision, there.open, there.set_aside, there.total) == (Decision.OPEN, 1, 1, 2)
    with as_(office.dora):
        with raises_code("audit.inventory_redaction_asked"):
            hits_decide(request_.id, [Said(hit_id=last.id, seen=Decision.OPEN, reason=Reason.NAMED)])
        with raises_code("audit.inventory_not_proposable", match="1 place is open"):
            inventory_propose(request_.id)
    say(office, request_, Reason.SOMEBODY_ELSE, left)
    there = counted(office, request_)
    assert (there.open, there.set_aside, problems(office, request_)) == (0, 1, "")
    assert proposed(office, request_) == {letter.id}
    carried_out(office, request_)
    assert versions(office, letter) == {2}
    with open_scope(tenant=office.firm.id, reason="a test"):
        assert InventoryHit.objects.get(id=last.id).decision == Decision.OPEN


# --- Found afterwards ---


def test_a_place_found_after_the_redaction_is_decided_in_the_redacted_version_and_goes_with_the_old_one(
    office: Office, letter: Document, request_: ErasureRequest
) -> None:
    asked(office, request_, letter)
    redacted_by_worker(office, request_)
    assert problems(office, request_) == ""
    known_as(office, request_)
    inventoried(office, request_)
    redacted = version(office, letter)
    (old,) = [hit for hit in on_pages(office, request_, letter) if hit.matched == "alias"]
    (new,) = group_of(office, request_, redacted).hits
    there = counted(office, request_)
    assert (old.decision, new.decision, there.open, there.set_aside) == (Decision.OPEN, Decision.OPEN, 1, 1)
    with as_(office.dora), raises_code("audit.inventory_not_proposable", match="1 place is open"):
        inventory_propose(request_.id)
    # It is them: the redacted version is redacted once more, and all before it goes.
    say(office, request_, Reason.NAMED, new)
    assert "Choose for 1 document" in problems(office, request_)
    treat(office, request_, redacted)
    with as_(office.dora):
        assert redactions_prepare(request_.id) == 1
    redacted_by_worker(office, request_)
    assert counted(office, request_).set_aside == 1
    assert proposed(office, request_) == {letter.id, redacted.id}
    carried_out(office, request_)
    assert versions(office, letter) == {3}


def test_the_old_version_goes_even_if_nothing_that_was_confirmed_is_found_in_it_any_more(
    office: Office, letter: Document, request_: ErasureRequest
) -> None:
    asked(office, request_, letter)
    redacted_by_worker(office, request_)
    # It turns out that they go by another name: what was confirmed is not looked for any more.
    with as_(office.dora):
        request_describe(request_.id, details=replace(PERSON, names=(NICK,)))
    inventoried(office, request_)
    assert not group_of(office, request_, letter).confirmed
    say(office, request_, Reason.NO_PERSON, *group_of(office, request_, version(office, letter)).open)
    there = counted(office, request_)
    assert (there.open, there.confirmed, there.set_aside) == (0, 0, 1)
    assert problems(office, request_) == ""
    assert proposed(office, request_) == {letter.id}


def test_what_is_open_in_the_versions_before_goes_too_without_a_decision(office: Office, letter: Document) -> None:
    second = ingest(office.firm, LETTER + b"\nP.S.\n", title="Letters", replaces=letter.id)
    run(office.firm, second.job)
    request = assessed(office)
    inventoried(office, request)
    say(office, request, Reason.NAMED, *group_of(office, request, second.document).open)
    treat(office, request, second.document)
    with as_(office.dora):
        # What is open in a version that is not redacted holds nothing up, but it counts until that one goes.
        assert redactions_prepare(request.id) == 1
    confirmed, *others = on_pages(office, request, letter)
    assert counted(office, request).open == len(others) + 1
    assert to_go(office, request) == set()
    # Whoever decides about it all the same need not say what becomes of it: that is known.
    say(office, request, Reason.NAMED, confirmed)
    assert "Choose for 1 document" in problems(office, request)
    redacted_by_worker(office, request)
    there = counted(office, request)
    assert (there.open, there.set_aside, len(others), problems(office, request)) == (0, 1, 1, "")
    page = Visitor("dora").open("erasure_inventory", request.id).text
    assert "It is removed as a whole: a later version of it was redacted." in page
    assert proposed(office, request) == {letter.id, second.document.id}
    carried_out(office, request)
    assert versions(office, letter) == {3}


def test_of_two_documents_that_read_alike_without_the_person_both_old_ones_go(office: Office) -> None:
    one = stored(office, f"# Note\n\nCalled {NAME} at noon.\n".encode(), title="Note one")
    two = stored(office, b"# Note\n\nCalled Johan Falkenhayn at noon.\n", title="Note two")
    request = assessed(office)
    inventoried(office, request)
    confirm_all(office, request)
    treat(office, request, one)
    treat(office, request, two)
    with as_(office.dora):
        assert redactions_prepare(request.id) == 2
    redacted_by_worker(office, request)
    with as_(office.dora):
        assert len(set(InventoryTreatment.objects.values_list("redacted_id", flat=True))) == 1
    assert proposed(office, request) == {one.id, two.id}


# --- The negative control: a document of which no redacted version stands ---


def test_an_open_place_of_a_document_that_is_not_redacted_counts_and_blocks(
    office: Office, letter: Document, request_: ErasureRequest
) -> None:
    other = stored(office, f"# Notes\n\nCalled {NAME}.\n".encode(), title="Notes")
    asked(office, request_, letter)
    redacted_by_worker(office, request_)
    there = counted(office, request_)
    places = len(group_of(office, request_, other).hits)
    assert (there.open, there.set_aside) == (places, 0)
    with as_(office.dora), raises_code("audit.inventory_not_proposable", match="open"):
        inventory_propose(request_.id)
    confirm_all(office, request_)
    treat(office, request_, other, Treatment.REMOVE)
    assert proposed(office, request_) == {letter.id, other.id}


# --- Until the redacted version is there ---


def test_before_the_redacted_version_is_there_the_place_counts_and_nothing_goes(
    office: Office, letter: Document, request_: ErasureRequest
) -> None:
    _, last = on_pages(office, request_, letter)
    asked(office, request_, letter)
    left_open(office, last)
    redactions_make(tenant_id=office.firm.id, request_id=request_.id)
    assert version(office, letter).status != DocumentStatus.READY
    assert (counted(office, request_).open, counted(office, request_).set_aside) == (1, 0)
    assert to_go(office, request_) == set()
    with as_(office.dora), raises_code("audit.inventory_redaction_asked"):
        hits_decide(request_.id, [Said(hit_id=last.id, seen=Decision.OPEN, reason=Reason.NAMED)])


def failed(office: Office, request: ErasureRequest, letter: Document, server: ModelServer) -> InventoryHit:
    """Asked for with a place open, as it was once; its redacted version could not be made searchable."""
    _, last = on_pages(office, request, letter)
    asked(office, request, letter)
    left_open(office, last)
    server.fail_with(Fault.BAD_REQUEST)
    assert searched_after_redaction(office, request) == [InventoryState.DONE]
    server.fail_with(None)
    assert version(office, letter).status == DocumentStatus.FAILED
    return last


def test_when_the_redaction_failed_the_place_counts_again_and_can_be_decided(
    office: Office, letter: Document, request_: ErasureRequest, server: ModelServer
) -> None:
    last = failed(office, request_, letter, server)
    assert counted(office, request_).set_aside == 0
    assert to_go(office, request_) == set()
    assert "open" in problems(office, request_)
    assert "1 redacted version could not be made searchable: try again" in problems(office, request_)
    say(office, request_, Reason.SOMEBODY_ELSE, last)
    # In what there is of the redacted version it was found too.
    (left,) = group_of(office, request_, version(office, letter)).open
    say(office, request_, Reason.SOMEBODY_ELSE, left)
    with as_(office.dora), raises_code("audit.inventory_not_proposable", match="could not be made searchable"):
        inventory_propose(request_.id)
    with as_(office.dora):
        assert redactions_prepare(request_.id) == 1
    assert "still being made" in problems(office, request_)
    redacted_by_worker(office, request_)
    assert counted(office, request_).open == 0
    assert proposed(office, request_) == {letter.id}


def test_a_redaction_that_failed_can_be_withdrawn_and_the_document_removed_with_what_there_is_of_it(
    office: Office, letter: Document, request_: ErasureRequest, server: ModelServer
) -> None:
    last = failed(office, request_, letter, server)
    half_made = version(office, letter)
    treat(office, request_, letter, Treatment.REMOVE)
    assert (counted(office, request_).open, counted(office, request_).set_aside) == (2, 0)
    say(office, request_, Reason.NAMED, last)
    # Nobody has to know that something of another version is left: it goes even if nothing in it is the person.
    say(office, request_, Reason.NO_PERSON, *group_of(office, request_, half_made).open)
    assert proposed(office, request_) == {letter.id, half_made.id}
    carried_out(office, request_)
    assert versions(office, letter) == set()


def test_when_somebody_removed_the_redacted_version_the_place_counts_again_and_the_old_one_can_be_removed(
    office: Office, letter: Document, request_: ErasureRequest
) -> None:
    _, last = on_pages(office, request_, letter)
    asked(office, request_, letter)
    left_open(office, last)
    redacted_by_worker(office, request_)
    assert counted(office, request_).set_aside == 1
    with open_scope(tenant=office.firm.id, reason="a test"):
        document_delete(document_id=version(office, letter).id)
    inventoried(office, request_)
    there = counted(office, request_)
    assert (there.open, there.set_aside, to_go(office, request_)) == (1, 0, set())
    assert "1 redacted version must be made first" in problems(office, request_)
    assert "still being made" not in problems(office, request_)
    say(office, request_, Reason.NAMED, last)
    treat(office, request_, letter, Treatment.REMOVE)
    assert proposed(office, request_) == {letter.id}


def test_a_redacted_version_that_is_removed_in_the_middle_of_the_proposal_leaves_no_open_place_behind(
    office: Office, letter: Document, request_: ErasureRequest
) -> None:
    other = stored(office, f"# Notes\n\nCalled {NAME}.\n".encode(), title="Notes")
    inventoried(office, request_)
    _, last = on_pages(office, request_, letter)
    confirm_all(office, request_)
    treat(office, request_, other, Treatment.REMOVE)
    asked(office, request_, letter)
    left_open(office, last)
    redacted_by_worker(office, request_)
    redacted = version(office, letter)
    say(office, request_, Reason.SOMEBODY_ELSE, *group_of(office, request_, redacted).open)
    removed: list[UUID] = []

    def remove() -> None:
        try:
            with open_scope(tenant=office.firm.id, reason="a test"):
                document_delete(document_id=redacted.id)
            removed.append(redacted.id)
        finally:
            connections.close_all()

    def beside(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        # Everything was looked at: the request goes on, and in the next moment its targets are frozen.
        if not removed and sql.startswith('UPDATE "audit_erasurerequest"'):
            thread = Thread(target=remove)
            thread.start()
            thread.join(timeout=20)
        return execute(sql, params, many, context)

    look_again = raises_code("audit.inventory_not_proposable", match="1 place is open: check the inventory again")
    with as_(office.dora), connection.execute_wrapper(beside), look_again:
        inventory_propose(request_.id)
    assert removed == [redacted.id]
    assert office.again(request_).state == RequestState.ASSESSING


# --- From the proposal on, and without one ---


def test_what_is_not_counted_is_told_to_the_second_person_and_after_the_erasure(
    office: Office, letter: Document, request_: ErasureRequest
) -> None:
    _, last = on_pages(office, request_, letter)
    asked(office, request_, letter)
    left_open(office, last)
    redacted_by_worker(office, request_)
    say(office, request_, Reason.SOMEBODY_ELSE, *group_of(office, request_, version(office, letter)).open)
    proposed(office, request_)
    words = "1 place in a version that is removed as a whole, because its redacted version exists."
    run_id = office.again(request_).run_id
    assert words in Visitor("rita").open("removal_run", run_id).text
    page = Visitor("rita").open("erasure_inventory", request_.id).text
    assert "1 more open place is not counted and needs no decision" in page
    assert "The whole old version was proposed for removal" in page
    carried_out(office, request_)
    there = counted(office, request_)
    assert (there.open, there.set_aside) == (0, 1)
    assert words in Visitor("rita").open("removal_run", run_id).text


def test_of_a_request_that_was_withdrawn_nothing_is_set_aside(
    office: Office, letter: Document, request_: ErasureRequest
) -> None:
    _, last = on_pages(office, request_, letter)
    asked(office, request_, letter)
    left_open(office, last)
    redacted_by_worker(office, request_)
    assert counted(office, request_).set_aside == 1
    with as_(office.dora):
        withdraw(request_.id, words="They called.")
        assert going_documents(office.again(request_)) == frozenset()
        assert fixed_documents(office.again(request_)) == {letter.id}
    assert (counted(office, request_).open, counted(office, request_).set_aside) == (2, 0)


def test_what_must_stay_by_law_in_a_version_that_goes_is_not_said_to_stay(office: Office, letter: Document) -> None:
    second = ingest(office.firm, LETTER + b"\nP.S.\n", title="Letters", replaces=letter.id)
    run(office.firm, second.job)
    request = assessed(office)
    inventoried(office, request)
    say(office, request, Reason.LEGAL_DUTY, *group_of(office, request, letter).open)
    confirmed, kept = on_pages(office, request, second.document)
    say(office, request, Reason.LEGAL_DUTY, kept)
    say(office, request, Reason.NAMED, *group_of(office, request, second.document).open)
    treat(office, request, second.document)
    with as_(office.dora):
        assert redactions_prepare(request.id) == 1
    redacted_by_worker(office, request)
    with as_(office.dora):
        (staying,) = prospect(office.again(request)).staying
    assert (confirmed.decision, staying.places) == (Decision.OPEN, 1)


# --- What the DPO sees ---


def source(page: Page) -> str:
    return page.response.content.decode()


def test_the_page_says_what_holds_the_redaction_up_and_leads_there(
    office: Office, letter: Document, request_: ErasureRequest
) -> None:
    first, _ = on_pages(office, request_, letter)
    say(office, request_, Reason.NAMED, first)
    treat(office, request_, letter)
    page = Visitor("dora").open("erasure_inventory", request_.id)
    assert "so first decide on this place: 1 open place of Letters: page 1" in page.text
    assert f"?page=1#thing-{letter.id}" in source(page)
    assert 'value="prepare"' not in source(page)
    read = office.again(request_).revision
    typed_in = Visitor("dora").send("erasure_inventory", request_.id, act="prepare", place="propose", revision=read)
    assert (typed_in.status, "Nothing was begun" in typed_in.text) == (409, True)
    confirm_all(office, request_)
    assert 'value="prepare"' in source(Visitor("dora").open("erasure_inventory", request_.id))


def test_the_page_and_the_proposal_say_what_is_not_counted_and_why(
    office: Office, letter: Document, request_: ErasureRequest
) -> None:
    asked(office, request_, letter)
    redacted_by_worker(office, request_)
    assert "not counted" not in Visitor("dora").open("erasure_inventory", request_.id).text
    known_as(office, request_)
    inventoried(office, request_)
    page = Visitor("dora").open("erasure_inventory", request_.id).text
    assert "1 of 3 places open" in page
    assert "1 more open place is not counted and needs no decision: it is in an old version" in page
    assert "The whole old version is removed by this request" in page
    assert "Letters nothing to decide" in page
    assert "This old version is removed as a whole. So 1 open place here is not counted and needs no decision" in page
    assert "Needs no decision" in page
    assert "What is not counted, and why 1 open place in an old version that is removed as a whole" in page


def test_while_the_redacted_version_is_being_made_the_page_says_why_nothing_can_be_decided(
    office: Office, letter: Document, request_: ErasureRequest, server: ModelServer
) -> None:
    _, last = on_pages(office, request_, letter)
    asked(office, request_, letter)
    left_open(office, last)
    words = "The redacted version is made from the earlier decisions. 1 open place here counts until"
    assert words in Visitor("dora").open("erasure_inventory", request_.id).text
    server.fail_with(Fault.BAD_REQUEST)
    searched_after_redaction(office, request_)
    page = Visitor("dora").open("erasure_inventory", request_.id)
    assert words not in page.text
    assert "out of use, and its open places count. Try again below, or remove it." in page.text
    assert f'name="hit" value="{last.id}"' in source(page)


def test_by_api_it_is_told_and_refused_alike(office: Office, letter: Document, request_: ErasureRequest) -> None:
    first, last = on_pages(office, request_, letter)
    say(office, request_, Reason.NAMED, first)
    treat(office, request_, letter)
    url = f"/api/v1/privacy/requests/{request_.id}/inventory/"
    dora: Any = Api(make_personal_key(office.firm, "dora", role=Role.DPO)[1])
    refused = dora.post(f"{url}prepare/", {"revision": office.again(request_).revision})
    assert (refused.status_code, refused.json()["code"]) == (409, "audit.inventory_redaction_open")
    say(office, request_, Reason.NAMED, last)
    assert dora.post(f"{url}prepare/", {"revision": office.again(request_).revision}).status_code == 202
    left_open(office, last)
    redacted_by_worker(office, request_)
    shown = dora.get(url).json()["standing"]
    assert (shown["set_aside"], shown["open"], shown["total"]) == (1, 1, 2)
