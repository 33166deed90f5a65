"""The one place where the rooms above register what this room calls, each in its AppConfig.ready.

This room may not import them. tests/audit/test_registries.py fails if nothing is registered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from apps.intents.models import PolicyVersion
from apps.intents.retrieval_settings import RetrievalSettings

# Returns sentences about the effect of a policy's settings in this installation. A policy may ask for a reranker where
# none is installed. The policy's page and the trace of an answer then give the same explanation, because both come from
# the room that runs the stages.
StageWords = Callable[[RetrievalSettings], tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """The newest questions, counted by the name of their intent. since: of the oldest; None if there is none."""

    questions: int
    since: datetime | None
    by_intent: Mapping[str, int]


_traffic: list[Callable[[], Traffic]] = []
_on_submitted: list[Callable[[PolicyVersion], None]] = []
_stage_words: list[StageWords] = []


def register_on_submitted(callback: Callable[[PolicyVersion], None]) -> None:
    """Call back for each submitted version, in the submission's transaction."""
    if callback not in _on_submitted:
        _on_submitted.append(callback)


def announce_submitted(version: PolicyVersion) -> None:
    for callback in _on_submitted:
        callback(version)


def register_stage_words(source: StageWords) -> None:
    if source not in _stage_words:
        _stage_words.append(source)


def stage_words(settings: RetrievalSettings) -> tuple[str, ...]:
    """Return one sentence for each stage that may behave differently from its setting."""
    return tuple(sentence for source in _stage_words for sentence in source(settings))


def register_traffic(source: Callable[[], Traffic]) -> None:
    """Register what counts the questions of the open scope's tenant."""
    if source not in _traffic:
        _traffic.append(source)


def traffic_of_questions() -> Traffic:
    """Return the newest questions by intent. Raises PermissionDeniedError if the principal may not read the log."""
    return _traffic[0]()
