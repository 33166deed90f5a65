"""The same hits give the same bytes: in every process, locale and time zone, and on every platform."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import pytest

from config.env import CHECKOUT
from tests.retrieval.context_bytes import built

GOLDEN_SHA256 = "6e165f1589918a22f63c536d86a0507021105e51e38fb1243fba9b3e2c256d16"
"""Of the context's bytes. It changes when what is chosen or how it is written changes, never with the machine."""

PROCESSES = [
    {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC", "PYTHONUTF8": "0"},
    {"PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8", "TZ": "Pacific/Kiritimati", "PYTHONUTF8": "1"},
    {"PYTHONHASHSEED": "4294967295", "LC_ALL": "POSIX", "TZ": "America/St_Johns", "PYTHONIOENCODING": "latin-1"},
]


def bytes_of(variables: dict[str, str]) -> bytes:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LC_", "LANG"))}
    result = subprocess.run(
        [sys.executable, "-c", _SETUP],
        cwd=CHECKOUT,
        env=clean | {"DJANGO_SETTINGS_MODULE": "config.settings.test"} | variables,
        capture_output=True,
        check=False,
        timeout=1_800,
    )
    assert result.returncode == 0, result.stderr[-2000:]
    return result.stdout


_SETUP = "import django, runpy; django.setup(); runpy.run_module('tests.retrieval.context_bytes', run_name='__main__')"


def test_the_context_is_what_it_was_on_every_other_platform() -> None:
    context = built()
    assert context.truncated
    assert hashlib.sha256(context.text.encode()).hexdigest() == context.sha256 == GOLDEN_SHA256


@pytest.mark.slow
@pytest.mark.parametrize("variables", PROCESSES, ids=[each["TZ"] for each in PROCESSES])
def test_another_process_with_another_seed_locale_and_time_zone_gives_the_same_bytes(variables: dict[str, str]) -> None:
    assert bytes_of(variables) == built().text.encode()
