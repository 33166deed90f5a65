"""State folders and user processes for the tests of the embedded services. None of them touches the suite's own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from config import env
from config.services import stop_services

SpawnUser = Callable[[Path], "subprocess.Popen[str]"]

_USER = """
import sys
from pathlib import Path
from config.services import Durability, ServiceError, ensure_services
try:
    ensure_services(home=Path(sys.argv[1]), durability=Durability.DISPOSABLE)
except ServiceError as error:
    print(f"{error.code} {error}", flush=True)
else:
    print("ready", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """An empty state folder whose services are stopped afterwards."""
    folder = tmp_path / "home"
    yield folder
    if (folder / "run").is_dir():
        stop_services(home=folder)


@pytest.fixture
def spawn_user() -> Iterator[SpawnUser]:
    """Start a process that uses the services of a home; it prints `ready`, and leaves when its input ends."""
    processes: list[subprocess.Popen[str]] = []

    def spawn(folder: Path) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", _USER, str(folder)],
            cwd=env.CHECKOUT,
            env=os.environ | {"PYTHONPATH": str(env.CHECKOUT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        return process

    yield spawn
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.communicate()
