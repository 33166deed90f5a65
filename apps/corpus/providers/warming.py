"""Loading models before somebody waits for one: the first question of a process took five seconds.

A question that comes while the model is loaded waits for a moment, and is then told to come again.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from typing import Final

from django.db import connection

from apps.corpus.providers.errors import WarmingUpError
from apps.corpus.providers.profiles import EMBEDDING_PROFILES, Backend
from apps.corpus.providers.registry import provider_for
from apps.tenants.context import open_identity
from apps.tenants.short_scopes import release_connection
from apps.tenants.tokens import Identity

logger = logging.getLogger("glassbox.corpus")
LONGEST_WAIT_S: Final = 2.0
_SOME_TEXT = "What was the net income?"


class _Warmth:
    """Whether this process is loading its models."""

    def __init__(self) -> None:
        self._begin_anew()
        os.register_at_fork(after_in_child=self._begin_anew)

    def _begin_anew(self) -> None:
        self._loading = False
        self._ended = threading.Event()

    def begin(self) -> None:
        self._loading, self._ended = True, threading.Event()

    def end(self) -> None:
        self._loading = False
        self._ended.set()

    def awaited(self, seconds: float) -> bool:
        """Return whether nothing is being loaded, after at most so many seconds."""
        return not self._loading or self._ended.wait(seconds)


_warmth: Final = _Warmth()


def warm_up_beside(*more: Callable[[], object]) -> None:
    """Load the models in a thread of its own, beside the first requests of this process.

    Args: more: loads what else a first question would wait for.
    """
    _warmth.begin()
    threading.Thread(target=warm_up, args=more, name="warm-up", daemon=True).start()


def require_warm(profile: str) -> None:
    """Wait for the model of a profile for a moment, if this process is loading its models.

    A process that loads none beforehand loads it with its first question. Raises: WarmingUpError: it takes longer.
    """
    if not _warmth.awaited(0) and not EMBEDDING_PROFILES.named(profile).is_remote:
        # The question waits in no transaction, and others need the connection.
        release_connection()
        if not _warmth.awaited(LONGEST_WAIT_S):
            raise WarmingUpError


def warm_up(*more: Callable[[], object]) -> None:
    """Load the models on this machine by which tenants embed.

    What can't be loaded is logged; whoever asks is told why.
    """
    try:
        for name in _profiles_in_use():
            _load(name)
        for load in more:
            load()
    except Exception as error:  # noqa: BLE001 - nobody waits for this thread, and every question tries again
        logger.warning("a model could not be loaded beforehand: %s", type(error).__name__)
    finally:
        _warmth.end()
        connection.close()


def _profiles_in_use() -> list[str]:
    with open_identity(Identity(all_tenants=True)), connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT embedding_profile FROM tenants_tenant ORDER BY 1")
        return [name for (name,) in cursor.fetchall()]


def _load(name: str) -> None:
    profile = EMBEDDING_PROFILES.named(name)
    if profile.backend is not Backend.SENTENCE_TRANSFORMERS:
        return
    began = time.monotonic()
    # No tenant's: the text is ours, and it is embedded on this machine.
    provider_for(name, tenant_region=profile.region, tenant_strict=False).embed_query(_SOME_TEXT)
    logger.info("the model of the profile %s was loaded in %.1f s", name, time.monotonic() - began)
