"""A reading process whose code is changed as a file would that took it over."""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from apps.corpus.reader import process

SYSCALLS = sys.platform == "linux" and platform.machine() in ("x86_64", "aarch64")
_START = "import os, socket, sys\nfrom apps.corpus.reader import server\n"
_SERVE = "\nserver.serve(socket.socket(fileno=int(sys.argv[1])))\n"


def end_readers() -> None:
    while process._readers:
        process._readers.pop().end()


@contextmanager
def own_server(monkeypatch: pytest.MonkeyPatch, program: str) -> Iterator[None]:
    """While it is open, files are read by the server as it is, after `program`."""
    started = subprocess.Popen

    def start(arguments: list[str], **options: Any) -> Any:
        if arguments[1:3] != ["-m", "apps.corpus.reader"]:
            return started(arguments, **options)
        return started([arguments[0], "-c", _START + program + _SERVE, *arguments[3:]], **options)

    end_readers()
    with monkeypatch.context() as patch:
        patch.setattr(process.subprocess, "Popen", start)
        yield
    end_readers()
