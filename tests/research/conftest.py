"""The firm of the retrieval tests: what is researched here is what is asked there."""

from __future__ import annotations

import pytest

from tests.factories import Firm
from tests.model_server import ModelServer
from tests.research.running import make_house
from tests.retrieval.conftest import server

__all__ = ["server"]


@pytest.fixture
def house(transactional_db: None, server: ModelServer) -> Firm:
    """A firm with reports of two companies; what a worker does is committed."""
    return make_house()
