"""A firm that can be asked in the admin. Its vectors come from the test's own model server, so no model is loaded."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import LazySettings
from pytest_django import DjangoDbBlocker

from tests.corpus.ingesting import short_profile
from tests.factories import Firm
from tests.grounds import for_one_test, shared_ground
from tests.model_server import ModelServer
from tests.retrieval.asking import make_acme


@pytest.fixture
def server(settings: LazySettings) -> Iterator[ModelServer]:
    """The embedding provider, under the profile that every new tenant has."""
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield running


@pytest.fixture(scope="module")
def shared_firm(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Firm]:
    with ModelServer() as running, shared_ground(make_acme, blocker=django_db_blocker, server=running) as firm:
        yield firm


@pytest.fixture
def firm(shared_firm: Firm, db: None, server: ModelServer) -> Firm:
    """Made once a file; for tests of one transaction. One that commits makes its own."""
    return for_one_test(shared_firm)
