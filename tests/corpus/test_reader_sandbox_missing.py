"""What happens where the kernel or the container lacks a part of the sandbox: it is said, and refused where demanded.

The reading process runs under a filter that answers Landlock's first call as a kernel without it does, and as container
runtimes do that don't know it.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.management import call_command

from apps.corpus.extraction.errors import NoSandboxError
from apps.corpus.jobs import RunOutcome
from apps.corpus.reader import pages_contained, process
from config.startup import UnsafeStartError, refuse_unsafe_start
from tests.corpus.ingesting import document, ingest, job, run
from tests.corpus.taken_over import SYSCALLS, own_server
from tests.factories import make_firm

pytestmark = pytest.mark.skipif(not SYSCALLS, reason="needs a Linux kernel that the sandbox has numbers for")
_NO_LANDLOCK = f"""
from apps.corpus.reader.sandbox import kernel, seccomp
kernel.gain_nothing()
seccomp.install(seccomp.refusing(444, {errno.ENOSYS}))
"""
_NO_SECCOMP = """
import platform
platform.machine = lambda: "of another kind"
"""
_CHECK = """
import django
django.setup()
from apps.corpus.reader.checks import sandbox_check
print([(each.id, each.msg) for each in sandbox_check()])
"""
_GET_DUMPABLE, _SET_DUMPABLE = 3, 4  # linux/prctl.h
PLAIN = b"# Report\n\nThe fund returned 4.2 per cent in the quarter.\n"


@pytest.fixture(autouse=True)
def _nothing_told_yet() -> None:
    process._tell_once.cache_clear()


@pytest.mark.parametrize(("program", "part"), [(_NO_LANDLOCK, "Landlock"), (_NO_SECCOMP, "seccomp")])
def test_files_are_read_and_it_is_said_once_what_is_missing(
    program: str, part: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with own_server(monkeypatch, program):
        for _ in range(2):
            assert pages_contained(PLAIN, filename="a.md").pages
    told = [each.getMessage() for each in caplog.records if "sandbox" in each.getMessage()]
    assert len(told) == 1
    assert f"lacks {part}, without which" in told[0]


def test_nothing_is_said_where_nothing_is_missing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, settings: LazySettings
) -> None:
    settings.GLASSBOX_REQUIRE_SANDBOX = True
    with own_server(monkeypatch, ""):
        assert pages_contained(PLAIN, filename="a.md").pages
    assert "sandbox" not in caplog.text


def test_where_a_whole_sandbox_is_demanded_nothing_is_read_without(
    monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    settings.GLASSBOX_REQUIRE_SANDBOX = True
    with own_server(monkeypatch, _NO_LANDLOCK), pytest.raises(NoSandboxError, match="lacks Landlock"):
        pages_contained(PLAIN, filename="a.md")


@pytest.mark.django_db(transaction=True)
def test_its_job_says_so_and_can_be_started_again(monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> None:
    settings.GLASSBOX_REQUIRE_SANDBOX = True
    firm = make_firm()
    made = ingest(firm, PLAIN, filename="a.md")
    with own_server(monkeypatch, _NO_LANDLOCK):
        assert run(firm, made.job) is RunOutcome.FAILED
    assert job(firm, made.job.id).error_code == "corpus.no_sandbox"
    assert document(firm, made.document.id).status == "failed"


def test_a_part_that_fails_only_for_the_file_stops_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails closed: the trial at the start worked, then the descriptor of the rules is gone."""
    program = """
made = server.Sandbox.of_this_machine
def of_this_machine():
    sandbox = made()
    os.dup2(0, sandbox.rules)
    return sandbox
server.Sandbox.of_this_machine = of_this_machine
"""
    with own_server(monkeypatch, program), pytest.raises(process.ReaderFailedError, match="status 1"):
        pages_contained(PLAIN, filename="a.md")


def test_who_has_files_read_closes_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """For where nothing else holds the child: it is of the same account then."""
    kernel = ctypes.CDLL(None)
    kernel.prctl(_SET_DUMPABLE, 1)
    with own_server(monkeypatch, ""):
        pages_contained(PLAIN, filename="a.md")
    assert kernel.prctl(_GET_DUMPABLE) == 0


@pytest.mark.django_db
def test_a_server_closes_its_memory_when_it_starts() -> None:
    kernel = ctypes.CDLL(None)
    kernel.prctl(_SET_DUMPABLE, 1)
    with contextlib.suppress(UnsafeStartError):
        refuse_unsafe_start()
    assert kernel.prctl(_GET_DUMPABLE) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("program", "demanded", "said"), [("", "0", "[]"), (_NO_LANDLOCK, "0", "corpus.W001")])
def test_the_deployment_check_says_it(program: str, demanded: str, said: str) -> None:
    assert said in _checked(program, demanded)


@pytest.mark.slow
def test_the_deployment_check_is_an_error_where_it_is_demanded() -> None:
    assert "corpus.E001" in _checked(_NO_LANDLOCK, "1")


def _checked(program: str, demanded: str) -> str:
    environment: dict[str, Any] = {**os.environ, "GLASSBOX_REQUIRE_SANDBOX": demanded}
    root = Path(__file__).parents[2]
    told = subprocess.run(
        [sys.executable, "-c", program + _CHECK], cwd=root, env=environment, capture_output=True, text=True, check=True
    )
    return told.stdout


def test_the_deployment_check_is_run_by_its_command(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("check", deploy=True, tags=["security"])
    assert "corpus.E001" not in capsys.readouterr().err
