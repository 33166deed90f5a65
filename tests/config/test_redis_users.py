"""The handbook's users for a Redis in production, on a real one: what they need works, and nothing else does."""

from __future__ import annotations

import re
import secrets
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import redis
from celery import Celery
from celery.contrib.testing.worker import start_worker
from django.conf import LazySettings, settings
from django.core.cache import cache
from django.test import override_settings
from redis.exceptions import AuthenticationError, NoPermissionError, RedisError

from apps.erasure.contracts import Target, TargetType
from apps.erasure.residue.access import access_from_settings
from apps.erasure.residue.redis_places import redis_places, rewrite_files
from apps.erasure.stores.counters import RateCounters
from apps.tenants.api.probes import _redis
from apps.tenants.context import open_scope
from config.celery import app as glassbox
from config.env import CHECKOUT
from config.needs import program_environment
from config.processes import choose_port
from config.services.redis import _program
from tests.config.test_cache import _READERS
from tests.factories import make_firm

USERS = ("glassbox-cache", "glassbox-broker", "glassbox-prover")
_BROKER_PREFIX = "glassbox:broker:"


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """By user: of a Redis on TCP with the ACL file that docs/operations/deploy.md has."""
    folder: Path = tmp_path_factory.mktemp("redis")
    text = (CHECKOUT / "docs/operations/deploy.md").read_text(encoding="utf-8")
    rules = re.findall(r"^user (?:default|glassbox-).*$", text, flags=re.MULTILINE)
    assert len(rules) == 1 + len(USERS)
    passwords = {user: secrets.token_hex(16) for user in USERS}
    for user, number in zip(USERS, (1, 2, 3), strict=True):
        rules = [rule.replace(f"PASSWORD-{number}", passwords[user]) for rule in rules]
    (folder / "users.acl").write_text("\n".join(rules) + "\n", encoding="utf-8")
    port = choose_port(16_379, search=True)
    command = [_program(), "--port", str(port), "--bind", "127.0.0.1", "--aclfile", folder / "users.acl"]
    with subprocess.Popen([*command, "--dir", folder], env=program_environment(), stdout=subprocess.DEVNULL) as server:
        try:
            found = {user: f"redis://{user}:{passwords[user]}@127.0.0.1:{port}/0" for user in USERS}
            _wait_for(found["glassbox-cache"])
            yield found
        finally:
            server.kill()


def _wait_for(address: str) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            with redis.Redis.from_url(address) as client:
                client.ping()
                return
        except RedisError:
            assert time.monotonic() < deadline, "it does not answer"
            time.sleep(0.05)


@pytest.fixture
def cached(addresses: dict[str, str]) -> Iterator[None]:
    """The cache as production has it."""
    configured = {**settings.CACHES["default"], "LOCATION": addresses["glassbox-cache"], "KEY_PREFIX": "glassbox"}
    with override_settings(CACHES={"default": configured}):
        yield


@pytest.mark.usefixtures("cached")
@pytest.mark.parametrize("read", [each for readers in _READERS.values() for each in readers])
def test_the_cache_s_user_may_do_what_the_application_does(
    read: Callable[[], None], caplog: pytest.LogCaptureFixture
) -> None:
    """Every place goes on without Redis and says so in the log: nothing is said."""
    read()
    read()
    assert "Redis" not in caplog.text


@pytest.mark.usefixtures("cached")
def test_and_everything_that_the_cache_offers() -> None:
    assert _redis()
    cache.set_many({"a": 1, "b": "two"}, timeout=60)
    assert cache.get_many(["a", "b"]) == {"a": 1, "b": "two"}
    assert (cache.incr("a"), cache.decr("a"), cache.has_key("a"), cache.touch("a", 60)) == (2, 1, True, True)
    assert cache.touch("a", None)
    cache.delete_many(["a", "b"])
    assert not cache.add("c", 1, timeout=0) or cache.get("c") is None


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("cached")
def test_the_eraser_finds_and_clears_counters() -> None:
    firm = make_firm("acme")
    with open_scope(tenant=firm.id, reason="a test"):
        cache.set(f"throttle:{firm.id}:user:x", [1.0], timeout=60)
        store, targets = RateCounters(), [Target(type=TargetType.TENANT, id=firm.id)]
        assert (store.count(targets), store.clear(targets, limit=10), store.count(targets)) == (1, 1, 0)


@pytest.fixture
def celery_as_it_was() -> Iterator[None]:
    """A worker that starts makes its application everybody's: shared tasks would go to its broker ever after."""
    yield
    glassbox.set_current()
    glassbox.set_default()


# What a worker that starts asks the database before it takes anything.
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("celery_as_it_was")
def test_a_worker_lives_on_the_broker_s_user(addresses: dict[str, str]) -> None:
    app = Celery("users", broker=addresses["glassbox-broker"], set_as_current=False)
    app.conf.broker_transport_options = {**settings.CELERY_BROKER_TRANSPORT_OPTIONS, "global_keyprefix": _BROKER_PREFIX}
    app.conf.task_acks_late, app.conf.worker_prefetch_multiplier, app.conf.task_ignore_result = True, 1, True
    app.conf.accept_content = ["json"]
    done: list[int] = []

    @app.task
    def note(number: int) -> None:
        done.append(number)

    for number in range(3):
        note.delay(number)
    with start_worker(app, perform_ping_check=False, loglevel="ERROR"):
        deadline = time.monotonic() + 300
        while len(done) < 3 or not app.control.ping(timeout=1):
            assert time.monotonic() < deadline, f"it did {done}"
        note.apply_async([3], countdown=0.1, priority=5)
        while 3 not in done:
            assert time.monotonic() < deadline, f"it did {done}"
            time.sleep(0.05)
    note.delay(4)
    assert app.control.purge() == 1
    app.close()


@pytest.mark.parametrize(
    ("user", "command"),
    [
        ("glassbox-cache", ["LPUSH", f"{_BROKER_PREFIX}celery", "a task"]),
        ("glassbox-cache", ["GET", "somebody:else"]),
        ("glassbox-cache", ["CONFIG", "SET", "dir", "/etc"]),
        ("glassbox-cache", ["FLUSHALL"]),
        ("glassbox-cache", ["EVAL", "return redis.call('get', 'somebody:else')", "0"]),
        ("glassbox-cache", ["PUBLISH", f"{_BROKER_PREFIX}/0.celery.pidbox", "shutdown"]),
        ("glassbox-broker", ["GET", "glassbox:1:attempts:x"]),
        ("glassbox-broker", ["KEYS", "*"]),
        # These tell the names of all keys, whomever they belong to.
        ("glassbox-broker", ["SCAN", "0"]),
        ("glassbox-broker", ["RANDOMKEY"]),
        ("glassbox-broker", ["ACL", "LIST"]),
        ("glassbox-prover", ["FLUSHALL"]),
        ("glassbox-prover", ["CONFIG", "SET", "dir", "/etc"]),
    ],
)
def test_a_user_may_do_nothing_else(addresses: dict[str, str], user: str, command: list[str]) -> None:
    with (
        redis.Redis.from_url(addresses[user]) as client,
        pytest.raises(RedisError, match=r"(?i)permission|ACL failure"),
    ):
        client.execute_command(*command)


def test_nobody_comes_in_without_a_password(addresses: dict[str, str]) -> None:
    address = addresses["glassbox-cache"]
    with (
        redis.Redis.from_url(re.sub(r"//.*@", "//", address)) as client,
        pytest.raises((AuthenticationError, RedisError)),
    ):
        client.ping()


def test_the_prover_s_user_reads_it_all_and_has_it_written_anew(
    addresses: dict[str, str], settings: LazySettings
) -> None:
    settings.CELERY_BROKER_URL = addresses["glassbox-prover"]
    settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": addresses["glassbox-prover"]}}
    access = replace(access_from_settings(), redis_match="*")
    with redis.Redis.from_url(addresses["glassbox-prover"]) as client:
        client.set("glassbox:1:left", "Zoe was here", ex=60)
        try:
            places, unreachable = redis_places(access)
            assert b"Zoe was here" in b"".join(block for _, read in places for block in read())
        except NoPermissionError as error:
            pytest.fail(str(error))
        client.delete("glassbox:1:left")
    assert not [each for each in unreachable if "does not say" in each]
    assert rewrite_files((addresses["glassbox-prover"],)) == ""
