"""A ground that a file's tests share: made once, in a transaction; each test works in a savepoint of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, TypeVar

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.test import override_settings
from pytest_django import DjangoDbBlocker

from apps.audit.keys import data_keys
from apps.intents import selectors
from apps.intents.services import golden
from tests.corpus.ingesting import short_profile
from tests.model_server import ModelServer

Ground = TypeVar("Ground")


@contextmanager
def shared_ground(
    build: Callable[[], Ground], *, blocker: DjangoDbBlocker, server: ModelServer | None = None
) -> Iterator[Ground]:
    """Build with the server's vectors, if any are made, and roll back at the end. The tests must not be transactional.

    A firm with three documents is 750 statements, and most tests about it are fifty.
    """
    own = {} if server is None else {"local": short_profile(server)}
    profiles = {**settings.GLASSBOX_EMBEDDING_PROFILES, **own}
    with blocker.unblock(), transaction.atomic():
        try:
            with override_settings(GLASSBOX_EMBEDDING_PROFILES=profiles):
                built = build()
            yield built
        finally:
            forget_tenants()
            transaction.set_rollback(True)


def for_one_test(ground: Ground) -> Ground:
    """Return a copy that no other test has changed, where nothing is remembered of what other tests rolled back."""
    forget_tenants()
    return deepcopy(ground)


def forget_tenants() -> None:
    """Empty what outlives a transaction and knows tenants by their ids: Redis, and what this process remembers."""
    remembered: tuple[Any, ...] = (cache, data_keys.cache, selectors._snapshots, golden._matrices)
    for each in remembered:
        each.clear()
