"""Rank what was found, and choose the pieces that go into the context."""
