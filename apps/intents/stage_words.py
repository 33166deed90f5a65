"""What becomes of a policy's settings in the stages that an installation has: said by whoever runs the stages.

A policy may want a reranker where none is installed. What its page says of it, and what the trace of an answer says, is
the same then: both come from above.
"""

from __future__ import annotations

from collections.abc import Callable

from apps.intents.retrieval_settings import RetrievalSettings

StageWords = Callable[[RetrievalSettings], tuple[str, ...]]

_sources: list[StageWords] = []


def register_stage_words(source: StageWords) -> None:
    """Called once when an app is ready."""
    if source not in _sources:
        _sources.append(source)


def stage_words(settings: RetrievalSettings) -> tuple[str, ...]:
    """One sentence for each stage that may do something else than the setting alone says."""
    return tuple(sentence for source in _sources for sentence in source(settings))
