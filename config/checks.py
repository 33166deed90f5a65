"""`manage.py check --deploy`: surplus secrets of this process, and the origins that may call its API."""

from __future__ import annotations

import os
from typing import Any

from django.conf import settings
from django.core import checks

from config.cors import is_origin
from config.needs import surplus


def register() -> None:
    checks.register(cors_check, checks.Tags.security, deploy=True)
    checks.register(surplus_check, checks.Tags.security, deploy=True)


def surplus_check(**kwargs: Any) -> list[checks.CheckMessage]:
    return [
        checks.Warning(
            f"This process ({settings.GLASSBOX_PROCESS}) was given {name}, which it does not need.",
            hint="Whoever takes the process over has it too. Take it out of this process's environment; the "
            "handbook (Deploy, Secrets) says who needs which.",
            id="config.W001",
        )
        for name in surplus(settings.GLASSBOX_PROCESS, os.environ, role=settings.GLASSBOX_DB_ROLE)
    ]


def cors_check(**kwargs: Any) -> list[checks.CheckMessage]:
    """Report origins that would admit anybody, and origins that no browser sends, which are harmless but never work."""
    return [
        checks.Error(
            f"GLASSBOX_CORS_ORIGINS names {origin!r}: {why}.",
            hint="Name the exact origins of pages that call the API, such as https://app.example.com.",
            id="config.E001",
        )
        for origin in sorted(settings.GLASSBOX_CORS_ORIGINS)
        if (why := _what_is_wrong(origin))
    ]


def _what_is_wrong(origin: str) -> str:
    if "*" in origin:
        return "a pattern would let pages of strangers call the API, and is not heeded"
    if not is_origin(origin):
        return "no browser sends this as an origin, so it is not heeded"
    return "" if origin.startswith("https://") else "whoever is on the way can put their own script into such a page"
