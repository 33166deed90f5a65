"""What tests take from npm, by a lock file beside them: installed at their first run, beside the Python packages.

Never below the state folder: every folder there is one that an erasure has to know.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from config.locks import FileLock

_LONGEST_S = 240


def run_program(*command: str, directory: Path, environment: dict[str, str] | None = None) -> None:
    ended = subprocess.run(
        command, cwd=directory, env=environment, capture_output=True, text=True, timeout=_LONGEST_S, check=False
    )
    assert ended.returncode == 0, f"{' '.join(command)}\n{ended.stdout[-4000:]}\n{ended.stderr[-4000:]}"


def node_modules(sources: Path) -> Path:
    """What the lock file in this folder names, installed once for each state of it."""
    if shutil.which("npm") is None:
        if os.environ.get("CI"):
            pytest.fail("CI has no npm: .ci/run brings it")
        pytest.skip("this machine has no npm; CI has one")
    lock = sources / "package-lock.json"
    packages = Path(sys.prefix) / "npm"
    packages.mkdir(exist_ok=True)
    home = packages / hashlib.sha256(lock.read_bytes()).hexdigest()[:16]
    with FileLock(packages / "lock", timeout_s=_LONGEST_S):
        if not (home / "installed").exists():
            shutil.rmtree(home, ignore_errors=True)
            home.mkdir()
            for name in ("package.json", "package-lock.json"):
                shutil.copy(sources / name, home)
            run_program("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", directory=home)
            (home / "installed").touch()
    return home / "node_modules"
