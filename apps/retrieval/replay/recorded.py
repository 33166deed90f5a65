"""Read a decision: from the log, and from the result of a replay."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any
from uuid import UUID

from apps.audit.models import Event
from apps.audit.registry import Group
from apps.audit.selectors import GroupState, Reading, readings_of
from apps.intents.profile.means import DIRECT
from apps.retrieval.contracts import ContextBlock, Refusal
from apps.retrieval.errors import InvalidStageSettingError
from apps.retrieval.events import DECIDED
from apps.retrieval.given_record import filters_read
from apps.retrieval.pipeline import FindResult
from apps.retrieval.replay.contracts import Decided, Hit, Recorded
from apps.retrieval.replay.errors import NotReplayableError
from apps.retrieval.services.recording import recorded_hits
from apps.retrieval.stage_choice import stages_in_use
from apps.retrieval.stage_settings import StageSettings
from apps.tenants.ids import ScopeId

_NAMES: Mapping[str, str] = {Group.CORE: "what was decided", Group.QUESTION: "the question"}


def recorded_question(event: Event) -> Recorded:
    """Return what the log holds of an answered question.

    Raises: NotReplayableError: the event is not an answered question, or a part that the replay needs is gone or
                damaged.
    """
    if event.action not in DECIDED:
        raise NotReplayableError(
            why="only a question that was answered, searched for or refused has a decision to repeat"
        )
    reading = readings_of([event])[event.id]
    for group, name in _NAMES.items():
        state = reading.states.get(group)
        if state is GroupState.DAMAGED:
            raise NotReplayableError(why=f"the record of {name} is damaged")
        if state is not GroupState.INTACT:
            raise NotReplayableError(why=f"the record of {name} was removed")
    core, question = reading.payload[Group.CORE], reading.payload[Group.QUESTION]
    text = question.get("text")
    return Recorded(
        event_id=event.id,
        at=event.occurred_at,
        scope_ids=tuple(ScopeId(each) for each in event.scope_ids),
        policy_version_id=UUID(core["policy_version_id"]),
        policy_version=core["policy_version"],
        text=text if isinstance(text, str) else None,
        digest=question["hmac_sha256"],
        key_epoch=question["key_epoch"],
        embedding_model=(core.get("embedding") or {}).get("model", ""),
        # Events recorded before there was a second analysis name none.
        terms_version=core.get("terms_version", 1),
        stage_settings=core.get("stage_settings"),
        degraded=tuple(f"{each['stage']}: {each['code']}" for each in core.get("degradations", ())),
        decided=_read_decision(reading),
        filters=filters_read(question.get("given_filters", {})),
        research_mode=core.get("research_mode", DIRECT),
    )


def stages_then(recorded: Recorded) -> StageSettings:
    """Return the stage settings as recorded.

    A setting that was not recorded has the value that it has here now. A recorded setting that no longer exists is
    ignored.
    """
    now = stages_in_use()
    known = {each.name for each in fields(StageSettings)}
    then = {name: value for name, value in (recorded.stage_settings or {}).items() if name in known}
    try:
        return replace(now, **then)
    except InvalidStageSettingError as error:
        raise NotReplayableError(why=f"its setting {error.data['name']} is no longer accepted") from error


def read_current_decision(result: FindResult) -> Decided:
    found = result.found
    return Decided(
        intent=found.decision.intent,
        kinds=tuple(kind.value for kind in found.grant.permitted),
        hits=_hits(recorded_hits(result.trace)),
        context_sha256=found.outcome.sha256 if isinstance(found.outcome, ContextBlock) else "",
        refusal=found.outcome.reason.value if isinstance(found.outcome, Refusal) else "",
    )


def _read_decision(reading: Reading) -> Decided:
    core = reading.payload[Group.CORE]
    answer, passages = reading.payload.get(Group.ANSWER), reading.payload.get(Group.PASSAGES)
    return Decided(
        intent=core["intent"],
        kinds=tuple(core["permitted_kinds"]),
        hits=None if passages is None else _hits(passages.get("hits", ())),
        context_sha256=None if answer is None else answer.get("context_sha256", ""),
        refusal=None if answer is None else answer.get("refusal", ""),
    )


def _hits(hits: Iterable[Mapping[str, Any]]) -> tuple[Hit, ...]:
    return tuple(
        Hit(
            chunk_id=UUID(each["chunk_id"]),
            document_id=UUID(each["document_id"]),
            kind=each["kind"],
            ref_id=each.get("ref_id", ""),
            content_sha256=each.get("content_sha256", ""),
            rank=each["rank"],
            rankings=frozenset(each.get("ranks", {})),
            in_context=bool(each.get("in_context")),
        )
        for each in hits
    )
