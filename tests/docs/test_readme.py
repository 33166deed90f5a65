"""Every command of README runs as it stands there: on a machine with nothing, one after another."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from config.env import CHECKOUT
from tests.config.served import served_platform

# What serves until somebody stops it, and the suite itself: other tests have them.
_ELSEWHERE = {"demo", "up", "test"}


def commands() -> list[list[str]]:
    text = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^python3 (manage\.py .+?)(?:\s+#.*)?$", text, re.MULTILINE)
    return [shlex.split(line) for line in lines]


def test_the_commands_are_read() -> None:
    names = [command[1] for command in commands()]
    assert {"demo", "test", "tenant", "ingest", "ask", "audit", "isolation"} <= set(names)


@pytest.mark.slow
def test_a_tenant_of_one_s_own_is_set_up_and_asked(tmp_path_factory: pytest.TempPathFactory) -> None:
    home: Path = tmp_path_factory.mktemp("readme")
    for folder in (home, *home.parents[:3]):
        if folder.stat().st_uid == os.getuid() and folder != Path("/tmp"):  # noqa: S108 - compared, not written to
            folder.chmod(folder.stat().st_mode | 0o711)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GLASSBOX_", "DJANGO_"))}
    kept = {name: value for name, value in kept.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    environment = kept | {"GLASSBOX_HOME": str(home), "GLASSBOX_NO_BOOTSTRAP": "1"}
    said = {}
    with served_platform(home):
        for command in commands():
            if command[1] in _ELSEWHERE:
                continue
            ran = subprocess.run(
                [sys.executable, *command], cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False
            )
            assert ran.returncode == 0, f"{shlex.join(command)}: {ran.stderr[-2000:]}{ran.stdout[-2000:]}"
            said[command[1]] = ran.stdout
    assert "Glassbox" in said["ask"]
