"""The Ask page: a question, the answer, and the whole way of it, as the people of a firm see them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import transaction
from django.test import override_settings
from django.urls import reverse

from apps.retrieval.trace import Stage
from apps.tenants.roles import Role
from tests.corpus.ingesting import short_profile
from tests.factories import Firm, make_member
from tests.grounds import for_one_test
from tests.model_server import ModelServer
from tests.retrieval.asking import ALL, QUESTION, ask, events, steps
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """Alice's and Bob's page for the same question, Alice's event, and what the links of her page answer."""

    alice: Page
    bob: Page
    event_id: str
    opened: dict[str, Page]


@pytest.fixture(scope="module")
def answered(shared_firm: Firm, django_db_blocker: Any) -> Answered:
    """One question for all tests that only read the page; nothing of it stays in the database."""
    with (
        django_db_blocker.unblock(),
        ModelServer() as running,
        override_settings(GLASSBOX_EMBEDDING_PROFILES={"local": short_profile(running)}),
        transaction.atomic(),
    ):
        firm = for_one_test(shared_firm)
        alice = Visitor("alice")
        page = ask(alice)
        (event,) = events(firm)
        links = {link.split("#")[0] for link in page.links if link.startswith("/admin/")}
        found = Answered(
            alice=page,
            bob=ask(Visitor("bob"), scopes=["fund:alpha"]),
            event_id=str(event.id),
            opened={link: Page(alice.get(link)) for link in links},
        )
        transaction.set_rollback(True)
    return found


# --- The form -------------------------------------------------------------------------------------------------------


def test_all_scopes_that_the_person_holds_are_ticked_at_first(firm: Firm) -> None:
    ticked = Visitor("alice").open("ask").tree.xpath("//input[@name='scopes'][@checked]/@value")
    assert ticked == ALL


def test_a_scope_that_the_person_does_not_hold_is_not_offered(firm: Firm) -> None:
    assert Visitor("bob").open("ask").tree.xpath("//input[@name='scopes']/@value") == ["fund:alpha"]


def test_a_question_in_the_address_is_not_taken(firm: Firm) -> None:
    assert QUESTION not in Visitor("alice").open("ask", question=QUESTION).text


@pytest.mark.parametrize("role", [Role.AUDITOR, Role.DPO])
def test_a_role_that_may_not_ask_is_refused(firm: Firm, role: Role) -> None:
    make_member(firm, "charlie", role)
    page = ask(Visitor("charlie"))
    assert page.status == 403
    assert "question.ask" in page.text


def test_a_role_that_may_not_ask_leaves_no_question_in_the_log(firm: Firm) -> None:
    make_member(firm, "charlie", Role.AUDITOR)
    ask(Visitor("charlie"))
    assert events(firm) == []


def test_nobody_asks_without_signing_in(firm: Firm) -> None:
    page = ask(Visitor())
    assert page.status == 302
    assert "/login/" in page.location


# --- The answer -----------------------------------------------------------------------------------------------------


def test_the_answer_comes_with_its_state_and_its_quote(answered: Answered) -> None:
    answer = answered.alice.tree.get_element_by_id("answer").text_content()
    assert answered.alice.status == 200
    assert "Grounded" in answer
    assert "12.5 %" in answer


def test_a_citation_leads_to_the_page_with_the_quote_marked(answered: Answered) -> None:
    address = answered.alice.tree.xpath("//li[@id='citation-1']//h3/a/@href")[0].split("#")[0]
    marked = answered.opened[address].tree.get_element_by_id("quote").text_content()
    assert "The maximum drawdown of the Alpha Fund in the fourth quarter was 12.5 %." in marked


def test_a_citation_shows_its_passage_with_the_quote_marked(answered: Answered) -> None:
    assert "12.5 %" in answered.alice.tree.xpath("//li[@id='citation-1']//mark")[0].text_content()


def test_a_mark_in_the_answer_leads_to_its_citation(answered: Answered) -> None:
    tree = answered.alice.tree
    targets = tree.xpath("//*[@id='answer']//a[contains(@class, 'ask-mark')]/@href")
    assert targets
    assert all(tree.get_element_by_id(target.removeprefix("#")) is not None for target in targets)


def test_the_event_is_recorded_and_its_id_shown(answered: Answered) -> None:
    shown = answered.alice.tree.xpath("//*[@id='answer']//button[@data-copy]/@data-copy")
    assert shown == [answered.event_id]


def test_who_may_read_the_log_gets_a_link_to_the_event(answered: Answered) -> None:
    assert reverse("admin:audit_event_change", args=[answered.event_id]) in answered.opened


def test_who_may_not_read_the_log_gets_no_link_that_would_be_refused(answered: Answered) -> None:
    assert answered.bob.status == 200
    assert not [link for link in answered.bob.links if "/audit/" in link]


def test_every_link_of_the_answer_opens(answered: Answered) -> None:
    assert {link: page.status for link, page in answered.opened.items()} == dict.fromkeys(answered.opened, 200)


def test_neither_question_nor_answer_is_kept_by_a_cache(answered: Answered) -> None:
    assert "no-store" in answered.alice.response.headers["Cache-Control"]


def test_the_question_stands_in_no_address(answered: Answered) -> None:
    addresses = answered.alice.tree.xpath("//@href | //@action | //@src")
    assert not [address for address in addresses if "drawdown" in address.lower()]


def test_the_question_stays_in_the_box(answered: Answered) -> None:
    assert answered.alice.tree.get_element_by_id("id_question").text.strip() == QUESTION


def test_what_a_document_or_a_question_says_never_runs(firm: Firm) -> None:
    page = ask(Visitor("alice"), "What did Bob say of figures in the Alpha Fund: <script>alert(1)</script>?")
    assert [script for script in page.tree.xpath("//script") if "alert(" in (script.text or "")] == []
    assert "<script>alert" in page.text


def test_the_page_brings_no_script_and_no_style_of_its_own_in_the_text(answered: Answered) -> None:
    content = answered.alice.tree.get_element_by_id("content")
    assert content.xpath(".//script | .//style | .//@style | .//@*[starts-with(name(), 'on')]") == []


# --- The way --------------------------------------------------------------------------------------------------------


def test_all_seventeen_stages_are_shown_in_their_order(answered: Answered) -> None:
    assert list(steps(answered.alice)) == [stage.value for stage in Stage]


def test_the_gate_shows_what_is_permitted_and_what_is_withheld(answered: Answered) -> None:
    gate = answered.alice.tree.get_element_by_id("step-gate")
    kinds = [" ".join(kind.text_content().split()) for kind in gate.xpath(".//li")]
    assert "check Past runs, permitted" in kinds
    assert "lock Compliance profiles, withheld" in kinds
    assert len(kinds) == 10


def test_what_is_withheld_is_in_no_ranking(answered: Answered) -> None:
    found = steps(answered.alice)
    assert "Beta Fund" in found["sparse"]
    assert "Compliance profiles" not in found["sparse"] + found["fuse"]


def test_the_intent_is_explained_by_the_nearest_examples(answered: Answered) -> None:
    words = steps(answered.alice)["classify"]
    assert "The question is about: Performance." in words
    assert "Nearest review examples" in words


def test_both_rankings_and_their_fusion_name_the_passage(answered: Answered) -> None:
    found = steps(answered.alice)
    assert "cosine_similarity" in found["sparse"]
    assert "bm25_score" in found["sparse"]
    assert "rrf_score" in found["fuse"]
    assert "Cited 1" in found["fuse"]


def test_a_stage_for_which_nothing_is_chosen_says_so(answered: Answered) -> None:
    assert "Nothing is chosen here: passed on unchanged." in steps(answered.alice)["rerank"]
    assert "Not configured" not in answered.alice.text


def test_the_context_is_shown_to_the_byte(answered: Answered) -> None:
    step = answered.alice.tree.get_element_by_id("step-assemble")
    text = step.xpath(".//pre")[0].text_content()
    assert step.xpath(".//button[@data-copy]/@data-copy") == [hashlib.sha256(text.encode()).hexdigest()]


def test_every_permitted_kind_has_its_budget(answered: Answered) -> None:
    words = steps(answered.alice)["assemble"]
    assert all(f"{label} " in words for label in ("Funds", "Past runs", "Dataset notes", "The whole context"))


def test_every_claim_is_listed_with_the_citation_that_supports_it(answered: Answered) -> None:
    assert "Citation 1:" in steps(answered.alice)["ground"]


def test_the_time_of_every_stage_that_ran_is_drawn(answered: Answered) -> None:
    assert len(answered.alice.tree.xpath("//*[@id='latency']//tbody/tr")) == 15
