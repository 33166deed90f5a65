"""The one place where the rooms above register what this room calls, each in its AppConfig.ready.

This room may not import them. tests/audit/test_registries.py fails if nothing is registered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from apps.intents.models import PolicyVersion
from apps.intents.profile.contracts import Fired, ProfileRule
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


# Returns the rules that a text fires by a jurisdiction that it plainly names, given the text, its language ("en", "de",
# "" to detect it) and the rules. Countries are read by the room that reads questions.
JurisdictionReader = Callable[[str, str, Iterable[ProfileRule]], tuple[Fired, ...]]

_jurisdiction_readers: list[JurisdictionReader] = []
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


def register_jurisdiction_reader(reader: JurisdictionReader) -> None:
    if reader not in _jurisdiction_readers:
        _jurisdiction_readers.append(reader)


def fired_by_jurisdiction(text: str, language: str, rules: Iterable[ProfileRule]) -> tuple[Fired, ...]:
    """Return what a text fires by the jurisdictions that it names, exactly as a question or an answer does."""
    return _jurisdiction_readers[0](text, language, rules)


def register_traffic(source: Callable[[], Traffic]) -> None:
    """Register what counts the questions of the open scope's tenant."""
    if source not in _traffic:
        _traffic.append(source)


def traffic_of_questions() -> Traffic:
    """Return the newest questions by intent. Raises PermissionDeniedError if the principal may not read the log."""
    return _traffic[0]()
