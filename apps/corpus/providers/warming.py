"""Loading models before somebody waits for one: the first question of a process took five seconds."""

from __future__ import annotations

import logging
import time

from django.db import connection

from apps.corpus.providers.profiles import EMBEDDING_PROFILES, Backend
from apps.corpus.providers.registry import provider_for
from apps.tenants.context import open_identity
from apps.tenants.tokens import Identity

logger = logging.getLogger("glassbox.corpus")
_SOME_TEXT = "What was the net income?"


def warm_up() -> None:
    """Load the models on this machine by which tenants embed. For a thread of its own, beside the first requests.

    What can't be loaded is logged; whoever asks is told why.
    """
    try:
        for name in _profiles_in_use():
            _load(name)
    except Exception as error:  # noqa: BLE001 - nobody waits for this thread, and every question tries again
        logger.warning("a model could not be loaded beforehand: %s", type(error).__name__)
    finally:
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
