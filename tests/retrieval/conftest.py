"""A firm that can be asked in the admin. Its vectors come from the test's own model server, so no model is loaded."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import LazySettings

from tests.corpus.ingesting import short_profile
from tests.factories import Firm
from tests.model_server import ModelServer
from tests.retrieval.asking import make_acme


@pytest.fixture
def server(settings: LazySettings) -> Iterator[ModelServer]:
    """The embedding provider, under the profile that every new tenant has."""
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield running


@pytest.fixture
def firm(db: None, server: ModelServer) -> Firm:
    return make_acme()
