"""The process that forks a child for each file. It is started by process.py and runs as long as the pipe to it is open.

    -> what of the sandbox this machine lacks, once
    <- one byte, with two descriptors: where the child reads its request, and where it writes its answer
    -> how the child ended (waitpid's status), the page that it was at, the most memory that it had, in KiB

The child's request is a line of JSON and then the file's bytes; its answer a sign and JSON (see Sign).
"""

from __future__ import annotations

import json
import mmap
import os
import signal
import socket
import struct
import traceback
from collections.abc import Callable, Sequence
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final

from pydantic import TypeAdapter

from apps.corpus.extraction import ExtractedDocument
from apps.corpus.extraction.extract import ALL_PAGES_READ, extract, open_file
from apps.corpus.extraction.hidden import HiddenTexts, hidden_texts
from apps.corpus.reader.contracts import PagePicture, PictureRequest, ReadDocument, ReadRequest
from apps.corpus.reader.costs import Costs, allow_page, allow_rest, hold_process
from apps.corpus.reader.picture import draw_page
from apps.corpus.reader.reading import read_document
from apps.corpus.reader.sandbox import Sandbox, kernel
from apps.corpus.registry import prepare_derivations
from apps.corpus.tokens import wordpiece_counter
from apps.errors import ApplicationError
from config.memory import hide_memory

ENDED: Final = struct.Struct("!iiq")
MISSING: Final = struct.Struct("!i")
_PAGE: Final = struct.Struct("!i")
_READ: Final = TypeAdapter(ReadRequest)
# What an operation is asked with, where that is something else.
_REQUESTS: Final[dict[str, TypeAdapter[Any]]] = {"picture": TypeAdapter(PictureRequest)}


class Sign(Enum):
    """How an answer begins."""

    RESULT = b"+"
    REFUSED = b"-"  # an error of ours: its class and its data
    MEMORY = b"m"
    FAILED = b"!"  # a fault: the kind of exception and where it was, without its message, which may quote the file


def _pages(content: bytes, request: ReadRequest, on_page: Callable[[int], None]) -> ExtractedDocument:
    limits, recognises = request.limits, request.recognises
    return extract(content, filename=request.filename, limits=limits, on_page=on_page, recognises=recognises)


def _hidden(content: bytes, request: ReadRequest, on_page: Callable[[int], None]) -> HiddenTexts:
    return hidden_texts(content, filename=request.filename, limits=request.limits, on_page=on_page)


def _open(content: bytes, request: ReadRequest, on_page: Callable[[int], None]) -> int:
    return open_file(content, filename=request.filename, limits=request.limits)


OPERATIONS: Final[dict[str, tuple[Callable[..., Any], TypeAdapter[Any]]]] = {
    "open": (_open, TypeAdapter(int)),
    "read": (read_document, TypeAdapter(ReadDocument)),
    "pages": (_pages, TypeAdapter(ExtractedDocument)),
    "hidden": (_hidden, TypeAdapter(HiddenTexts)),
    "picture": (draw_page, TypeAdapter(PagePicture)),
}


def request_of(operation: str) -> TypeAdapter[Any]:
    """Return how the request of an operation is written and read."""
    return _REQUESTS.get(operation, _READ)


def serve(control: socket.socket, derivations: Sequence[str] = ()) -> None:
    """Answer requests, one after the other, until the other side closes.

    Args: derivations: the modules of apps/corpus/registry.py.
    """
    hide_memory()
    kernel.adopt_orphans()
    # Both read files once here, and are then there for every child.
    wordpiece_counter()
    prepare_derivations(derivations)
    sandbox = Sandbox.of_this_machine()
    control.sendall(MISSING.pack(sandbox.missing))
    progress = mmap.mmap(
        -1, mmap.PAGESIZE
    )  # shared with the child, so that its current page is known even if it is killed
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 1, 2)
        if not message:
            return
        if len(descriptors) != 2:
            raise RuntimeError("a request comes with two descriptors")
        progress[: _PAGE.size] = _PAGE.pack(0)
        child = os.fork()
        if child == 0:
            _be_child(descriptors, progress, sandbox)
        for descriptor in descriptors:
            os.close(descriptor)
        _, status, usage = os.wait4(child, 0)
        _end_orphans()
        (page,) = _PAGE.unpack(progress[: _PAGE.size])
        control.sendall(ENDED.pack(status, page, usage.ru_maxrss))


def _end_orphans() -> None:
    """End the processes that a child left behind. In a complete sandbox a child can start none."""
    children = Path("/proc/self/task") / str(os.getpid()) / "children"
    while True:
        try:
            ended, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not ended and children.exists():
            for pid in children.read_text().split():
                os.kill(int(pid), signal.SIGKILL)


def _be_child(descriptors: list[int], progress: mmap.mmap, sandbox: Sandbox) -> None:
    """Do the work and end this process; nothing returns from here."""
    code = 1
    try:
        _close_all_but([*descriptors, *([] if sandbox.rules is None else [sandbox.rules])])
        with os.fdopen(descriptors[0], "rb") as request, os.fdopen(descriptors[1], "wb") as answer:
            _answer(request, answer, progress, sandbox)
        code = 0
    finally:
        os._exit(code)


def _close_all_but(kept: list[int]) -> None:
    """Close all other descriptors, and discard standard output, because the worker's output is its log."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nowhere, standard)
    first = 3
    for descriptor in sorted(kept):
        os.closerange(first, descriptor)
        first = descriptor + 1
    os.closerange(first, os.sysconf("SC_OPEN_MAX"))


def _answer(request: BinaryIO, answer: BinaryIO, progress: mmap.mmap, sandbox: Sandbox) -> None:
    head = json.loads(request.readline())
    costs = Costs(**head["costs"])
    operation, adapter = OPERATIONS[head["operation"]]
    asked = request_of(head["operation"]).validate_python(head["request"])
    hold_process(costs)
    sandbox.enter()

    def on_page(number: int) -> None:
        progress[: _PAGE.size] = _PAGE.pack(number)
        allow_rest(costs) if number == ALL_PAGES_READ else allow_page(costs)

    say = partial(_say, answer)
    try:
        say(Sign.RESULT, adapter.dump_json(operation(request.read(), asked, on_page)))
    except ApplicationError as error:
        say(Sign.REFUSED, json.dumps({"error": type(error).__name__, "data": error.data}, default=str).encode())
    except MemoryError:
        say(Sign.MEMORY, b"{}")
    except Exception as error:  # noqa: BLE001 - told to the other side, which tells it in its log
        at = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
        say(Sign.FAILED, json.dumps({"kind": type(error).__name__, "at": at}).encode())


def _say(answer: BinaryIO, sign: Sign, body: bytes) -> None:
    answer.write(sign.value)
    answer.write(body)
