"""`manage.py check --deploy`: whether files are read in a whole sandbox here."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core import checks

from apps.corpus.reader.sandbox import Sandbox, told


def register() -> None:
    checks.register(sandbox_check, checks.Tags.security, deploy=True)


def sandbox_check(**kwargs: Any) -> list[checks.CheckMessage]:
    """Check the sandbox of the machine that runs this command; run it where the workers are."""
    missing = Sandbox.of_this_machine().missing
    if not missing:
        return []
    said = f"Files that may be hostile are read in a sandbox that lacks {told(missing)}."
    if settings.GLASSBOX_REQUIRE_SANDBOX:
        return [checks.Error(f"{said} So no file is read.", hint=_HINT, id="corpus.E001")]
    return [
        checks.Warning(
            said,
            hint=f"{_HINT} With GLASSBOX_REQUIRE_SANDBOX=1 no file is read without a complete sandbox.",
            id="corpus.W001",
        )
    ]


_HINT = (
    "Use a kernel of 5.13 or later with Landlock, and a container runtime that lets its system calls through; "
    "apps/corpus/reader/README.md says what each part is for."
)
