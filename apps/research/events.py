"""The audit events of research."""

from __future__ import annotations


def register_events() -> None:
    """Register the classes of events that this room writes."""
