"""What higher floors do when a version is handed to the reviewers. They register it; this floor knows none of them."""

from __future__ import annotations

from collections.abc import Callable

from apps.intents.models import PolicyVersion

_callbacks: list[Callable[[PolicyVersion], None]] = []


def when_submitted(callback: Callable[[PolicyVersion], None]) -> None:
    """Call it for each version that is submitted, within the submission's transaction. For `AppConfig.ready`."""
    if callback not in _callbacks:
        _callbacks.append(callback)


def submitted(version: PolicyVersion) -> None:
    for callback in _callbacks:
        callback(version)
