"""The preview of a policy version: what it computes, who may ask for it, and how it survives what goes wrong."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.utils import timezone

from apps.audit.models import Outcome
from apps.audit.services import record
from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import NotTheAuthorError
from apps.intents.fund_house import FundHouse
from apps.intents.models import PolicyVersion
from apps.intents.selectors import policy_in_force
from apps.quality.events import IMPACT_COMPUTED, IMPACT_REQUESTED
from apps.quality.impact import runner
from apps.quality.impact.contracts import Basis, ImpactResult
from apps.quality.impact.plan import Judged, plan_of
from apps.quality.impact.runner import ImpactOutcome, ImpactPolicy, claim_impact, impact_run
from apps.quality.models import ImpactState, PolicyImpact
from apps.quality.services.evaluation import evaluation_query_remove
from apps.retrieval.events import ANSWERED
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.factories import Firm, as_, make_member
from tests.model_server import Fault, ModelServer
from tests.quality.impacting import (
    asked,
    change_impact,
    changed,
    computed,
    draft_of,
    expects,
    impact_row,
    recorded,
    requested,
    result_of,
    with_kinds,
)
from tests.raising import raises_code
from tests.retrieval.asking import QUESTION

pytestmark = pytest.mark.django_db

# Performance reaches runs under the baseline; without them a question for a drawdown finds no report any more.
NARROWER = with_kinds("performance", FundHouse.FUND_PROFILE, FundHouse.SCHEDULE)


@pytest.fixture
def officer(firm: Firm) -> Principal:
    return make_member(firm, "olivia", Role.COMPLIANCE_OFFICER)


@pytest.fixture
def draft(officer: Principal) -> PolicyVersion:
    return draft_of(officer, NARROWER)


# --- what it computes ---


def test_a_question_of_which_digests_are_kept_is_judged_by_its_intent(
    firm: Firm, officer: Principal, draft: PolicyVersion
) -> None:
    event = asked(officer, QUESTION)
    found = computed(officer, draft).recorded
    assert (found.total, found.by_intent, found.by_text, found.not_judged) == (1, 1, 0, 0)
    assert (found.gaining, found.losing) == (1, 1)
    (line,) = found.changed
    assert (line.event_id, line.basis) == (event.id, Basis.INTENT)
    assert (line.shift.gained, line.shift.lost) == (("schedule",), ("dataset_summary", "run"))
    with open_scope(tenant=firm.id, reason="a test"):
        hits = event.payload["passages"]["hits"]
    in_context = [hit["chunk_id"] for hit in hits if hit["in_context"]]
    assert [str(hit.chunk_id) for hit in line.shift.vanishing] == in_context != []
    assert line.shift.appearing == ()


def test_an_intent_that_is_gone_falls_to_the_fallback(officer: Principal) -> None:
    asked(officer, QUESTION)

    def without(policy: PolicySnapshot) -> PolicySnapshot:
        return replace(
            policy,
            intents=tuple(each for each in policy.intents if each.name != "performance"),
            examples=tuple(each for each in policy.examples if each.intent != "performance"),
        )

    (line,) = computed(officer, draft_of(officer, without)).recorded.changed
    assert (line.shift.intent_before, line.shift.intent_after) == ("performance", "")
    assert line.shift.gained == ("org_profile",)


def test_a_question_whose_text_is_kept_is_asked_again_under_both(
    firm: Firm, officer: Principal, draft: PolicyVersion
) -> None:
    event = asked(officer, QUESTION)
    with open_scope(tenant=firm.id, reason="a test"):
        question = {**event.payload["question"], "text": QUESTION}
        record(action=ANSWERED, scopes=event.scope_ids, **{**event.payload, "question": question})
    found = computed(officer, draft).recorded
    assert (found.by_text, found.by_intent) == (1, 1)
    by_basis = {each.basis: each.shift for each in found.changed}
    assert by_basis[Basis.TEXT].vanishing == by_basis[Basis.INTENT].vanishing
    assert QUESTION not in json.dumps(impact_row(officer, _only(officer).id).result)


def test_a_question_whose_record_was_removed_is_counted_as_not_judged(firm: Firm, officer: Principal) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        record(action=ANSWERED, core={"policy_version": 1})
        record(action=ANSWERED, core={"intent": "performance"})
        record(action=ANSWERED, core={"policy_version": 1}, question={"text": "\x07"})
    found = computed(officer, draft_of(officer, NARROWER)).recorded
    assert (found.total, found.not_judged, found.by_intent, found.without_hits) == (3, 2, 1, 1)


def test_only_the_last_recorded_questions_up_to_the_request_count(
    officer: Principal, draft: PolicyVersion, settings: LazySettings
) -> None:
    settings.GLASSBOX_IMPACT_EVENTS = 2
    for _ in range(3):
        asked(officer, QUESTION)
    impact = requested(officer, draft)
    asked(officer, QUESTION)
    before = result_of_run(officer, impact)
    assert before.recorded.total == 2


def test_an_evaluation_question_is_found_before_and_lost_after(officer: Principal, draft: PolicyVersion) -> None:
    query = expects(officer, QUESTION, document="alpha.md", scope="firm:acme", pages=(1,))
    found = computed(officer, draft).evaluation
    assert (found.total, found.with_pages, found.with_document, found.losing) == (1, 1, 1, 1)
    assert (found.before.page_recall_at_5, found.after.page_recall_at_5) == (1.0, 0.0)
    assert (found.before.document_hit_at_5, found.after.document_hit_at_5) == (1.0, 0.0)
    assert (found.before.context_bytes or 0) > 0 == found.after.context_bytes
    (line,) = found.questions
    assert line.query_id == query.id
    assert line.shift.vanishing != ()


def test_an_evaluation_question_is_asked_within_its_own_scope_and_those_below(
    officer: Principal, draft: PolicyVersion
) -> None:
    question = "What was the maximum drawdown in the fourth quarter?"
    expects(officer, question, document="alpha.md", scope="fund:alpha")
    expects(officer, question, document="beta.md", scope="firm:acme")
    narrow, wide = computed(officer, draft).evaluation.questions
    assert len({hit.document_id for hit in narrow.shift.vanishing}) == 1
    assert len({hit.document_id for hit in wide.shift.vanishing}) == 2


def test_golden_examples_of_both_versions_are_classified_under_both(officer: Principal) -> None:
    def stricter(policy: PolicySnapshot) -> PolicySnapshot:
        """No score is high enough any more; and there is one example more."""
        more = replace(policy.examples[0], id=uuid4(), text="What did the Alpha Fund earn last year?")
        return replace(
            policy,
            examples=(*policy.examples, more),
            classifier=replace(policy.classifier, minimum_score=9.0),
        )

    with as_(officer):
        examples = policy_in_force().examples
    found = computed(officer, draft_of(officer, stricter)).golden
    assert found.total == len(examples) + 1
    recognised = {each.text: each.intent for each in examples if each.intent}
    assert found.moving == found.losing >= len(recognised) // 2
    assert {each.shift.intent_after for each in found.changed} == {""}


def test_the_same_policy_in_other_words_changes_nothing(officer: Principal) -> None:
    asked(officer, QUESTION)
    expects(officer, QUESTION, document="alpha.md", scope="firm:acme")

    def reworded(policy: PolicySnapshot) -> PolicySnapshot:
        first, *rest = policy.intents
        return replace(policy, intents=(replace(first, description="Said otherwise."), *rest))

    found = computed(officer, draft_of(officer, reworded))
    assert (found.recorded.changed, found.golden.changed) == ((), ())
    assert found.evaluation.before == found.evaluation.after


def test_the_result_holds_no_text_and_no_title(officer: Principal, draft: PolicyVersion) -> None:
    asked(officer, QUESTION)
    expects(officer, QUESTION, document="alpha.md", scope="firm:acme")
    computed(officer, draft)
    stored = json.dumps(impact_row(officer, _only(officer).id).result).lower()
    assert "alpha" not in stored
    assert "drawdown" not in stored


# --- who, and when ---


def test_a_draft_is_its_authors_alone(firm: Firm, officer: Principal, draft: PolicyVersion) -> None:
    other = make_member(firm, "otto", Role.COMPLIANCE_OFFICER)
    with pytest.raises(NotTheAuthorError):
        requested(other, draft)


@pytest.mark.parametrize("role", [Role.ANALYST, Role.AUDITOR, Role.DPO])
def test_who_may_neither_edit_nor_approve_may_not_ask_for_it(firm: Firm, draft: PolicyVersion, role: Role) -> None:
    with pytest.raises(PermissionDeniedError):
        requested(make_member(firm, "andy", role), draft)


def test_for_a_version_in_force_there_is_nothing_to_preview(officer: Principal) -> None:
    with as_(officer):
        active = PolicyVersion.objects.get()
    with raises_code("retrieval.impact_nothing_to_preview"):
        requested(officer, active)


def test_there_is_one_row_for_a_revision_and_asking_twice_leaves_it(officer: Principal, draft: PolicyVersion) -> None:
    first, second = requested(officer, draft), requested(officer, draft)
    assert first.id == second.id
    changed(officer, draft, with_kinds("performance", FundHouse.SCHEDULE))
    assert requested(officer, draft).id != first.id


def test_computing_again_begins_anew(officer: Principal, draft: PolicyVersion) -> None:
    computed(officer, draft)
    asked(officer, QUESTION)
    again = requested(officer, draft)
    assert (again.state, again.result, again.done) == (ImpactState.QUEUED, {}, 0)
    assert result_of_run(officer, again).recorded.total == 1


def test_request_and_result_are_recorded(firm: Firm, officer: Principal, draft: PolicyVersion) -> None:
    computed(officer, draft)
    (asked_for,), (ended,) = recorded(firm, IMPACT_REQUESTED), recorded(firm, IMPACT_COMPUTED)
    assert (asked_for.actor_label, ended.actor_kind, ended.outcome) == ("olivia", "system", Outcome.SUCCESS)
    assert asked_for.subject_id == ended.subject_id == draft.id
    assert ended.payload["core"]["base_number"] == 1


# --- what goes wrong ---


def test_without_the_embedding_provider_it_fails_and_says_so(
    officer: Principal, draft: PolicyVersion, server: ModelServer
) -> None:
    expects(officer, QUESTION, document="alpha.md", scope="firm:acme")
    impact = requested(officer, draft)
    server.fail_with(Fault.ERROR_500, times=1000)
    assert impact_run(impact_id=impact.id, tenant_id=officer.tenant_id) is ImpactOutcome.FAILED
    row = impact_row(officer, impact.id)
    assert (row.state, row.error_code, row.result) == (ImpactState.FAILED, "retrieval.impact_without_provider", {})


def test_a_draft_that_is_changed_meanwhile_fails_as_outdated(officer: Principal, draft: PolicyVersion) -> None:
    impact = requested(officer, draft)
    changed(officer, draft, with_kinds("performance", FundHouse.SCHEDULE))
    assert impact_run(impact_id=impact.id, tenant_id=officer.tenant_id) is ImpactOutcome.FAILED
    assert impact_row(officer, impact.id).error_code == "retrieval.impact_outdated"


def test_a_crash_is_written_down_without_its_words(
    officer: Principal, draft: PolicyVersion, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # Not in the line that raises: the log quotes our own source.
    words = "a secret of the Alpha Fund"

    def crash(*_: object) -> None:
        raise RuntimeError(words)

    monkeypatch.setattr(runner, "plan_of", crash)
    impact = requested(officer, draft)
    assert impact_run(impact_id=impact.id, tenant_id=officer.tenant_id) is ImpactOutcome.FAILED
    row = impact_row(officer, impact.id)
    assert row.error_code == "retrieval.impact_crashed"
    assert "secret" not in row.error_detail + caplog.text


@pytest.mark.slow
def test_a_worker_that_died_is_replaced_and_it_ends_the_same(officer: Principal, draft: PolicyVersion) -> None:
    asked(officer, QUESTION)
    expects(officer, QUESTION, document="alpha.md", scope="firm:acme")
    impact = requested(officer, draft)
    died = claim_impact(tenant_id=officer.tenant_id, impact_id=impact.id, policy=ImpactPolicy())
    assert died is not None
    change_impact(officer, impact.id, done=1, total=3)
    assert impact_run(impact_id=impact.id, tenant_id=officer.tenant_id) is ImpactOutcome.NOT_CLAIMED
    change_impact(officer, impact.id, lease_until=timezone.now() - timedelta(seconds=1))
    found = result_of_run(officer, impact)
    assert found == computed(officer, draft)
    row = impact_row(officer, impact.id)
    assert row.done == row.total > 0


def test_a_worker_that_comes_back_late_writes_nothing(
    officer: Principal, draft: PolicyVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    impact = requested(officer, draft)

    def overtaken(row: PolicyImpact, *judged: Judged) -> object:
        found = plan_of(row, *judged)
        PolicyImpact.objects.filter(id=row.id).update(lease_owner="another")
        return found

    monkeypatch.setattr(runner, "plan_of", overtaken)
    assert impact_run(impact_id=impact.id, tenant_id=officer.tenant_id) is ImpactOutcome.LOST
    row = impact_row(officer, impact.id)
    assert (row.lease_owner, row.state, row.result) == ("another", ImpactState.RUNNING, {})


def test_workers_that_die_on_it_again_and_again_end_it(officer: Principal, draft: PolicyVersion) -> None:
    impact = requested(officer, draft)
    change_impact(officer, impact.id, attempts=3)
    assert impact_run(impact_id=impact.id, tenant_id=officer.tenant_id) is ImpactOutcome.FAILED
    assert "3 times" in impact_row(officer, impact.id).error_detail


def test_a_question_that_is_removed_meanwhile_is_left_out(
    officer: Principal, draft: PolicyVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = expects(officer, QUESTION, document="alpha.md", scope="firm:acme")
    impact = requested(officer, draft)

    def and_removed(row: PolicyImpact, *judged: Judged) -> object:
        found = plan_of(row, *judged)
        evaluation_query_remove(query.id)
        return found

    monkeypatch.setattr(runner, "plan_of", and_removed)
    assert result_of_run(officer, impact).evaluation.total == 0


def test_there_is_nothing_to_claim_where_there_is_no_such_row(officer: Principal) -> None:
    assert impact_run(impact_id=uuid4(), tenant_id=officer.tenant_id) is ImpactOutcome.NOT_CLAIMED


def result_of_run(principal: Principal, impact: PolicyImpact) -> ImpactResult:
    assert impact_run(impact_id=impact.id, tenant_id=principal.tenant_id) is ImpactOutcome.DONE
    return result_of(principal, impact.id)


def _only(principal: Principal) -> PolicyImpact:
    with as_(principal):
        found: PolicyImpact = PolicyImpact.objects.get()
        return found
