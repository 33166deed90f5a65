"""What waits for a hold: removals that were held back. Whoever keeps them says how many, for the page that releases."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from apps.audit.erasure.contracts import Target

# Of the targets, how many removals were approved and held back because of them, in the open scope.
Waiting = Callable[[Sequence[Target]], int]

_sources: list[Waiting] = []


def register_waiting(source: Waiting) -> None:
    """Called once when an app is ready."""
    if source not in _sources:
        _sources.append(source)


def waiting_for(targets: Sequence[Target]) -> int:
    return sum(source(targets) for source in _sources)
