"""What a process that answers questions remembers, and how much of it at most."""

from __future__ import annotations

import functools
import gc
from collections.abc import Sized
from typing import Any

from apps.audit.keys.data_keys import cache as data_keys
from apps.corpus.providers.registry import PROVIDERS
from apps.intents import selectors
from apps.intents.services import golden


def caches() -> list[dict[str, Any]]:
    """By name: entries held now and at most, None where nothing bounds them. All of the application's functions that
    remember, found by what they are, and what modules keep themselves.
    """
    # By type, since some objects of torch warn when they are asked whose instances they are.
    functions = [each for each in gc.get_objects() if type(each) is functools._lru_cache_wrapper]
    found = [
        {"name": f"{each.__module__}.{each.__qualname__}", "held": info.currsize, "most": info.maxsize}
        for each in functions
        if each.__module__.startswith(("apps.", "config."))
        for info in (each.cache_info(),)
        if info.currsize or info.maxsize is None
    ]
    kept: list[tuple[str, Sized, int | None]] = [
        ("apps.audit.keys, data keys of the log", data_keys._entries, data_keys._max_entries),
        ("apps.intents.selectors, policy versions", selectors._snapshots, selectors._KEPT),
        ("apps.intents.services.golden, matrices of examples", golden._matrices, golden._KEPT),
        ("apps.corpus.providers.registry, one a configured profile", PROVIDERS._providers, None),
    ]
    found += [{"name": name, "held": len(held), "most": most} for name, held, most in kept]
    return sorted(found, key=lambda each: str(each["name"]))
