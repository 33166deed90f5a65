"""The Ask page when something is wrong: with the scopes, the question, or a part of the way."""

from __future__ import annotations

import pytest
from django.conf import LazySettings

from apps.audit.models import Outcome
from apps.retrieval.events import REJECTED
from apps.tenants.roles import Role
from tests.corpus.ingesting import short_profile
from tests.factories import Firm, make_firm, make_member
from tests.model_server import Fault, ModelServer
from tests.retrieval.asking import QUESTION, ask, events, steps
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db


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
    assert "2 characters removed" in steps(page)["validate"]


def test_a_vague_question_is_refused_with_what_to_do(firm: Firm) -> None:
    page = ask(Visitor("alice"), "and what about it?")
    answer = page.tree.get_element_by_id("answer").text_content()
    assert "Refused" in answer
    assert "Name the figure, topic or rule" in answer
    assert "Not reached" in steps(page)["dense"]


def test_where_only_the_closest_passages_were_found_the_page_says_so_and_leads_there(firm: Firm) -> None:
    page = ask(Visitor("alice"), "What is the fund's exposure to Norwegian salmon farms?")
    answer = page.tree.get_element_by_id("answer")
    assert "Closest passages" in answer.text_content()
    (link,) = answer.xpath(".//a[text()='See what was found']/@href")
    assert page.tree.get_element_by_id(link.removeprefix("#")).tag == "details"
    core = events(firm)[0].payload["core"]
    assert (core["answer_outcome"], core["relevance"]) == ("closest_passages", "none")


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
    make_member(make_firm("strict", funds=(), strict=True), "sandra", Role.COMPLIANCE_OFFICER)
    settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(server, region="us")}
    page = ask(Visitor("sandra"), scopes=["firm:strict"])
    assert page.status == 409
    assert "must stay in region eu" in page.tree.xpath("//form//*[@role='alert']")[0].text_content()
    assert page.tree.get_element_by_id("id_question").text.strip() == QUESTION
