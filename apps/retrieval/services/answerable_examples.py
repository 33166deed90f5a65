"""The examples on the Ask page: questions that a person's documents answer now.

They are examples of the policy in force and, where these are too few, questions for figures of the newest documents.
Each is asked before it is shown, in the person's own scopes and with quotation as the generator. That is not recorded,
because nobody asked; a request to a model elsewhere is recorded as always. Which of them were answered is kept in
Redis, by ids alone, until the policy, the scopes, the documents or the settings change.
"""

from __future__ import annotations

import logging
import secrets
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import Final
from uuid import UUID

from django.core.cache import cache
from django.db.models import F
from redis.exceptions import RedisError

from apps.corpus.models import Document
from apps.corpus.providers.errors import WarmingUpError
from apps.corpus.providers.warming import require_warm
from apps.erasure.runs.closing import closed_among
from apps.intents.contracts import UNRECOGNISED, IntentDecision, PolicySnapshot
from apps.intents.selectors import policy_in_force
from apps.retrieval.contracts import (
    Answer,
    AnswerOutcome,
    ContextBlock,
    Period,
    Question,
    RelevanceStatus,
    SearchBounds,
)
from apps.retrieval.errors import QuestionError
from apps.retrieval.pipeline import PipelineResult, answer
from apps.retrieval.retrievers.documents import within_reach
from apps.retrieval.services.calls import Deadline, RecordedCalls
from apps.retrieval.services.wiring import dependencies_for
from apps.retrieval.stage_choice import stages_in_use
from apps.tenants.context import current_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import current_tenant
from apps.tenants.short_scopes import ShortScopes

MOST_SHOWN: Final = 3
"""Of one intent."""
MOST_TRIED: Final = 8
"""Of one intent, in the policy's order, and of the questions for figures: each takes about a fifth of a second."""
_MEASURES: Final = ("revenue", "net income", "total assets")
_MOST_DOCUMENTS: Final = 50
_KEPT_S: Final = 12 * 60 * 60
_LONGEST_CHECK_S: Final = 120
_NAME: Final = "examples:{tenant}:{version}:{digest}"
_BEING_CHECKED: Final = "examples:{tenant}:being-checked"

logger = logging.getLogger("glassbox.ask")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleGroup:
    """Examples of one intent. reach: which kinds of document it may use, in words."""

    label: str
    description: str
    reach: str
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    """A question that may be shown. key: names it. intent: the one that it must get; empty for any of the policy's."""

    key: str
    text: str
    intent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ground:
    """What decides which examples are answered.

    document_ids: of all that some intent may reach. name: of all of it together, under which the result is kept.
    """

    scopes: ShortScopes
    policy: PolicySnapshot
    document_ids: frozenset[UUID]
    profile: str
    name: str


class _OutdatedError(Exception):
    """The ground changed while the examples were checked."""


def answerable_examples(principal: Principal) -> tuple[ExampleGroup, ...] | None:
    """Return the examples that are answered, by intent, in the policy's order. Call it outside of any scope.

    Returns: None while that can't be told: the model is being loaded or does not answer, Redis can't be reached,
             another request is checking them, or something changed during the check.
    Raises:  NoPolicyInForceError.
             PermissionDeniedError, ScopeNotGrantedError, UnknownTenantError: the person lost their access meanwhile.
    Costs:   six queries if they were checked before; else up to MOST_TRIED questions for each intent.
    """
    held = ShortScopes.all_of(principal)
    with held.open():
        ground = _read_ground(replace(held, scope_ids=principal.scope_ids - closed_among(principal.scope_ids)))
        candidates = (*_of_policy(ground.policy), *_of_figures(ground.document_ids))
    try:
        intents = _kept(ground.name)
        if intents is None:
            require_warm(ground.profile)
            intents = _check_alone(ground, candidates)
    except (WarmingUpError, _OutdatedError):
        return None
    except RedisError as error:
        logger.warning("the examples on the Ask page can't be kept (%s)", type(error).__name__)
        return None
    return None if intents is None else _grouped(ground.policy, candidates, intents)


def _kept(name: str) -> dict[str, str] | None:
    found = cache.get(name)
    return found if isinstance(found, dict) else None


def _read_ground(scopes: ShortScopes) -> _Ground:
    """Read it in the open scope. Raises: NoPolicyInForceError."""
    policy, profile = policy_in_force(), str(current_tenant().embedding_profile)
    scope_ids = tuple(sorted(scopes.scope_ids))
    kinds = tuple(sorted({str(kind) for rule in policy.intents for kind in rule.kinds}))
    documents = within_reach(SearchBounds(tenant_id=scopes.tenant_id, scope_ids=scope_ids, kinds=kinds))
    versions = list(documents.order_by("id").values_list("id", "updated_at"))
    parts = (profile, stages_in_use(), scope_ids, *versions)
    digest = sha256("\n".join(map(repr, parts)).encode()).hexdigest()
    name = _NAME.format(tenant=scopes.tenant_id, version=policy.version_id, digest=digest)
    document_ids = frozenset(id for id, _ in versions)
    return _Ground(scopes=scopes, policy=policy, document_ids=document_ids, profile=profile, name=name)


def _require_unchanged(ground: _Ground, context: ContextBlock | None = None) -> None:
    """Require, in the open scope, that the person may still ask and that the ground is the same.

    Raises: PermissionDeniedError, _OutdatedError.
    """
    current_scope().principal.require(Permission.QUESTION_ASK)
    if closed_among(ground.scopes.scope_ids) or _read_ground(ground.scopes).name != ground.name:
        raise _OutdatedError


def _of_policy(policy: PolicySnapshot) -> Iterator[_Candidate]:
    """Yield the first examples of each intent; none of those that belong to no intent."""
    taken = Counter[str]()
    for example in policy.examples:
        taken[example.intent] += 1
        if example.intent != UNRECOGNISED and taken[example.intent] <= MOST_TRIED:
            yield _Candidate(key=str(example.id), text=example.text, intent=example.intent)


def _of_figures(document_ids: Collection[UUID]) -> list[_Candidate]:
    """Return questions for figures of the companies with the newest documents, one measure after the other."""
    stated = Document.objects.filter(id__in=document_ids).exclude(company="").exclude(fiscal_year=None)
    newest = stated.order_by("-fiscal_year", F("fiscal_quarter").desc(nulls_first=True), "company", "id")
    of_companies: dict[str, tuple[UUID, Period]] = {}
    for document in newest[:_MOST_DOCUMENTS]:
        if document.fiscal_year is not None:
            period = Period(fiscal_year=document.fiscal_year, fiscal_quarter=document.fiscal_quarter or 0)
            of_companies.setdefault(document.company, (document.id, period))
    return [
        _Candidate(
            key=f"{document_id} {measure}",
            text=f"What was the {measure} of {company} in {period.label}?",
        )
        for measure in _MEASURES
        for company, (document_id, period) in of_companies.items()
    ][:MOST_TRIED]


def _check_alone(ground: _Ground, candidates: Sequence[_Candidate]) -> dict[str, str] | None:
    """Check the candidates, one request of a tenant at a time, and keep the result if it still holds.

    Returns: as `_check`. Raises: RedisError, _OutdatedError, and what access that was lost raises.
    """
    if not ground.scopes.scope_ids:
        return {}
    being_checked, ours = _BEING_CHECKED.format(tenant=ground.scopes.tenant_id), secrets.token_hex(8)
    if not cache.add(being_checked, ours, timeout=_LONGEST_CHECK_S):
        return None
    try:
        intents = _check(ground, candidates)
        with ground.scopes.renewed().open():
            _require_unchanged(ground)
        if intents is not None:
            cache.set(ground.name, intents, timeout=_KEPT_S)
    finally:
        # A check that took too long does not end another's turn.
        if cache.get(being_checked) == ours:
            cache.delete(being_checked)
    return intents


def _check(ground: _Ground, candidates: Sequence[_Candidate]) -> dict[str, str] | None:
    """Return the intents of the candidates that are answered, by their keys; None if a part of a search failed."""
    intents: dict[str, str] = {}
    shown = Counter[str]()
    for candidate in candidates:
        if shown[candidate.intent] == MOST_SHOWN:
            continue
        result = _answer(candidate.text, ground)
        if result is None:
            continue
        if result.answer.degraded:
            return None
        decision = result.trace.output(IntentDecision)
        if decision is None or not decision.recognised or not _is_answered(result.answer, ground):
            continue
        if candidate.intent in ("", decision.intent) and shown[decision.intent] < MOST_SHOWN:
            shown[decision.intent] += 1
            intents[candidate.key] = decision.intent
    return intents


def _answer(text: str, ground: _Ground) -> PipelineResult | None:
    """Return the answer by quotation; None if the text can't be read as a question.

    Raises: _OutdatedError: the ground changed before a request to a model elsewhere, which is not sent then.
    """
    scopes = ground.scopes
    calls = RecordedCalls(
        scopes=scopes,
        policy=ground.policy,
        deadline=Deadline(stages_in_use().question_deadline_seconds),
        confirm=partial(_require_unchanged, ground),
    )
    with scopes.open():
        deps = dependencies_for(current_tenant(), ground.policy, scopes=scopes, calls=calls)
    question = Question(text=text, tenant_id=scopes.tenant_id, scope_ids=tuple(sorted(scopes.scope_ids)))
    try:
        return answer(question, deps=replace(deps, generator=deps.quoting))
    except QuestionError:
        return None


def _is_answered(given: Answer, ground: _Ground) -> bool:
    """Return whether it is answered, from documents of the ground alone: another may have come and gone meanwhile."""
    about = given.relevance
    if given.outcome is not AnswerOutcome.ANSWERED or about is None or about.status is not RelevanceStatus.FULL:
        return False
    return {each.document_id for each in given.citations} <= ground.document_ids


def _grouped(
    policy: PolicySnapshot, candidates: Sequence[_Candidate], intents: Mapping[str, str]
) -> tuple[ExampleGroup, ...]:
    groups = (
        ExampleGroup(
            label=rule.label,
            description=rule.description,
            reach=", ".join(kind.label for kind in rule.kinds),
            questions=tuple(each.text for each in candidates if intents.get(each.key) == rule.name),
        )
        for rule in policy.intents
    )
    return tuple(group for group in groups if group.questions)
