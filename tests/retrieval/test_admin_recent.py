"""My recent questions: what the log tells a person of their own."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from apps.tenants.roles import Role
from tests.factories import Firm, make_member
from tests.retrieval.asking import ask
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db


def recent_rows(page: Page) -> list[str]:
    return [" ".join(row.text_content().split()) for row in page.tree.xpath("//*[@id='main']//tbody/tr")]


def test_my_questions_are_listed_newest_first_with_what_became_of_them(firm: Firm) -> None:
    alice = Visitor("alice")
    ask(alice)
    ask(alice, "and what about it?")
    ask(alice, "")
    rows = recent_rows(alice.open("recent_questions"))
    assert ["Not readable empty" in rows[0], "too vague to search" in rows[1], "Answered" in rows[2]] == [True] * 3
    assert "Performance" in rows[2]


def test_the_list_holds_no_question(firm: Firm) -> None:
    alice = Visitor("alice")
    ask(alice)
    assert "Alpha" not in alice.open("recent_questions").text


def test_nobody_else_s_questions_are_in_the_list(firm: Firm) -> None:
    ask(Visitor("alice"))
    page = Visitor("bob").open("recent_questions")
    assert recent_rows(page) == []
    assert "You have not asked anything yet." in page.text


def test_the_list_links_to_the_events_for_who_may_open_them(firm: Firm) -> None:
    for name, links in (("alice", 1), ("bob", 0)):
        visitor = Visitor(name)
        ask(visitor, scopes=["fund:alpha"])
        found = [link for link in visitor.open("recent_questions").links if "/audit/event/" in link]
        assert len(found) == links


@pytest.mark.slow
def test_a_long_list_has_pages(firm: Firm) -> None:
    alice = Visitor("alice")
    for _ in range(26):
        ask(alice, "")
    assert len(recent_rows(alice.open("recent_questions"))) == 25
    assert len(recent_rows(alice.open("recent_questions", page=2))) == 1


@pytest.mark.parametrize("name", ["ask", "recent_questions"])
def test_both_pages_are_in_the_sidebar_of_who_may_ask(firm: Firm, name: str) -> None:
    make_member(firm, "charlie", Role.AUDITOR)
    address = reverse(f"admin:{name}")
    shown: dict[str, Any] = {who: address in Visitor(who).open("index").sidebar for who in ("bob", "charlie")}
    assert shown == {"bob": True, "charlie": False}
