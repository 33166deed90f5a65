"""Start the reading process, send files to it, and report how reading them ended."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, cast

from django.conf import settings
from pydantic import ValidationError

from apps.corpus.extraction import ExtractedDocument, ExtractionError
from apps.corpus.extraction.detection import is_pdf, possible_types
from apps.corpus.extraction.errors import NoSandboxError, ReaderFailedError, TooCostlyError
from apps.corpus.extraction.hidden import HiddenTexts
from apps.corpus.reader.answers import ContradictionError, check_pages, check_picture, check_reading, printable, refusal
from apps.corpus.reader.contracts import PagePicture, PictureRequest, ReadDocument, ReadRequest
from apps.corpus.reader.costs import Costs, read_up_to
from apps.corpus.reader.sandbox import Part, told
from apps.corpus.reader.server import ENDED, MISSING, OPERATIONS, Sign, request_of
from apps.corpus.registry import derivation_modules
from config.memory import hide_memory

logger = logging.getLogger("glassbox.corpus")

_ROOT: Final = Path(__file__).resolve().parents[3]
_BLOCK: Final = 1024 * 1024
_FRAMES: Final = 12
# The signals with which C libraries end when they get no more memory.
_OUT_OF_MEMORY: Final = (signal.SIGABRT, signal.SIGSEGV, signal.SIGILL, signal.SIGTRAP, signal.SIGBUS)
# The whole environment of the reading process: it needs no secret.
_ENVIRONMENT: Final = {
    "LANG": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    # numpy, which text recognition loads in a child, would start threads, which no child can.
    "OPENBLAS_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",  # threads of the server's would not be there in a child
}


class _DiedError(Exception):
    """The reading process has ended: another process ended it, or the deadline did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """The outcome of reading one file.

    status: as waitpid says it. page: the one that the child was at, 0 for none. memory_bytes: the most that it had,
    with what the libraries take.
    """

    answer: bytes
    is_too_long: bool
    status: int
    page: int
    memory_bytes: int

    @property
    def place(self) -> str:
        return f", at page {self.page}" if self.page else ""


class _Reader:
    """One reading process, used for one file at a time."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.is_late = False
        self._missing: Part | None = None
        hide_memory()  # the memory of this process, which holds data that the reading process must not see
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "apps.corpus.reader", str(theirs.fileno()), *derivation_modules()],
                cwd=_ROOT,
                env=_ENVIRONMENT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    @property
    def missing(self) -> Part:
        """Return the parts of the sandbox that this machine lacks. Raises: _DiedError."""
        if self._missing is None:
            try:
                (missing,) = MISSING.unpack(self._received(MISSING.size))
            except (OSError, EOFError) as error:
                raise _DiedError from error
            self._missing = Part(missing)
        return self._missing

    def end(self) -> None:
        """End the process and its children. A second call does nothing."""
        if self.is_alive:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._control.close()
        self._process.wait()

    def _end_late(self) -> None:
        self.is_late = True
        self.end()

    def ask(self, head: bytes, content: bytes, costs: Costs) -> _Reading:
        """Have one file read. Raises: _DiedError."""
        late = threading.Timer(costs.deadline_s, self._end_late)
        late.daemon = True
        late.start()
        try:
            requests, request = os.pipe()
            answer, answers = os.pipe()
            with os.fdopen(request, "wb") as to_child, os.fdopen(answer, "rb") as from_child:
                try:
                    socket.send_fds(self._control, [b"r"], [requests, answers])
                finally:
                    os.close(requests)
                    os.close(answers)
                # A child that a limit ended reads no further; its status is received below.
                with contextlib.suppress(BrokenPipeError):
                    to_child.write(head + b"\n")
                    to_child.write(content)
                    to_child.flush()
                with contextlib.suppress(BrokenPipeError):
                    to_child.close()
                told, is_too_long = read_up_to(from_child, costs.output_bytes)
            status, page, most_kib = ENDED.unpack(self._received(ENDED.size))
        except (OSError, EOFError) as error:
            raise _DiedError from error
        finally:
            late.cancel()
        return _Reading(answer=told, is_too_long=is_too_long, status=status, page=page, memory_bytes=most_kib * 1024)

    def _received(self, size: int) -> bytes:
        got = b""
        while len(got) < size:
            more = self._control.recv(size - len(got))
            if not more:
                raise EOFError
            got += more
        return got


_lock = threading.Lock()
_readers: list[_Reader] = []


def read_contained(content: bytes, request: ReadRequest) -> ReadDocument:
    """Read a file for the index, in a separate process.

    Raises: ExtractionError: it can't be read, or costs more than the limits allow; NoPassagesError; InvalidFieldError.
    """
    return cast(ReadDocument, contained("read", content, request))


def pages_contained(content: bytes, *, filename: str, recognises: bool = False) -> ExtractedDocument:
    """Read a file's pages in a separate process. Raises: ExtractionError."""
    request = ReadRequest(filename=filename, recognises=recognises)
    return cast(ExtractedDocument, contained("pages", content, request))


def hidden_contained(content: bytes, *, filename: str) -> HiddenTexts:
    """Read a file's texts outside its pages, in a separate process. Raises: ExtractionError."""
    return cast(HiddenTexts, contained("hidden", content, ReadRequest(filename=filename)))


def contained(
    operation: str, content: bytes, request: ReadRequest | PictureRequest, *, deadline_s: int | None = None
) -> Any:
    """Have an operation of server.py done. Args: deadline_s: narrower than that of the limits. Raises: as above."""
    recognises = isinstance(request, ReadRequest) and request.recognises and is_pdf(content)
    costs = Costs.of(len(content), request.limits, recognises=recognises)
    costs = costs if deadline_s is None else replace(costs, deadline_s=deadline_s)
    written = request_of(operation).dump_python(request, mode="json")
    head = {"operation": operation, "costs": asdict(costs), "request": written}
    reading = _asked(json.dumps(head).encode(), content, costs, request.filename)
    if reading.is_too_long:
        limit = f"{costs.output_bytes // _BLOCK} MiB"
        raise TooCostlyError(filename=request.filename, what="room for its text", limit=limit, place=reading.place)
    if reading.status != 0:
        raise _ended(reading, request.filename, costs)
    result = _result(operation, reading.answer, request.filename, costs, place=reading.place)
    try:
        if isinstance(result, ReadDocument):
            check_reading(result, possible_types(content, filename=request.filename))
        elif isinstance(result, ExtractedDocument):
            check_pages(result.pages)
        elif isinstance(result, PagePicture):
            check_picture(result)
    except ContradictionError as error:
        logger.error("the reading process contradicts itself: %s", error)  # noqa: TRY400 - says nothing more
        raise ReaderFailedError(filename=request.filename, reason=str(error), place=reading.place) from None
    return result


def _asked(head: bytes, content: bytes, costs: Costs, filename: str) -> _Reading:
    """Call _Reader.ask, and try once more if another process ended the reading process.

    Args: head: JSON without a line break; what follows the first one is the file.
    """
    for _ in range(2):
        with _reader() as reader:
            try:
                _check_sandbox(reader.missing, filename)
                return reader.ask(head, content, costs)
            except _DiedError:
                reader.end()
                if reader.is_late:
                    limit = f"{costs.deadline_s} s"
                    raise TooCostlyError(filename=filename, what="time", limit=limit, place="") from None
    raise ReaderFailedError(filename=filename, reason="the reading process was ended twice", place="")


def _check_sandbox(missing: Part, filename: str) -> None:
    """Raise NoSandboxError if the settings require the sandbox and this machine lacks a part of it."""
    if not missing:
        return
    if settings.GLASSBOX_REQUIRE_SANDBOX:
        raise NoSandboxError(filename=filename, missing=told(missing))
    _tell_once(missing)


@lru_cache(maxsize=8)
def _tell_once(missing: Part) -> None:
    logger.warning("files are read in a sandbox that lacks %s", told(missing))


def _ended(reading: _Reading, filename: str, costs: Costs) -> ExtractionError:
    """Return the error that says why the kernel ended the child, or why it ended itself."""
    number = os.WTERMSIG(reading.status) if os.WIFSIGNALED(reading.status) else 0
    if number == signal.SIGXCPU:
        seconds = costs.page_seconds if reading.page else costs.seconds
        return TooCostlyError(filename=filename, what="computing time", limit=f"{seconds} s", place=reading.place)
    if number in _OUT_OF_MEMORY and reading.memory_bytes > costs.memory_bytes // 2:
        return _too_much_memory(filename, costs, reading.place)
    reason = signal.Signals(number).name if number else f"status {os.waitstatus_to_exitcode(reading.status)}"
    logger.warning("the reading process ended by %s%s", reason, reading.place)
    return ReaderFailedError(filename=filename, reason=reason, place=reading.place)


def _too_much_memory(filename: str, costs: Costs, place: str) -> TooCostlyError:
    limit = f"{costs.memory_bytes // _BLOCK} MiB"
    return TooCostlyError(filename=filename, what="memory", limit=limit, place=place)


def _result(operation: str, answer: bytes, filename: str, costs: Costs, *, place: str) -> Any:
    try:
        sign, body = Sign(answer[:1]), answer[1:]
        if sign is Sign.RESULT:
            return OPERATIONS[operation][1].validate_json(body)
        told = json.loads(body)
        if sign is Sign.REFUSED:
            raise refusal(told, filename)
        if sign is Sign.MEMORY:
            raise _too_much_memory(filename, costs, place)
        # Never the exception's message: it may quote the file.
        kind = printable(told["kind"], most=60)
        logger.error("the reader failed: %s at %s", kind, ", ".join(printable(each) for each in told["at"][-_FRAMES:]))
        raise ReaderFailedError(filename=filename, reason=kind, place=place)
    except (ValueError, KeyError, TypeError, ValidationError) as error:
        logger.error("the reading process sent what is no answer (%s)", type(error).__name__)  # noqa: TRY400
        raise ReaderFailedError(filename=filename, reason="no answer", place=place) from None


@contextmanager
def _reader() -> Iterator[_Reader]:
    """Yield an idle or a new reading process of this process, for exclusive use."""
    with _lock:
        # After a fork, this process must not use its parent's reading processes.
        _readers[:] = [each for each in _readers if each.owner == os.getpid() and each.is_alive]
        reader = _readers.pop() if _readers else None
    reader = reader or _Reader()
    try:
        yield reader
    except BaseException:
        # The request may still be in progress.
        reader.end()
        raise
    if reader.is_alive:
        with _lock:
            _readers.append(reader)
