"""A question without an answer goes to the officers with its asker's consent, and comes back decided."""

from __future__ import annotations

from datetime import timedelta
from smtplib import SMTPException
from typing import Any
from uuid import uuid4

import pytest
from django.core import mail
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from apps.intents.selectors import policy_in_force
from apps.intents.services.examples import golden_example_add
from apps.retrieval.errors import SendingError
from apps.retrieval.events import SENT, SENT_DECIDED, TAKEN_BACK
from apps.retrieval.models import SentQuestion, SentState
from apps.retrieval.sent.services import forget_decided, question_send
from apps.tenants.context import open_scope
from apps.tenants.models import Membership, Tenant, User
from apps.tenants.roles import Role
from apps.tenants.services.members import membership_revoke
from tests.factories import Firm, as_, make_key, make_member
from tests.retrieval.asking import ask, events
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db

# Bob reaches the fund alpha alone; nothing in it tells of this.
REFUSED = "What was the maximum drawdown of the Omega Fund in the second quarter of 1999?"


@pytest.fixture
def refused(firm: Firm) -> Firm:
    """Bob has asked and got no answer; Alice is an officer of all scopes."""
    page = ask(Visitor("bob"), REFUSED, scopes=["fund:alpha"])
    assert "Closest passages" in page.text
    return firm


def send(visitor: Visitor, firm: Firm, **fields: Any) -> Page:
    return visitor.send("ask_send", events(firm)[-1].id, **{"text": REFUSED, "consent": "on", **fields})


def own_page(firm: Firm, who: str = "bob") -> Page:
    return Visitor(who).open("ask_answer", events(firm)[-1].id)


def sent(firm: Firm) -> SentQuestion:
    with open_scope(tenant=firm.id, reason="a test"):
        found: SentQuestion = SentQuestion.objects.get()
        return found


def decide(visitor: Visitor, firm: Firm, decision: str, reply: str = "") -> Page:
    return visitor.send("sent_question", sent(firm).id, decision=decision, reply=reply)


# --- Sending --------------------------------------------------------------------------------------------------------


def test_a_refusal_offers_to_be_sent_and_an_answer_does_not(firm: Firm) -> None:
    answered, refused = ask(Visitor("alice")), ask(Visitor("bob"), REFUSED, scopes=["fund:alpha"])
    assert not answered.tree.xpath("//*[@id='sent']")
    assert refused.tree.xpath("//*[@id='sent']//input[@name='consent']")
    # The session still has the question.
    assert not refused.tree.xpath("//*[@id='sent']//textarea[@name='text']")


def test_a_question_that_was_refused_outright_is_sent_as_well(firm: Firm) -> None:
    bob, vague = Visitor("bob"), "and what about it?"
    assert "Refused" in ask(bob, vague, scopes=["fund:alpha"]).text
    assert send(bob, firm, text=vague).status == 302


def test_what_is_sent_lies_sealed_and_is_recorded_without_its_words(refused: Firm) -> None:
    assert send(Visitor("bob"), refused, note="For the board.").status == 302
    row = sent(refused)
    assert b"Omega" not in bytes(row.sealed)
    (event,) = events(refused, SENT)
    assert "Omega" not in str(event.__dict__["payload"])


def test_the_officers_are_written_to_without_its_words(refused: Firm, django_capture_on_commit_callbacks: Any) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        send(Visitor("bob"), refused)
    assert [message.to for message in mail.outbox] == [["alice@example.com"]]
    assert "Omega" not in mail.outbox[0].body


def test_without_consent_nothing_is_sent_and_the_note_stays_in_the_form(refused: Firm) -> None:
    page = send(Visitor("bob"), refused, consent="", note="For the board.")
    assert page.status == 422
    assert "Agree that the officers" in page.errors_of("consent")
    assert page.tree.xpath("//textarea[@name='note']")[0].text.strip() == "For the board."
    assert not events(refused, SENT)


def test_a_question_whose_words_are_gone_is_entered_again_word_for_word(refused: Firm) -> None:
    cache.clear()
    assert own_page(refused).tree.xpath("//*[@id='sent']//textarea[@name='text']")
    page = send(Visitor("bob"), refused, text="What was the drawdown?")
    assert page.status == 422
    assert "not the question that you asked" in page.errors_of("text")
    assert send(Visitor("bob"), refused).status == 302


def test_nobody_sends_somebody_else_s_question(refused: Firm) -> None:
    assert send(Visitor("alice"), refused).status == 404
    assert Visitor("bob").send("ask_send", uuid4(), consent="on").status == 404


def test_a_question_is_sent_once(refused: Firm) -> None:
    send(Visitor("bob"), refused)
    page = send(Visitor("bob"), refused)
    assert page.status == 409
    assert len(events(refused, SENT)) == 1


def test_an_answered_question_is_not_sent(firm: Firm) -> None:
    alice = Visitor("alice")
    ask(alice)
    assert send(alice, firm).status == 409


def test_what_was_sent_can_be_taken_back_and_is_gone(refused: Firm) -> None:
    bob = Visitor("bob")
    send(bob, refused)
    assert bob.send("ask_take_back", events(refused)[-1].id).status == 302
    with open_scope(tenant=refused.id, reason="a test"):
        assert not SentQuestion.objects.exists()
    assert len(events(refused, TAKEN_BACK)) == 1
    assert bob.send("ask_take_back", events(refused)[-1].id).status == 404


# --- The inbox ------------------------------------------------------------------------------------------------------


def test_an_officer_sees_question_who_note_intent_and_why(refused: Firm) -> None:
    send(Visitor("bob"), refused, note="For the board.")
    alice = Visitor("alice")
    listed = alice.open("sent_inbox")
    assert REFUSED in listed.text
    assert "1 waiting" in listed.text
    page = alice.open("sent_question", sent(refused).id)
    for said in (REFUSED, "bob", "For the board.", "Performance", "version 1"):
        assert said in page.text
    assert all(alice.get(link).status_code == 200 for link in page.links)


@pytest.mark.parametrize("role", [Role.ANALYST, Role.AUDITOR, Role.TENANT_ADMIN, Role.REVIEWER])
def test_nobody_but_an_officer_opens_the_inbox(refused: Firm, role: Role) -> None:
    make_member(refused, "charlie", role)
    send(Visitor("bob"), refused)
    charlie = Visitor("charlie")
    assert charlie.open("sent_inbox").status == 403
    assert charlie.open("sent_question", sent(refused).id).status == 403
    assert reverse("admin:sent_inbox") not in charlie.open("index").sidebar


def test_an_officer_of_another_scope_sees_nothing(refused: Firm) -> None:
    make_member(refused, "olga", Role.COMPLIANCE_OFFICER, scopes=["fund:beta"])
    send(Visitor("bob"), refused)
    olga = Visitor("olga")
    assert "None: nobody has sent" in olga.open("sent_inbox").text
    assert olga.open("sent_question", sent(refused).id).status == 404
    assert decide(olga, refused, "withheld").status == 404


def test_an_answer_reaches_who_asked(refused: Firm) -> None:
    send(Visitor("bob"), refused)
    assert decide(Visitor("alice"), refused, "answered", "Ask the fund's manager.").status == 302
    assert "Ask the fund's manager." in own_page(refused).text
    assert "Ask the fund's manager." in Visitor("bob").open("recent_questions").text
    (event,) = events(refused, SENT_DECIDED)
    assert event.__dict__["payload"]["core"]["decision"] == "answered"


def test_who_asked_is_written_to_without_the_words(refused: Firm, django_capture_on_commit_callbacks: Any) -> None:
    send(Visitor("bob"), refused)
    with django_capture_on_commit_callbacks(execute=True):
        decide(Visitor("alice"), refused, "answered", "Ask the fund's manager.")
    assert [message.to for message in mail.outbox] == [["bob@example.com"]]
    assert "Acme" in mail.outbox[0].subject
    assert "manager" not in mail.outbox[0].body


def test_who_is_no_member_any_more_is_not_written_to(refused: Firm, django_capture_on_commit_callbacks: Any) -> None:
    send(Visitor("bob"), refused)
    with open_scope(tenant=refused.id, reason="a test"):
        membership_revoke(Membership.objects.get(user__username="bob"))
    with django_capture_on_commit_callbacks(execute=True):
        decide(Visitor("alice"), refused, "withheld")
    assert mail.outbox == []


@pytest.mark.parametrize(
    "failure", [OSError("down"), SMTPException("no"), ValueError("odd"), UnicodeEncodeError("a", "b", 0, 1, "c")]
)
def test_a_letter_that_can_not_be_sent_loses_no_decision(
    refused: Firm, failure: Exception, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise failure

    send(Visitor("bob"), refused)
    monkeypatch.setattr("apps.tenants.notices.EmailMessage.send", fail)
    with django_capture_on_commit_callbacks(execute=True):
        decide(Visitor("alice"), refused, "withheld")
    assert sent(refused).state == SentState.WITHHELD


def test_a_name_of_two_lines_adds_no_header(
    refused: Firm, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    send(Visitor("bob"), refused)
    tenant = Tenant(id=refused.id, name="Acme\r\nBcc: x@example.com")
    monkeypatch.setattr("apps.retrieval.sent.services.current_tenant", lambda: tenant)
    with django_capture_on_commit_callbacks(execute=True):
        decide(Visitor("alice"), refused, "withheld")
    (message,) = mail.outbox
    assert (
        message.message()["Subject"] == "An officer has decided on a question that you sent in Acme Bcc: x@example.com"
    )
    assert message.message()["Bcc"] is None


def test_whose_account_is_closed_is_not_written_to(refused: Firm, django_capture_on_commit_callbacks: Any) -> None:
    send(Visitor("bob"), refused)
    bob = User.objects.get_by_natural_key("bob")
    bob.is_active = False
    bob.save(update_fields=["is_active"])
    with django_capture_on_commit_callbacks(execute=True):
        decide(Visitor("alice"), refused, "withheld")
    assert mail.outbox == []


def test_an_answer_needs_words(refused: Firm) -> None:
    send(Visitor("bob"), refused)
    page = decide(Visitor("alice"), refused, "answered", "  ")
    assert page.status == 422
    assert "Enter the answer" in page.errors_of("reply")
    assert sent(refused).state == SentState.SENT


@pytest.mark.parametrize("decision", ["missing", "withheld"])
def test_the_other_decisions_need_none(refused: Firm, decision: str) -> None:
    send(Visitor("bob"), refused)
    assert decide(Visitor("alice"), refused, decision).status == 302
    assert SentState(decision).label in own_page(refused).text


def test_it_is_an_example_once_a_draft_has_it(refused: Firm) -> None:
    send(Visitor("bob"), refused)
    alice = Visitor("alice")
    page = decide(alice, refused, "example")
    assert page.status == 422
    assert "Make it one first" in page.errors_of("decision")
    olivia = make_member(refused, "olivia", Role.COMPLIANCE_OFFICER)
    with as_(olivia):
        intent = policy_in_force().intents[0].name
        golden_example_add(text=REFUSED, intent=intent, draft_id=None, reason="Somebody asked.")
    assert decide(alice, refused, "example").status == 302
    assert "Made a review example" in own_page(refused).text


def test_a_decision_is_made_once(refused: Firm) -> None:
    send(Visitor("bob"), refused)
    alice = Visitor("alice")
    decide(alice, refused, "withheld")
    page = decide(alice, refused, "answered", "Something else.")
    assert "Something else." not in own_page(refused).text
    assert page.status == 422
    assert not alice.open("sent_question", sent(refused).id).tree.xpath("//*[@id='decision']")
    assert len(events(refused, SENT_DECIDED)) == 1


def test_what_is_decided_goes_after_ninety_days(refused: Firm) -> None:
    send(Visitor("bob"), refused)
    later = timezone.now() + timedelta(days=91)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("apps.retrieval.sent.services.timezone.now", lambda: later)
        assert forget_decided(refused.id) == 0
    decide(Visitor("alice"), refused, "withheld")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("apps.retrieval.sent.services.timezone.now", lambda: later)
        assert forget_decided(refused.id) == 1


def test_the_tenant_s_own_key_has_no_question_to_send(refused: Firm) -> None:
    principal, _ = make_key(refused)
    with as_(principal), pytest.raises(SendingError, match="no question of this id"):
        question_send(events(refused)[-1].id, text=REFUSED, note="", consent=True)
