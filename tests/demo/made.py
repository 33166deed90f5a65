"""The demo as `manage.py demo` leaves it, made once for all test processes of a run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from config.env import CHECKOUT
from config.locks import FileLock
from tests.config.served import free_port

# Four minutes on two free cores. A machine that does much else takes several times as long.
_MADE_WITHIN_S = 2_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """home: its state folder, whose services are stopped. told: what the command printed."""

    home: Path
    told: dict[str, Any]


def make_demo(factory: pytest.TempPathFactory) -> Demo:
    """Run the command in a state folder of its own, or wait for the process of this run that does."""
    base = factory.getbasetemp()
    # Each worker of pytest-xdist has a folder of its own in that of the run.
    run = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    home, told = run / "demo", run / "demo-told.json"
    with FileLock(run / "demo.lock", timeout_s=_MADE_WITHIN_S):
        if not told.exists():
            _run(home, told)
    return Demo(home=home, told=json.loads(told.read_text(encoding="utf-8")))


def _run(home: Path, told: Path) -> None:
    if home.exists():
        pytest.fail("The demo could not be made: the first test that needed it says why.", pytrace=False)
    home.mkdir()
    # The services run under another account when the suite runs as root: it must reach their folder.
    for folder in (home, *home.parents[:3]):
        if folder.stat().st_uid == os.getuid() and folder != Path("/tmp"):  # noqa: S108 - compared, not written to
            folder.chmod(folder.stat().st_mode | 0o711)
    variables = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DJANGO_SETTINGS_MODULE", "DATABASE_URL", "REDIS_URL")
        and not name.startswith(("GLASSBOX_", "DJANGO_"))
    }
    try:
        result = subprocess.run(
            [sys.executable, "manage.py", "demo", "--no-serve", "--json", "--port", str(free_port())],
            cwd=CHECKOUT,
            env=variables | {"GLASSBOX_HOME": str(home), "GLASSBOX_NO_BOOTSTRAP": "1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=_MADE_WITHIN_S,
        )
    except subprocess.TimeoutExpired as late:
        # Bytes, even where text was asked for.
        said = (late.stderr or b"")[-4000:].decode(errors="replace")
        pytest.fail(f"The demo was not made within {_MADE_WITHIN_S} s. It said: {said}", pytrace=False)
    assert result.returncode == 0, result.stderr[-4000:] + result.stdout[-4000:]
    told.write_text(result.stdout, encoding="utf-8")
