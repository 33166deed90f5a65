"""Limits at one moment: of many at once exactly as many pass as are allowed, from threads and processes, in Redis."""

from __future__ import annotations

import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from types import SimpleNamespace

import pytest
from django.conf import LazySettings
from django.core.cache import cache

from apps.tenants import counting
from apps.tenants.api.throttling import PrincipalThrottle
from apps.tenants.attempts import attempt_begin, attempt_failed, attempt_succeeded, key_attempt
from apps.tenants.errors import TooManyAttemptsError, TooManyKeyAttemptsError
from apps.tenants.ids import TenantId
from apps.tenants.principals import Principal, PrincipalKind

# Redis runs with the database.
pytestmark = pytest.mark.usefixtures("django_db_setup")

ALLOWED, ASKED, THREADS = 600, 750, 32
HERE = "192.0.2.7"


@pytest.fixture
def name() -> Iterator[str]:
    """What is counted under it is this test's own."""
    name = uuid.uuid4().hex
    yield name
    counting.forget([name])


def passed(ask: Callable[[], bool], *, times: int = ASKED) -> int:
    with ThreadPoolExecutor(THREADS) as pool:
        return sum(pool.map(lambda _: ask(), range(times)))


def client() -> Principal:
    return Principal(
        kind=PrincipalKind.API_KEY,
        id=uuid.uuid4(),
        label="a key",
        tenant_id=TenantId(uuid.uuid4()),
        scope_ids=frozenset(),
        roles=frozenset(),
    )


def test_of_750_requests_at_once_600_are_let_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PrincipalThrottle, "rate", f"{ALLOWED}/hour", raising=False)
    request = SimpleNamespace(user=client())

    def ask() -> bool:
        return PrincipalThrottle().allow_request(request, None)  # type: ignore[arg-type]

    assert passed(ask) == ALLOWED
    refused = PrincipalThrottle()
    assert not refused.allow_request(request, None)  # type: ignore[arg-type]
    assert 3_000 < refused.wait() <= 3_600


@pytest.mark.slow
def test_reading_a_count_and_writing_it_lets_more_through(name: str) -> None:
    """The control: what the limits did before, on the same Redis with the same threads."""

    def ask() -> bool:
        known = cache.get(name, 0)
        if known >= ALLOWED:
            return False
        cache.set(name, known + 1, timeout=60)
        return True

    assert passed(ask) > ALLOWED


_PROCESS = """
import sys, time
import django
django.setup()
from apps.tenants.counting import slide
name, prefix, start = sys.argv[1], sys.argv[2], float(sys.argv[3])
from django.core.cache import cache
cache.key_prefix = prefix
slide(f"{name}:warm", most=1, window_s=60)
time.sleep(max(0, start - time.time()))
print(sum(slide(name, most=100, window_s=3600) == 0 for _ in range(75)))
"""


@pytest.mark.slow
def test_processes_share_the_count(name: str) -> None:
    start = str(time.time() + 3)
    prefix = cache.key_prefix
    started = [
        subprocess.Popen([sys.executable, "-c", _PROCESS, name, prefix, start], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    told = [int(each.communicate(timeout=120)[0].splitlines()[-1]) for each in started]
    counting.forget([f"{name}:warm"])
    assert sum(told) == 100


@pytest.mark.slow
def test_the_window_slides(name: str) -> None:
    assert [counting.slide(name, most=2, window_s=1) for _ in range(2)] == [0, 0]
    wait_s = counting.slide(name, most=2, window_s=1)
    assert 0 < wait_s <= 1
    time.sleep(wait_s + 0.05)
    assert counting.slide(name, most=2, window_s=1) == 0


def test_a_refused_call_uses_up_nothing(name: str) -> None:
    counting.slide(name, most=1, window_s=60)
    waits = [counting.slide(name, most=1, window_s=60) for _ in range(5)]
    assert all(earlier >= later > 0 for earlier, later in pairwise(waits))


def test_a_count_always_ends(name: str) -> None:
    """Giving back what has ended meanwhile begins no count: below zero, or without an end, it would stay for ever."""
    counting.add([name], most=[3], window_s=60)
    counting.forget([name])
    counting.give_back([name])
    assert cache._cache.get_client(None).exists(cache.make_key(name)) == 0  # type: ignore[attr-defined]
    counting.add([name], most=[3], window_s=60)
    assert 0 < cache._cache.get_client(None).pttl(cache.make_key(name)) <= 60_000  # type: ignore[attr-defined]


def test_of_several_counts_all_go_up_or_none(name: str) -> None:
    keys = [f"{name}:{number}" for number in range(2)]
    try:
        told = [counting.add(keys, most=[5, 2], window_s=60).counts for _ in range(4)]
        assert told == [(1, 1), (2, 2), (), ()]
        assert counting.look(keys[0], most=3) == 0
        assert 0 < counting.look(keys[1], most=2) <= 60
    finally:
        counting.forget(keys)


@pytest.mark.slow
def test_sign_ins_at_one_moment_that_fail_or_succeed_are_counted_once_each(settings: LazySettings, name: str) -> None:
    settings.GLASSBOX_SIGN_IN_FAILURES = settings.GLASSBOX_SIGN_IN_FAILURES_OF_ADDRESS = 10_000
    settings.GLASSBOX_SIGN_IN_FAILURES_OF_NAME = 50

    def guess() -> bool:
        try:
            attempt_failed(attempt_begin(username=name, address=name))
        except TooManyAttemptsError:
            return False
        return True

    assert passed(guess, times=200) == 50
    settings.GLASSBOX_SIGN_IN_FAILURES_OF_NAME = 60

    def succeed() -> bool:
        attempt_succeeded(attempt_begin(username=name, address=name))
        return True

    # Each takes back what it took; never more than are under way are counted.
    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(lambda _: succeed(), range(100))) == 100
    assert passed(guess, times=50) == 10


@pytest.mark.slow
def test_secrets_guessed_at_one_moment_are_answered_as_often_as_the_limit_allows(
    settings: LazySettings, name: str
) -> None:
    settings.GLASSBOX_KEY_FAILURES = 20

    def ask(*, is_right: bool) -> bool:
        try:
            key_attempt(prefix=name, address=HERE, is_right=is_right)
        except TooManyKeyAttemptsError:
            return False
        return True

    assert passed(lambda: ask(is_right=True), times=300) == 300
    assert passed(lambda: ask(is_right=False), times=100) == 20
    assert not ask(is_right=True)
