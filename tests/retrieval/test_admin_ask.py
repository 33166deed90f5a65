"""The Ask page: a question, the answer, and the whole way of it, as the people of a firm see them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import transaction
from django.test import override_settings
from django.urls import reverse

from apps.audit.models import Event, Outcome
from apps.retrieval.events import ANSWERED, REJECTED
from apps.retrieval.trace import Stage
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.corpus.ingesting import ingest, remote_profile, run
from tests.factories import Firm, make_firm, make_member
from tests.model_server import Fault, ModelServer
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db

QUESTION = "What was the maximum drawdown of the Alpha Fund in the fourth quarter?"
ALPHA = b"""# Alpha Fund, fourth quarter

## Performance

The maximum drawdown of the Alpha Fund in the fourth quarter was 12.5 %. It recovered within five weeks.

## Operations

Bob said: <script>alert("x")</script> is not a figure & never was.
"""
BETA = b"# Beta Fund, fourth quarter\n\nThe maximum drawdown of the Beta Fund in the fourth quarter was 3.3 %.\n"
RULES = b"# Compliance profile\n\nA drawdown above 20 % is reported to the board by Charlie within a day.\n"


PAGES = (
    (ALPHA, "alpha.md", "fund:alpha", "run"),
    (BETA, "beta.md", "fund:beta", "run"),
    (RULES, "rules.md", "firm:acme", "compliance_profile"),
)


def make_acme() -> Firm:
    """A report for each fund, a rule of the firm; Alice may ask and read the log, Bob asks for the fund alpha."""
    firm = make_firm("acme")
    for content, name, scope, kind in PAGES:
        run(firm, ingest(firm, content, filename=name, scope=scope, kind=kind).job)
    make_member(firm, "alice", Role.COMPLIANCE_OFFICER)
    make_member(firm, "bob", Role.ANALYST, scopes=["fund:alpha"])
    return firm


@pytest.fixture
def server(settings: LazySettings) -> Iterator[ModelServer]:
    """The tenant's embedding provider, under the profile that every new tenant has."""
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(running)}
        yield running


@pytest.fixture
def firm(server: ModelServer) -> Firm:
    return make_acme()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """Alice's and Bob's page for the same question, Alice's event, and what the links of her page answer."""

    alice: Page
    bob: Page
    event_id: str
    opened: dict[str, Page]


@pytest.fixture(scope="module")
def answered(django_db_setup: None, django_db_blocker: Any) -> Answered:
    """One question for all tests that only read the page; nothing of it stays in the database."""
    with (
        django_db_blocker.unblock(),
        ModelServer() as running,
        override_settings(GLASSBOX_EMBEDDING_PROFILES={"local": remote_profile(running)}),
        transaction.atomic(),
    ):
        firm = make_acme()
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


ALL = ["firm:acme", "fund:alpha", "fund:beta"]


def ask(visitor: Visitor, question: str = QUESTION, scopes: list[str] | None = None) -> Page:
    return visitor.send("ask", question=question, scopes=ALL if scopes is None else scopes)


def events(firm: Firm, action: str = ANSWERED) -> list[Event]:
    with open_scope(tenant=firm.id, reason="a test"):
        return list(Event.objects.filter(action=action).order_by("occurred_at"))


def steps(page: Page) -> dict[str, str]:
    """What each step of the way says, by stage."""
    found = page.tree.xpath("//li[contains(@class, 'ask-step')]")
    return {step.get("id").removeprefix("step-"): " ".join(step.text_content().split()) for step in found}


# --- The form -------------------------------------------------------------------------------------------------------


def test_all_scopes_that_the_person_holds_are_ticked_at_first(firm: Firm) -> None:
    ticked = Visitor("alice").open("ask").tree.xpath("//input[@name='scopes'][@checked]/@value")
    assert ticked == ALL


def test_a_scope_that_the_person_does_not_hold_is_not_offered(firm: Firm) -> None:
    assert Visitor("bob").open("ask").tree.xpath("//input[@name='scopes']/@value") == ["fund:alpha"]


def test_examples_of_every_intent_are_offered(firm: Firm) -> None:
    page = Visitor("alice").open("ask")
    titles = page.tree.xpath("//section[@id='examples']//h3/text()")
    assert titles == [
        "Performance",
        "Compliance",
        "Methodology",
        "Narrative and published reports",
        "Attribution",
        "Unrecognised",
    ]


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
    assert marked == "The maximum drawdown of the Alpha Fund in the fourth quarter was 12.5 %."


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


# --- The way --------------------------------------------------------------------------------------------------------


def test_all_seventeen_stages_are_shown_in_their_order(answered: Answered) -> None:
    assert list(steps(answered.alice)) == [stage.value for stage in Stage]


def test_the_gate_shows_what_is_permitted_and_what_is_withheld(answered: Answered) -> None:
    gate = answered.alice.tree.get_element_by_id("step-gate")
    kinds = [" ".join(kind.text_content().split()) for kind in gate.xpath(".//li")]
    assert "check Past run, permitted" in kinds
    assert "lock Compliance profile, withheld" in kinds
    assert len(kinds) == 10


def test_what_is_withheld_is_in_no_ranking(answered: Answered) -> None:
    found = steps(answered.alice)
    assert "Beta Fund" in found["sparse"]
    assert "Compliance profile" not in found["sparse"] + found["fuse"]


def test_the_intent_is_explained_by_the_nearest_examples(answered: Answered) -> None:
    words = steps(answered.alice)["classify"]
    assert "The question is about: Performance." in words
    assert "Nearest golden examples" in words


def test_both_rankings_and_their_fusion_name_the_passage(answered: Answered) -> None:
    found = steps(answered.alice)
    assert "cosine_similarity" in found["sparse"]
    assert "bm25_score" in found["sparse"]
    assert "rrf_score" in found["fuse"]
    assert "Cited 1" in found["fuse"]


def test_a_stage_that_is_not_configured_says_so(answered: Answered) -> None:
    assert "Not configured" in steps(answered.alice)["rerank"]


def test_the_context_is_shown_to_the_byte(answered: Answered) -> None:
    step = answered.alice.tree.get_element_by_id("step-assemble")
    text = step.xpath(".//pre")[0].text_content()
    assert step.xpath(".//button[@data-copy]/@data-copy") == [hashlib.sha256(text.encode()).hexdigest()]


def test_every_permitted_kind_has_its_budget(answered: Answered) -> None:
    words = steps(answered.alice)["assemble"]
    assert all(f"{label} " in words for label in ("Funds", "Past runs", "Dataset notes", "The whole context"))


def test_every_claim_is_listed_with_the_citation_that_supports_it(answered: Answered) -> None:
    assert "Citation 1: verbatim" in steps(answered.alice)["ground"]


def test_the_time_of_every_stage_that_ran_is_drawn(answered: Answered) -> None:
    assert len(answered.alice.tree.xpath("//*[@id='latency']//tbody/tr")) == 13


# --- Scopes ---------------------------------------------------------------------------------------------------------


def test_the_answer_stays_within_the_chosen_scopes(firm: Firm) -> None:
    page = ask(Visitor("alice"), "What was the fund's maximum drawdown in the fourth quarter?", scopes=["fund:beta"])
    assert "3.3 %" in page.tree.get_element_by_id("answer").text_content()
    assert "alpha" not in " ".join(steps(page).values()).lower()


def test_the_chosen_scopes_stay_chosen(firm: Firm) -> None:
    page = ask(Visitor("alice"), scopes=["fund:beta"])
    assert page.tree.xpath("//input[@name='scopes'][@checked]/@value") == ["fund:beta"]


def test_without_a_scope_nothing_is_asked(firm: Firm) -> None:
    page = ask(Visitor("alice"), scopes=[])
    assert page.status == 422
    assert "Choose at least one scope" in page.errors_of("scopes")
    assert events(firm) == []


@pytest.mark.parametrize("key", ["fund:beta", "fund:nowhere"])
def test_a_scope_that_is_not_held_looks_like_one_that_does_not_exist(firm: Firm, key: str) -> None:
    page = ask(Visitor("bob"), scopes=[key])
    assert page.status == 422
    assert "There is no scope of that name that you may use." in page.errors_of("scopes")


def test_a_scope_with_one_below_it_left_out_says_two_things_at_once(firm: Firm) -> None:
    page = ask(Visitor("alice"), scopes=["firm:acme", "fund:alpha"])
    assert page.status == 422
    assert "Untick" in page.errors_of("scopes")
    assert page.tree.get_element_by_id("id_question").text.strip() == QUESTION


# --- Bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "status", "words"),
    [
        ("", 400, "The question is empty"),
        ("   \n ", 400, "The question is empty"),
        ("x" * 100_000, 413, "100000 characters; at most 4000"),
        ("\x01\x02\x07\x1b", 400, "control characters only"),
        ("\x00\x00", 400, "control characters only"),
    ],
    ids=["empty", "blanks", "too-long", "control", "nul"],
)
def test_what_is_no_question_is_refused_beside_the_box_and_recorded(
    firm: Firm, question: str, status: int, words: str
) -> None:
    page = ask(Visitor("alice"), question)
    assert page.status == status
    assert words in page.errors_of("question")
    assert [event.payload["core"]["length_chars"] for event in events(firm, REJECTED)] == [len(question)]


def test_a_question_that_is_too_long_stays_to_be_shortened(firm: Firm) -> None:
    page = ask(Visitor("alice"), "drawdown " * 1000)
    assert len(page.tree.get_element_by_id("id_question").text.strip()) == 8999


def test_control_characters_within_a_question_are_left_out_as_the_api_does(firm: Firm) -> None:
    page = ask(Visitor("alice"), QUESTION.replace("maximum ", "maximum \x00\x07"))
    assert page.status == 200
    assert "2 characters taken out" in steps(page)["validate"]


def test_a_vague_question_is_refused_with_what_to_do(firm: Firm) -> None:
    page = ask(Visitor("alice"), "and what about it?")
    answer = page.tree.get_element_by_id("answer").text_content()
    assert "Refused" in answer
    assert "Name the figure, topic or rule" in answer
    assert "Not reached" in steps(page)["dense"]


def test_an_unrecognised_question_reaches_the_least(firm: Firm) -> None:
    page = ask(Visitor("alice"), "Who won the football match last night?")
    assert "1 of 10 kinds" in steps(page)["gate"]
    assert "12.5 %" not in page.text


# --- What fails on the way ------------------------------------------------------------------------------------------


def test_without_the_embedding_provider_the_answer_is_degraded_and_says_what_that_means(
    firm: Firm, server: ModelServer
) -> None:
    server.fail_with(Fault.ERROR_500)
    page = ask(Visitor("alice"))
    answer = " ".join(page.tree.get_element_by_id("answer").text_content().split())
    assert page.status == 200
    assert "Degraded" in answer
    assert "Only the words of the question were searched." in answer
    assert "12.5 %" in answer
    assert events(firm)[0].outcome == Outcome.DEGRADED


def test_a_failed_stage_is_marked_as_such_on_the_way(firm: Firm, server: ModelServer) -> None:
    server.fail_with(Fault.ERROR_500)
    found = steps(ask(Visitor("alice")))
    assert "Degraded" in found["embed"]
    assert "Skipped" in found["dense"]


def test_a_provider_of_another_region_is_refused_above_the_form(server: ModelServer, settings: LazySettings) -> None:
    make_member(make_firm("strict", funds=(), strict=True), "alice", Role.COMPLIANCE_OFFICER)
    settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(server, region="us")}
    page = ask(Visitor("alice"), scopes=["firm:strict"])
    assert page.status == 409
    assert "must stay in region eu" in page.tree.xpath("//form//*[@role='alert']")[0].text_content()
    assert page.tree.get_element_by_id("id_question").text.strip() == QUESTION


# --- My recent questions --------------------------------------------------------------------------------------------


def recent_rows(page: Page) -> list[str]:
    return [" ".join(row.text_content().split()) for row in page.tree.xpath("//*[@id='main']//tbody/tr")]


def test_my_questions_are_listed_newest_first_with_what_became_of_them(firm: Firm) -> None:
    alice = Visitor("alice")
    ask(alice)
    ask(alice, "and what about it?")
    ask(alice, "")
    rows = recent_rows(alice.open("recent_questions"))
    assert ["Not readable" in rows[0], "too vague to search" in rows[1], "Answered" in rows[2]] == [True] * 3
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
