"""Below an answer a follow-up is asked. The page holds ids of answers, and the words come from where they are kept."""

from __future__ import annotations

import pytest
from django.core.cache import cache

from apps.intents.contracts import RecordingMode
from apps.retrieval.admin.ask_earlier import NOT_KEPT
from tests.factories import Firm
from tests.retrieval.asking import ALL, QUESTION, ask, events, keep_history, steps
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db

BETA = QUESTION.replace("Alpha", "Beta")
FOLLOW_UP = "And of the Alpha Fund?"


def follow(visitor: Visitor, page: Page, question: str = FOLLOW_UP) -> Page:
    """Ask below an answer, and follow to the page of the new one."""
    fields = {"after": after(page), "scopes": scopes(page), "question": question}
    sent = visitor.send("ask", **fields)
    return Page(visitor.get(sent.location)) if sent.status == 302 else sent


def after(page: Page) -> list[str]:
    return page.tree.xpath("//form[contains(@class, 'ask-follow-up')]/input[@name='after']/@value")


def scopes(page: Page) -> list[str]:
    return page.tree.xpath("//form[contains(@class, 'ask-follow-up')]/input[@name='scopes']/@value")


def read_as(page: Page) -> str:
    return " ".join(" ".join(page.tree.xpath("//*[contains(@class, 'ask-read-as')]//text()")).split())


def test_an_answer_says_how_a_follow_up_was_read(firm: Firm) -> None:
    alice = Visitor("alice")
    page = follow(alice, ask(alice, BETA))
    assert read_as(page) == f"You asked “{FOLLOW_UP}”, after an earlier question. Read as: {QUESTION}"
    assert "12.5 %" in page.tree.get_element_by_id("answer").text_content()
    assert page.tree.get_element_by_id("id_question").text.strip() == QUESTION
    assert f"Read with an earlier question as: {QUESTION}" in steps(page)["validate"]


def test_a_question_that_stands_by_itself_is_not_said_to_be_read_otherwise(firm: Firm) -> None:
    alice = Visitor("alice")
    assert read_as(follow(alice, ask(alice, BETA), QUESTION)) == ""


def test_a_conversation_goes_on(firm: Firm) -> None:
    alice = Visitor("alice")
    second = follow(alice, ask(alice, BETA))
    third = follow(alice, second, "And of the Beta Fund?")
    assert len(after(third)) == 3
    assert after(third)[:2] == after(second)
    assert f"Read as: {BETA}" in read_as(third)
    listed = [each.strip() for each in third.tree.xpath("//ol[@class='ask-earlier']/li//text()") if each.strip()]
    assert listed == [BETA, QUESTION, BETA]


def test_no_address_names_a_word_of_a_question(firm: Firm) -> None:
    alice = Visitor("alice")
    page = ask(alice, BETA)
    sent = alice.send("ask", after=after(page), scopes=ALL, question=FOLLOW_UP)
    assert sent.location.endswith(f"?after={events(firm)[0].id}")


def test_the_scopes_of_the_answer_are_searched(firm: Firm) -> None:
    alice = Visitor("alice")
    page = ask(alice, scopes=["fund:alpha"])
    assert scopes(page) == ["fund:alpha"]
    assert "3.3 %" not in follow(alice, page, "And of the Beta Fund?").tree.get_element_by_id("answer").text_content()


def test_somebody_elses_question_is_never_read(firm: Firm) -> None:
    ask(Visitor("alice"), BETA)
    bob = Visitor("bob")
    sent = bob.send("ask", after=[str(events(firm)[0].id)], scopes=["fund:alpha"], question=FOLLOW_UP)
    assert (sent.status, NOT_KEPT in sent.text) == (422, True)
    assert BETA not in sent.text
    # The control: the same of one's own.
    own = ask(bob, BETA, scopes=["fund:alpha"])
    assert f"Read as: {QUESTION}" in read_as(follow(bob, own))


def test_another_session_has_no_words_unless_the_policy_keeps_a_history(firm: Firm) -> None:
    ask(Visitor("alice"), BETA)
    address = f"/admin/ask/{events(firm)[0].id}/"
    assert after(Page(Visitor("alice").get(address))) == []
    keep_history(firm, 30)
    ask(Visitor("alice"), BETA)
    other = Visitor("alice")
    page = Page(other.get(f"/admin/ask/{events(firm)[-1].id}/"))
    assert f"Read as: {QUESTION}" in read_as(follow(other, page))


def test_what_is_not_kept_any_more_is_said_in_its_place_and_nothing_is_asked(firm: Firm) -> None:
    alice = Visitor("alice")
    page = ask(alice, BETA)
    cache.clear()
    sent = follow(alice, page)
    assert (sent.status, NOT_KEPT in sent.text) == (422, True)
    assert sent.tree.get_element_by_id("id_question").text.strip() == FOLLOW_UP
    assert len(events(firm)) == 1


def test_the_log_has_the_words_that_were_asked_where_the_policy_records_words(firm: Firm) -> None:
    keep_history(firm, 30, mode=RecordingMode.ENCRYPTED_TEXT)
    alice = Visitor("alice")
    follow(alice, ask(alice, BETA))
    told = events(firm)[-1].__dict__["payload"]
    assert told["question"]["text"] == QUESTION
    assert told["core"]["earlier_questions"] == {"sent": 1, "read_with": True, "unclear": False}
    assert FOLLOW_UP not in str(told)


@pytest.mark.parametrize(
    "id", ["", "x", "'; --", "00000000-0000-0000-0000-000000000000", "01a2284a-5518-76ea-8e12-266e8e472dda"]
)
def test_an_id_of_nothing_reads_nothing(firm: Firm, id: str) -> None:
    alice = Visitor("alice")
    ask(alice, BETA)
    page = Page(alice.get(f"/admin/ask/{events(firm)[0].id}/?after={id}"))
    assert after(page) == [str(events(firm)[0].id)]


def test_the_form_keeps_what_it_follows_from_when_the_question_is_refused(firm: Firm) -> None:
    alice = Visitor("alice")
    page = ask(alice, BETA)
    sent = follow(alice, page, "")
    assert sent.status == 400
    assert sent.tree.xpath("//form[@id='ask-form']/input[@name='after']/@value") == after(page)
    assert "Start anew" in sent.text
