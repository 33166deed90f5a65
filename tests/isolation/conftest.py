"""The world under attack: made and committed once a module, taken away at its end.

It is committed because a control looks at it from a connection of its own. An attack is rolled back (harness.held);
a test that commits something of its own must not be disturbed by what another test of its module left.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import connections
from django.test import TransactionTestCase, override_settings
from pytest_django import DjangoDbBlocker

from tests.baked import baked
from tests.corpus.ingesting import remote_profile
from tests.isolation.world import World, make_world
from tests.model_server import ModelServer


@pytest.fixture(scope="session")
def model_server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture(scope="module")
def committed_ground(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, model_server: ModelServer
) -> Iterator[None]:
    """An empty database to commit to, and a provider of vectors without a model; emptied again at the end."""
    with (
        django_db_blocker.unblock(),
        override_settings(
            GLASSBOX_EMBEDDING_PROFILES={
                **settings.GLASSBOX_EMBEDDING_PROFILES,
                "local": remote_profile(model_server),
            }
        ),
    ):
        try:
            yield
        finally:
            connections["default"].close()
            TransactionTestCase._fixture_teardown(TransactionTestCase())
            cache.clear()


@pytest.fixture(scope="module")
def world(committed_ground: None) -> World:
    return baked(make_world)
