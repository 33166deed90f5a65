"""Filters and searches in what comes later: run again, previewed under another policy, shown in the admin."""

from __future__ import annotations

from uuid import UUID

import pytest

from apps.audit.models import Event
from apps.corpus.models import Document
from apps.intents.contracts import RecordingMode
from apps.intents.fund_house import FundHouse
from apps.retrieval.contracts import DocumentId, GivenFilters
from apps.retrieval.events import ANSWERED, SEARCHED
from apps.retrieval.replay.contracts import Replay
from apps.retrieval.replay.run import question_replay
from apps.retrieval.services.ask import ask, search
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.corpus.ingesting import ingest, run
from tests.factories import Firm, as_, make_member
from tests.quality.impacting import computed, draft_of, with_kinds
from tests.retrieval.asking import ALPHA, QUESTION
from tests.retrieval.test_recording import keep
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(firm: Firm) -> Principal:
    return make_member(firm, "ada", Role.AUDITOR)


@pytest.fixture
def amy(firm: Firm) -> Principal:
    return make_member(firm, "amy", Role.ANALYST)


def document(firm: Firm, filename: str) -> DocumentId:
    with open_scope(tenant=firm.id, reason="a test"):
        return DocumentId(Document.objects.get(filename=filename).id)


def replayed(principal: Principal, event: Event) -> Replay:
    with as_(principal):
        return question_replay(Event.objects.get(id=event.id), typed=QUESTION)


def documents(replay: Replay) -> set[UUID]:
    return {each.now.document_id for each in replay.shifts or () if each.now}


def test_a_question_is_run_again_within_the_filters_of_then(firm: Firm, amy: Principal, ada: Principal) -> None:
    beta = document(firm, "beta.md")
    with as_(amy):
        event = ask(text=QUESTION, given=GivenFilters(documents=(beta,), kinds=("run", "methodology"))).event
        everywhere = ask(text=QUESTION).event
    replay = replayed(ada, event)
    assert (replay.equal, replay.context_equal, replay.limits) == (True, True, ())
    assert documents(replay) == {beta}
    assert documents(replayed(ada, everywhere)) > {beta}


def test_one_on_what_is_not_held_finds_nothing_again(firm: Firm, amy: Principal, ada: Principal) -> None:
    with as_(amy):
        event = ask(text=QUESTION, given=GivenFilters(companies=("Nobody Inc.",))).event
    replay = replayed(ada, event)
    assert (replay.equal, documents(replay), replay.now.refusal) == (True, set(), "nothing_within_filters")


def test_an_instant_is_kept_beside_the_one_at_which_it_was_asked(firm: Firm, amy: Principal, ada: Principal) -> None:
    old = document(firm, "alpha.md")
    with open_scope(tenant=firm.id, reason="a test"):
        before = Document.objects.get(id=old).valid_from
    assert before is not None
    newer = ALPHA.replace(b"12.5 %", b"13.9 %")
    run(firm, ingest(firm, newer, filename="newer.md", scope="fund:alpha", kind="run", replaces=old).job)
    with as_(amy):
        event = ask(text=QUESTION, as_of=before).event
    replay = replayed(ada, event)
    assert replay.equal
    assert document(firm, "newer.md") not in documents(replay)


def test_a_search_is_run_again_like_a_question(firm: Firm, amy: Principal, ada: Principal) -> None:
    with as_(amy):
        event = search(text=QUESTION, given=GivenFilters(kinds=("run",))).event
    assert event.action == SEARCHED
    replay = replayed(ada, event)
    assert (replay.equal, replay.context_equal, replay.limits) == (True, True, ())
    page = Visitor("ada").send("question_replay", event.id, question=QUESTION)
    assert "The same decision as then" in page.text


def test_a_preview_asks_again_within_the_filters(firm: Firm) -> None:
    officer = make_member(firm, "olivia", Role.COMPLIANCE_OFFICER)
    keep(firm, RecordingMode.ENCRYPTED_TEXT)
    beta = document(firm, "beta.md")
    with as_(officer):
        ask(text=QUESTION, given=GivenFilters(documents=(beta,)))
        search(text=QUESTION, given=GivenFilters(documents=(beta,)))
    draft = draft_of(officer, with_kinds("performance", FundHouse.FUND_PROFILE, FundHouse.SCHEDULE))
    found = computed(officer, draft).recorded
    assert (found.total, found.by_text) == (2, 2)
    for line in found.changed:
        assert {hit.document_id for hit in line.shift.vanishing} == {beta}


def test_the_pages_of_the_log_show_them(firm: Firm, amy: Principal, ada: Principal) -> None:
    beta = document(firm, "beta.md")
    with as_(amy):
        event = search(text=QUESTION, given=GivenFilters(documents=(beta,), kinds=("run", "methodology"))).event
    page = Visitor("ada").open("audit_event_change", event.id)
    decision = " ".join(page.tree.xpath("//*[@id='decision']")[0].text_content().split())
    assert "document, given; kind, given" in decision
    assert "Question searched for, without an answer" in page.text
    assert "Filters sent with it" in page.text
    assert str(beta) in page.text
    replay = " ".join(Visitor("ada").open("question_replay", event.id).text.split())
    assert f"documents: {beta}" in replay
    assert "kinds: run, methodology" in replay


def test_my_recent_questions_tell_a_search_from_an_answer(firm: Firm) -> None:
    bob = make_member(firm, "bob", Role.ANALYST, scopes=["fund:alpha"])
    with as_(bob):
        search(text=QUESTION)
        ask(text=QUESTION)
    page = Visitor("bob").open("recent_questions")
    rows = [" ".join(row.text_content().split()) for row in page.tree.xpath("//*[@id='main']//tbody/tr")]
    assert ["Answered" in rows[0], "Searched" in rows[1]] == [True, True]
    assert "passages only, without an answer" in rows[1]
    with open_scope(tenant=firm.id, reason="a test"):
        assert set(Event.objects.filter(action__in=(ANSWERED, SEARCHED)).values_list("action", flat=True)) == {
            ANSWERED,
            SEARCHED,
        }
