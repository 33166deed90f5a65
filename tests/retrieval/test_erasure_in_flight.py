"""What is under way while a document is erased ends from before or without it, and leaves nothing of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.db import DatabaseError, connection, transaction

from apps.audit.ids import new_id
from apps.audit.models import Event, Payload
from apps.audit.services import record
from apps.audit.terms import DOCUMENT, term
from apps.corpus import jobs
from apps.corpus.jobs import RunOutcome
from apps.corpus.models import Document, IngestJob
from apps.corpus.services.ingest.reembed import reembed
from apps.erasure import engine
from apps.erasure.contracts import Origin, RunState, Target, TargetType
from apps.erasure.models import RemovalStep, RemovalTarget, Restriction
from apps.erasure.runs.closing import require_open
from apps.erasure.runs.ledger import Ledger
from apps.erasure.runs.runs import run_propose
from apps.erasure.stores.rows import Rows
from apps.intents.fund_house import FundHouse
from apps.quality.impact import runner
from apps.quality.impact.ending import finish
from apps.quality.impact.runner import ImpactOutcome, impact_run
from apps.quality.services.evaluation import evaluation_query_add
from apps.retrieval.errors import DocumentsGoneError
from apps.retrieval.events import ANSWERED, FAILED
from apps.retrieval.services import ask as ask_service
from apps.retrieval.services import asking
from apps.retrieval.services.ask import Asked, ask
from apps.retrieval.services.recording import answer_record
from apps.tenants.context import current_scope, open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.acting import sealed, verified_log
from tests.audit.removing import REASON, actions, carried_out
from tests.corpus.ingesting import ingest, remote_profile, run
from tests.factories import Firm, as_, make_firm, make_member
from tests.model_server import ModelServer
from tests.quality.impacting import draft_of, impact_row, requested, with_kinds
from tests.raising import raises_code
from tests.retrieval.test_recording import places
from tests.retrieval.twins import POLICY, approved, erased, finished

pytestmark = pytest.mark.django_db(transaction=True)

QUESTION = "What was the maximum drawdown of the Alpha Fund in the fourth quarter?"
LETTER = b"# Alpha Fund\n\nThe maximum drawdown of the Alpha Fund in the fourth quarter was 12.5 %, says Zaunkoenig.\n"
OTHER = b"# Beta Fund\n\nThe maximum drawdown of the Beta Fund in the fourth quarter was 3.3 %.\n"


@pytest.fixture
def firm(settings: LazySettings) -> Iterator[Firm]:
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(server)}
        yield make_firm()


def held(firm: Firm, content: bytes, name: str, **more: Any) -> Target:
    made = ingest(firm, content, filename=name, **more)
    assert run(firm, made.job) is RunOutcome.SUCCEEDED
    return Target(type=TargetType.DOCUMENT, id=made.document.id)


@pytest.fixture
def letter(firm: Firm) -> Target:
    held(firm, OTHER, "other.md", scope="fund:beta")
    return held(firm, LETTER, "letter.md")


@pytest.fixture
def amy(firm: Firm) -> Principal:
    return make_member(firm, "amy", Role.ANALYST)


def asked(principal: Principal) -> Asked:
    with as_(principal):
        return ask(text=QUESTION)


def groups(firm: Firm, event: Event) -> set[str]:
    with open_scope(tenant=firm.id, reason="a test"):
        return set(Payload.objects.filter(event_id=event.id).values_list("group", flat=True))


def naming(firm: Firm, document: Target) -> int:
    """Parts of events that name the document as found."""
    with open_scope(tenant=firm.id, reason="a test"):
        return int(Payload.objects.filter(terms__contains=[term(DOCUMENT, document.id)]).count())


def beside(act: Callable[[], Any]) -> threading.Thread:
    """In a thread and connection of its own."""

    def acting() -> None:
        try:
            act()
        finally:
            connection.close()

    thread = threading.Thread(target=acting)
    thread.start()
    return thread


# --- Questions --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_was_answered_from_it_before_goes_though_the_document_alone_was_named(
    firm: Firm, letter: Target, amy: Principal
) -> None:
    before = asked(amy)
    assert "12.5" in before.result.answer.text
    # Of the request for its vectors, and of the answer.
    assert naming(firm, letter) == 2
    removal = erased(firm, [letter])
    assert groups(firm, before.event) == {"core", "actor", "question"}
    assert naming(firm, letter) == 0
    assert "extended" in actions(firm, removal)
    assert verified_log(firm).is_intact
    after = asked(amy)
    assert "12.5" not in after.result.answer.text
    assert places("Zaunkoenig") == []


@pytest.mark.slow
def test_from_the_approval_on_nobody_is_answered_from_it(firm: Firm, letter: Target, amy: Principal) -> None:
    sealed(firm)
    removal = approved(firm, [letter])
    assert "12.5" not in asked(amy).result.answer.text
    with as_(amy):
        assert not Document.objects.filter(id=letter.id).exists()
    finished(firm, removal)
    with open_scope(tenant=firm.id, reason="a test"):
        assert not Restriction.objects.exists(), "what is gone need not be kept from anybody"


def test_a_proposal_alone_takes_nothing_away(firm: Firm, letter: Target, amy: Principal) -> None:
    with as_(make_member(firm, "dora", Role.DPO)):
        run_propose(Origin.REQUEST, new_id(), [letter], REASON)
    assert "12.5" in asked(amy).result.answer.text


@pytest.mark.slow
def test_an_answer_that_was_written_when_the_document_went_is_written_anew(
    firm: Firm, letter: Target, amy: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has read the document, and not yet looked whether it may quote it still, when the erasure goes through."""
    look, tries = require_open, list[str]()

    def erased_meanwhile(scope_ids: Collection[ScopeId]) -> None:
        if not tries:
            beside(lambda: erased(firm, [letter])).join()
        tries.append("looked")
        look(scope_ids)

    monkeypatch.setattr(asking, "require_open", erased_meanwhile)
    found = asked(amy)
    # Each try looks before the question is embedded, and before the answer is recorded.
    assert tries == ["looked"] * 4
    assert "12.5" not in found.result.answer.text
    assert found.result.answer.text == asked(amy).result.answer.text
    assert naming(firm, letter) == 0
    assert places("Zaunkoenig") == []


def test_a_question_that_never_gets_to_look_ends_with_an_error_that_says_nothing(
    firm: Firm, letter: Target, amy: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "are_within_reach", lambda documents, bounds: False)
    with pytest.raises(DocumentsGoneError) as refused:
        asked(amy)
    assert "Ask again in a moment" in refused.value.detail
    with open_scope(tenant=firm.id, reason="a test"):
        (told,) = Event.objects.filter(action__in=(ANSWERED, FAILED))
        assert told.payload["core"] == {"code": "retrieval.documents_gone"}


@pytest.mark.slow
def test_an_answer_that_is_being_recorded_is_waited_for_and_its_record_goes_too(
    firm: Firm, letter: Target, amy: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, looked, go_on = answer_record, threading.Event(), threading.Event()
    answers: list[Asked] = []

    def later(*given: Any) -> Event:
        looked.set()
        assert go_on.wait(30)
        return write(*given)

    monkeypatch.setattr(ask_service, "answer_record", later)
    sealed(firm)
    asking = beside(lambda: answers.append(asked(amy)))
    assert looked.wait(30)
    removal = approved(firm, [letter])
    erasing = beside(lambda: carried_out(firm, removal, POLICY))
    erasing.join(1.0)
    assert erasing.is_alive(), "it waits for what is being recorded"
    with open_scope(tenant=firm.id, reason="a test"):
        assert not RemovalStep.objects.filter(run=removal).exists()
    go_on.set()
    asking.join()
    erasing.join()
    assert "12.5" in answers[0].result.answer.text, "from before"
    finished(firm, removal)
    assert naming(firm, letter) == 0
    assert groups(firm, answers[0].event) == {"core", "actor", "question"}
    assert verified_log(firm).is_intact
    assert places("Zaunkoenig") == []


# --- Jobs -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_job_that_is_on_the_document_writes_nothing_more(firm: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its vectors are being computed, between two transactions, when the erasure goes through from end to end."""
    made = ingest(firm, LETTER, filename="zaunkoenig.md", title="Zaunkoenig's letter")
    provider = jobs._provider

    class Slow:
        def __init__(self, inner: Any) -> None:
            self._inner = inner

        def __getattr__(self, name: str) -> Any:
            return getattr(self._inner, name)

        def embed_documents(self, texts: Sequence[str]) -> Any:
            erased(firm, [Target(type=TargetType.DOCUMENT, id=made.document.id)])
            return self._inner.embed_documents(texts)

    monkeypatch.setattr(jobs, "_provider", lambda lease: Slow(provider(lease)))
    assert run(firm, made.job) is RunOutcome.LOST
    assert places("Zaunkoenig") == []
    with open_scope(tenant=firm.id, reason="a test"):
        assert not IngestJob.objects.exists()


@pytest.mark.slow
def test_a_job_that_is_sent_while_the_document_goes_is_found_and_removed(
    firm: Firm, letter: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tenant moves to another provider after the jobs were cleared and before the document is."""
    clear, sent = Rows.clear, list[UUID]()

    def meanwhile(self: Rows, targets: Sequence[Target], *, limit: int) -> int:
        if self.key == "corpus.pages" and not sent:
            sent.append(letter.id)
            beside(_reembedding).join()
        return clear(self, targets, limit=limit)

    def _reembedding() -> None:
        with open_scope(tenant=firm.id, reason="a test"):
            document = Document.objects.get(id=letter.id)
            reembed([document], principal=current_scope().principal, profile="local")

    monkeypatch.setattr(Rows, "clear", meanwhile)
    sealed(firm)
    removal = approved(firm, [letter])
    assert carried_out(firm, removal, POLICY) is RunState.FAILED
    finished(firm, removal)
    assert sent
    assert places("Zaunkoenig") == []
    with open_scope(tenant=firm.id, reason="a test"):
        assert not IngestJob.objects.filter(document_id=letter.id).exists()


@pytest.mark.slow
def test_a_preview_that_was_computed_with_it_is_not_stored(
    firm: Firm, letter: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    officer = make_member(firm, "olivia", Role.COMPLIANCE_OFFICER)
    asked(officer)
    draft = draft_of(officer, with_kinds("performance", FundHouse.FUND_PROFILE, FundHouse.SCHEDULE))
    preview = requested(officer, draft)

    def erased_first(*given: Any, **more: Any) -> None:
        erased(firm, [letter])
        finish(*given, **more)

    monkeypatch.setattr(runner, "finish", erased_first)
    assert impact_run(impact_id=preview.id, tenant_id=firm.id) is ImpactOutcome.FAILED
    row = impact_row(officer, preview.id)
    assert (row.error_code, row.result) == ("retrieval.impact_documents_removed", {})
    monkeypatch.setattr(runner, "finish", finish)
    again = requested(officer, draft)
    assert impact_run(impact_id=again.id, tenant_id=firm.id) is ImpactOutcome.DONE
    assert str(letter.id) not in str(impact_row(officer, again.id).result)


def test_nobody_adds_an_evaluation_question_about_it_whoever_sees_it_still(firm: Firm, letter: Target) -> None:
    make_member(firm, "dirk", Role.DPO)
    dirk = make_member(firm, "dirk", Role.COMPLIANCE_OFFICER)
    approved(firm, [letter])
    with as_(dirk):
        assert Document.objects.filter(id=letter.id).exists()
        with raises_code("retrieval.expected_document_unknown"):
            evaluation_query_add(text=QUESTION, scope_key="fund:alpha", document_id=letter.id)


# --- What the database holds of it ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_eraser_adds_what_concerns_the_targets_and_nothing_else(
    firm: Firm, letter: Target, amy: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = asked(amy).event
    with open_scope(tenant=firm.id, reason="a test"):
        other = record(action=ANSWERED, core={"intent": "x"}, question={"text": "Who?"}, answer={"refusal": "x"})
    sealed(firm)
    removal = approved(firm, [letter])
    tried: dict[str, str] = {}

    def attempts(*given: Any) -> None:
        """Within the run, before it does anything."""
        for name, values in {
            "another document": {"type": "document", "item_id": other.id},
            "an event of nothing of it": {"type": "event_group", "item_id": other.id, "part": "answer"},
            "a group that stays": {"type": "event_group", "item_id": about.id, "part": "core"},
            "one that went already": {
                "type": "event_group",
                "item_id": about.id,
                "part": "answer",
                "outcome": "removed",
            },
            "what concerns it": {"type": "event_group", "item_id": about.id, "part": "answer"},
        }.items():
            with open_scope(tenant=firm.id, reason="a test"):
                try:
                    with transaction.atomic():
                        RemovalTarget.objects.create(tenant_id=firm.id, run=removal, **values)
                        tried[name] = "added"
                        transaction.set_rollback(True)
                except DatabaseError as error:
                    tried[name] = str(error).partition("\n")[0][:30]

    monkeypatch.setattr(Ledger, "take_along", lambda *_: False)
    monkeypatch.setattr(engine, "_authorise", attempts)
    carried_out(firm, removal, POLICY)
    refused = "the eraser adds to a removal r"
    assert tried == {
        "another document": refused,
        "an event of nothing of it": refused,
        "a group that stays": refused,
        "one that went already": refused,
        "what concerns it": "added",
    }
    with open_scope(tenant=firm.id, reason="a test"), pytest.raises(DatabaseError, match="and not after"):
        RemovalTarget.objects.create(
            tenant_id=firm.id, run=removal, type="event_group", item_id=about.id, part="question"
        )
