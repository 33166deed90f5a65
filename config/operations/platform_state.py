"""The platform's state, read when /metrics is requested: queues, schedule, log, and counted events."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

from django.conf import settings
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from redis import Redis
from redis.exceptions import RedisError

from apps.corpus.services.ingest.events import INGEST_ENDS
from apps.retrieval.events import ASKED
from apps.tenants.api.probes import Part, health, readiness
from apps.tenants.clock import lateness_s
from apps.tenants.tally import counts
from config.cache import ANSWER_S
from config.operations.request_id import SENT_HEADER

_QUESTIONS: Final = frozenset(ASKED)


class PlatformState(Collector):
    def collect(self) -> Iterator[Metric]:
        parts = GaugeMetricFamily("glassbox_part_up", "Whether a part that answers need works.", labels=["part"])
        for part, works in readiness().items():
            parts.add_metric([part.value], float(works))
        yield parts
        yield from _log()
        if readiness()[Part.REDIS]:
            yield from _clock()
            try:
                yield from _queues()
                yield from _happened()
            except RedisError:
                # Redis was lost between two commands; the next request reports it in glassbox_part_up.
                return


def _log() -> Iterator[Metric]:
    lag_s = health().sealing_lag_s
    if lag_s is not None:
        yield GaugeMetricFamily(
            "glassbox_sealing_lag_seconds", "For how long the oldest event has waited for its seal.", value=lag_s
        )


def _clock() -> Iterator[Metric]:
    late = GaugeMetricFamily(
        "glassbox_clock_late_seconds",
        "How much later than its schedule a task last ended well; absent before its first time.",
        labels=["task"],
    )
    for task, late_s in lateness_s().items():
        late.add_metric([task], late_s)
    yield late


def _queues() -> Iterator[Metric]:
    waiting = GaugeMetricFamily("glassbox_queue_messages", "Messages that wait for a worker.", labels=["queue"])
    oldest = GaugeMetricFamily("glassbox_queue_age_seconds", "Age of the oldest of them.", labels=["queue"])
    # Celery and redis-py name sockets differently.
    url = settings.CELERY_BROKER_URL.replace("redis+socket://", "unix://").replace("?virtual_host=", "?db=")
    broker = Redis.from_url(url, socket_timeout=ANSWER_S, socket_connect_timeout=ANSWER_S)
    prefix = settings.CELERY_BROKER_TRANSPORT_OPTIONS.get("global_keyprefix", "")
    try:
        for queue in _queue_names():
            name = f"{prefix}{queue}"
            waiting.add_metric([queue], float(broker.llen(name)))
            oldest.add_metric([queue], _age_s(broker.lindex(name, -1)))
    finally:
        broker.close()
    yield waiting
    yield oldest


def _queue_names() -> list[str]:
    routes: Mapping[str, Mapping[str, Any]] = settings.CELERY_TASK_ROUTES
    return sorted({"celery", *(route["queue"] for route in routes.values() if "queue" in route)})


def _age_s(message: Any) -> float:
    """Return the age of the message that was sent first; 0 for none, and for one that another release sent."""
    if not message:
        return 0.0
    try:
        sent_at = json.loads(message)["headers"].get(SENT_HEADER)
    except (ValueError, KeyError, AttributeError, TypeError):
        return 0.0
    return max(0.0, time.time() - sent_at) if isinstance(sent_at, int | float) else 0.0


def _happened() -> Iterator[Metric]:
    found = counts()
    events = CounterMetricFamily(
        "glassbox_events", "Events of the log, by what happened.", labels=["action", "outcome"]
    )
    questions = CounterMetricFamily("glassbox_questions", "Questions, by how they ended.", labels=["outcome"])
    jobs = CounterMetricFamily("glassbox_ingest_jobs", "Documents' ways in, by how they ended.", labels=["outcome"])
    asked: dict[str, int] = {}
    ended: dict[str, int] = {}
    for what, count in sorted(found.items()):
        if what[0] != "event" or len(what) != 3:
            continue
        _, action, outcome = what
        events.add_metric([action, outcome], count)
        if action in _QUESTIONS:
            asked[outcome] = asked.get(outcome, 0) + count
        if action in INGEST_ENDS:
            ended[outcome] = ended.get(outcome, 0) + count
    for outcome, count in asked.items():
        questions.add_metric([outcome], count)
    for outcome, count in ended.items():
        jobs.add_metric([outcome], count)
    yield events
    yield questions
    yield jobs
    yield CounterMetricFamily("glassbox_sealed_events", "Events that got their seal.", value=found.get(("sealed",), 0))
