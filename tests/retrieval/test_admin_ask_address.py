"""Every answer has an address: asking leads to it, and opening it again never asks again."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import override_settings
from django.urls import reverse
from django.utils import timezone

from apps.audit.models import Event
from apps.corpus.models import Document
from apps.erasure.models import Because, Restriction
from apps.intents.contracts import RecordingMode
from apps.retrieval.events import SHARED, UNSHARED
from apps.retrieval.kept.history import forget_tenant
from apps.retrieval.models import KeptAnswer
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.factories import Firm, make_member
from tests.retrieval.asking import ALL, QUESTION, ask, events, keep_history
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db


def address_of(firm: Firm) -> str:
    return reverse("admin:ask_answer", args=[events(firm)[-1].id])


def opened(visitor: Visitor, address: str) -> Page:
    return Page(visitor.get(address))


def restrict_all(firm: Firm) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        for document in Document.objects.all():
            Restriction.objects.create(
                tenant_id=firm.id,
                scope_id=document.scope_id,
                document_id=document.id,
                because=Because.REQUEST,
                because_id=uuid4(),
            )


# --- For some minutes -----------------------------------------------------------------------------------------------


def test_a_question_leads_to_the_address_of_its_event(firm: Firm) -> None:
    sent = Visitor("alice").send("ask", question=QUESTION, scopes=ALL)
    assert (sent.status, sent.location) == (302, address_of(firm))


def test_the_address_names_no_word_of_the_question(firm: Firm) -> None:
    assert "Alpha" not in Visitor("alice").send("ask", question=QUESTION, scopes=ALL).location


def test_loading_the_page_again_asks_nothing(firm: Firm) -> None:
    alice = Visitor("alice")
    ask(alice)
    again = opened(alice, address_of(firm))
    assert "12.5 %" in again.tree.get_element_by_id("answer").text_content()
    assert "How this answer came about" in again.text
    assert len(events(firm)) == 1


def test_the_form_above_it_holds_the_question_and_its_scopes(firm: Firm) -> None:
    alice = Visitor("alice")
    page = ask(alice, scopes=["fund:alpha"])
    assert page.tree.get_element_by_id("id_question").text.strip() == QUESTION
    assert page.tree.xpath("//input[@name='scopes'][@checked]/@value") == ["fund:alpha"]


def test_a_citation_names_the_way_back(firm: Firm) -> None:
    page = ask(Visitor("alice"))
    (link,) = {each for each in page.links if "answer=" in each and "page=1" in each}
    assert address_of(firm) in link.replace("%2F", "/")


def test_another_session_of_the_same_person_finds_what_became_of_it(firm: Firm) -> None:
    ask(Visitor("alice"))
    page = opened(Visitor("alice"), address_of(firm))
    assert page.status == 200
    assert "not kept any more" in page.text
    assert "12.5 %" not in page.text
    assert QUESTION not in page.text


def test_what_lies_in_redis_can_t_be_read_without_the_session(firm: Firm) -> None:
    ask(Visitor("alice"))
    (event,) = events(firm)
    raw = cache.get(f"answer:{firm.id}:{event.actor_id}:{event.id}")
    assert set(raw) == {"scopes", "documents", "sealed"}
    assert b"Alpha" not in raw["sealed"]


@pytest.mark.parametrize("who", ["bob", "charlie"])
def test_somebody_else_finds_what_an_unknown_address_gives(firm: Firm, who: str) -> None:
    make_member(firm, "charlie", Role.COMPLIANCE_OFFICER)
    ask(Visitor("alice"))
    found, unknown = opened(Visitor(who), address_of(firm)), Visitor(who).open("ask_answer", uuid4())
    assert (found.status, unknown.status) == (404, 404)
    assert found.text == unknown.text


def test_a_role_that_may_not_ask_is_refused(firm: Firm) -> None:
    make_member(firm, "charlie", Role.AUDITOR)
    ask(Visitor("alice"))
    assert opened(Visitor("charlie"), address_of(firm)).status == 403


def test_an_answer_from_a_document_that_may_not_be_read_any_more_is_not_shown(firm: Firm) -> None:
    alice = Visitor("alice")
    ask(alice)
    restrict_all(firm)
    page = opened(alice, address_of(firm))
    assert "12.5 %" not in page.text
    assert "can't be shown" in page.text


def test_without_redis_the_answer_is_shown_at_once_and_says_that_it_has_no_page(firm: Firm) -> None:
    nowhere = {"default": {**settings.CACHES["default"], "LOCATION": "redis://127.0.0.1:1/0"}}
    alice = Visitor("alice")
    with override_settings(CACHES=nowhere):
        page = ask(alice)
    assert page.status == 200
    assert "12.5 %" in page.text
    assert "no page of its own" in page.text


# --- In one's history -----------------------------------------------------------------------------------------------


def test_as_shipped_nothing_is_kept(firm: Firm) -> None:
    ask(Visitor("alice"))
    with open_scope(tenant=firm.id, reason="a test"):
        assert not KeptAnswer.objects.exists()


def test_where_the_policy_says_so_the_answer_is_there_in_another_session(firm: Firm) -> None:
    keep_history(firm, 30)
    ask(Visitor("alice"))
    page = opened(Visitor("alice"), address_of(firm))
    assert "12.5 %" in page.tree.get_element_by_id("answer").text_content()
    assert QUESTION in page.text
    assert "Show the passage" not in page.text


def test_the_text_lies_sealed_in_the_table(firm: Firm) -> None:
    keep_history(firm, 30)
    ask(Visitor("alice"))
    with open_scope(tenant=firm.id, reason="a test"):
        (row,) = KeptAnswer.objects.all()
    assert b"Alpha" not in bytes(row.sealed)
    assert timedelta(days=29) < row.expires_at - timezone.now() <= timedelta(days=30)
    assert row.document_ids


def test_after_its_days_the_answer_is_gone(firm: Firm) -> None:
    keep_history(firm, 30)
    ask(Visitor("alice"))
    with open_scope(tenant=firm.id, reason="a test"):
        (row,) = KeptAnswer.objects.all()
        assert forget_tenant(firm.id) == 0
    later = timezone.now() + timedelta(days=31)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("apps.retrieval.kept.history.timezone.now", lambda: later)
        assert forget_tenant(firm.id) == 1
    with open_scope(tenant=firm.id, reason="a test"):
        assert not KeptAnswer.objects.filter(id=row.id).exists()


def test_my_questions_show_what_is_kept(firm: Firm) -> None:
    keep_history(firm, 30)
    alice = Visitor("alice")
    ask(alice)
    page = alice.open("recent_questions")
    assert QUESTION in page.text
    assert "12.5 %" in page.text
    assert address_of(firm) in page.links


@pytest.mark.parametrize("mode", RecordingMode)
def test_my_questions_show_the_text_only_where_the_log_keeps_it(firm: Firm, mode: RecordingMode) -> None:
    keep_history(firm, 0, mode=mode)
    alice = Visitor("alice")
    ask(alice)
    page = alice.open("recent_questions")
    assert ("words not kept" in page.text, QUESTION in page.text) == (
        mode is RecordingMode.HASH_ONLY,
        mode is RecordingMode.ENCRYPTED_TEXT,
    )


# --- Sharing --------------------------------------------------------------------------------------------------------


def share(visitor: Visitor, firm: Firm, shared: str = "1") -> Page:
    return visitor.send("ask_share", events(firm)[-1].id, shared=shared)


def test_who_holds_the_scopes_reads_an_answer_only_while_it_is_shared(firm: Firm) -> None:
    keep_history(firm, 30)
    make_member(firm, "charlie", Role.ANALYST)
    alice, charlie = Visitor("alice"), Visitor("charlie")
    ask(alice)
    found = []
    for shared in ("1", "0"):
        found.append(opened(charlie, address_of(firm)).status)
        share(alice, firm, shared)
        found.append(opened(charlie, address_of(firm)).status)
    assert found == [404, 200, 200, 404]
    assert [len(events(firm, action)) for action in (SHARED, UNSHARED)] == [1, 1]


def test_who_reads_a_shared_answer_is_told_whose_it_is_and_can_t_ask_from_there(firm: Firm) -> None:
    keep_history(firm, 30)
    make_member(firm, "charlie", Role.ANALYST)
    alice = Visitor("alice")
    ask(alice)
    share(alice, firm)
    page = opened(Visitor("charlie"), address_of(firm))
    assert "alice asked this" in page.text
    assert "12.5 %" in page.text
    assert not page.tree.xpath("//form[@id='ask-form'] | //*[@id='way']")


def test_who_lacks_a_scope_does_not_read_a_shared_answer(firm: Firm) -> None:
    keep_history(firm, 30)
    alice = Visitor("alice")
    ask(alice)
    share(alice, firm)
    assert opened(Visitor("bob"), address_of(firm)).status == 404


def test_a_shared_answer_from_a_restricted_document_is_not_shown(firm: Firm) -> None:
    keep_history(firm, 30)
    make_member(firm, "charlie", Role.ANALYST)
    alice = Visitor("alice")
    ask(alice)
    share(alice, firm)
    restrict_all(firm)
    page = opened(Visitor("charlie"), address_of(firm))
    assert "12.5 %" not in page.text
    assert QUESTION not in page.text


def test_nobody_shares_somebody_else_s_answer_or_one_that_is_not_kept(firm: Firm) -> None:
    make_member(firm, "charlie", Role.ANALYST)
    alice = Visitor("alice")
    ask(alice)
    assert share(alice, firm).status == 404
    with open_scope(tenant=firm.id, reason="a test"):
        assert not Event.objects.filter(action=SHARED).exists()


def test_sharing_twice_is_recorded_once(firm: Firm) -> None:
    keep_history(firm, 30)
    alice = Visitor("alice")
    ask(alice)
    share(alice, firm)
    share(alice, firm)
    assert len(events(firm, SHARED)) == 1
