"""A request's life by its services: what each step does, what it refuses, and what the log says of it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connection
from django.utils import timezone

from apps.audit.errors import PayloadDamagedError
from apps.audit.models import DataKey, Event
from apps.privacy.codes.life import RequestState
from apps.privacy.codes.requests import (
    Delivery,
    Extension,
    Ground,
    LetterKind,
    LetterState,
    Refusal,
    Requester,
    SubjectType,
)
from apps.privacy.models import ErasureRequest, Letter
from apps.privacy.proposals.targets import targets_of
from apps.privacy.requests.deadlines import extended_deadline, first_deadline
from apps.privacy.requests.details import Details, details_of, known_details, letter_text
from apps.privacy.requests.errors import LetterUnaddressedError, RequestPersonNeededError
from apps.privacy.requests.selectors import Which, erasure_requests, history, waiting_for
from apps.privacy.requests.services.letters import letter_write
from apps.privacy.requests.services.receiving import request_describe, request_receive
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.roles import Role
from tests.audit.requesting import PERSON, SECRETS, WORDS, Office, days_ago
from tests.deciding import assess, extend, identity_ask, identity_confirm, refuse, withdraw
from tests.factories import as_, make_key, make_member
from tests.raising import raises_code

pytestmark = pytest.mark.django_db
S = RequestState


def actions(office: Office, request: ErasureRequest) -> list[str]:
    with open_scope(tenant=office.firm.id, reason="a test"):
        return [event.action.removeprefix("audit.request.") for event in history(request)]


# --- Receiving --------------------------------------------------------------------------------------------------------


def test_a_request_gets_a_number_a_deadline_and_an_event(office: Office) -> None:
    request = office.received()
    assert (request.reference, request.state) == (f"ER-{timezone.now().year}-0001", S.RECEIVED)
    assert request.due_on == request.first_due_on == first_deadline(timezone.now().date()).due_on
    assert office.received().number == 2
    assert actions(office, request) == ["received"]


def test_the_month_is_counted_from_the_day_of_receipt_where_the_firm_is(office: Office, settings: LazySettings) -> None:
    settings.GLASSBOX_LEGAL_TIME_ZONE = "Europe/Berlin"
    request = office.received(received_at=datetime.fromisoformat("2026-01-31T23:30:00+00:00"))
    assert (request.received_on, request.due_on) == (date(2026, 2, 1), date(2026, 3, 2))
    assert request.reference == "ER-2026-0001"


def test_numbers_are_counted_by_the_year_of_receipt(office: Office) -> None:
    first = office.received(received_at=datetime.fromisoformat("2024-12-31T12:00:00+00:00"))
    second = office.received(received_at=datetime.fromisoformat("2025-01-01T12:00:00+00:00"))
    assert (first.reference, second.reference) == ("ER-2024-0001", "ER-2025-0001")


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"details": Details()}, "audit.request_subject_undescribed"),
        ({"received_at": timezone.now() + timedelta(days=1)}, "audit.request_receipt_in_future"),
        ({"about": SubjectType.SCOPE, "subject_id": None}, "audit.request_subject_unknown"),
        ({"about": SubjectType.DOCUMENT, "subject_id": None}, "audit.request_subject_unknown"),
        ({"about": SubjectType.USER, "subject_id": None}, "audit.request_subject_unknown"),
    ],
)
def test_what_can_not_be_taken_in_is_refused(office: Office, given: dict[str, Any], code: str) -> None:
    with raises_code(code):
        office.received(**given)


def test_the_tenants_own_id_follows_from_where_one_is(office: Office) -> None:
    request = office.received(about=SubjectType.TENANT)
    assert request.subject_id == office.firm.id
    assert [(target.type.value, target.id) for target in targets_of(request)] == [("tenant", office.firm.id)]


def test_a_document_is_found_by_its_floor(office: Office) -> None:
    from tests.corpus.ingesting import ingest

    made = ingest(office.firm, b"# A report\n\nWords.\n", filename="a.md", scope="fund:alpha", kind="run")
    request = office.received(about=SubjectType.DOCUMENT, subject_id=made.document.id)
    assert request.subject_id == made.document.id


def test_of_another_firm_nothing_is_found(office: Office) -> None:
    bolt = make_office_of_bolt()
    with raises_code("audit.request_subject_unknown"):
        office.received(about=SubjectType.SCOPE, subject_id=bolt.scopes["fund:alpha"].id)
    request = office.received()
    with as_(make_member(bolt, "bella", Role.DPO)), raises_code("audit.request_not_found"):
        identity_confirm(request.id)


def make_office_of_bolt() -> Any:
    from tests.factories import make_firm

    return make_firm("bolt")


@pytest.mark.parametrize("who", ["rita", "ada"])
def test_only_who_manages_privacy_takes_in(office: Office, who: str) -> None:
    with as_(getattr(office, who)), pytest.raises(PermissionDeniedError):
        request_receive(subject_type=SubjectType.DATA_SUBJECT, requester=Requester.PERSON, details=PERSON)


def test_a_key_of_the_tenant_is_nobody(office: Office) -> None:
    key, _ = make_key(office.firm, Role.DPO)
    with as_(key), pytest.raises(RequestPersonNeededError):
        request_receive(subject_type=SubjectType.DATA_SUBJECT, requester=Requester.PERSON, details=PERSON)


# --- What describes a person ------------------------------------------------------------------------------------------


def stored(office: Office) -> str:
    """Every column of every row that a request leaves, as text."""
    with open_scope(tenant=office.firm.id, reason="a test"), connection.cursor() as cursor:
        found = []
        for table in ("audit_erasurerequest", "audit_letter", "audit_event", "audit_payload", "audit_datakey"):
            cursor.execute(f"SELECT row_to_json(t)::text, t.* FROM {table} t")
            found += [str(row[0]) for row in cursor.fetchall()]
            for column in ("details", "ciphertext"):
                if column in " ".join(each.name for each in cursor.description or ()):
                    cursor.execute(f"SELECT encode({column}, 'escape') FROM {table}")
                    found += [str(row[0]) for row in cursor.fetchall()]
        return "\n".join(found)


def test_no_word_of_a_person_stands_in_a_column_an_event_or_the_log(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        request = office.received()
        with as_(office.dora):
            identity_ask(request.id, words=WORDS)
            identity_confirm(request.id)
            assess(request.id, ground=Ground.CONSENT, notes=WORDS)
            extend(request.id, code=Extension.COMPLEX, words=WORDS)
            refuse(request.id, code=Refusal.LEGAL_CLAIMS, words=WORDS)
    text = stored(office) + caplog.text
    assert [secret for secret in SECRETS if secret.encode("unicode_escape").decode() in text or secret in text] == []
    assert request.reference in str(actions_core(office, request))
    assert not any(secret in str(actions_core(office, request)) for secret in SECRETS)
    assert not any(secret in repr(PERSON) for secret in SECRETS)


def actions_core(office: Office, request: ErasureRequest) -> list[Any]:
    with open_scope(tenant=office.firm.id, reason="a test"):
        return [event.payload for event in history(request)]


def test_the_facts_come_back_for_who_opens_the_scope(office: Office) -> None:
    request = office.received()
    with as_(office.dora):
        assert details_of(office.again(request)) == PERSON


def test_sealed_facts_open_in_their_own_request_alone(office: Office) -> None:
    one, other = office.received(), office.received()
    with as_(office.dora):
        one.details = other.details
        with pytest.raises(PayloadDamagedError):
            details_of(one)
        one.data_key_id = other.data_key_id
        with pytest.raises(PayloadDamagedError):
            details_of(one)


def test_each_request_has_a_key_of_its_own_and_without_it_nothing_can_be_read(office: Office) -> None:
    request = office.received()
    with as_(office.dora):
        extend(request.id, code=Extension.COMPLEX, words=WORDS)
        key = DataKey.objects.get(subject_id=request.id)
        again = office.again(request)
        assert key.id == again.data_key_id
        # As after its destruction: the row of the key is gone, that of the request stays.
        again.data_key_id = request.id
        letter = Letter.objects.select_related("request").get()
        letter.request = again
        assert (details_of(again), letter_text(letter)) == (None, None)
        with pytest.raises(PayloadDamagedError):
            known_details(again)


def test_no_process_keeps_the_key_of_a_request_so_that_its_destruction_by_another_is_the_end_of_it(
    office: Office, django_capture_on_commit_callbacks: Callable[..., AbstractContextManager[object]]
) -> None:
    """The worker destroys it when the last letter has gone; the web server had the page open a moment before."""
    from apps.audit.keys.data_keys import cache

    request = office.received()
    with as_(office.dora), django_capture_on_commit_callbacks(execute=True):
        extend(request.id, code=Extension.COMPLEX, words=WORDS)
        letter = Letter.objects.select_related("request").get()
        assert letter_text(letter) is not None
        assert details_of(letter.request) is not None
    with as_(office.dora):
        assert cache.get(office.firm.id, str(letter.request.data_key_id)) is None


def test_facts_are_changed_by_who_had_the_latest_before_them(office: Office) -> None:
    request = office.received()
    with as_(office.dora):
        seen = bytes(request.details)
        request_describe(request.id, details=Details(names=("Q. Z.",)), seen=seen)
        with raises_code("audit.request_changed"):
            request_describe(request.id, details=PERSON, seen=seen)
        with raises_code("audit.request_subject_undescribed"):
            request_describe(request.id, details=Details(notes="nobody"))
        assert known_details(office.again(request)).names == ("Q. Z.",)
    assert actions(office, request) == ["received", "described"]


# --- Steps ------------------------------------------------------------------------------------------------------------


def test_identity_is_asked_for_with_a_letter_and_the_deadline_stays(office: Office) -> None:
    request = office.received(received_at=days_ago(5))
    with as_(office.dora):
        asked = identity_ask(request.id, words=WORDS)
        letter = Letter.objects.select_related("request").get()
        text = letter_text(letter)
        assert text is not None
        assert WORDS in text.body
        assert (letter.kind, letter.state) == (LetterKind.IDENTITY, LetterState.WAITING)
        confirmed = identity_confirm(request.id)
    assert (asked.state, asked.due_on) == (S.IDENTITY_PENDING, request.due_on)
    assert confirmed.state == S.ASSESSING
    assert confirmed.identity_confirmed_at is not None
    assert actions(office, request) == ["received", "identity_asked", "letter_written", "identity_confirmed"]


def test_an_assessed_subject_that_says_what_goes_is_ready_to_be_proposed(office: Office) -> None:
    assert office.assessed().state == S.INVENTORY_READY


def test_an_assessed_person_waits_for_what_is_found_of_them(office: Office) -> None:
    request = office.assessed(about=SubjectType.DATA_SUBJECT)
    assert (request.state, request.ground) == (S.ASSESSING, Ground.CONTRACT_ENDED)
    with raises_code("audit.request_inventory_missing"):
        targets_of(request)


def test_an_extension_moves_the_deadline_by_two_months_with_the_reasons_told(office: Office) -> None:
    request = office.received(received_at=days_ago(20))
    with as_(office.dora):
        extended = extend(request.id, code=Extension.MANY, words=WORDS)
        text = letter_text(Letter.objects.select_related("request").get())
    assert extended.due_on == extended_deadline(request.received_on).due_on
    assert text is not None
    assert WORDS in text.body
    assert f"{extended.due_on.day} {extended.due_on:%B %Y}" in text.body
    with as_(office.dora), raises_code("audit.request_extended_already"):
        extend(request.id, code=Extension.MANY, words=WORDS)


def test_an_extension_after_the_first_month_is_refused(office: Office) -> None:
    request = office.received(received_at=days_ago(40))
    with as_(office.dora), raises_code("audit.request_extension_too_late"):
        extend(request.id, code=Extension.COMPLEX, words=WORDS)
    assert office.again(request).extended_at is None


@pytest.mark.parametrize("step", [identity_ask, withdraw])
def test_a_step_without_words_is_refused(office: Office, step: Callable[..., Any]) -> None:
    request = office.received()
    with as_(office.dora), raises_code("audit.request_words_missing"):
        step(request.id, words="  ")


def test_a_refusal_says_its_ground_and_ends_the_request_for_good(office: Office) -> None:
    request = office.received()
    with as_(office.dora):
        refused = refuse(request.id, code=Refusal.LEGAL_DUTY, words=WORDS)
        text = letter_text(Letter.objects.select_related("request").get())
        assert text is not None
        assert "17(3)(b)" in text.body
        assert "supervisory authority" in text.body
        for again in (identity_confirm, lambda id: withdraw(id, words=WORDS), lambda id: identity_ask(id, words="x")):
            with raises_code("audit.request_step"):
                again(request.id)
    assert (refused.state, refused.refusal) == (S.REFUSED, Refusal.LEGAL_DUTY)
    assert refused.finished_at is not None


def test_a_withdrawn_request_is_closed_without_a_letter(office: Office) -> None:
    request = office.received()
    with as_(office.dora):
        assert withdraw(request.id, words=WORDS).state == S.WITHDRAWN
        assert not Letter.objects.exists()
    assert actions(office, request) == ["received", "withdrawn"]


def test_a_step_that_fails_leaves_neither_letter_nor_event(office: Office) -> None:
    request = office.received(details=Details(names=("Q. Z.",)))
    with as_(office.dora), pytest.raises(LetterUnaddressedError):
        extend(request.id, code=Extension.COMPLEX, words=WORDS, delivery=Delivery.EMAIL)
    with open_scope(tenant=office.firm.id, reason="a test"):
        assert not Letter.objects.exists()
    assert office.again(request).extended_at is None
    assert actions(office, request) == ["received"]


def test_without_an_address_a_letter_is_to_be_posted(office: Office) -> None:
    request = office.received(details=Details(names=("Q. Z.",), requester_address="Zaungasse 1"))
    with as_(office.dora):
        letter = letter_write(request.id, LetterKind.RECEIVED)
        text = letter_text(letter)
    assert (letter.delivery, letter.state) == (Delivery.POST, LetterState.TO_POST)
    assert text is not None
    assert text.to == "Zaungasse 1"


def test_a_letter_that_would_not_be_true_is_refused(office: Office) -> None:
    request = office.received()
    with as_(office.dora), raises_code("audit.letter_kind"):
        letter_write(request.id, LetterKind.DONE)


# --- The work list ----------------------------------------------------------------------------------------------------


def test_the_list_is_by_the_time_left_and_those_answered_come_last(office: Office) -> None:
    late, soon, later = (office.received(received_at=days_ago(days)) for days in (60, 20, 1))
    closed = office.received(received_at=days_ago(90))
    with as_(office.dora):
        withdraw(closed.id, words=WORDS)
        assert list(erasure_requests()) == [late, soon, later, closed]
        assert list(erasure_requests(which=Which.OPEN)) == [late, soon, later]
        assert list(erasure_requests(which=Which.OVERDUE)) == [late]
        assert list(erasure_requests(which=Which.FINISHED)) == [closed]
        assert list(erasure_requests(state=S.WITHDRAWN)) == [closed]
        assert list(erasure_requests(reference=late.reference.lower())) == [late]
        assert list(erasure_requests(reference=PERSON.names[0])) == []
        counts = waiting_for(office.dora)
    assert (counts["open"], counts["overdue"]) == (3, 1)


def test_the_counts_are_for_who_has_a_part_in_it(office: Office) -> None:
    office.received()
    with as_(office.ada):
        assert set(waiting_for(office.ada).values()) == {0}
    with as_(office.rita):
        assert waiting_for(office.rita)["open"] == 0


def test_every_action_of_a_request_is_registered_with_codes_alone() -> None:
    from apps.audit.registry import Group, event_classes

    fields = {
        name for each in event_classes() if each.action.startswith("audit.request.") for name in each.fields[Group.CORE]
    }
    assert fields.isdisjoint({"name", "email", "words", "notes", "subject", "body", "to"})
    assert Event._meta.get_field("subject_id") is not None
