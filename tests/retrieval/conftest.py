"""Hypothesis without a deadline: on a busy machine a time limit would fail tests that are right."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("retrieval", deadline=None)
settings.load_profile("retrieval")
