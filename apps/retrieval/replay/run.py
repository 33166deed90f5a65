"""Replay a recorded question as of its time. The replay is recorded as an event; what the user typed is not.

No transaction is open while a provider embeds the question. The record is read in a short transaction before, and
looked at again in the one that records the replay.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Final

from django.utils import timezone

from apps.audit.digests import keyed_digest
from apps.audit.models import Event, Outcome
from apps.audit.services import record
from apps.erasure.runs.closing import require_open
from apps.intents.contracts import PolicySnapshot
from apps.intents.models import PolicyVersion
from apps.intents.selectors import version_snapshot
from apps.retrieval.contracts import Question
from apps.retrieval.errors import QuestionError, UnknownStageImplementationError
from apps.retrieval.events import REPLAYED
from apps.retrieval.pipeline import FindResult, find
from apps.retrieval.replay.contracts import Hit, HitShift, HitState, Recorded, Replay
from apps.retrieval.replay.errors import DifferentQuestionError, NotReplayableError, TooManyGuessesError
from apps.retrieval.replay.limits import limits_of, reasons
from apps.retrieval.replay.recorded import read_current_decision, recorded_question, stages_then
from apps.retrieval.retrievers.documents import may_be_read
from apps.retrieval.services.wiring import dependencies_for
from apps.retrieval.trace import FusedRanking
from apps.tenants.context import current_scope, record_failure
from apps.tenants.principals import Principal
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import current_tenant
from apps.tenants.short_scopes import ShortScopes, current_short_scopes

GUESSES_PER_HOUR: Final = 10


def question_replay(event: Event, *, typed: str | None = None, principal: Principal | None = None) -> Replay:
    """Run a recorded question again, under its policy version and over the document versions of its time.

    Call it outside of any scope: a scope would stay open while the provider works.

    Args:    event: of an answered question, visible to the principal.
             typed: the question, if the log kept only its digest. It is compared with the digest and then forgotten.
             principal: who asks for it; None for the principal of the open scope.
    Returns: the run beside the record. The only writes are the event that records the replay, those of requests to a
             provider, and vectors of the policy version's own examples if today's model has not embedded them yet (as
             for every question).
    Raises:  PermissionDeniedError, NotReplayableError, TooManyGuessesError.
             DifferentQuestionError: recorded, although the request fails.
             ScopeClosedError: one of its scopes is being erased.
             UnknownTenantError, InvalidKeyError, ScopeNotGrantedError: the principal lost its access meanwhile.
             ResidencyError and the other errors of dependencies_for.
    """
    viewing = ShortScopes.all_of(principal) if principal else current_short_scopes()
    with viewing.open():
        _require_permitted(viewing.principal)
        recorded = recorded_question(event)
        text = recorded.text if recorded.text is not None else _confirm_text(event, recorded, typed or "")
        snapshot = _policy_of(recorded)
    scopes = ShortScopes(
        principal=viewing.principal, scope_ids=frozenset(recorded.scope_ids), reason="replay a question"
    )
    result = _find_again(recorded, text, snapshot, scopes)
    with scopes.renewed().open() as context:
        _require_permitted(context.principal)
        _require_unchanged(event, recorded, result)
        replay = _compare(recorded, result)
        _record(event, replay, typed=recorded.text is None)
    return replay


def _require_permitted(principal: Principal) -> None:
    for permission in (Permission.AUDIT_VIEW, Permission.DOCUMENT_VIEW):
        principal.require(permission)


def _require_unchanged(event: Event, recorded: Recorded, result: FindResult) -> None:
    """Require that what the replay stands on is still there, and keep removals waiting until the commit.

    Raises: ScopeClosedError; NotReplayableError: a part of the record, or a document that was found, was removed
            meanwhile.
    """
    require_open(recorded.scope_ids)
    if recorded_question(event) != recorded:
        raise NotReplayableError(why="a part of its record was removed while it ran")
    found = {hit.document_id for fused in result.trace.outputs(FusedRanking) for hit in fused.hits}
    if not may_be_read(found):
        raise NotReplayableError(why="a document that was found was removed while it ran; run it again")


def _compare(recorded: Recorded, result: FindResult) -> Replay:
    now, then = read_current_decision(result), recorded.decided
    shifts = None if then.hits is None else hit_shifts(then.hits, now.hits or (), why_gone=reasons(then.hits))
    return Replay(recorded=recorded, now=now, shifts=shifts, limits=limits_of(recorded, result.trace))


def hit_shifts(then: Sequence[Hit], now: Sequence[Hit], *, why_gone: Callable[[Hit], str]) -> tuple[HitShift, ...]:
    """Return every passage of either run once: the recorded ones in their order, then the new ones in theirs.

    A passage is the same if its id, its rank, its text and its place in or outside the context are the same. If only
    its text differs, it is reported as moved, with `changed` set.

    Args: why_gone: says why a recorded passage was not found now.
    """
    by_id = {hit.chunk_id: hit for hit in now}
    known = {hit.chunk_id for hit in then}
    shifts = [_shift(hit, by_id.get(hit.chunk_id), why_gone) for hit in then]
    shifts.extend(HitShift(state=HitState.NEW, then=None, now=hit) for hit in now if hit.chunk_id not in known)
    return tuple(shifts)


def _shift(then: Hit, now: Hit | None, why_gone: Callable[[Hit], str]) -> HitShift:
    if now is None:
        return HitShift(state=HitState.GONE, then=then, now=None, why=why_gone(then))
    # A hit whose text was not loaded, in either run, has no digest to compare.
    changed = bool(then.content_sha256 and now.content_sha256) and then.content_sha256 != now.content_sha256
    still = not changed and (then.rank, then.in_context) == (now.rank, now.in_context)
    return HitShift(state=HitState.SAME if still else HitState.MOVED, then=then, now=now, changed=changed)


def _find_again(recorded: Recorded, text: str, snapshot: PolicySnapshot, scopes: ShortScopes) -> FindResult:
    question = Question(
        text=text,
        tenant_id=scopes.tenant_id,
        scope_ids=tuple(sorted(recorded.scope_ids)),
        as_of=recorded.filters.as_of or recorded.at,
        given=recorded.filters.given,
        research_mode=recorded.research_mode,
    )
    try:
        with scopes.open():
            deps = dependencies_for(current_tenant(), snapshot, stages_then(recorded), scopes=scopes)
        return find(question, deps=deps)
    except UnknownStageImplementationError as error:
        raise NotReplayableError(why=f"nothing named {error.data['name']} is installed any more") from error
    except QuestionError as error:
        raise NotReplayableError(why=f"it is no longer accepted as a question ({error.code})") from error


def _policy_of(recorded: Recorded) -> PolicySnapshot:
    version: PolicyVersion | None = PolicyVersion.objects.filter(id=recorded.policy_version_id).first()
    if version is None:
        raise NotReplayableError(why=f"policy version {recorded.policy_version} no longer exists")
    return version_snapshot(version)


def _confirm_text(event: Event, recorded: Recorded, typed: str) -> str:
    """Return the form of the typed text that matches the recorded digest.

    Browsers change line ends, and the Ask page drops outer blanks, so three forms of the text are tried.
    """
    _refuse_guessing()
    tenant = current_scope().tenant_id
    unix = typed.replace("\r\n", "\n")
    for text in dict.fromkeys((typed, unix, unix.strip())):
        digest = keyed_digest(text, tenant=tenant, epoch=recorded.key_epoch)
        if hmac.compare_digest(digest, recorded.digest):
            return text
    record_failure(
        action=REPLAYED,
        core={"typed": True, "code": DifferentQuestionError.code},
        outcome=Outcome.REFUSED,
        subject_type="event",
        subject_id=event.id,
        scopes=recorded.scope_ids,
    )
    raise DifferentQuestionError


def _refuse_guessing() -> None:
    principal = current_scope().principal
    count = Event.objects.filter(
        action=REPLAYED,
        outcome=Outcome.REFUSED,
        actor_kind=principal.kind.value,
        actor_id=principal.id,
        occurred_at__gt=timezone.now() - timedelta(hours=1),
    ).count()
    if count >= GUESSES_PER_HOUR:
        raise TooManyGuessesError(count=count)


def _record(event: Event, replay: Replay, *, typed: bool) -> None:
    recorded, now = replay.recorded, replay.now
    record(
        action=REPLAYED,
        core={
            "intent": now.intent,
            "policy_version": recorded.policy_version,
            "policy_version_id": str(recorded.policy_version_id),
            "typed": typed,
            "equal": replay.equal,
            "intent_equal": replay.intent_equal,
            "kinds_equal": replay.kinds_equal,
            "context_equal": replay.context_equal,
            "hits": {state.value: replay.count(state) for state in HitState} if replay.shifts is not None else None,
            "limits": len(replay.limits),
        },
        question={"hmac_sha256": recorded.digest, "key_epoch": recorded.key_epoch},
        subject_type="event",
        subject_id=event.id,
        scopes=recorded.scope_ids,
    )
