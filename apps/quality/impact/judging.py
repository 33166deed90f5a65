"""Judge one question under both policies, within the scopes in which it was asked, or is to be asked."""

from __future__ import annotations

from collections.abc import Sequence

from apps.intents.classifier import classify_question
from apps.intents.contracts import FALLBACK_NAME, PolicySnapshot
from apps.intents.gate import gate
from apps.intents.profile.contracts import InQuestion
from apps.intents.profile.matching import find_rules
from apps.intents.profile.means import DIRECT, rules_against
from apps.quality.errors import ImpactError
from apps.quality.impact.comparison import (
    in_order,
    reach_of,
    reach_of_intent,
    score,
    shift_between,
    shift_of_intent,
)
from apps.quality.impact.contracts import Basis, EvaluationShift, GoldenShift, Reach, RecordedShift
from apps.quality.impact.lease import holding_current
from apps.quality.impact.plan import Example, Expected, Judged, RecordedQuestion
from apps.quality.models import PolicyImpact
from apps.retrieval.contracts import ProfileCheck, Question
from apps.retrieval.given_record import NONE_RECORDED, RecordedFilters
from apps.retrieval.pipeline import find
from apps.retrieval.services.wiring import dependencies_for
from apps.retrieval.trace import Stage, StageStatus, Trace
from apps.tenants.context import tenant_scope_ids
from apps.tenants.ids import ScopeId
from apps.tenants.leased_jobs import Heartbeat, Lease
from apps.tenants.selectors.tenants import current_tenant
from apps.tenants.short_scopes import current_short_scopes

_NEEDS_THE_PROVIDER = (Stage.CLASSIFY, Stage.EMBED)


class Judge:
    """Judges questions under both policies.

    Its methods that search raise LeaseLostError, ImpactError. A degraded run is refused
    because a difference would show that the provider was away for one half of it, and not the effect of the policy.
    """

    def __init__(self, lease: Lease[PolicyImpact], *, before: Judged, after: Judged) -> None:
        self._lease = lease
        self._before, self._after = before, after

    def recorded_text(self, question: RecordedQuestion, *, done: int) -> RecordedShift:
        """Ask a recorded question again, within those of its scopes that still exist."""
        before, after = (
            self._found(question.text, question.scope_ids, each.policy, done, question.filters, question.research_mode)
            for each in (self._before, self._after)
        )
        return RecordedShift(event_id=question.event_id, basis=Basis.TEXT, shift=shift_between(before, after))

    def recorded_intent(self, question: RecordedQuestion) -> RecordedShift:
        """Judge a question only by what was recorded: no transaction, no search."""
        before, after = (
            reach_of_intent(question.intent or "", each.policy, question.research_mode)
            for each in (self._before, self._after)
        )
        shift = shift_of_intent(before, after, question.hits or ())
        return RecordedShift(event_id=question.event_id, basis=Basis.INTENT, shift=shift)

    def evaluation(self, expected: Expected, *, done: int) -> EvaluationShift:
        before, after = (
            self._found(expected.text, expected.scope_ids, each.policy, done) for each in (self._before, self._after)
        )
        scores = [score(each, documents=expected.documents, pages=expected.pages) for each in (before, after)]
        return EvaluationShift(
            query_id=expected.query_id, shift=shift_between(before, after), before=scores[0], after=scores[1]
        )

    def golden(self, example: Example) -> GoldenShift:
        """Classify an example and hold it against the profile; what is found is not looked at.

        No transaction, no provider.
        """
        before, after = (_classified(example, each) for each in (self._before, self._after))
        return GoldenShift(example_id=example.example_id, shift=shift_between(before, after))

    def _found(
        self,
        text: str,
        scopes: Sequence[ScopeId],
        policy: PolicySnapshot,
        done: int,
        filters: RecordedFilters = NONE_RECORDED,
        research_mode: str = DIRECT,
    ) -> Reach:
        there = frozenset(scopes) & tenant_scope_ids(self._lease.tenant_id)
        with holding_current(self._lease, done=done, scopes=there):
            deps = dependencies_for(current_tenant(), policy, scopes=current_short_scopes())
        question = Question(
            text=text,
            tenant_id=self._lease.tenant_id,
            scope_ids=tuple(sorted(there)),
            as_of=filters.as_of,
            given=filters.given,
            research_mode=research_mode,
        )
        with Heartbeat(self._lease, scopes=there):
            result = find(question, deps=deps)
        with holding_current(self._lease, done=done, scopes=there):
            # Nothing is written: what was found counts only if the draft is still the one that was asked about.
            pass
        _require_provider(result.trace)
        return reach_of(result.found, result.trace.output(ProfileCheck))


def _classified(example: Example, side: Judged) -> Reach:
    grant = gate(classify_question(example.text, side.policy, example.vector, side.vectors), side.policy)
    intent = grant.intent or FALLBACK_NAME
    refusing = (
        rule for rule in side.policy.profile if rule.in_question is InQuestion.REFUSE and rule.holds_for(intent)
    )
    return Reach(
        intent=grant.intent,
        kinds=in_order(kind.value for kind in grant.permitted),
        refused=(
            *(each.rule.key for each in find_rules(example.text, refusing)),
            *(each.key for each in rules_against(side.policy.profile, intent, DIRECT)),
        ),
    )


def _require_provider(trace: Trace) -> None:
    for record in trace.stages:
        if record.stage in _NEEDS_THE_PROVIDER and record.status is StageStatus.DEGRADED:
            raise ImpactError("retrieval.impact_without_provider", stage=record.stage.value)
