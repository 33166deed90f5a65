"""State folders and user processes for the tests of the embedded services. None of them touches the suite's own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from config import env
from config.services import Durability, ServiceName, ensure_services, stop_services

SpawnUser = Callable[[Path], "subprocess.Popen[str]"]

_USER = """
import sys
import tempfile
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


@contextmanager
def state_folder() -> Iterator[Path]:
    """The place of a state folder, whose services are stopped afterwards.

    Not below `tmp_path`: as root, the services run as another account, and every pytest session that starts on the
    machine closes the directory above all temporary paths to other accounts.
    """
    with tempfile.TemporaryDirectory(prefix="glassbox-test-") as directory:
        folder = Path(directory).resolve() / "home"
        yield folder
        if (folder / "run").is_dir():
            stop_services(home=folder)


@pytest.fixture(scope="session")
def _initialised() -> Iterator[Path]:
    """What PostgreSQL keeps after its first start and a clean stop: copied, it saves every test an initdb."""
    with state_folder() as folder:
        ensure_services(home=folder, needed={ServiceName.POSTGRES}, durability=Durability.DISPOSABLE)
        stop_services(home=folder)
        yield folder / "postgres"


@pytest.fixture
def bare_home() -> Iterator[Path]:
    """The place of a state folder that does not exist yet."""
    with state_folder() as folder:
        yield folder


@pytest.fixture
def home(_initialised: Path) -> Iterator[Path]:
    """A state folder whose PostgreSQL has run before and is stopped; Redis keeps nothing anyway."""
    with state_folder() as folder:
        folder.mkdir(mode=0o700)
        subprocess.run(["cp", "-a", _initialised, folder], check=True)
        yield folder


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
