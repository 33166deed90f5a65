"""Sentences about the effect of a policy's settings in this installation, supplied by the app that runs the stages.

A policy may ask for a reranker where none is installed. The policy's page and the trace of an answer then give the same
explanation, because both come from that app.
"""

from __future__ import annotations

from collections.abc import Callable

from apps.intents.retrieval_settings import RetrievalSettings

StageWords = Callable[[RetrievalSettings], tuple[str, ...]]

_sources: list[StageWords] = []


def register_stage_words(source: StageWords) -> None:
    """Register a source of sentences; called once when an app is ready."""
    if source not in _sources:
        _sources.append(source)


def stage_words(settings: RetrievalSettings) -> tuple[str, ...]:
    """Return one sentence for each stage that may behave differently from its setting."""
    return tuple(sentence for source in _sources for sentence in source(settings))
