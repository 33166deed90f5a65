"""Check whether the processes behind the web are running: the broker, the workers, the schedule."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.utils import timezone
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from apps.audit.log.export.state import export_state
from apps.audit.log.lag import sealing_lag
from apps.corpus.selectors import outdated_documents
from apps.erasure.runs.selectors import removal_lag
from apps.tenants.clock import BEAT, last_runs
from apps.tenants.context import current_scope
from config.celery import app

# Some task is due every second, and beat notes each (config/beat.py).
_BEAT_SILENCE = timedelta(minutes=2)
_ANSWER_WITHIN_SECONDS = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class SignOfLife:
    """The state of one part.

    consequence: what it means for a user if the part is not alive; trouble: the same state in one word.
    """

    name: str
    alive: bool
    detail: str
    consequence: str
    trouble: str = "Silent"


def signs_of_life() -> tuple[SignOfLife, ...]:
    """Ask every part. This takes up to a second, so no page waits for it."""
    workers = _workers()
    redis = SignOfLife(
        name="Redis",
        alive=workers is not None,
        detail="answers" if workers is not None else "does not answer",
        consequence="New documents wait until it is back. Nothing is lost, and questions are answered.",
    )
    worker = SignOfLife(
        name="Worker",
        alive=bool(workers),
        detail=f"{workers} answering" if workers else "none answers",
        consequence="Documents are accepted and wait to be read.",
    )
    return redis, worker, _beat(), _sealer(), _checkpoints(), _eraser(), _terms()


def _workers() -> int | None:
    """Return how many workers answer, or None if the broker itself does not."""
    try:
        with app.connection_for_write() as broker:
            # Without this, the connection attempts to an absent broker take six seconds.
            broker.ensure_connection(max_retries=1, interval_start=0.1, timeout=_ANSWER_WITHIN_SECONDS)
            return len(app.control.ping(timeout=_ANSWER_WITHIN_SECONDS, connection=broker))
    except (OperationalError, RedisError, OSError):
        return None


def _beat() -> SignOfLife:
    noted = last_runs([BEAT]).get(BEAT)
    last = None if noted is None else datetime.fromtimestamp(noted, UTC)
    alive = last is not None and abs(timezone.now() - last) < _BEAT_SILENCE
    return SignOfLife(
        name="Schedule",
        alive=alive,
        detail=f"last noted {last:%H:%M} UTC" if last else "has not run yet",
        consequence="A document whose worker stopped, or whose message was lost, waits until the schedule runs again.",
    )


def _sealer() -> SignOfLife:
    lag = sealing_lag()
    events = "1 event waits" if lag.waiting == 1 else f"{lag.waiting:,} events wait"
    return SignOfLife(
        name="Log",
        alive=not lag.is_late,
        detail=f"{events}, the oldest for {lag.oldest.total_seconds():,.0f} s" if lag.waiting else "all events sealed",
        consequence="Events are recorded but not sealed. Until they are, nobody outside could detect their loss.",
        trouble="Late",
    )


def _checkpoints() -> SignOfLife:
    state = export_state(current_scope().tenant_id)
    done = (
        f"exported at {state.size:,} events, {state.at:%H:%M} UTC" if state.size and state.at else "none exported yet"
    )
    return SignOfLife(
        name="Checkpoints",
        alive=not state.problem,
        detail=f"{done}; the last attempt failed ({state.problem})" if state.problem else done,
        consequence="The log continues, but its proof for outsiders is not renewed: the worker's log has the reason.",
        trouble="Failed",
    )


def _eraser() -> SignOfLife:
    lag = removal_lag()
    runs = "1 approved removal waits" if lag.waiting == 1 else f"{lag.waiting:,} approved removals wait"
    minutes = lag.oldest.total_seconds() / 60
    return SignOfLife(
        name="Removals",
        alive=not lag.is_late,
        detail=f"{runs}, the first for {minutes:,.0f} min" if lag.waiting else "none waits",
        consequence="Approved removals wait until the eraser runs again; none of them is lost.",
        trouble="Late",
    )


def _terms() -> SignOfLife:
    outdated = outdated_documents().count()
    documents = "1 document was" if outdated == 1 else f"{outdated:,} documents were"
    return SignOfLife(
        name="Search terms",
        alive=not outdated,
        detail=f"{documents} indexed by an earlier release" if outdated else "all documents indexed by this release",
        consequence="Questions that name a section, a rule, a share class or a date may miss them, and say so. Other "
        "questions find them as before. An operator reindexes them with manage.py corpus reindex.",
        trouble="Older",
    )
