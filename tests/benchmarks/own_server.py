"""A server that nobody else uses, for what would be measured with the others' work in it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def server_of_its_own() -> Iterator[None]:
    """Lay the state of this process in a folder of its own, and stop what was started there at the end.

    To be entered before the settings are read. Not below a folder of tests: see tests/config/conftest.py.
    """
    with tempfile.TemporaryDirectory(prefix="glassbox-test-") as folder:
        os.environ["GLASSBOX_HOME"] = str(Path(folder).resolve() / "home")
        yield
        from django.conf import settings

        from config.services import stop_services

        stop_services(home=settings.GLASSBOX_HOME)
