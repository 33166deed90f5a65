"""Callbacks of other apps for the submission of a version. They register themselves; this app imports none of them."""

from __future__ import annotations

from collections.abc import Callable

from apps.intents.models import PolicyVersion

_callbacks: list[Callable[[PolicyVersion], None]] = []


def when_submitted(callback: Callable[[PolicyVersion], None]) -> None:
    """Register a callback for each submitted version, called in the submission's transaction. For `AppConfig.ready`."""
    if callback not in _callbacks:
        _callbacks.append(callback)


def submitted(version: PolicyVersion) -> None:
    for callback in _callbacks:
        callback(version)
