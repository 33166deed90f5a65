"""A firm that can be asked over real HTTP, by clients of other APIs than ours, and one whose reports are researched."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import LazySettings

from tests.baked import baked
from tests.corpus.ingesting import short_profile
from tests.factories import Firm
from tests.model_server import ModelServer
from tests.research.running import make_house
from tests.retrieval.asking import make_acme


@pytest.fixture
def server(settings: LazySettings) -> Iterator[ModelServer]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield running


@pytest.fixture
def firm(server: ModelServer) -> Firm:
    """For tests that commit."""
    return baked(make_acme)


@pytest.fixture
def house(transactional_db: None, server: ModelServer) -> Firm:
    """A firm with reports of two companies; what a worker does is committed."""
    return make_house()
