"""No transaction is open while a provider embeds, whoever waits for it, and each request for a question is an event.

Against a server that speaks the protocol over HTTP, and a second connection that sees what is committed alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection

from apps.audit.models import Outcome
from apps.corpus.providers import recording
from apps.corpus.providers.profiles import EMBEDDING_PROFILES
from apps.corpus.providers.recording import CALLED, RETURNED
from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import VersionChangedError
from apps.intents.fund_house import FundHouse
from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services.checking import version_checked
from apps.intents.services.desk import question_try
from apps.intents.services.drafts import draft_save
from apps.intents.services.reviews import version_approve, version_submit
from apps.quality.evaluation.asking import Asking, KeptVectors
from apps.quality.impact.runner import ImpactOutcome, impact_run
from apps.retrieval.changed_settings import RunSettings
from apps.retrieval.events import ANSWERED, REPLAYED
from apps.retrieval.pipeline import FindResult, find
from apps.retrieval.replay import run
from apps.retrieval.replay.errors import NotReplayableError
from apps.retrieval.replay.run import question_replay
from apps.retrieval.services import asking as asking_service
from apps.retrieval.services.ask import ask
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.models import Membership, Tenant
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.services.members import membership_revoke
from apps.tenants.short_scopes import ShortScopes
from tests.baked import baked
from tests.deciding import document_delete
from tests.factories import Firm, as_, make_member
from tests.intents.reviewing import drafted, wider
from tests.model_script import Fault
from tests.model_server import ModelServer
from tests.quality.impacting import draft_of, impact_row, requested, with_kinds
from tests.retrieval.asking import QUESTION, make_acme
from tests.retrieval.test_model_calls import DeadlineOfRequests, open_transactions, told, until

pytestmark = pytest.mark.django_db(transaction=True)


class Watched(ModelServer):
    """Looks at the database at each request for vectors, and does what the test says once."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[int] = []
        self.once: Callable[[], Any] | None = None

    def record(self, request: Any) -> Fault | None:
        if request.path.endswith("/embeddings"):
            self.open.append(open_transactions())
            act, self.once = self.once, None
            if act:
                try:
                    act()
                finally:
                    # This thread has a connection of its own to give back.
                    connection.close()
        return super().record(request)


@pytest.fixture
def server() -> Iterator[Watched]:
    with Watched() as running:
        yield running


@pytest.fixture
def firm(server: Watched, settings: LazySettings) -> Firm:
    """Its questions are embedded by a server; what is quoted answers them."""
    found = baked(make_acme)
    settings.GLASSBOX_EMBEDDING_PROFILES = {
        **settings.GLASSBOX_EMBEDDING_PROFILES,
        "remote": {
            "backend": "openai",
            "region": "eu",
            "model": "vectors",
            "dimension": 384,
            "base_url": server.base_url,
            "batch_inputs": 50,
            "price": "0.02 USD",
        },
    }
    with open_scope(tenant=found.id, reason="a test"):
        Tenant.objects.filter(id=found.id).update(embedding_profile="remote", residency_region="eu")
    return found


@pytest.fixture
def amy(firm: Firm) -> Principal:
    return make_member(firm, "amy", Role.ANALYST)


@pytest.fixture
def olivia(firm: Firm) -> Principal:
    return make_member(firm, "olivia", Role.COMPLIANCE_OFFICER)


def test_each_request_for_a_vector_of_a_question_is_an_event(firm: Firm, amy: Principal, server: Watched) -> None:
    answered = ask(text=QUESTION, principal=amy)
    calls_made, ends = told(firm, CALLED), told(firm, RETURNED)
    assert len(calls_made) == len(ends) == len(server.requests) > 2
    assert [payload["core"]["attempt"] for _, payload in calls_made] == list(range(1, len(calls_made) + 1))
    purposes = [payload["core"]["purpose"] for _, payload in calls_made]
    assert (purposes[0], purposes[-1]) == ("embed_examples", "embed_question")
    assert set(server.open) == {0}
    ((_, payload),) = told(firm, ANSWERED)
    assert payload["core"]["calls"] == [str(event.id) for event, _ in calls_made]
    trace = answered.result.trace
    assert [each.event_id for each in trace.calls] == payload["core"]["calls"]
    assert trace.deadline is not None
    assert payload["core"]["deadline"]["seconds"] == trace.deadline.seconds == 60
    assert 0 < trace.deadline.used_seconds < 60


def test_what_a_request_cost_is_fixed_at_its_end(
    firm: Firm, amy: Principal, server: Watched, settings: LazySettings
) -> None:
    ask(text=QUESTION, principal=amy)
    settings.GLASSBOX_EMBEDDING_PROFILES["remote"]["price"] = ""
    ask(text=QUESTION, principal=amy)
    first, *_, last = (payload["core"] for _, payload in told(firm, RETURNED))
    assert (first["price"], first["currency"]) == ("0.02/0 USD", "USD")
    assert Decimal(first["cost"]) == Decimal("0.02") * first["input_tokens"] / 1_000_000 > 0
    assert 0 < first["first_byte_ms"] <= first["elapsed_ms"]
    # No price is no cost, and not a cost of nothing.
    assert (last["price"], last["cost"], last["input_tokens"] > 0) == ("", None, True)


def test_a_model_within_the_process_is_no_request(firm: Firm, amy: Principal, server: Watched) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        Tenant.objects.filter(id=firm.id).update(embedding_profile="local")
    answered = ask(text=QUESTION, principal=amy)
    assert (told(firm, CALLED), server.requests, answered.result.trace.calls) == ([], (), ())


@pytest.mark.parametrize("fault", [Fault.HANG, Fault.DROPPED, Fault.RATE_LIMITED, Fault.NOT_JSON])
def test_a_request_that_fails_is_recorded_and_the_words_alone_decide(
    firm: Firm, amy: Principal, server: Watched, settings: LazySettings, fault: Fault
) -> None:
    settings.GLASSBOX_EMBEDDING_PROFILES["remote"]["timeout_seconds"] = 0.5
    server.fail_with(fault)
    answered = ask(text=QUESTION, principal=amy)
    assert answered.result.answer.degradations
    ends = told(firm, RETURNED)
    assert len(ends) == len(told(firm, CALLED)) == len(server.requests)
    assert all(event.outcome == Outcome.FAILED and payload["core"]["code"] for event, payload in ends)
    assert all(payload["core"]["cost"] is None for _, payload in ends)


def test_what_can_t_be_recorded_is_not_sent(
    firm: Firm, amy: Principal, server: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**event: Any) -> None:
        raise OperationalError("the connection is lost")

    monkeypatch.setattr(recording, "record", fail)
    with pytest.raises(OperationalError):
        ask(text=QUESTION, principal=amy)
    assert (server.requests, told(firm, CALLED)) == ((), [])


def test_who_loses_the_permission_to_ask_while_a_vector_is_made_sends_nothing_more(
    firm: Firm, amy: Principal, server: Watched
) -> None:
    def end() -> None:
        with open_scope(tenant=firm.id, reason="a test"):
            membership_revoke(Membership.objects.get(user_id=amy.id, revoked_at__isnull=True))
        make_member(firm, "amy", Role.AUDITOR)

    server.once = end
    with pytest.raises(PermissionDeniedError):
        ask(text=QUESTION, principal=amy)
    assert len(server.requests) == len(told(firm, CALLED)) == len(told(firm, RETURNED)) == 1
    assert told(firm, ANSWERED) == []


def test_past_its_deadline_a_question_asks_for_no_vector(
    firm: Firm, amy: Principal, server: Watched, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.GLASSBOX_RETRIEVAL_STAGES = "question_deadline_seconds=0.5"
    monkeypatch.setattr(asking_service, "Deadline", DeadlineOfRequests)
    server.fail_with(Fault.HANG)
    ask(text=QUESTION, principal=amy)
    ((_, payload),) = told(firm, CALLED)
    assert payload["core"]["timeout_seconds"] <= 0.5
    until(lambda: bool(server.requests))
    assert len(server.requests) == 1


def test_a_replay_waits_in_no_transaction(firm: Firm, amy: Principal, server: Watched) -> None:
    event = ask(text=QUESTION, principal=amy).event
    ada = make_member(firm, "ada", Role.AUDITOR)
    server.open.clear()
    replay = question_replay(event, typed=QUESTION, principal=ada)
    assert replay.equal
    assert server.open == [0]
    assert len(told(firm, CALLED)) == len(told(firm, RETURNED)) == len(server.requests)


@pytest.mark.parametrize("when", ["before the search", "after it"])
def test_of_a_document_that_is_removed_meanwhile_a_replay_tells_nothing(
    firm: Firm, amy: Principal, server: Watched, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    asked = ask(text=QUESTION, principal=amy)
    ada = make_member(firm, "ada", Role.AUDITOR)
    cited = asked.result.answer.citations[0].document_id

    def remove() -> None:
        with as_(amy):
            document_delete(cited)

    def find_and_remove(*args: Any, **kwargs: Any) -> FindResult:
        found = find(*args, **kwargs)
        remove()
        return found

    if when == "after it":
        monkeypatch.setattr(run, "find", find_and_remove)
        with pytest.raises(NotReplayableError, match="removed while it ran"):
            question_replay(asked.event, typed=QUESTION, principal=ada)
        assert told(firm, REPLAYED) == []
    else:
        server.once = remove
        replay = question_replay(asked.event, typed=QUESTION, principal=ada)
        assert cited not in {hit.document_id for hit in replay.now.hits or ()}


def test_a_preview_waits_in_no_transaction(firm: Firm, amy: Principal, olivia: Principal, server: Watched) -> None:
    ask(text=QUESTION, principal=amy)
    draft = draft_of(olivia, with_kinds("performance", FundHouse.RUN, FundHouse.SCHEDULE))
    impact = requested(olivia, draft)
    server.open.clear()
    assert impact_run(impact_id=impact.id, tenant_id=firm.id) is ImpactOutcome.DONE
    assert impact_row(olivia, impact.id).done > 0
    assert set(server.open) <= {0}


def test_submitting_and_approving_wait_in_no_transaction(firm: Firm, olivia: Principal, server: Watched) -> None:
    rita = ShortScopes.all_of(make_member(firm, "rita", Role.REVIEWER))
    author = ShortScopes.all_of(olivia)
    draft = drafted(olivia, new_examples)
    checked = version_checked(draft.id, author)
    with author.open():
        version = version_submit(draft.id, revision=draft.revision, checked=checked)
    checked = version_checked(version.id, rita)
    with rita.open():
        version = version_approve(version.id, revision=version.revision, checked=checked)
    assert version.status == VersionStatus.ACTIVE
    assert server.open
    assert set(server.open) == {0}
    called = told(firm, CALLED)
    assert len(called) == len(told(firm, RETURNED)) == len(server.requests)
    # The reviewer's check found every vector that the author's had made.
    assert {(event.actor_id, payload["core"]["purpose"]) for event, payload in called} == {
        (olivia.id, "embed_examples")
    }


def test_a_question_tried_on_the_desk_is_in_the_log_as_a_request_and_no_more(
    firm: Firm, olivia: Principal, server: Watched
) -> None:
    author = ShortScopes.all_of(olivia)
    draft = drafted(olivia, wider)
    with author.open():
        snapshot = version_snapshot(PolicyVersion.objects.get(id=draft.id))
    tried = question_try(question=QUESTION, snapshot=snapshot, acting=author)
    assert not tried.decision.degraded
    called = told(firm, CALLED)
    assert len(called) == len(told(firm, RETURNED)) == len(server.requests) > 0
    assert called[-1][1]["core"]["purpose"] == "embed_question"
    assert all("question" not in payload for _, payload in called)
    assert (set(server.open), told(firm, ANSWERED)) == ({0}, [])


@pytest.mark.parametrize("version", ["active", "draft"])
def test_a_check_from_the_shell_waits_in_no_transaction(
    firm: Firm, olivia: Principal, server: Watched, version: str
) -> None:
    draft = drafted(olivia, new_examples)
    number = str(draft.number) if version == "draft" else version
    # What the server's vectors are worth is not what this is about.
    with suppress(CommandError):
        call_command("policy", "check", "--tenant", "acme", "--version", number, "--json")
    assert server.open
    assert set(server.open) == {0}
    assert len(told(firm, CALLED)) == len(told(firm, RETURNED)) == len(server.requests)


def test_a_policy_that_is_no_tenants_is_sent_to_no_service(firm: Firm, server: Watched, settings: LazySettings) -> None:
    """There would be no log to record it in."""
    profiles = settings.GLASSBOX_EMBEDDING_PROFILES
    settings.GLASSBOX_EMBEDDING_PROFILES = {**profiles, "local": profiles["remote"]}
    with pytest.raises(CommandError, match="Add --tenant, or --terms-only"):
        call_command("policy", "check", "--version", "baseline")
    assert not server.requests


def test_an_evaluation_warms_up_outside_of_any_transaction(firm: Firm, server: Watched) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        snapshot, generation_profile = policy_in_force(), Tenant.objects.get(id=firm.id).generation_profile
    Asking(
        tenant_id=firm.id,
        snapshot=snapshot,
        settings=RunSettings(policy=snapshot.retrieval),
        kept=KeptVectors(),
        generation_profile=generation_profile,
    ).warm_up()
    # The question, and the review examples that it is compared with.
    assert len(told(firm, CALLED)) == len(told(firm, RETURNED)) == len(server.requests) > 1
    assert set(server.open) == {0}


def test_a_draft_that_changes_while_it_is_checked_is_not_submitted(
    firm: Firm, olivia: Principal, server: Watched
) -> None:
    author = ShortScopes.all_of(olivia)
    draft = drafted(olivia, new_examples)

    def change() -> None:
        with as_(olivia):
            now = PolicyVersion.objects.get(id=draft.id)
            draft_save(draft.id, content=version_snapshot(now), reason="Again.", revision=now.revision)

    server.once = change
    checked = version_checked(draft.id, author)
    assert checked.error is None
    for revision in (draft.revision, draft.revision + 1):
        with pytest.raises(VersionChangedError), author.open():
            version_submit(draft.id, revision=revision, checked=checked)


def test_a_provider_that_fails_ends_a_submission_and_says_so(firm: Firm, olivia: Principal, server: Watched) -> None:
    author = ShortScopes.all_of(olivia)
    draft = drafted(olivia, new_examples)
    server.fail_with(Fault.ERROR_500)
    checked = version_checked(draft.id, author)
    with pytest.raises(type(checked.error)), author.open():  # type: ignore[arg-type]
        version_submit(draft.id, revision=draft.revision, checked=checked)
    assert checked.error is not None
    with author.open():
        assert PolicyVersion.objects.get(id=draft.id).status == VersionStatus.DRAFT


@pytest.mark.parametrize("price", ["0.02", "0.02 usd", "-1 USD", "1/2/3 USD", "0,02 USD", "nan USD"])
def test_a_price_that_can_t_be_read_is_refused(price: str) -> None:
    entry = {"backend": "openai", "region": "eu", "model": "vectors", "dimension": 384, "price": price}
    with pytest.raises(ImproperlyConfigured, match="price"):
        EMBEDDING_PROFILES.parse("remote", entry)


def new_examples(snapshot: PolicySnapshot) -> PolicySnapshot:
    """Nothing that is kept stands for these."""
    wide = wider(snapshot)
    return replace(wide, examples=tuple(replace(each, text=f"{each.text} today") for each in wide.examples))
