"""The firm of the retrieval tests: what is measured here is what is asked there."""

from __future__ import annotations

from tests.retrieval.conftest import firm, server, shared_firm

__all__ = ["firm", "server", "shared_firm"]
