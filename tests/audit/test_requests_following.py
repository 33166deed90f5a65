"""A request and its run of removals: proposed, approved by another person, carried out by the eraser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import LazySettings

from apps.audit.models import Event
from apps.audit.registry import Group
from apps.audit.selectors import payloads_of
from apps.erasure.contracts import Target, TargetType
from apps.erasure.models import RemovalRun
from apps.erasure.runs.runs import RejectionReason
from apps.errors import ApplicationError
from apps.privacy.codes.life import RequestState
from apps.privacy.codes.requests import Ground, LetterKind, SubjectType
from apps.privacy.models import ErasureRequest
from apps.privacy.proposals.prospect import counts_by_store
from apps.privacy.requests.details import letter_text
from apps.privacy.requests.selectors import history, waiting_for
from apps.privacy.requests.services.letters import letter_write
from apps.tenants.context import open_scope
from tests.audit.removing import carried_out, documents, left_of, stores_of_documents
from tests.audit.requesting import PERSON, Office, make_office
from tests.baked import baked
from tests.deciding import (
    assess,
    identity_confirm,
    refuse,
    request_approve,
    request_propose,
    request_send_back,
    request_take_back,
    run_approve,
    withdraw,
)
from tests.factories import as_
from tests.raising import raises_code
from tests.visitor import Visitor

# The eraser is a role of its own, on a connection of its own: what it works on is committed.
pytestmark = pytest.mark.django_db(transaction=True)
S = RequestState


@pytest.fixture(autouse=True)
def _stores() -> Iterator[None]:
    with stores_of_documents():
        yield


@pytest.fixture
def office() -> Office:
    return baked(make_office)


@pytest.fixture
def target(office: Office) -> Target:
    (made,) = documents(office.firm, 1)
    return made


def ready(office: Office, target: Target) -> ErasureRequest:
    request = office.received(about=SubjectType.DOCUMENT, subject_id=target.id, details=PERSON)
    with as_(office.dora):
        identity_confirm(request.id)
        return assess(request.id, ground=Ground.NOT_NEEDED)


def proposed(office: Office, target: Target) -> ErasureRequest:
    request = ready(office, target)
    with as_(office.dora):
        return request_propose(request.id)


def run_of(office: Office, request: ErasureRequest) -> RemovalRun:
    with open_scope(tenant=office.firm.id, reason="a test"):
        run: RemovalRun = RemovalRun.objects.get(id=request.run_id)
        return run


def test_the_whole_way_from_the_proposal_to_the_last_letter(office: Office, target: Target) -> None:
    request = proposed(office, target)
    with as_(office.rita):
        assert waiting_for(office.rita)["to_approve"] == 1
        approved = request_approve(request.id)
    assert (approved.state, approved.approved_by_id) == (S.RESTRICTED, office.rita.id)
    assert left_of(office.firm, [target]) > 0
    carried_out(office.firm, run_of(office, request))
    done = office.again(request)
    assert (done.state, left_of(office.firm, [target])) == (S.COMPLETED, 0)
    assert done.finished_at is not None
    with as_(office.dora):
        text = letter_text(letter_write(request.id, LetterKind.DONE))
        assert text is not None
        assert "has been carried out" in text.body
        steps = [event.action.removeprefix("audit.request.") for event in history(done)]
    assert steps == [
        "received",
        "identity_confirmed",
        "assessed",
        "proposed",
        "restricted",
        "executing",
        "verifying",
        "completed",
        "letter_written",
    ]


def test_without_the_scan_the_run_ends_by_counts_and_its_event_and_page_say_so(
    office: Office, target: Target, settings: LazySettings
) -> None:
    settings.GLASSBOX_PHYSICAL_ORIGINS = frozenset()  # GLASSBOX_RESIDUE_SCAN=false
    request = proposed(office, target)
    # Whoever approves reads it, and nobody is sent to the proof, or told of a certificate to come.
    assert "Shown by counts alone" in Visitor("rita").open("erasure_request", request.id).text
    with as_(office.rita):
        request_approve(request.id)
    assert "physical proof" not in Visitor("dora").open("erasure_request", request.id).text
    assert "unless the scan of the disk is switched off" in Visitor("dora").open("erasure_certificates").text
    run = run_of(office, request)
    carried_out(office.firm, run)
    with open_scope(tenant=office.firm.id, reason="a test"):
        ended = Event.objects.get(action="audit.removal.ended", subject_id=run.id)
        core = payloads_of([ended], groups=[Group.CORE])[ended.id][Group.CORE]
    assert (core["state"], core["proof"]) == ("completed", "counts")
    page = Visitor("dora").open("erasure_request", request.id)
    assert "Shown by counts alone" in page.text
    assert "there is no certificate" in page.text


@pytest.mark.slow
def test_what_is_held_ends_the_request_in_part_and_its_release_ends_it_whole(office: Office, target: Target) -> None:
    from apps.erasure import registry
    from apps.erasure.runs.waiting import runs_take_up

    request = proposed(office, target)
    with as_(office.rita):
        request_approve(request.id)
    registry._obstacles[:] = [lambda targets: dict.fromkeys(targets, "hold:1")]
    carried_out(office.firm, run_of(office, request))
    partial = office.again(request)
    assert partial.state == S.PARTIALLY_COMPLETED
    assert left_of(office.firm, [target]) > 0
    registry._obstacles.clear()
    with as_(office.dora):
        runs_take_up([target])
    carried_out(office.firm, run_of(office, request))
    assert (office.again(request).state, left_of(office.firm, [target])) == (S.COMPLETED, 0)


def test_nobody_approves_what_they_proposed_not_even_with_another_role(office: Office, target: Target) -> None:
    request = proposed(office, target)
    for who, code in ((office.dora, "audit.removal_run_own"), (office.ada, "tenants.permission_denied")):
        with as_(who), raises_code(code):
            request_approve(request.id)
    with as_(office.dirk):
        assert request_approve(request.id).state == S.RESTRICTED


def test_sent_back_it_can_be_proposed_again(office: Office, target: Target) -> None:
    request = proposed(office, target)
    with as_(office.rita):
        back = request_send_back(request.id, reason=RejectionReason.WRONG_TARGETS)
    assert (back.state, back.run_id, back.proposed_by_id) == (S.INVENTORY_READY, None, None)
    with as_(office.dora):
        assert request_propose(request.id).state == S.AWAITING_APPROVAL


def test_taken_back_its_run_can_not_be_approved_any_more(office: Office, target: Target) -> None:
    request = proposed(office, target)
    run = run_of(office, request)
    with as_(office.dora):
        assert request_take_back(request.id).state == S.INVENTORY_READY
    with as_(office.rita), raises_code("audit.removal_run_state"):
        run_approve(run.id)


@pytest.mark.parametrize("end", ["refused", "withdrawn"])
def test_ended_while_it_waits_takes_its_run_with_it(office: Office, target: Target, end: str) -> None:
    from apps.privacy.codes.requests import Refusal

    request = proposed(office, target)
    run = run_of(office, request)
    with as_(office.dora):
        if end == "refused":
            ended = refuse(request.id, code=Refusal.LEGAL_CLAIMS, words="There is a claim.")
        else:
            ended = withdraw(request.id, words="They called.")
    assert ended.state == end
    with as_(office.rita), pytest.raises(ApplicationError):
        run_approve(run.id)
    assert left_of(office.firm, [target]) > 0


def test_once_approved_no_person_stops_it(office: Office, target: Target) -> None:
    request = proposed(office, target)
    with as_(office.rita):
        request_approve(request.id)
    with as_(office.dora):
        with raises_code("audit.request_step"):
            withdraw(request.id, words="They called.")
        with raises_code("audit.request_step"):
            request_take_back(request.id)
        assert office.again(request).state == S.RESTRICTED


def test_a_run_that_fails_is_told_and_goes_on(office: Office, target: Target) -> None:
    from tests.audit.removing import STORES

    request = proposed(office, target)
    with as_(office.rita):
        request_approve(request.id)
    run = run_of(office, request)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(STORES[0]), "clear", lambda *_, **__: 1 / 0)
        carried_out(office.firm, run)
    assert office.again(request).state == S.FAILED
    carried_out(office.firm, run)
    assert office.again(request).state == S.COMPLETED


def test_the_second_person_sees_how_much_will_go(office: Office, target: Target) -> None:
    request = proposed(office, target)
    with as_(office.rita):
        assert dict(counts_by_store(request)) == {"Passages": 3, "Pages": 3, "Documents": 1}


def test_targets_follow_from_the_subject(office: Office, target: Target) -> None:
    from apps.privacy.proposals.targets import targets_of

    assert targets_of(ready(office, target)) == (Target(type=TargetType.DOCUMENT, id=target.id),)
