"""Files that would take a worker's memory or time are ended by limits, as their own error, and nobody else notices."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.corpus.errors import IngestError
from apps.corpus.extraction import ExtractionError, Limits
from apps.corpus.extraction.errors import ReaderFailedError, TooCostlyError
from apps.corpus.jobs import RunOutcome
from apps.corpus.models import DocumentStatus
from apps.corpus.reader import ReadRequest, pages_contained, process, read_contained
from apps.corpus.reader.costs import Costs
from apps.corpus.services.ingest import read as ingest_read
from tests.corpus.files import lines, pdf
from tests.corpus.hostile import FAMILIES, csv_headings, pdf_many_pages, pdf_nested_forms
from tests.corpus.ingesting import document, ingest, job, run
from tests.corpus.taken_over import end_readers
from tests.factories import make_firm

# Small enough that a test ends soon; large enough for every file that is none of these.
TIGHT = Limits(
    max_seconds=2,
    max_seconds_per_mebibyte=0,
    max_page_seconds=1,
    max_memory_bytes=400 * 1024 * 1024,
    max_memory_ratio=0,
    max_output_bytes=8 * 1024 * 1024,
    max_output_ratio=0,
)
committed = pytest.mark.django_db(transaction=True)
PLAIN = b"# Report\n\nThe fund returned 4.2 per cent in the quarter.\n"


def read(content: bytes, filename: str, limits: Limits = TIGHT) -> Any:
    return read_contained(content, ReadRequest(filename=filename, limits=limits))


@pytest.fixture
def own_readers() -> Iterator[None]:
    """For a test that looks at the reading processes: one of its own, which has tried the sandbox and waits."""
    end_readers()
    read(PLAIN, "a.md")
    yield
    end_readers()


def children() -> list[psutil.Process]:
    return [child for child in psutil.Process().children(recursive=True) if is_reader(child)]


def is_reader(child: psutil.Process) -> bool:
    try:
        return any("apps.corpus.reader" in part for part in child.cmdline())
    except psutil.NoSuchProcess:  # or a zombie, which is one of its kinds
        return False


def meanwhile(act: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=act)
    thread.start()
    return thread


def at_work() -> psutil.Process:
    """The child that reads, once there is one."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        busy = [child for child in children() if child.ppid() != os.getpid()]
        if busy:
            return busy[0]
        time.sleep(0.01)
    raise AssertionError("nothing is being read")


# --- every family of hostile files ---


@pytest.mark.parametrize("name", FAMILIES)
def test_a_hostile_file_is_read_or_is_its_own_error_and_the_next_file_is_read(name: str) -> None:
    family = FAMILIES[name]
    refused = ""
    try:
        read(family.build(max(family.size // 16, 6)), family.filename)
    except (ExtractionError, IngestError) as error:
        refused = str(error)
    assert not refused or family.filename in refused
    assert read(PLAIN, "a.md").pages[0].text


@pytest.mark.slow
def test_a_page_that_takes_too_long_is_named() -> None:
    content = pdf([lines("A page of text that is fine, and says so in one line.")])
    assert read(content, "a.pdf").pages
    with pytest.raises(TooCostlyError, match=r"a\.pdf takes more computing time than .* 1 s, at page 1\.") as caught:
        read(pdf_nested_forms(7), "a.pdf", Limits(max_page_seconds=1))
    assert caught.value.code == "corpus.file_too_costly"


@pytest.mark.slow
def test_many_pages_are_ended_by_what_the_whole_file_may_cost() -> None:
    with pytest.raises(TooCostlyError, match=r"computing time .*, at page \d+\."):
        read(pdf_many_pages(4_000), "a.pdf")


@pytest.mark.slow
def test_memory_is_limited_and_named() -> None:
    """The control: the same file is read where it may cost more."""
    content = csv_headings(60_000)
    tight = Limits(max_memory_bytes=30 * 1024 * 1024, max_memory_ratio=0)
    with pytest.raises(TooCostlyError, match=r"more memory than one file may use, 30 MiB"):
        read(content, "a.csv", tight)
    assert read(content, "a.csv", Limits()).pages


@pytest.mark.slow
def test_what_is_read_out_of_a_file_is_limited_and_named() -> None:
    content = b"\n\n".join(b"A paragraph of its own, number %d." % i for i in range(5_000))
    limits = Limits(max_output_bytes=100_000, max_output_ratio=0)
    with pytest.raises(TooCostlyError, match="room for its text"):
        read(content, "a.txt", limits)
    assert read(content, "a.txt", Limits()).pages


# --- the process ---


@pytest.mark.usefixtures("own_readers")
def test_a_child_that_crashes_is_the_files_own_error() -> None:
    crash = meanwhile(lambda: at_work().send_signal(signal.SIGSEGV))
    with pytest.raises(ReaderFailedError, match="SIGSEGV"):
        read(pdf_many_pages(4_000), "a.pdf", Limits())
    crash.join()
    assert read(PLAIN, "a.md").pages


@pytest.mark.slow
@pytest.mark.usefixtures("own_readers")
def test_a_reading_process_that_somebody_ended_is_started_again() -> None:
    read(PLAIN, "a.md")
    (first,) = children()
    first.kill()
    assert read(PLAIN, "a.md").pages
    assert first.pid not in [child.pid for child in children()]


@pytest.mark.slow
@pytest.mark.usefixtures("own_readers")
def test_one_that_is_ended_in_the_middle_of_a_file_reads_it_once_more() -> None:
    read(PLAIN, "a.md")
    (server,) = children()

    def end() -> None:
        at_work()
        server.kill()

    ending = meanwhile(end)
    content = pdf([lines(f"Page {number} of a report with a line of text.") for number in range(400)])
    assert len(read(content, "a.pdf", Limits()).pages) == 400
    ending.join()


@pytest.mark.slow
@pytest.mark.usefixtures("own_readers")
def test_a_process_that_waits_is_ended_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        process.Costs,
        "of",
        lambda *_, **__: Costs(memory_bytes=1 << 30, seconds=60, page_seconds=60, output_bytes=1 << 20, deadline_s=2),
    )
    stopping = meanwhile(lambda: at_work().suspend())
    with pytest.raises(TooCostlyError, match="more time than"):
        read(pdf_many_pages(4_000), "a.pdf")
    stopping.join()
    assert not [child for child in children() if child.status() == psutil.STATUS_STOPPED]


@pytest.mark.slow
@pytest.mark.usefixtures("own_readers")
@pytest.mark.skipif(os.geteuid() != 0, reason="it is closed to all but root; test_reader_sandbox.py looks from within")
def test_the_reading_process_has_no_secret_and_no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "GLASSBOX_DB_PASSWORD_API"
    monkeypatch.setenv(secret, "swordfish")
    end_readers()
    read(PLAIN, "a.md")
    (server,) = children()
    told = Path(f"/proc/{server.pid}/environ").read_bytes().decode()
    assert secret not in told
    assert {line.partition("=")[0] for line in told.split("\0") if line} <= {*process._ENVIRONMENT, "LC_CTYPE"}
    assert not server.net_connections("inet")


@pytest.mark.slow
def test_several_threads_read_at_once() -> None:
    found: list[int] = []
    threads = [meanwhile(lambda: found.append(len(read(PLAIN, "a.md").pages))) for _ in range(4)]
    for thread in threads:
        thread.join()
    assert found == [1, 1, 1, 1]


@given(
    st.binary(max_size=400) | st.sampled_from([b'+{"pages": 1}', b"-{}", b'-{"error": "OSError", "data": {}}', b"!1"])
)
def test_an_answer_of_a_child_that_was_taken_over_is_an_error_and_runs_nothing(answer: bytes) -> None:
    costs = Costs.of(1, TIGHT)
    with pytest.raises(ExtractionError):
        process._result("read", answer, "a.pdf", costs, place="")


def test_pages_alone_are_read_within_the_same_limits() -> None:
    assert pages_contained(PLAIN, filename="a.md").pages[0].number == 1
    with pytest.raises(ExtractionError):
        pages_contained(b"\x00", filename="a.md")


# --- its job ---


@pytest.mark.slow
@committed
def test_a_hostile_file_fails_its_job_once_and_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    firm = make_firm()
    made = ingest(firm, pdf_nested_forms(7), filename="forms.pdf")
    monkeypatch.setattr(ingest_read, "Limits", lambda: TIGHT)
    assert run(firm, made.job) is RunOutcome.FAILED
    failed = job(firm, made.job.id)
    assert (failed.error_code, failed.attempts) == ("corpus.file_too_costly", 1)
    assert "Reading forms.pdf takes more " in failed.error_detail
    assert document(firm, made.document.id).status == DocumentStatus.FAILED
