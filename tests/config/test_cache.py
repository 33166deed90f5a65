"""What is read from Redis is data: whoever may write there runs nothing of theirs in a process of ours."""

from __future__ import annotations

import pickle
import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
import redis
from django.conf import settings
from django.core.cache import cache, caches
from django.test import RequestFactory, override_settings
from hypothesis import given
from hypothesis import strategies as st
from redis.exceptions import ResponseError
from rest_framework.request import Request

from apps.audit.log.export import state
from apps.audit.log.lag import ALARM_AFTER, SealingLag, _alarm
from apps.audit.verify.stating import exported_statements
from apps.corpus.models import IngestJob
from apps.corpus.reader.contracts import PagePicture
from apps.corpus.reader.picture import png
from apps.corpus.services import page_image_cache
from apps.corpus.services.ingest import turns as ingest_turns
from apps.erasure.personal_data import places
from apps.research.errors import RunError
from apps.research.runs.sealing import Sealer
from apps.retrieval.admin import ask_progress
from apps.retrieval.kept import momentary
from apps.retrieval.services import answerable_examples
from apps.retrieval.trace import Stage, StageRecord, StageStatus
from apps.tenants import alarm_mail, attempts, clock, sweeping, waiting, watchdog
from apps.tenants.api import idempotency
from apps.tenants.api.throttling import PrincipalThrottle
from apps.tenants.ids import TenantId
from apps.tenants.principals import Principal, PrincipalKind
from apps.tenants.requests import Access, attach_access
from apps.tenants.roles import Role
from config.cache import JsonSerializer, UnreadableValueError
from config.celery import app

_UNPICKLES = "django.core.cache.backends.redis.RedisCache"

_PLAIN = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.binary()
    | st.uuids()
    | st.datetimes(timezones=st.just(UTC) | st.none())
    | st.dates()
    | st.decimals(allow_nan=False)
    | st.timedeltas(min_value=timedelta(days=-900), max_value=timedelta(days=900))
)
_VALUES = st.recursive(
    _PLAIN,
    lambda each: (
        st.lists(each) | st.lists(each).map(tuple) | st.dictionaries(st.text() | st.sampled_from(["!", "v"]), each)
    ),
    max_leaves=12,
)


def _read_back(value: Any) -> Any:
    written = JsonSerializer().dumps(value)
    return JsonSerializer().loads(written if isinstance(written, bytes) else str(written).encode())


@pytest.mark.slow
@given(_VALUES)
def test_what_is_written_comes_back_as_itself(value: Any) -> None:
    found = _read_back(value)
    assert (found, type(found)) == (value, type(value))


class _Colour(StrEnum):
    RED = "red"


@pytest.mark.parametrize(
    "value",
    [object(), {1, 2}, frozenset(), range(3), float("nan"), float("inf"), {1: "a"}, _Colour.RED, [_Colour.RED], print],
)
def test_nothing_else_is_written(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        JsonSerializer().dumps(value)


@given(st.binary())
def test_whatever_lies_there_is_read_or_refused(raw: bytes) -> None:
    try:
        JsonSerializer().loads(raw)
    except UnreadableValueError:
        return


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[" * 100_000,
        b"9" * 5_000,
        b'{"!":"os.system","v":"id"}',
        b'{"!":"tuple"}',
        b'{"!":["tuple"],"v":1}',
        b'{"!":"uuid","v":7}',
        b'{"!":"decimal","v":"x"}',
        b'{"!":"bytes","v":"?"}',
        b'{"!":"seconds","v":1e300}',
    ],
)
def test_a_crafted_value_is_refused(raw: bytes) -> None:
    with pytest.raises(UnreadableValueError):
        JsonSerializer().loads(raw)


# --- the attack: a program in the place of every value that the application reads ---


class _Program:
    """Unpickled, it makes a file."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Path.touch, (self.trace,)


@pytest.fixture
def _counting(settings: Any) -> None:
    settings.GLASSBOX_SIGN_IN_FAILURES = 3
    settings.GLASSBOX_KEY_FAILURES = 3


def _sign_in() -> None:
    attempts.attempt_begin(username="alice", address="192.0.2.7")


def _wrong_key() -> None:
    attempts.key_attempt(prefix="gbx_abc", address="192.0.2.7", is_right=False)


class _Somebody(PrincipalThrottle):
    def get_cache_key(self, request: Request, view: Any) -> str:
        return "throttle:somebody"


def _call_the_api() -> None:
    _Somebody().allow_request(Request(RequestFactory().get("/")), None)  # type: ignore[arg-type]


_TENANT = TenantId(uuid4())


def _export() -> None:
    state.export_state(_TENANT)
    state.note_exported(_TENANT, size=7)
    state.note_problem(_TENANT, code="audit.away")


def _late() -> None:
    _alarm(_TENANT, SealingLag(waiting=1, oldest=2 * ALARM_AFTER))


def _clock() -> None:
    clock.last_runs([clock.BEAT])
    clock.note(clock.BEAT)


def _sweep() -> None:
    def fail(tenant: TenantId) -> int:
        raise ValueError(tenant)

    sweeping.failing()
    sweeping.each_tenant(fail, doing=next(iter(sweeping.Sweep)), tenants=[_TENANT])


def _tell_operators() -> None:
    key = "alarm:told:test"
    alarm_mail._is_untold(key)
    alarm_mail._is_new(key)
    alarm_mail._told_here.discard(key)


def _wait() -> None:
    waiting.waiting_now()
    waiting.Count(IngestJob).note()


def _take_turns() -> None:
    ingest_turns._last_served([_TENANT])
    ingest_turns._note_served(_TENANT)


def _show_page() -> None:
    drawn = page_image_cache.DrawnPage(
        tenant_id=_TENANT, scope_id=_TENANT, document_id=_TENANT, content_sha256="0" * 64, page=1, scale=2
    )
    page_image_cache.kept(drawn)
    page_image_cache.keep(drawn, PagePicture(image=png(b"\xff" * 3, 1), width_pt=1.0, height_pt=1.0, text="", boxes=[]))


def _watch() -> None:
    watchdog.lately()
    watchdog._tell(["glassbox_api"])


def _state() -> None:
    exported_statements([_TENANT])


def _ask_with_key() -> None:
    """Begin to answer a question of a key; the second time, end that."""
    if _begun:
        _begun.pop().__exit__(None, None, None)
    else:
        marked = idempotency._marked("0" * 64)
        marked.__enter__()
        _begun.append(marked)


def _show_stages() -> None:
    request = RequestFactory().get("/")
    attach_access(request, Access(principal=_ASKING))
    ask_progress.ask_progress_view(request, _TENANT)
    ask_progress._Kept(ask_progress._key(_ASKING, _TENANT))(_ENDED)


_ASKING: Any = Principal(
    kind=PrincipalKind.USER,
    id=_TENANT,
    label="somebody",
    tenant_id=_TENANT,
    scope_ids=frozenset(),
    roles=frozenset({Role.ANALYST}),
)
_ENDED = StageRecord(
    stage=Stage.GATE,
    status=StageStatus.RAN,
    elapsed_ms=1.0,
    count_in=None,
    count_out=None,
    exclusions=(),
    notes=(),
    output=None,
)


def _remember() -> None:
    place = momentary.AnswerKey(tenant=_TENANT, account=_TENANT, event=_TENANT, session_key="a session")
    momentary.recall(place)
    cache.set(place.name, {"scopes": [], "documents": [], "sealed": b""}, timeout=60)


def _offer_examples() -> None:
    name = answerable_examples._NAME.format(tenant=_TENANT, version=_TENANT, digest="0" * 64)
    answerable_examples._kept(name)
    cache.set(name, {"an example": "performance"}, timeout=60)


def _seal_research() -> None:
    sealer = Sealer(tenant=_TENANT, run_id=_TENANT, kept=False)
    with suppress(RunError):
        sealer.seal(_TENANT, "what a run says")
    sealer.make_key()


_begun: list[AbstractContextManager[None]] = []

# By the module that reads, each before it writes. What a new one reads belongs here too: the first test says so.
_READERS: dict[str, tuple[Callable[[], None], ...]] = {
    "cache:apps.tenants.attempts": (_sign_in, _wrong_key),
    "cache:apps.tenants.api.throttling": (_call_the_api,),
    "cache:apps.tenants.api.idempotency": (_ask_with_key,),
    "cache:apps.retrieval.admin.ask_progress": (_show_stages,),
    "cache:apps.retrieval.kept.momentary": (_remember,),
    "cache:apps.retrieval.services.answerable_examples": (_offer_examples,),
    "cache:apps.research.runs.sealing": (_seal_research,),
    "cache:apps.research.runs.streaming": (),  # a sorted set of times, which no serializer of the cache's sees
    "cache:apps.tenants.counting": (),  # counts for attempts and throttling, which are tried above
    "cache:apps.tenants.tally": (),  # a hash of numbers, which no serializer of the cache's sees
    "cache:apps.tenants.clock": (_clock,),
    "cache:apps.tenants.sweeping": (_sweep,),
    "cache:apps.tenants.alarm_mail": (_tell_operators,),
    "cache:apps.audit.log.export.state": (_export,),
    "cache:apps.audit.log.lag": (_late,),
    "cache:apps.tenants.waiting": (_wait,),
    "cache:apps.tenants.watchdog": (_watch,),
    "cache:apps.corpus.services.ingest.turns": (_take_turns,),
    "cache:apps.corpus.services.page_image_cache": (_show_page,),
    "cache:apps.audit.verify.stating": (_state,),
    "cache:apps.erasure.stores.counters": (),  # names and deletes keys; reads no value
}


def test_every_module_that_uses_the_cache_is_tried_here() -> None:
    assert places.caches() == set(_READERS)


@contextmanager
def _own_keys(**changes: Any) -> Iterator[redis.Redis]:
    """The cache under a prefix of its own, which is empty."""
    prefix = f"test-{secrets.token_hex(4)}"
    configured = {**settings.CACHES["default"], "KEY_PREFIX": prefix, **changes}
    with override_settings(CACHES={"default": configured}), redis.Redis.from_url(configured["LOCATION"]) as client:
        yield _Ours(client, prefix)
        for key in client.scan_iter(f"{prefix}:*"):
            client.delete(key)


class _Ours:
    def __init__(self, client: redis.Redis, prefix: str) -> None:
        self._client, self._prefix = client, prefix

    def keys(self) -> set[bytes]:
        return set(self._client.scan_iter(f"{self._prefix}:*"))

    def poison(self, payload: bytes) -> None:
        for key in self.keys():
            self._client.set(key, payload, ex=600)


def _runs_code(read: Callable[[], None], trace: Path, **changes: Any) -> bool:
    trace.unlink(missing_ok=True)
    with _own_keys(**changes) as ours:
        read()
        assert ours.keys(), "it writes nothing, and would prove nothing"
        ours.poison(pickle.dumps(_Program(trace)))
        try:
            read()
        except (TypeError, AttributeError, ResponseError):
            # What came back is no value of theirs; of the control, by then the program has run.
            assert changes
    return trace.exists()


@pytest.mark.usefixtures("django_db_setup", "_counting")
@pytest.mark.parametrize("read", [each for readers in _READERS.values() for each in readers])
def test_a_program_in_the_place_of_a_value_does_not_run(read: Callable[[], None], tmp_path: Path) -> None:
    assert not _runs_code(read, tmp_path / "ran")


@pytest.mark.usefixtures("django_db_setup", "_counting")
@pytest.mark.parametrize("read", [_export, _clock, _sweep, _tell_operators])
def test_with_djangos_own_serializer_it_does(read: Callable[[], None], tmp_path: Path) -> None:
    """The control, of those that read a value; the others count in Redis alone."""
    assert _runs_code(read, tmp_path / "ran", BACKEND=_UNPICKLES)


@pytest.mark.usefixtures("django_db_setup")
def test_what_can_not_be_read_counts_as_not_there(caplog: pytest.LogCaptureFixture) -> None:
    with _own_keys() as ours:
        cache.set_many({"a": 1, "b": {"at": datetime(2026, 1, 2, tzinfo=UTC)}})
        assert cache.get_many(["a", "b", "c"]) == {"a": 1, "b": {"at": datetime(2026, 1, 2, tzinfo=UTC)}}
        ours.poison(pickle.dumps("theirs"))
        assert (cache.get("b", "default"), cache.get_many(["a", "b"])) == ("default", {})
    assert "is none of ours" in caplog.text


def test_no_cache_and_no_message_of_ours_is_a_pickle() -> None:
    assert {type(each).__name__ for each in (caches[alias] for alias in settings.CACHES)} == {"JsonRedisCache"}
    serializers = (app.conf.task_serializer, app.conf.result_serializer, app.conf.event_serializer)
    assert (set(serializers), app.conf.accept_content, app.conf.result_accept_content) == ({"json"}, ["json"], ["json"])
    assert app.conf.beat_scheduler == "config.beat:ScheduleOfTheCode"


def test_examples_of_each_type() -> None:
    value = {"!": (UUID(int=7), b"\x00", Decimal("1.50")), "day": date(2026, 1, 2), "for": timedelta(seconds=90)}
    assert _read_back(value) == value
