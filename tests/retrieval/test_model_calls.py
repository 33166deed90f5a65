"""No transaction is open while a model works, and the log says of each request that it was sent and how it ended.

Against a server that speaks the model's protocol over HTTP, and a second connection that sees what is committed alone.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.db import connection

from apps.audit.models import Event, Outcome
from apps.audit.selectors import payloads_of
from apps.corpus.models import Document, DocumentStatus, IngestJob
from apps.corpus.providers.recording import CALLED, RETURNED
from apps.corpus.services.correct import document_correct
from apps.erasure.contracts import Target, TargetType
from apps.errors import ApplicationError
from apps.intents.fund_house import FundHouse
from apps.intents.selectors import policy_in_force
from apps.quality.evaluation.asking import Asking as Evaluating
from apps.quality.evaluation.asking import KeptVectors
from apps.quality.evaluation.contracts import EvaluationQuestion, Expected
from apps.retrieval.changed_settings import RunSettings
from apps.retrieval.errors import DocumentsGoneError
from apps.retrieval.events import ANSWERED, FAILED
from apps.retrieval.services import asking as asking_service
from apps.retrieval.services.ask import Asked, ask
from apps.retrieval.services.calls import Deadline
from apps.retrieval.stage_choice import stages_in_use
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError, UnknownTenantError
from apps.tenants.models import Membership, Tenant
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.services.members import grants_set, membership_revoke
from tests.baked import baked
from tests.corpus.ingesting import run
from tests.deciding import version_approve, version_submit
from tests.factories import Firm, as_, make_member
from tests.isolation.harness import admin_dsn
from tests.model_script import REF_ID
from tests.model_server import LONGEST_HANG_SECONDS, Fault, ModelServer
from tests.quality.impacting import draft_of, with_kinds
from tests.retrieval.asking import QUESTION, make_acme
from tests.retrieval.twins import approved, erased

pytestmark = pytest.mark.django_db(transaction=True)

SLOW_S = 20.0


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def firm(server: ModelServer, settings: LazySettings) -> Firm:
    """Its analyst bob asks in fund:alpha; a model writes its answers."""
    found = baked(make_acme)
    settings.GLASSBOX_GENERATION_PROFILES = {
        "chat": {
            "backend": "openai",
            "region": "eu",
            "model": "chat",
            "base_url": server.base_url,
            "timeout_seconds": SLOW_S,
        },
        "extractive": {"backend": "extractive", "region": "eu"},
    }
    with open_scope(tenant=found.id, reason="a test"):
        Tenant.objects.filter(id=found.id).update(generation_profile="chat", residency_region="eu")
    return found


@pytest.fixture
def amy(firm: Firm) -> Principal:
    return make_member(firm, "amy", Role.ANALYST)


def told(firm: Firm, *actions: str) -> list[tuple[Event, dict[str, Any]]]:
    """The committed events of these classes with what they tell, oldest first."""
    with open_scope(tenant=firm.id, reason="a test"):
        events = list(Event.objects.filter(action__in=actions).order_by("occurred_at", "id"))
        payloads = payloads_of(events)
        return [(each, payloads[each.id]) for each in events]


def sent(server: ModelServer) -> list[Any]:
    return [each for each in server.requests if each.path.endswith("/chat/completions")]


class Asking(threading.Thread):
    """A question under way on a connection of its own."""

    def __init__(self, principal: Principal) -> None:
        super().__init__()
        self.principal = principal
        self.answer: Asked | None = None
        self.error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self.answer = ask(text=QUESTION, principal=self.principal)
        except BaseException as error:  # noqa: BLE001 (told by the test's own thread)
            self.error = error
        finally:
            connection.close()

    def ended(self) -> Asked:
        self.join(300)
        assert self.error is None
        assert self.answer is not None
        return self.answer


class DeadlineOfRequests(Deadline):
    """Counts from the first request on: what a busy machine needs until then does not use it up."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self._has_begun = False

    def left(self) -> float:
        if not self._has_begun:
            self._has_begun, self._ends = True, time.monotonic() + self.seconds
        return super().left()


def until(happened: Callable[[], bool]) -> None:
    # A process that has to begin first takes a minute on a machine that does much else.
    ends = time.monotonic() + 300
    while not happened():
        assert time.monotonic() < ends
        time.sleep(0.01)


def open_transactions() -> int:
    """Transactions of other sessions in this test's database, as the server's administrator sees them."""
    import psycopg

    name = connection.settings_dict["NAME"]
    with psycopg.connect(admin_dsn(), autocommit=True) as server:
        row = server.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND xact_start IS NOT NULL", [name]
        ).fetchone()
    assert row is not None
    return int(row[0])


def right(body: Any) -> str:
    """An answer that stands, so that nothing more is asked."""
    found = next(ref for ref in refs(body) if "alpha" in ref)
    return json.dumps(
        {"answer": "The maximum drawdown of the Alpha Fund in the fourth quarter was 12.5 %.", "ref_ids": [found]}
    )


def refs(body: Any) -> list[str]:
    return REF_ID.findall(json.dumps(body["messages"], ensure_ascii=False))


def while_it_thinks(server: ModelServer, principal: Principal, do: Callable[[], Any]) -> Asking:
    """Ask, do something while the model works, and let it answer."""
    thinking, go_on = threading.Event(), threading.Event()

    def reply(body: Any) -> str:
        thinking.set()
        assert go_on.wait(60)
        return right(body)

    server.reply_with(reply)
    asking = Asking(principal)
    try:
        until(lambda: thinking.is_set() or not asking.is_alive())
        do()
    finally:
        go_on.set()
        asking.join(60)
    return asking


def test_while_a_model_works_no_transaction_is_open_and_the_log_says_what_was_sent(
    firm: Firm, amy: Principal, server: ModelServer
) -> None:
    seen: list[Any] = []

    def look() -> None:
        seen.append(told(firm, CALLED, RETURNED, ANSWERED))
        seen.append(open_transactions())

    asking = while_it_thinks(server, amy, look)
    (event, payload), *more = seen[0]
    assert (event.action, more) == (CALLED, [])
    assert seen[1] == 0
    core, hits = payload["core"], payload["passages"]["hits"]
    assert (core["profile"], core["model"], core["purpose"]) == ("chat", "chat", "answer")
    assert core["passages"] == len(hits) > 0
    assert payload["question"]["length_chars"] == len(QUESTION)
    message = json.dumps(sent(server)[0].body, ensure_ascii=False)
    assert all(hit["ref_id"] in message for hit in hits)
    answered = asking.ended()
    ((_, told_of_answer),) = told(firm, ANSWERED)
    calls, returned = told(firm, CALLED), told(firm, RETURNED)
    assert told_of_answer["core"]["calls"] == [str(call.id) for call, _ in calls]
    assert [each.subject_id for each, _ in returned] == [call.id for call, _ in calls]
    assert core["policy_version"] == answered.grant.policy_version


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (Fault.HANG, "retrieval.generation_timeout"),
        (Fault.DROPPED, "retrieval.generation_unavailable"),
        (Fault.ERROR_500, "retrieval.generation_unavailable"),
        (Fault.RATE_LIMITED, "retrieval.generation_rate_limited"),
        (Fault.CUT_SHORT, "retrieval.generation_unavailable"),
        (Fault.NOT_JSON, "retrieval.generation_unavailable"),
    ],
)
def test_each_request_that_fails_is_recorded_with_how_it_failed(
    firm: Firm, amy: Principal, server: ModelServer, settings: LazySettings, fault: Fault, code: str
) -> None:
    if fault is Fault.HANG:
        settings.GLASSBOX_GENERATION_PROFILES["chat"]["timeout_seconds"] = 1.0
    server.fail_with(fault)
    answered = ask(text=QUESTION, principal=amy)
    # What the documents say is quoted instead, and the answer says so.
    assert [each.code for each in answered.result.answer.degradations] == [code]
    until(lambda: bool(sent(server)))
    calls, returned = told(firm, CALLED), told(firm, RETURNED)
    assert len(calls) == len(sent(server)) == 1
    ((event, payload),) = returned
    assert (event.outcome, payload["core"]["code"]) == (Outcome.FAILED, code)


def test_a_reply_that_is_sent_back_and_an_answer_that_is_revised_are_requests_of_their_own(
    firm: Firm, amy: Principal, server: ModelServer
) -> None:
    def wrong(body: Any) -> str:
        found = refs(body)[0]
        return json.dumps({"answer": "The maximum drawdown was 99.9 %.", "ref_ids": [found]})

    server.reply_with("no JSON at all", wrong, wrong)
    ask(text=QUESTION, principal=amy)
    assert [payload["core"]["purpose"] for _, payload in told(firm, CALLED)] == ["answer", "repair", "revision"]
    assert len(sent(server)) == len(told(firm, RETURNED)) == 3


def test_past_its_deadline_a_question_sends_nothing_more(
    firm: Firm, amy: Principal, server: ModelServer, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.GLASSBOX_RETRIEVAL_STAGES = "question_deadline_seconds=0.5"
    assert stages_in_use().question_deadline_seconds == 0.5
    monkeypatch.setattr(asking_service, "Deadline", DeadlineOfRequests)
    # Without the deadline, the server would hang up before this timeout, which is another failure.
    settings.GLASSBOX_GENERATION_PROFILES["chat"]["timeout_seconds"] = 2 * LONGEST_HANG_SECONDS
    server.fail_with(Fault.HANG)
    answered = ask(text=QUESTION, principal=amy)
    assert [each.code for each in answered.result.answer.degradations] == ["retrieval.generation_timeout"]
    until(lambda: bool(sent(server)))
    assert len(sent(server)) == 1
    ((_, payload),) = told(firm, CALLED)
    assert payload["core"]["timeout_seconds"] <= 0.5


def test_who_loses_the_scope_while_the_model_works_gets_no_answer(
    firm: Firm, amy: Principal, server: ModelServer
) -> None:
    def end_grants() -> None:
        with open_scope(tenant=firm.id, reason="a test"):
            grants_set(membership=Membership.objects.get(user_id=amy.id, revoked_at__isnull=True), scopes=[])

    asking = while_it_thinks(server, amy, end_grants)
    assert isinstance(asking.error, ApplicationError | UnknownTenantError)
    assert told(firm, ANSWERED) == []
    ((event, payload),) = told(firm, FAILED)
    assert (event.outcome, len(payload["core"]["calls"])) == (Outcome.FAILED, len(told(firm, CALLED)))
    assert len(told(firm, CALLED)) == len(told(firm, RETURNED)) == len(sent(server)) == 1


def test_the_failed_question_of_somebody_who_is_no_member_any_more_names_them_by_their_id_alone(
    firm: Firm, amy: Principal, server: ModelServer
) -> None:
    """They may have been erased, and a name that is written afterwards would stay."""

    def end_membership() -> None:
        with open_scope(tenant=firm.id, reason="a test"):
            membership_revoke(Membership.objects.get(user_id=amy.id, revoked_at__isnull=True))

    asking = while_it_thinks(server, amy, end_membership)
    assert asking.error is not None
    ((event, _),) = told(firm, FAILED)
    assert (event.actor_id, event.actor_label) == (amy.id, f"user {amy.id}")


def test_another_policy_in_force_meanwhile_answers_anew(firm: Firm, amy: Principal, server: ModelServer) -> None:
    olivia, rita = make_member(firm, "olivia", Role.COMPLIANCE_OFFICER), make_member(firm, "rita", Role.REVIEWER)
    draft = draft_of(olivia, with_kinds("performance", FundHouse.RUN, FundHouse.SCHEDULE))

    def approve() -> None:
        with as_(olivia):
            version_submit(draft.id)
        with as_(rita):
            version_approve(draft.id)

    answered = while_it_thinks(server, amy, approve).ended()
    calls = told(firm, CALLED)
    assert len(calls) == len(sent(server)) >= 2
    assert calls[0][1]["core"]["policy_version"] < calls[-1][1]["core"]["policy_version"]
    assert answered.grant.policy_version == calls[-1][1]["core"]["policy_version"]


def test_a_document_filed_meanwhile_under_a_kind_out_of_reach_is_in_no_answer(
    firm: Firm, amy: Principal, server: ModelServer
) -> None:
    """It may still be read, but not for this question: the answer that was under way is not shown."""
    with open_scope(tenant=firm.id, reason="a test"):
        report = Document.objects.get(kind="run", scope_id=firm.scopes["fund:alpha"].id, status=DocumentStatus.READY)

    def refile() -> None:
        with open_scope(tenant=firm.id, reason="a test"):
            filed = document_correct(document_id=report.id, changes={}, kind="style_sample")
            job = IngestJob.objects.filter(document_id=filed.id).latest("requested_at")
        run(firm, job)

    asking = while_it_thinks(server, amy, refile)
    assert len(told(firm, CALLED)) >= 1
    assert report.id not in {each.document_id for each in asking.ended().result.answer.citations}


def test_a_process_that_is_killed_while_the_model_works_leaves_the_event_of_the_request(
    firm: Firm, amy: Principal, server: ModelServer
) -> None:
    server.fail_with(Fault.HANG)
    connection.close()
    child = os.fork()
    if not child:
        try:
            ask(text=QUESTION, principal=amy)
        finally:
            os._exit(0)
    until(lambda: len(sent(server)) == 1)
    os.kill(child, signal.SIGKILL)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    assert [event.action for event, _ in told(firm, CALLED, RETURNED, ANSWERED, FAILED)] == [CALLED]


def test_an_erasure_approved_meanwhile_ends_the_question(firm: Firm, amy: Principal, server: ModelServer) -> None:
    """The erasure of the whole scope: what was sent is recorded, and no answer is."""
    scope = Target(type=TargetType.SCOPE, id=firm.scopes["fund:alpha"].id)
    asking = while_it_thinks(server, amy, lambda: approved(firm, [scope]))
    assert isinstance(asking.error, ApplicationError)
    assert told(firm, ANSWERED) == []
    assert len(told(firm, CALLED)) == len(told(firm, RETURNED)) == len(sent(server))


def test_who_loses_the_permission_to_ask_meanwhile_gets_no_answer_and_nothing_more_is_sent(
    firm: Firm, amy: Principal, server: ModelServer
) -> None:
    """An auditor may replay questions, and so may record what a model is asked; but may not ask."""

    def become_auditor(body: Any) -> str:
        with open_scope(tenant=firm.id, reason="a test"):
            membership_revoke(Membership.objects.get(user_id=amy.id, revoked_at__isnull=True))
        make_member(firm, "amy", Role.AUDITOR)
        return "no JSON, so that the passages would be sent again"

    server.reply_with(become_auditor, right, right)
    with pytest.raises(PermissionDeniedError):
        ask(text=QUESTION, principal=amy)
    assert told(firm, ANSWERED) == []
    assert len(sent(server)) == len(told(firm, CALLED)) == len(told(firm, RETURNED)) == 1
    ((_, payload),) = told(firm, FAILED)
    assert payload["core"]["code"] == PermissionDeniedError.code


@pytest.mark.slow
def test_of_an_erased_document_nothing_stays_in_the_event_of_the_request(
    firm: Firm, amy: Principal, server: ModelServer
) -> None:
    server.reply_with(right)
    ask(text=QUESTION, principal=amy)
    ((_, before),) = told(firm, CALLED)
    assert before["passages"]["context_sha256"]
    erased(firm, [Target(type=TargetType.DOCUMENT, id=UUID(before["passages"]["hits"][0]["document_id"]))])
    ((_, after),) = told(firm, CALLED)
    assert after.keys() == before.keys() - {"passages"}
    assert "sha256" not in json.dumps(after["core"])


@pytest.mark.slow
def test_an_evaluation_sends_no_document_again_that_was_erased_meanwhile(firm: Firm, server: ModelServer) -> None:
    """Its event would be written after the erasure, and so nothing would ever remove it."""
    with open_scope(tenant=firm.id, reason="a test") as context:
        policy, scopes = policy_in_force(), tuple(sorted(context.scope_ids))
    evaluating = Evaluating(
        tenant_id=firm.id,
        snapshot=policy,
        settings=RunSettings(policy=policy.retrieval),
        kept=KeptVectors(),
        generation_profile="chat",
    )

    def erase_it(body: Any) -> str:
        ((_, payload),) = told(firm, CALLED)
        erased(firm, [Target(type=TargetType.DOCUMENT, id=UUID(payload["passages"]["hits"][0]["document_id"]))])
        return "no JSON, so that the passages would be sent again"

    server.reply_with(erase_it, right)
    question = EvaluationQuestion(
        key="q1", text=QUESTION, answer="", type="", expected=Expected(), scope_id=scopes[0], scope_ids=scopes
    )
    with pytest.raises(DocumentsGoneError):
        evaluating.ask(question)
    assert len(sent(server)) == 1
    assert [payload.keys() for _, payload in told(firm, CALLED)] == [{"core"}]
