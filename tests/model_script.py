"""What the model server was told to do and what it has seen; and the vectors that it gives."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Reply = str | Callable[[Mapping[str, Any]], str]

REF_ID = re.compile(r"[^\s\[\]\"'`(),]+\|p\d+\|c\d+")


class Fault(StrEnum):
    """What the server does instead of answering properly."""

    HANG = "hang"
    DROPPED = "dropped"
    ERROR_500 = "error_500"
    RATE_LIMITED = "rate_limited"
    UNAUTHORISED = "unauthorised"
    BAD_REQUEST = "bad_request"
    NOT_JSON = "not_json"
    TRICKLE = "trickle"
    TRUNCATED = "truncated"
    RETRY_AT_DATE = "retry_at_date"
    CUT_SHORT = "cut_short"
    FILTERED = "filtered"
    NO_CONTENT = "no_content"
    NO_CHOICES = "no_choices"
    MALFORMED_JSON = "malformed_json"
    STREAM_ERROR = "stream_error"
    WRONG_LENGTH = "wrong_length"
    WRONG_COUNT = "wrong_count"
    NOT_A_NUMBER = "not_a_number"
    ZERO_VECTOR = "zero_vector"
    NOT_UNIT_NORM = "not_unit_norm"


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    method: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]


def hashed_vector(text: str, dimension: int) -> NDArray[np.float32]:
    """Embed a text by its words. Returns: (dimension,) float32, unit norm."""
    words = re.findall(r"\w+", text.lower()) or [""]
    total = np.sum([_direction(word, dimension) for word in words], axis=0)
    return np.asarray(total / np.linalg.norm(total), dtype=np.float32)


@lru_cache(maxsize=50_000)
def _direction(word: str, dimension: int) -> NDArray[np.float64]:
    seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest())
    return np.random.default_rng(seed).standard_normal(dimension)


class Script:
    """The state that tests set and read while the server's threads use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: list[RecordedRequest] = []
        self._replies: deque[Reply] = deque()
        self._fault: Fault | None = None
        self._fault_times: int | None = None
        self._at: dict[int, Callable[[], Fault | None]] = {}

    @property
    def requests(self) -> tuple[RecordedRequest, ...]:
        """All requests so far, oldest first, those with a fault included."""
        with self._lock:
            return tuple(self._requests)

    def fail_with(self, fault: Fault | None, *, times: int | None = None) -> None:
        """Misbehave for the next `times` requests, or until told otherwise; None ends it."""
        with self._lock:
            self._fault, self._fault_times = fault, times

    def at_request(self, number: int, action: Callable[[], Fault | None]) -> None:
        """When the n-th request (from 1) is in, do something before it is answered; it may return a fault for it."""
        with self._lock:
            self._at[number] = action

    def reply_with(self, *replies: Reply) -> None:
        """Queue replies for chat completions: a text, or a function of the request's body that gives one."""
        with self._lock:
            self._replies.extend(replies)

    def reset(self) -> None:
        """Forget faults, replies and recorded requests."""
        with self._lock:
            self._fault = self._fault_times = None
            self._replies.clear()
            self._requests.clear()
            self._at.clear()

    def record(self, request: RecordedRequest) -> Fault | None:
        """Note a request and give the fault that it meets."""
        with self._lock:
            self._requests.append(request)
            fault = self._fault
            if self._fault_times is not None:
                self._fault_times -= 1
                if self._fault_times <= 0:
                    self._fault = self._fault_times = None
            action = self._at.pop(len(self._requests), None)
        # Outside the lock: the action may look at the requests.
        return (action() if action else None) or fault

    def next_reply(self, body: Mapping[str, Any]) -> str:
        with self._lock:
            reply = self._replies.popleft() if self._replies else _first_passage_cited
        return reply if isinstance(reply, str) else reply(body)


def _first_passage_cited(body: Mapping[str, Any]) -> str:
    """The reply where none is queued: valid JSON that cites the first ref_id of the prompt."""
    found = REF_ID.search("\n".join(str(message.get("content", "")) for message in body.get("messages", [])))
    return json.dumps({"answer": "See the cited passage.", "ref_ids": [found.group()] if found else []})
