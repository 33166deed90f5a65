"""What the template of an answer shows: of one that was just given, with the way of it, and of one that was kept."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.urls import reverse

from apps.corpus.registry import kind_names
from apps.intents.admin.matrix import RECORDING
from apps.intents.contracts import RecordingMode
from apps.intents.selectors import policy_in_force
from apps.retrieval.admin.ask_answer import answer_view
from apps.retrieval.admin.ask_details import Way
from apps.retrieval.admin.ask_fates import fates
from apps.retrieval.admin.ask_figures import counted, duration
from apps.retrieval.admin.ask_latency import latency_view
from apps.retrieval.admin.ask_links import answer_url, policy_url
from apps.retrieval.admin.ask_rankings import found_in, hit_ids
from apps.retrieval.admin.ask_requests import requests_view
from apps.retrieval.admin.ask_status import badges, missing_parts
from apps.retrieval.admin.ask_way import step_groups
from apps.retrieval.contracts import ContextBlock
from apps.retrieval.kept.content import AnswerContent, answer_content
from apps.retrieval.selectors.passages import passage_places
from apps.retrieval.services.ask import Asked


def answer_shown(
    content: AnswerContent,
    *,
    event_id: UUID,
    asked_at: datetime,
    context: ContextBlock | None = None,
    may_open_event: bool,
) -> dict[str, Any]:
    """Return what the template shows of an answer. context: where the passages of its citations are, if known."""
    own_url = answer_url(event_id)
    view = answer_view(content.answer, context, own_url=own_url, names=kind_names())
    return {
        "question": content.question,
        "badges": badges(content.answer),
        "missing": missing_parts(content.answer),
        "view": view,
        "cited": view.cited,
        "notices": content.answer.notices,
        "disclaimers": content.answer.disclaimers,
        "intent": content.intent,
        "policy_version": content.policy_version,
        "policy_url": policy_url(content.policy_version_id),
        "recording": RECORDING[RecordingMode(content.recording_mode)],
        "elapsed": duration(content.elapsed_ms),
        "event_id": event_id,
        "event_url": reverse("admin:audit_event_change", args=[event_id]) if may_open_event else "",
        "asked_at": asked_at,
        "url": own_url,
    }


def answer_with_way(asked: Asked, *, may_open_event: bool) -> dict[str, Any]:
    """Return what the template shows of an answer that was just given, with every step of its way."""
    answer, trace = asked.result.answer, asked.result.trace
    found = found_in(
        trace, places=passage_places(hit_ids(trace)), fates=fates(trace, answer.citations), names=kind_names()
    )
    way = Way(
        trace=trace,
        citations=answer.citations,
        decision=asked.decision,
        grant=asked.grant,
        snapshot=policy_in_force(),
        found=found,
    )
    shown = answer_shown(
        content_of_asked(asked),
        event_id=asked.event.id,
        asked_at=asked.event.occurred_at,
        context=trace.output(ContextBlock),
        may_open_event=may_open_event,
    )
    told = asked.read_with
    if told is not None and told.asked_as is not None:
        shown |= {"typed": told.typed, "read_as": told.asked_as}
    groups = step_groups(way)
    steps = counted(sum(len(group.steps) for group in groups), "step")
    return {
        **shown,
        "groups": groups,
        "way_in_short": f"{steps}, the record, and where the time went",
        "requests": requests_view(trace),
        "latency": latency_view(trace),
    }


def content_of_asked(asked: Asked) -> AnswerContent:
    return answer_content(asked.text, asked.result.answer, asked.result.trace, asked.decision, asked.grant)
