"""Derive from the facts what could be reached, without queries, by the same gate and scope tree as for a question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from apps.corpus.kinds import Kind
from apps.intents.access.contracts import (
    AccessAnswer,
    AccessFacts,
    GrantedBy,
    GrantedScope,
    Holding,
    IntentReach,
    ScopeFact,
    ScopeName,
    Verdict,
)
from apps.intents.access.words import notes, sentence
from apps.intents.contracts import UNRECOGNISED, IntentDecision, PolicySnapshot
from apps.intents.gate import gate
from apps.tenants.ids import ScopeId
from apps.tenants.selectors.grants import subtree

UNRECOGNISED_NAME = "unrecognised"
"""By this name one asks what a question that no intent recognises could reach."""


def reached_scopes(holdings: Iterable[Holding], tree: Iterable[ScopeFact]) -> frozenset[ScopeId]:
    """Return the scopes at and below all grants that are in the tree; the scopes of several holdings add up."""
    return subtree([grant.scope_id for holding in holdings for grant in holding.grants], tree)


def intent_reaches(policy: PolicySnapshot) -> tuple[IntentReach, ...]:
    """Return what questions of each intent of a version may reach, with unrecognised questions last."""
    named = [(rule.name, rule.label, True) for rule in policy.intents]
    return tuple(
        IntentReach(name=name, label=label, recognised=recognised, kinds=_permitted(policy, name, recognised))
        for name, label, recognised in (*named, (UNRECOGNISED_NAME, policy.fallback.label, False))
    )


def kind_order(policy: PolicySnapshot) -> tuple[Kind, ...]:
    """Return all kinds by the priority of their budgets."""
    return policy.kinds


def access_answer(facts: AccessFacts, *, intent: str = "") -> AccessAnswer:
    """Return what the subject could reach, and why.

    Args:    intent: an intent's name, `unrecognised`, or empty for all of them.
    Returns: the answer; if nothing could be reached, its verdict and its sentence say why.
    """
    answerable = facts.tenant.created_at <= facts.at <= facts.answered_at
    valid = tuple(holding for holding in facts.holdings if answerable and holding.is_valid(facts.at))
    bounds = tuple(holding for holding in facts.bounds if answerable and holding.is_valid(facts.at))
    if facts.subject.acts_for:
        # The same rule as for a request: a key opens nothing while its person does not hold the key's role.
        held = {bound.role for bound in bounds}
        valid = tuple(holding for holding in valid if holding.role in held)
    asked = tuple(each for each in (intent_reaches(facts.policy) if facts.policy else ()) if intent in ("", each.name))
    reached = reached_scopes(valid, facts.tree)
    if facts.subject.acts_for:
        reached &= reached_scopes(bounds, facts.tree)
    verdict = _verdict(facts, valid, reached, asked)
    could_reach = verdict is Verdict.COULD_REACH
    if not could_reach:
        asked = tuple(replace(each, kinds=()) for each in asked)
        reached = frozenset()
    seen = [facts.names[scope_id] for scope_id in reached if scope_id in facts.names]
    answer = AccessAnswer(
        verdict=verdict,
        sentence="",
        at=facts.at,
        answered_at=facts.answered_at,
        tenant=facts.tenant,
        subject=facts.subject,
        intent=intent,
        intents=asked,
        kind_order=kind_order(facts.policy) if facts.policy else (),
        scopes=tuple(sorted(seen, key=lambda scope: scope.key)),
        hidden_scopes=len(reached) - len(seen),
        granted_by=tuple(_granted_by(holding, facts.names) for holding in valid),
        bounded_by=tuple(_granted_by(holding, facts.names) for holding in bounds),
        policy=facts.policy,
        notes=notes(facts, verdict),
    )
    return replace(answer, sentence=sentence(answer, facts.holdings))


def _verdict(
    facts: AccessFacts, valid: tuple[Holding, ...], reached: frozenset[ScopeId], asked: tuple[IntentReach, ...]
) -> Verdict:
    reasons = (
        # First: of somebody unknown nothing is stated, whatever the date.
        (facts.subject.id is None, Verdict.NOT_KNOWN),
        (facts.at > facts.answered_at, Verdict.IN_THE_FUTURE),
        (facts.at < facts.tenant.created_at, Verdict.BEFORE_THE_TENANT),
        (not valid, Verdict.NOT_VALID),
        (facts.policy is None, Verdict.NO_POLICY),
        (not any(holding.may_ask for holding in valid), Verdict.MAY_NOT_ASK),
        (not reached, Verdict.NO_SCOPE),
        (not asked, Verdict.UNKNOWN_INTENT),
    )
    return next((verdict for applies, verdict in reasons if applies), Verdict.COULD_REACH)


def _permitted(policy: PolicySnapshot, name: str, recognised: bool) -> tuple[Kind, ...]:
    """Return what the gate itself permits, so that an answer about the past can't differ from what a question met."""
    decision = IntentDecision(
        intent=name if recognised else UNRECOGNISED,
        label="",
        recognised=recognised,
        score=0.0,
        margin=0.0,
        reason="",
        nearest=(),
        matched_terms=(),
        set_aside=(),
        degraded=False,
    )
    return gate(decision, policy).permitted


def _granted_by(holding: Holding, names: Mapping[ScopeId, ScopeName]) -> GrantedBy:
    seen = tuple(
        GrantedScope(scope=names[grant.scope_id], valid_from=grant.valid_from, valid_to=grant.valid_to)
        for grant in holding.grants
        if grant.scope_id in names
    )
    return GrantedBy(holding=holding, grants=seen, hidden_grants=len(holding.grants) - len(seen))
