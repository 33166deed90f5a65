"""The wall against the queue: what a message can ask for, what a task sees, and what is left of it afterwards.

Every attack is tried as both roles that run tasks: a worker's own, and the API's, which runs them in eager mode.
"""

from __future__ import annotations

import base64
import json
import logging
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
import redis
from celery.app.backends import by_url
from celery.contrib.testing.worker import start_worker
from celery.result import EagerResult
from celery.signals import setup_logging
from django.conf import settings
from django.db import connections
from django.db.backends.postgresql.base import DatabaseWrapper
from django.test import override_settings
from django.utils import timezone
from kombu.exceptions import ContentDisallowed
from kombu.serialization import loads

from apps.corpus import jobs
from apps.corpus.batches.batch import QUEUE
from apps.corpus.models import Document, IngestJob
from apps.corpus.services.ingest import actor as ingest_actor
from apps.corpus.services.ingest.lease import Lease, RunPolicy, claim
from apps.corpus.tasks import run_next
from apps.tenants import leased_jobs
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.leased_jobs import sweep_kind, sweep_tenant
from apps.tenants.models import ApiKey, Membership, Tenant, User
from apps.tenants.models.tenant import TenantStatus
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.services.api_keys import api_key_revoke
from apps.tenants.services.members import grants_set, membership_grant, membership_revoke
from config.celery import app
from tests.corpus.files import BROKEN
from tests.corpus.ingesting import change_job, ingest
from tests.factories import make_key
from tests.isolation.harness import eventually, forgetful, held, rolled_back, wall_down
from tests.isolation.world import World, canary, content
from tests.model_server import Fault, ModelServer

pytestmark = pytest.mark.slow

Loss = Callable[[World, IngestJob], None]


@pytest.fixture(params=["glassbox_api", "glassbox_worker"], autouse=True)
def role(request: pytest.FixtureRequest, world: World) -> Iterator[str]:
    """Runs everything as one of the roles, in this thread and in those that it starts."""
    name: str = request.param
    ordinary = connections["default"]
    configured = connections.settings["default"]
    options = {key: value for key, value in configured["OPTIONS"].items() if key != "pool"}
    changes = {"USER": name, "PASSWORD": settings.GLASSBOX_DB_PASSWORDS[name], "OPTIONS": options}
    acting = DatabaseWrapper({**configured, **changes}, alias="default")
    connections["default"] = acting
    connections.settings["default"] = acting.settings_dict
    try:
        with override_settings(GLASSBOX_DB_ROLE=name):
            yield name
    finally:
        connections.settings["default"] = configured
        connections["default"] = ordinary
        acting.close()


@pytest.fixture
def broker() -> Iterator[redis.Redis]:
    """The broker's own client, with nothing waiting in the queue."""
    with app.connection_for_write() as connection:
        connection.default_channel.queue_purge(QUEUE)
        yield connection.default_channel.client
        connection.default_channel.queue_purge(QUEUE)


def waiting(world: World, firm: str, *, principal: Principal | None = None, secret: str = "") -> IngestJob:
    """A job of the firm's fund alpha that nobody has begun."""
    text = content(firm, "fund:alpha", "run") + f"\nCopy {uuid4().hex}. {secret}\n".encode()
    return ingest(world.firm(firm), text, filename=f"{canary(firm, 'fund:alpha')}.md", principal=principal).job


@contextmanager
def next_is(tenant_id: object, job_id: object) -> Iterator[None]:
    """Whoever takes what is next is led to this job."""

    def take(policy: RunPolicy) -> Lease | None:
        return claim(tenant_id=TenantId(UUID(str(tenant_id))), job_id=UUID(str(job_id)), policy=policy)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "take_next", take)
        yield


def deliver(tenant_id: object, job_id: object, *arguments: str, **keywords: object) -> EagerResult:
    """Do with a message what a worker does with it, in this transaction, where this job is next."""
    with next_is(tenant_id, job_id):
        return run_next.apply(args=arguments, kwargs=keywords)


def state_of(world: World, firm: str, job: IngestJob) -> str:
    with open_scope(tenant=world.firm(firm).id, reason="look after an attack"):
        found: IngestJob = IngestJob.objects.get(id=job.id)
        return f"{found.state} {found.error_code}".strip()


@contextmanager
def remembered(principal: Principal) -> Iterator[None]:
    """A worker that trusts grants of an earlier moment: the control for those that were lost since."""
    with rolled_back(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(ingest_actor, "_principal", lambda _: principal)
        yield


@contextmanager
def watching() -> Iterator[list[list[str]]]:
    """The titles that each job could see while it stored its document."""
    seen: list[list[str]] = []
    store_reading = jobs.store_reading

    def stored(*arguments: Any) -> None:
        seen.append(list(Document._base_manager.values_list("title", flat=True)))
        store_reading(*arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "store_reading", stored)
        yield seen


# --- messages that name what they should not ---


@pytest.mark.parametrize(("named", "owner"), [("acme", "bolt"), ("bolt", "acme")])
def test_a_message_of_one_tenant_runs_no_job_of_another(world: World, named: str, owner: str) -> None:
    def attack() -> str:
        job = waiting(world, owner)
        with forgetful():
            deliver(world.firm(named).id, job.id)
        return state_of(world, owner, job)

    assert held(attack, loot="succeeded") == "pending"


def test_a_hidden_job_and_none_at_all_end_alike(world: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    def said(job_id: UUID) -> str:
        caplog.clear()
        with forgetful():
            result = deliver(world.acme.id, job_id)
        ours = [record.getMessage() for record in caplog.records if record.name == "glassbox.corpus"]
        return f"{result.state} {ours}".replace(str(job_id), "?")

    def attack() -> str:
        hidden, nobodys = said(waiting(world, "bolt").id), said(uuid4())
        return "alike" if hidden == nobodys else f"told apart: {hidden}"

    held(attack, loot="told apart")


@pytest.mark.parametrize(
    ("arguments", "keywords"),
    [(["a-tenant"], {}), ([], {"token": "s|k1|1|1|token"}), ([], {"scopes": ["fund:beta"]})],
    ids=["a tenant", "a token", "scopes"],
)
def test_a_message_that_names_anything_is_refused(world: World, arguments: list[str], keywords: dict[str, Any]) -> None:
    def attack() -> str:
        job = waiting(world, "acme")
        result = deliver(world.acme.id, job.id, *arguments, **keywords)
        return f"{type(result.result).__name__} {state_of(world, 'acme', job)}"

    @contextmanager
    def lenient() -> Iterator[None]:
        def run(*_: Any, **__: Any) -> None:
            jobs.next_run()

        with rolled_back(), pytest.MonkeyPatch.context() as patch:
            patch.setattr(run_next, "run", run)
            yield

    assert held(attack, loot="succeeded", without=lenient) == "TypeError pending"


def test_a_pickled_message_is_not_read(broker: redis.Redis) -> None:
    class Accept:
        """What the worker's consumer accepts, until a control says otherwise."""

        types = app.amqp.TaskConsumer(app.connection_for_read().default_channel).accept

    def attack() -> str:
        body = pickle.dumps("unpickled")
        try:
            return str(loads(body, "application/x-python-serialize", "binary", accept=Accept.types))
        except ContentDisallowed:
            return "refused"

    @contextmanager
    def trusting() -> Iterator[None]:
        with rolled_back(), pytest.MonkeyPatch.context() as patch:
            patch.setattr(Accept, "types", {"application/x-python-serialize"})
            yield

    assert held(attack, loot="unpickled", without=trusting) == "refused"


# --- grants of the moment ---


def _grant_ended(world: World, job: IngestJob) -> None:
    with open_scope(tenant=world.acme.id, reason="a test"):
        grants_set(membership=_membership(world), scopes=[])


def _membership_revoked(world: World, job: IngestJob) -> None:
    with open_scope(tenant=world.acme.id, reason="a test"):
        membership_revoke(_membership(world))


def _role_lost(world: World, job: IngestJob) -> None:
    """She may still read, in the same scope."""
    with open_scope(tenant=world.acme.id, reason="a test"):
        membership_revoke(_membership(world))
        user = User.objects.get_by_natural_key("ann")
        membership_grant(user=user, role=Role.AUDITOR, scopes=[world.acme.scopes["fund:alpha"]])


def _account_closed(world: World, job: IngestJob) -> None:
    user = User.objects.get_by_natural_key("ann")
    user.is_active = False
    user.save(update_fields=["is_active"])


def _tenant_suspended(world: World, job: IngestJob) -> None:
    with open_scope(tenant=world.acme.id, reason="a test"):
        Tenant.objects.filter(id=world.acme.id).update(status=TenantStatus.SUSPENDED)


def _somebody_of_another_tenant(world: World, job: IngestJob) -> None:
    """The row itself names ben, who may do as much in Bolt."""
    change_job(world.acme, job.id, actor_id=world.people["ben"].id)


def _membership(world: World) -> Membership:
    found: Membership = Membership.objects.get(user_id=world.people["ann"].id, revoked_at__isnull=True)
    return found


LOSSES = [
    _grant_ended,
    _membership_revoked,
    _role_lost,
    _account_closed,
    _somebody_of_another_tenant,
]


@pytest.mark.parametrize("lose", LOSSES)
def test_a_job_whose_actor_may_no_longer_is_not_run(world: World, lose: Loss) -> None:
    def attack() -> str:
        job = waiting(world, "acme", principal=world.people["ann"])
        lose(world, job)
        deliver(world.acme.id, job.id)
        return state_of(world, "acme", job)

    brought = held(attack, loot="succeeded", without=lambda: remembered(world.people["ann"]))
    assert brought == "failed corpus.actor_revoked"


def test_a_job_of_a_tenant_that_was_suspended_after_its_message_was_sent_waits(world: World) -> None:
    """Two defences, each tried without the other: no worker takes the job, and its actor may do nothing meanwhile."""

    def attack() -> str:
        job = waiting(world, "acme", principal=world.people["ann"])
        _tenant_suspended(world, job)
        deliver(world.acme.id, job.id)
        return state_of(world, "acme", job)

    @contextmanager
    def taken() -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(IngestJob, "in_suspended", True)
            yield

    @contextmanager
    def taken_and_remembered() -> Iterator[None]:
        with taken(), remembered(world.people["ann"]):
            yield

    assert held(attack, loot="succeeded", without=taken_and_remembered) == "pending"
    with taken():
        brought = held(attack, loot="succeeded", without=lambda: remembered(world.people["ann"]))
    assert brought == "failed corpus.actor_revoked"


@pytest.mark.parametrize("how", ["revoked", "expired"])
def test_a_job_of_a_key_that_has_ended_is_not_run(world: World, how: str) -> None:
    with rolled_back():
        principal, _ = make_key(world.acme, Role.ANALYST, scopes=["fund:alpha"])

    def attack() -> str:
        principal, _ = make_key(world.acme, Role.ANALYST, scopes=["fund:alpha"])
        job = waiting(world, "acme", principal=principal)
        with open_scope(tenant=world.acme.id, reason="a test"):
            key = ApiKey.objects.get(id=principal.id)
            if how == "revoked":
                api_key_revoke(key)
            else:
                ApiKey.objects.filter(id=key.id).update(expires_at=timezone.now())
        deliver(world.acme.id, job.id)
        return state_of(world, "acme", job)

    brought = held(attack, loot="succeeded", without=lambda: remembered(principal))
    assert brought == "failed corpus.actor_revoked"


def test_a_retry_has_the_grants_of_its_own_moment(world: World, model_server: ModelServer) -> None:
    def attack() -> str:
        job = waiting(world, "acme", principal=world.people["ann"])
        message = (world.acme.id, job.id)
        model_server.fail_with(Fault.ERROR_500, times=1)
        deliver(*message)
        assert state_of(world, "acme", job).startswith("retry")
        _grant_ended(world, job)
        change_job(world.acme, job.id, next_attempt_at=timezone.now())
        deliver(*message)
        return state_of(world, "acme", job)

    brought = held(attack, loot="succeeded", without=lambda: remembered(world.people["ann"]))
    assert brought == "failed corpus.actor_revoked"


def test_a_grant_that_is_lost_in_mid_job_stops_the_next_write(world: World) -> None:
    def attack() -> str:
        job = waiting(world, "acme", principal=world.people["ann"])
        read_file = jobs.read_file

        def read(*arguments: Any, **keywords: Any) -> Any:
            _grant_ended(world, job)
            return read_file(*arguments, **keywords)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(jobs, "read_file", read)
            deliver(world.acme.id, job.id)
        with open_scope(tenant=world.acme.id, reason="look after an attack"):
            stored = Document.objects.get(id=job.document_id)
            return f"{stored.status} with {stored.pages.count()} pages"

    brought = held(attack, loot="with 1 pages", without=lambda: remembered(world.people["ann"]))
    assert brought == "failed with 0 pages"


# --- what a task sees ---


@pytest.mark.parametrize("eager", ["apply", "always eager"])
def test_an_eager_task_has_the_scope_of_its_job_and_not_the_callers(world: World, eager: str) -> None:
    def attack() -> list[list[str]]:
        job = waiting(world, "acme", principal=world.people["ann"])
        message = (world.acme.id, job.id)
        with open_scope(tenant=world.acme.id, principal=world.people["amy"]), watching() as seen:
            if eager == "apply":
                deliver(*message)
            else:
                with pytest.MonkeyPatch.context() as patch, next_is(*message):
                    patch.setitem(app.conf, "task_always_eager", True)
                    run_next.apply_async()
        return seen

    assert canary("acme", "fund:alpha") in held(attack, loot=canary("acme", "fund:beta"))


def test_an_eager_task_gives_the_callers_scope_back(world: World) -> None:
    def attack() -> list[str]:
        job = waiting(world, "acme")
        with open_scope(tenant=world.bolt.id, principal=world.people["ben"]):
            deliver(world.acme.id, job.id)
            return list(Document._base_manager.values_list("title", flat=True))

    assert canary("bolt", "firm") in held(attack, loot="kestrelacme")


def test_a_second_task_sees_nothing_of_the_first_ones_tenant(world: World) -> None:
    def attack() -> list[str]:
        first, second = waiting(world, "acme"), waiting(world, "bolt")
        with watching() as seen:
            deliver(world.acme.id, first.id)
            deliver(world.bolt.id, second.id)
        return seen[1]

    assert canary("bolt", "fund:alpha") in held(attack, loot="kestrelacme")


@pytest.mark.parametrize("role", ["glassbox_worker"], indirect=True)
def test_tasks_of_two_tenants_in_one_running_worker_stay_apart(world: World, broker: redis.Redis) -> None:
    with wall_down(), watching() as control:
        deliver(world.bolt.id, waiting(world, "bolt").id)
    assert "kestrelacme" in str(control)

    with watching() as seen, worker():
        started = [(firm, waiting(world, firm)) for firm in ("acme", "bolt", "acme")]
        eventually(
            lambda: all(state_of(world, firm, job) == "succeeded" for firm, job in started),
            within_s=20,
            what="three jobs were run",
        )
    for (firm, _), titles in zip(started, seen, strict=True):
        assert titles
        assert all(f"kestrel{firm}alpha" in title for title in titles)


@contextmanager
def worker() -> Iterator[None]:
    """A Celery worker as a thread of this process, which leaves the process's logging as it is."""

    def leave_logging_alone(**_: Any) -> None: ...

    setup_logging.connect(leave_logging_alone)
    try:
        with start_worker(app, pool="solo", queues=[QUEUE], perform_ping_check=False):
            yield
    finally:
        setup_logging.disconnect(leave_logging_alone)


# --- the sweeper ---


@contextmanager
def sweeping() -> Iterator[list[str]]:
    """What was sent, and whose jobs could be seen while it was."""
    sent: list[str] = []

    def enqueue(job: IngestJob) -> None:
        visible = IngestJob._base_manager.order_by().values_list("tenant_id", flat=True).distinct()
        sent.extend(f"sent for {job.tenant_id} beside {tenant}" for tenant in visible)

    with forgetful(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(leased_jobs, "enqueue", enqueue)
        yield sent


def overdue(world: World, firm: str) -> None:
    change_job(world.firm(firm), waiting(world, firm).id, next_attempt_at=timezone.now() - timedelta(seconds=1))


def test_sweeping_one_tenant_sends_nothing_of_another(world: World) -> None:
    def attack() -> list[str]:
        overdue(world, "acme")
        overdue(world, "bolt")
        with sweeping() as sent:
            sweep_tenant(IngestJob, world.acme.id)
        return sent

    brought = held(attack, loot=f"sent for {world.bolt.id}")
    assert brought == f"sent for {world.acme.id} beside {world.acme.id}"


def test_sweeping_all_tenants_sees_one_at_a_time(world: World) -> None:
    def attack() -> list[str]:
        overdue(world, "acme")
        overdue(world, "bolt")
        with sweeping() as sent:
            sweep_kind(IngestJob)
        return sent

    brought = held(attack, loot=f"sent for {world.bolt.id} beside {world.acme.id}")
    assert f"sent for {world.bolt.id} beside {world.bolt.id}" in brought


# --- what is left ---


def test_the_message_in_the_broker_names_nothing(world: World, broker: redis.Redis) -> None:
    ann = world.people["ann"]
    waiting(world, "acme", principal=ann)
    app.send_task(IngestJob.task, args=[canary("acme", "fund:alpha")])  # the control: it would be found
    messages = broker.lrange(f"{settings.TEST_DATABASE}:{QUEUE}", 0, -1)
    sent, control = ((_text(raw), json.loads(raw)) for raw in reversed(messages))

    forbidden = [canary("acme", "fund:alpha"), "kestrel", "Quarterly", ".md", "s|", "i|", "glassbox.", ann.label]
    assert [word for word in forbidden if word in control[0]][:2] == forbidden[:2]
    assert [word for word in forbidden if word in sent[0]] == []
    arguments, keywords, _ = json.loads(base64.b64decode(sent[1]["body"]))
    assert (arguments, keywords) == ([], {})


def _text(raw: bytes) -> str:
    """A whole message as text: its headers, its properties, and its body as it reads decoded."""
    message = json.loads(raw)
    message["body"] = base64.b64decode(message["body"]).decode()
    return json.dumps(message)


@contextmanager
def careless_task() -> Iterator[None]:
    """A task that lets an exception through as it is, and keeps what came of it: the control for both defences."""

    def run() -> None:
        jobs.next_run()

    backend, url = by_url(settings.CELERY_BROKER_URL)
    with rolled_back(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_next, "run", run)
        patch.setattr(run_next, "_backend", backend(app=app, url=url))
        patch.setattr(run_next, "ignore_result", False)
        patch.setattr(run_next, "store_eager_result", True)
        yield


@pytest.fixture
def secret() -> str:
    """A word that nobody else on this Redis has."""
    return f"kestrel{uuid4().hex}"


@pytest.mark.filterwarnings("ignore:Call to deprecated setex")
@pytest.mark.parametrize("where", ["the log", "Redis"])
def test_a_task_that_crashes_leaves_no_text_behind(
    world: World, caplog: pytest.LogCaptureFixture, where: str, secret: str
) -> None:
    caplog.set_level(logging.DEBUG)

    def crash(content: bytes, **_: Any) -> None:
        raise ValueError(f"can't read {content[-100:]!r}")

    def attack() -> str:
        job = waiting(world, "acme", secret=secret)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(jobs, "read_file", crash)
            caplog.clear()
            result = deliver(world.acme.id, job.id)
        assert result.state == "FAILURE"
        return caplog.text if where == "the log" else _kept_in_redis()

    held(attack, loot=secret, without=careless_task)


def test_a_job_that_fails_leaves_no_text_in_the_log(
    world: World, caplog: pytest.LogCaptureFixture, secret: str
) -> None:
    caplog.set_level(logging.DEBUG)

    def attack() -> str:
        job = ingest(world.acme, BROKEN, filename=f"{secret}.json").job
        caplog.clear()
        deliver(world.acme.id, job.id)
        assert state_of(world, "acme", job).startswith("failed")
        return caplog.text

    @contextmanager
    def talkative() -> Iterator[None]:
        def failed(_: object, error: Exception) -> None:
            logging.getLogger("glassbox.corpus").warning("failed: %s", error)
            fail(_, error)

        fail = jobs.fail
        with rolled_back(), pytest.MonkeyPatch.context() as patch:
            patch.setattr(jobs, "fail", failed)
            yield

    held(attack, loot=secret, without=talkative)


def _kept_in_redis() -> str:
    """Everything in the broker's database and in the cache's, as text; removes what a result backend kept."""
    found: list[str] = []
    for address in (settings.CACHES["default"]["LOCATION"], settings.CACHES["default"]["LOCATION"][:-1] + "0"):
        with redis.Redis.from_url(address) as client:
            for key in client.scan_iter(count=1000):
                match client.type(key):
                    case b"string":
                        found.append(f"{key!r} {client.get(key)!r}")
                    case b"list":
                        found.append(f"{key!r} {client.lrange(key, 0, -1)!r}")
                    case b"hash":
                        found.append(f"{key!r} {client.hgetall(key)!r}")
                    case b"set":
                        found.append(f"{key!r} {client.smembers(key)!r}")
                    case _:
                        found.append(f"{key!r} {client.zrange(key, 0, -1)!r}")
                if key.startswith(b"celery-task-meta-"):
                    client.delete(key)
    return "\n".join(found)
