"""Questions that no intent recognised: what the log tells of them, and what can be made of one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
import time_machine
from django.template.loader import render_to_string
from django.test import RequestFactory
from django.urls import reverse
from django.utils import timezone
from lxml import html

from apps.audit.selectors import payloads_of
from apps.audit.services import record
from apps.retrieval.events import ANSWERED
from apps.retrieval.selectors import unrecognised
from apps.retrieval.selectors.unrecognised import unrecognised_question, unrecognised_questions
from apps.tenants.context import open_scope
from tests.factories import Firm, make_firm
from tests.retrieval.asking import ask, events
from tests.visitor import Page, Visitor

AT = datetime(2026, 1, 31, 12, tzinfo=UTC)
OUTSIDE = "Wie wird das Wetter morgen am Bodensee?"
KEPT = {
    "core": {"intent": "", "policy_version": 3, "recording_mode": "encrypted_text"},
    "question": {"text": "Who mows the lawn?", "length_chars": 18, "intent_reason": "Unrecognised: too low."},
}


def read(payload: dict[str, dict[str, Any]]) -> Any:
    return unrecognised_question(event_id=UUID(int=1), occurred_at=AT, payload=payload)


def rows(page: Page) -> list[str]:
    return [" ".join(row.text_content().split()) for row in page.tree.xpath("//tbody/tr")]


# --- One payload ------------------------------------------------------------------------------------------------------


def test_a_kept_text_is_read_with_its_reason() -> None:
    found = read(KEPT)
    assert (found.text, found.reason, found.length_chars) == ("Who mows the lawn?", "Unrecognised: too low.", 18)
    assert (found.policy_version, found.recording_mode) == (3, "encrypted_text")


def test_a_digest_alone_has_no_text_but_its_length_and_reason() -> None:
    found = read({**KEPT, "question": {"hmac_sha256": "0" * 64, "length_chars": 18, "intent_reason": "Too low."}})
    assert (found.text, found.reason, found.length_chars) == (None, "Too low.", 18)


def test_a_question_group_that_was_removed_leaves_the_event_and_no_more() -> None:
    found = read({"core": KEPT["core"]})
    assert (found.text, found.reason, found.length_chars) == (None, "", None)


@pytest.mark.parametrize("core", [{"intent": "performance"}, {}])
def test_a_recognised_question_and_one_of_which_nothing_is_known_are_not_among_them(core: dict[str, str]) -> None:
    assert read({**KEPT, "core": core}) is None


def test_a_record_without_its_core_is_not_among_them() -> None:
    assert read({"question": KEPT["question"]}) is None


@pytest.mark.parametrize("text", ["", "   ", 7, None])
def test_what_is_no_text_is_not_shown_as_one(text: object) -> None:
    assert read({**KEPT, "question": {**KEPT["question"], "text": text}}).text is None


# --- The log ----------------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_only_the_unrecognised_are_found_and_counted(firm: Firm) -> None:
    alice = Visitor("alice")
    ask(alice)
    ask(alice, OUTSIDE)
    with open_scope(tenant=firm.id, reason="a test"):
        found = unrecognised_questions(days=7)
    (event,) = [each for each in events(firm) if each.payload["core"]["intent"] == ""]
    assert [each.event_id for each in found.questions] == [event.id]
    assert (found.found, found.more, found.with_text, found.digest_only) == (1, 0, 0, 1)
    assert (found.looked_at, found.answered) == (2, 2)


@pytest.mark.django_db
def test_the_newest_come_first_and_what_is_not_shown_is_counted(firm: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unrecognised, "SHOWN", 2)
    monkeypatch.setattr(unrecognised, "LOOKED_AT", 3)
    monkeypatch.setattr(unrecognised, "_BATCH", 2)
    alice = Visitor("alice")
    for _ in range(4):
        ask(alice, OUTSIDE)
    with open_scope(tenant=firm.id, reason="a test"):
        found = unrecognised_questions(days=7)
    assert [each.event_id for each in found.questions] == [each.id for each in reversed(events(firm))][:2]
    assert (found.found, found.more, found.looked_at, found.answered) == (3, 1, 3, 4)


@pytest.mark.django_db
def test_a_text_that_was_kept_is_read_from_the_sealed_record(firm: Firm) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        record(action=ANSWERED, core=dict(KEPT["core"]), question=dict(KEPT["question"]))
        found = unrecognised_questions(days=7)
    assert [each.text for each in found.questions] == ["Who mows the lawn?"]
    assert (found.with_text, found.digest_only) == (1, 0)


@pytest.mark.django_db
def test_older_questions_need_the_longer_period(firm: Firm) -> None:
    alice = Visitor("alice")
    ask(alice, OUTSIDE)
    with time_machine.travel(timezone.now() + timedelta(days=10)), open_scope(tenant=firm.id, reason="a test"):
        assert [unrecognised_questions(days=days).found for days in (7, 30)] == [0, 1]


@pytest.mark.django_db
def test_another_tenant_s_questions_are_not_among_them(firm: Firm) -> None:
    ask(Visitor("alice"), OUTSIDE)
    bolt = make_firm("bolt")
    with open_scope(tenant=bolt.id, reason="a test"):
        assert unrecognised_questions(days=7).found == 0


# --- The page ---------------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_the_fragment_says_that_the_text_was_never_written_and_what_would_keep_it(firm: Firm) -> None:
    alice = Visitor("alice")
    ask(alice, OUTSIDE)
    (event,) = events(firm)
    with open_scope(tenant=firm.id, reason="a test"):
        reason = payloads_of([event])[event.id]["question"]["intent_reason"]
    page = alice.open("policy_unrecognised")
    (row,) = rows(page)
    assert "text not recorded" in row
    assert f"{len(OUTSIDE)} characters" in row
    assert " ".join(reason.split()) in row
    assert "Of 1 of them only a keyed hash was recorded" in page.text
    assert "recording mode “The encrypted text of the question”" in page.text
    assert "Bodensee" not in page.response.content.decode()
    assert reverse("admin:policy_example_add") not in page.response.content.decode()


@pytest.mark.django_db
def test_it_is_a_part_of_a_page_and_a_page_of_its_own(firm: Firm) -> None:
    alice = Visitor("alice")
    part, whole = alice.open("policy_unrecognised"), alice.open("policy_unrecognised", whole=1, days=30)
    assert part.sidebar == []
    assert "no-store" in part.response["Cache-Control"]
    assert whole.sidebar
    assert "last 30 days" in whole.text
    assert "None: every question" in whole.text


@pytest.mark.django_db
@pytest.mark.parametrize("days", ["8", "-1", "x", "9999999999"])
def test_a_period_that_is_not_offered_is_the_shorter_one(firm: Firm, days: str) -> None:
    assert "last 7 days" in Visitor("alice").open("policy_unrecognised", days=days).text


@pytest.mark.django_db
def test_who_may_not_read_the_log_is_refused(firm: Firm) -> None:
    page = Visitor("bob").open("policy_unrecognised")
    assert page.status == 403
    assert "Auditor" in page.text


def test_a_kept_text_can_be_made_an_example_by_who_may_edit_policies(rf: RequestFactory) -> None:
    """The page is drawn with a payload as the recording mode encrypted_text leaves it."""
    kept = unrecognised_question(event_id=uuid4(), occurred_at=AT, payload=KEPT)
    assert kept is not None
    drawn = {add_url: drawing(rf, kept, add_url) for add_url in (reverse("admin:policy_example_add"), "")}
    with_form, without = drawn.values()
    assert with_form.xpath("//form[@method='post']/input[@name='text']/@value") == ["Who mows the lawn?"]
    assert without.xpath("//form") == []
    assert "Who mows the lawn?" in without.text_content()
    assert not [link for tree in drawn.values() for link in tree.xpath("//@href | //@action") if "lawn" in link]


def drawing(rf: RequestFactory, question: unrecognised.UnrecognisedQuestion, add_url: str) -> html.HtmlElement:
    found = unrecognised.UnrecognisedQuestions(questions=(question,), found=1, with_text=1, looked_at=1, answered=1)
    context = {"found": found, "days": 7, "periods": (7, 30), "add_url": add_url, "page_url": "?whole=1"}
    return html.document_fromstring(render_to_string("glassbox/unrecognised.html", context, request=rf.get("/")))
