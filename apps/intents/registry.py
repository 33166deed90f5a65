"""The one place where the rooms above register what this room calls, each in its AppConfig.ready.

This room may not import them. tests/audit/test_registries.py fails if nothing is registered.
"""

from __future__ import annotations

from collections.abc import Callable

from apps.intents.models import PolicyVersion
from apps.intents.retrieval_settings import RetrievalSettings

# Returns sentences about the effect of a policy's settings in this installation. A policy may ask for a reranker where
# none is installed. The policy's page and the trace of an answer then give the same explanation, because both come from
# the room that runs the stages.
StageWords = Callable[[RetrievalSettings], tuple[str, ...]]

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
