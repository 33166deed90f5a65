"""The examples on the Ask page: only what the person's documents answer now, in the person's own scopes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.core.cache import cache
from django.utils import timezone
from redis.exceptions import RedisError

from apps.audit.models import Event
from apps.corpus.models import Document, DocumentStatus
from apps.corpus.providers.recording import CALLED
from apps.erasure.stores.counters import redis_client
from apps.retrieval.contracts import AnswerOutcome, Question
from apps.retrieval.dependencies import PipelineDependencies
from apps.retrieval.events import ASKED
from apps.retrieval.pipeline import PipelineResult, answer
from apps.retrieval.services import answerable_examples
from apps.retrieval.services.ask import ask
from apps.tenants.context import open_scope
from apps.tenants.models import Membership
from apps.tenants.roles import Role
from tests.corpus.ingesting import ingest, run
from tests.factories import Firm, make_member
from tests.model_server import Fault, ModelServer
from tests.retrieval.asking import keep_history
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db

DRAWDOWN = "What was the fund's maximum drawdown in the quarter?"
CALCULATE = "How do we calculate the maximum drawdown?"
METHOD = b"# Methodology\n\nWe calculate the maximum drawdown as the largest fall of the net asset value from a peak.\n"
RESULTS = b"# Nordhafen AG, annual report\n\nThe revenue of Nordhafen AG in fiscal year 2023 was EUR 412 million.\n"


def shown(page: Page) -> list[str]:
    found: list[str] = page.tree.xpath("//button/@data-question")
    return found


def look(username: str = "alice") -> list[str]:
    page = Visitor(username).open("ask_examples")
    assert page.status == 200
    return shown(page)


def test_each_example_that_is_shown_is_answered_when_it_is_asked(firm: Firm) -> None:
    reader = make_member(firm, "carol", Role.ANALYST)
    questions = look("carol")
    assert DRAWDOWN in questions
    for question in questions:
        asked = ask(text=question, principal=reader)
        assert asked.decision.recognised
        assert asked.result.answer.outcome is AnswerOutcome.ANSWERED, question


def test_an_example_appears_with_the_document_that_answers_it_and_goes_with_it(firm: Firm) -> None:
    assert CALCULATE not in look()
    added = ingest(firm, METHOD, filename="method.md", scope="firm:acme", kind="methodology")
    run(firm, added.job)
    assert CALCULATE in look()
    with open_scope(tenant=firm.id, reason="a test"):
        Document.objects.filter(id=added.document.id).update(status=DocumentStatus.FAILED)
    assert CALCULATE not in look()


def test_an_example_that_only_other_scopes_answer_is_not_shown(firm: Firm) -> None:
    run(firm, ingest(firm, METHOD, filename="method.md", scope="fund:beta", kind="methodology").job)
    make_member(firm, "carol", Role.ANALYST, scopes=["fund:beta"])
    assert CALCULATE in look("carol")
    assert CALCULATE not in look("bob")


def test_where_the_policys_examples_are_too_few_figures_of_the_newest_documents_are_asked_for(firm: Firm) -> None:
    added = ingest(
        firm,
        RESULTS,
        filename="results.md",
        scope="firm:acme",
        kind="reference_report",
        company="Nordhafen AG",
        fiscal_year=2023,
    )
    run(firm, added.job)
    assert "What was the revenue of Nordhafen AG in FY2023?" in look()
    assert "Nordhafen" not in " ".join(look("bob"))


def test_a_companys_name_is_text_and_no_markup(firm: Firm) -> None:
    name = '<b title="x">Nordhafen</b> AG'
    run(
        firm,
        ingest(
            firm,
            RESULTS.replace(b"Nordhafen AG", name.encode()),
            filename="results.md",
            scope="firm:acme",
            kind="reference_report",
            company=name,
            fiscal_year=2023,
        ).job,
    )
    page = Visitor("alice").open("ask_examples")
    assert any("Nordhafen" in each for each in shown(page))
    assert page.tree.xpath("//b") == []


def test_looking_at_the_page_asks_nothing_but_requests_to_a_model_elsewhere_are_recorded(
    firm: Firm, server: ModelServer
) -> None:
    look()
    with open_scope(tenant=firm.id, reason="a test"):
        assert not Event.objects.filter(action__in=ASKED).exists()
        # Those of the documents were sent before.
        called = Event.objects.filter(action=CALLED).exclude(subject_type="document")
        assert called.count() == len(server.requests)


def test_what_was_checked_is_not_checked_again(firm: Firm, server: ModelServer) -> None:
    first = look()
    sent = len(server.requests)
    assert look() == first
    assert len(server.requests) == sent


def test_redis_keeps_no_words(firm: Firm) -> None:
    look()
    kept = [cache.get(name) for name in _names()]
    assert kept
    assert "drawdown" not in str(kept).lower()


def _names() -> list[str]:
    prefix = cache.make_key("")
    with redis_client() as client:
        return [name.decode().removeprefix(prefix) for name in client.scan_iter(match=f"{prefix}examples:*")]


def test_two_requests_do_not_check_at_once(firm: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    pages: list[Page] = []

    def answer_beside_another(question: Question, *, deps: PipelineDependencies) -> PipelineResult:
        if not pages:
            pages.append(Visitor("alice").open("ask_examples"))
        return answer(question, deps=deps)

    monkeypatch.setattr("apps.retrieval.services.answerable_examples.answer", answer_beside_another)
    assert look()
    assert [page.status for page in pages] == [202]


def _change_documents(firm: Firm, *, of: str, to: DocumentStatus) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        assert Document.objects.filter(filename=of).update(status=to)


def _lose_role(firm: Firm) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        Membership.objects.filter(user__username="carol").update(revoked_at=timezone.now())


CHANGES: dict[str, Callable[[Firm], None]] = {
    "a document comes": lambda firm: _change_documents(firm, of="method.md", to=DocumentStatus.READY),
    "a document goes": lambda firm: _change_documents(firm, of="alpha.md", to=DocumentStatus.FAILED),
    "another policy": lambda firm: keep_history(firm, 3),
    "the role is lost": _lose_role,
}


@pytest.mark.parametrize("at", [1, 4, 9])
@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_during_a_check_is_neither_shown_nor_kept(
    firm: Firm, monkeypatch: pytest.MonkeyPatch, change: str, at: int
) -> None:
    run(firm, ingest(firm, METHOD, filename="method.md", scope="firm:acme", kind="methodology").job)
    _change_documents(firm, of="method.md", to=DocumentStatus.FAILED)
    make_member(firm, "carol", Role.ANALYST)
    _during_the_check(monkeypatch, {at: lambda: CHANGES[change](firm)})
    page = Visitor("carol").open("ask_examples")
    assert page.status in (202, 403, 404)
    assert shown(page) == []
    assert _names() == []


@pytest.mark.parametrize("at", [1, 4])
def test_a_document_that_comes_and_goes_during_a_check_answers_nothing(
    firm: Firm, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    run(firm, ingest(firm, METHOD, filename="method.md", scope="firm:acme", kind="methodology").job)
    _change_documents(firm, of="method.md", to=DocumentStatus.FAILED)
    come, go = (partial(_change_documents, firm, of="method.md", to=to) for to in ("ready", "failed"))
    asked = _during_the_check(monkeypatch, {at: come}, after=go)
    questions = look()
    assert CALCULATE in asked
    assert CALCULATE not in questions


def _during_the_check(
    monkeypatch: pytest.MonkeyPatch,
    actions: dict[int, Callable[[], None]],
    *,
    after: Callable[[], None] | None = None,
) -> list[str]:
    """Do something before the n-th question is asked (from 1), and something else after the last. Return the texts."""
    asked: list[str] = []

    def answer_meanwhile(question: Question, *, deps: PipelineDependencies) -> PipelineResult:
        asked.append(question.text)
        if len(asked) in actions:
            actions[len(asked)]()
        return answer(question, deps=deps)

    def unchanged_afterwards(ground: Any, *context: Any) -> None:
        # A model on this machine is asked without the check before each request, which passes the context.
        if after and not context:
            after()
            require_unchanged(ground)

    require_unchanged = answerable_examples._require_unchanged
    monkeypatch.setattr(answerable_examples, "answer", answer_meanwhile)
    if after:
        monkeypatch.setattr(answerable_examples, "_require_unchanged", unchanged_afterwards)
    return asked


def test_without_redis_the_page_says_that_it_cannot_be_told(firm: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*args: object, **kwargs: object) -> None:
        raise RedisError

    monkeypatch.setattr(cache, "get", unreachable)
    page = Visitor("alice").open("ask_examples")
    assert page.status == 202
    assert "can't be told right now" in page.text


def test_without_the_model_nothing_is_shown_and_nothing_kept(firm: Firm, server: ModelServer) -> None:
    server.fail_with(Fault.ERROR_500, times=1_000)
    assert Visitor("alice").open("ask_examples").status == 202
    server.reset()
    assert DRAWDOWN in look()


def test_a_firm_without_an_answer_is_told_so(firm: Firm) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        Document.objects.update(status=DocumentStatus.FAILED)
    assert "None of the policy's review examples is answered" in Visitor("alice").open("ask_examples").text


def test_without_the_script_a_link_shows_them(firm: Firm) -> None:
    page = Visitor("alice").open("ask")
    assert page.tree.xpath("//section[@id='examples']//a/@href") == ["/admin/ask/?examples=1"]
    assert shown(page) == []
    assert DRAWDOWN in shown(Visitor("alice").open("ask", examples="1"))


def test_a_role_that_may_not_ask_is_refused(firm: Firm) -> None:
    make_member(firm, "charlie", Role.AUDITOR)
    assert Visitor("charlie").open("ask_examples").status == 403
