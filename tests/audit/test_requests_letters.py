"""Letters: what they say, and that each is sent once, whatever the mail server does meanwhile."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import LazySettings
from django.utils import timezone

from apps.privacy.codes.requests import Language, LetterKind, LetterState, Refusal
from apps.privacy.models import ErasureRequest, Letter
from apps.privacy.requests.letters import Facts, Removed, written
from apps.privacy.requests.selectors import history
from apps.privacy.requests.services import sending
from apps.privacy.requests.services.letters import letter_retry, letter_settle, letter_write
from apps.privacy.requests.services.sending import MAX_ATTEMPTS, NO_SERVER, letter_send, letters_sweep
from apps.tenants.context import open_scope
from tests.audit.requesting import EMAIL, NAME, Office
from tests.factories import as_
from tests.mail_server import MailServer
from tests.raising import raises_code

FACTS = Facts(
    firm="Acme",
    reference="ER-2026-0007",
    name=NAME,
    received_on=date(2026, 3, 31),
    due_on=date(2026, 4, 30),
    extended_due_on=date(2026, 6, 30),
    words="The archive is large.",
    refusal=Refusal.LEGAL_CLAIMS,
)


@pytest.mark.parametrize(("kind", "language"), list(itertools.product(LetterKind, Language)))
def test_every_letter_is_filled_in_and_says_whom_and_what_it_is_about(kind: LetterKind, language: Language) -> None:
    subject, body = written(kind, language, FACTS)
    assert "{" not in subject + body
    assert FACTS.reference in subject
    assert all(each in body for each in (NAME, FACTS.reference, "Acme"))
    assert ("31 March 2026" if language is Language.ENGLISH else "31. März 2026") in body


@pytest.mark.parametrize("language", Language)
def test_letters_say_what_the_law_wants_said(language: Language) -> None:
    def body(kind: LetterKind) -> str:
        return written(kind, language, FACTS)[1]

    complain = "supervisory authority" if language is Language.ENGLISH else "Aufsichtsbehörde"
    court = "court" if language is Language.ENGLISH else "Gericht"
    for kind in (LetterKind.REFUSED, LetterKind.EXTENDED, LetterKind.DONE):
        assert complain in body(kind)
        assert court in body(kind)
    assert "2026" in body(LetterKind.RECEIVED).split("30")[1]
    assert FACTS.words in body(LetterKind.EXTENDED)
    assert FACTS.words in body(LetterKind.REFUSED)
    assert "17" in body(LetterKind.REFUSED)


COMBINATIONS = list(itertools.product(Language, (False, True), (0, 1, 5), (None, date(2027, 1, 31))))


@pytest.mark.parametrize(("language", "partial", "stays", "until"), COMBINATIONS)
def test_the_last_letter_says_one_thing_of_what_remains(
    language: Language, partial: bool, stays: int, until: date | None
) -> None:
    """It does not say that all is gone beside what stays, nor promise of backups what nobody laid down."""
    facts = replace(FACTS, partial=partial, stays=stays, backups_until=until)
    body = written(LetterKind.DONE, language, facts)[1]
    english = language is Language.ENGLISH
    assert "{" not in body
    without = "without your data" if english else "ohne Ihre Daten"
    assert (without in body) == (not partial and not stays)
    excepted = "carried out, except for" if english else "ausgeführt, ausgenommen"
    assert (excepted in body) == (partial or stays > 0)
    named = {0: "", 1: "1 place " if english else "1 Stelle,", 5: "5 places" if english else "5 Stellen"}[stays]
    assert named in body
    last = "31 January 2027" if english else "31. Januar 2027"
    assert (last in body) == (until is not None)
    unknown = "not specified how long" if english else "nicht festgelegt"
    assert (unknown in body) == (until is None)
    assert ("restored" if english else "wiederhergestellt") in body


def test_what_is_held_is_told_in_the_last_letter() -> None:
    whole = written(LetterKind.DONE, Language.ENGLISH, FACTS)[1]
    partial = written(LetterKind.DONE, Language.ENGLISH, replace(FACTS, partial=True))[1]
    assert "except for data that we must keep" in partial
    assert "except for" not in whole


@pytest.mark.parametrize(
    ("removed", "english", "german"),
    [
        (
            Removed(documents=2, redacted=2),
            "2 documents were replaced by versions without the passages about you",
            "2 Dokumente wurden durch Fassungen ohne die Stellen über Sie ersetzt",
        ),
        (
            Removed(documents=3, redacted=1),
            "2 documents were removed. 1 document was replaced by a version without",
            "2 Dokumente wurden entfernt. 1 Dokument wurde durch eine Fassung ohne",
        ),
    ],
)
def test_a_document_that_stays_without_the_passages_is_not_told_as_removed(
    removed: Removed, english: str, german: str
) -> None:
    for language, words in ((Language.ENGLISH, english), (Language.GERMAN, german)):
        body = written(LetterKind.DONE, language, replace(FACTS, removed=removed))[1]
        assert words in body
        assert ("were removed. " in body or "wurden entfernt. " in body) == (removed.documents > removed.redacted)


# --- Sending ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def mail(settings: LazySettings) -> Iterator[MailServer]:
    with MailServer() as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", server.port, 2
        settings.EMAIL_USE_TLS, settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = False, "", ""
        yield server


@pytest.fixture
def letter(office: Office) -> Letter:
    request = office.received()
    with as_(office.dora):
        return letter_write(request.id, LetterKind.RECEIVED)


def now_of(office: Office, letter: Letter) -> Letter:
    with open_scope(tenant=office.firm.id, reason="a test"):
        found: Letter = Letter.objects.select_related("request").get(id=letter.id)
        return found


def send(office: Office, letter: Letter) -> LetterState | None:
    return letter_send(tenant_id=office.firm.id, letter_id=letter.id)


def last_event(office: Office, request: ErasureRequest) -> Any:
    with open_scope(tenant=office.firm.id, reason="a test"):
        event = history(request).last()
        assert event is not None
        return event.action, event.payload["core"].get("code")


def test_a_letter_is_sent_once_to_the_person(office: Office, letter: Letter, mail: MailServer) -> None:
    assert send(office, letter) is LetterState.SENT
    assert send(office, letter) is None
    (message,) = mail.received
    assert (message["To"], NAME in message.get_content()) == (EMAIL, True)
    assert letter.request.reference in message["Subject"]
    assert now_of(office, letter).sent_at is not None
    assert last_event(office, letter.request) == ("audit.request.letter_sent", None)


def test_the_sweep_sends_what_no_message_told_of(office: Office, letter: Letter, mail: MailServer) -> None:
    assert (letters_sweep(), letters_sweep(), len(mail.received)) == (1, 0, 1)


def test_a_server_that_is_away_is_asked_again_later(office: Office, letter: Letter, settings: LazySettings) -> None:
    with MailServer() as server:
        port = server.port
    settings.EMAIL_BACKEND, settings.EMAIL_HOST = "django.core.mail.backends.smtp.EmailBackend", "127.0.0.1"
    settings.EMAIL_PORT, settings.EMAIL_USE_TLS = port, False
    assert send(office, letter) is LetterState.WAITING
    found = now_of(office, letter)
    assert found.problem.startswith("unreachable_")
    assert found.next_try_at is not None
    assert found.next_try_at > timezone.now()
    # Not before its time.
    assert send(office, letter) is None


@pytest.mark.parametrize(
    ("answer", "state"), [("451 later", LetterState.WAITING), ("550 no such user", LetterState.FAILED)]
)
@pytest.mark.parametrize("where", ["refuse_recipient", "refuse_data"])
def test_what_the_server_refuses_is_tried_again_or_given_to_a_person(
    office: Office, letter: Letter, mail: MailServer, where: str, answer: str, state: LetterState
) -> None:
    setattr(mail, where, answer)
    assert send(office, letter) is state
    assert now_of(office, letter).problem == f"refused_{answer[:3]}"
    assert mail.received == []


def test_after_many_tries_a_person_is_asked(office: Office, letter: Letter, mail: MailServer) -> None:
    mail.refuse_data = "451 later"
    for _ in range(MAX_ATTEMPTS):
        with patch.object(sending, "_delay", return_value=timedelta(0)):
            state = send(office, letter)
    assert state is LetterState.FAILED
    assert last_event(office, letter.request) == ("audit.request.letter_failed", "refused_451")


def test_a_connection_that_breaks_in_the_middle_leaves_it_to_a_person(
    office: Office, letter: Letter, mail: MailServer
) -> None:
    mail.break_off = True
    assert send(office, letter) is LetterState.UNCERTAIN
    mail.break_off = False
    assert (letters_sweep(), mail.received) == (0, [])
    assert last_event(office, letter.request)[0] == "audit.request.letter_uncertain"
    with as_(office.dora):
        letter_retry(letter.request.id, letter.id)
    assert send(office, letter) is LetterState.SENT
    assert len(mail.received) == 1


def test_a_sender_that_died_leaves_it_to_a_person(office: Office, letter: Letter, mail: MailServer) -> None:
    """As after SIGKILL between the claim and the answer: nobody knows, so nobody sends it again by itself."""
    with (
        patch.object(sending, "_sent", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        send(office, letter)
    assert now_of(office, letter).state == LetterState.SENDING
    assert letters_sweep() == 0
    assert now_of(office, letter).state == LetterState.SENDING
    with patch.object(sending, "_CLAIM_ENDS_AFTER", timedelta(0)):
        assert letters_sweep() == 0
    assert now_of(office, letter).state == LetterState.UNCERTAIN
    assert mail.received == []
    with as_(office.dora):
        assert letter_settle(letter.request.id, letter.id).state == LetterState.SENT
        with raises_code("audit.letter_state"):
            letter_retry(letter.request.id, letter.id)


def test_without_a_mail_server_no_letter_is_printed_into_a_log(
    office: Office, letter: Letter, settings: LazySettings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    assert send(office, letter) is LetterState.WAITING
    assert now_of(office, letter).problem == NO_SERVER
    assert NAME not in "".join(capsys.readouterr())
