"""Access that was taken away is gone: from the next request, a running job, an open download, and an open transaction.

Each test does the same thing twice, before the loss, where it must succeed, and after it.
"""

from __future__ import annotations

import itertools
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from http.client import HTTPConnection, IncompleteRead
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock
from uuid import UUID

import pytest
from django.conf import LazySettings, settings
from django.db import ProgrammingError, connection, transaction
from django.http.response import HttpResponseBase
from django.test import Client

from apps.audit.models import Event
from apps.corpus.events import EXPORT_CUT_SHORT, EXPORTED
from apps.corpus.jobs import RunOutcome
from apps.corpus.models import Document, DocumentStatus, JobState
from apps.corpus.providers.registry import provider_for
from apps.corpus.services import documents
from apps.errors import ApplicationError
from apps.tenants.context import open_identity, open_scope
from apps.tenants.ids import TenantId, UserId
from apps.tenants.models import ApiKey, Membership, Tenant, User
from apps.tenants.models.tenant import TenantStatus
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.services.api_keys import api_key_authenticate, api_key_create, api_key_revoke, api_key_rotate
from apps.tenants.services.members import grants_set, membership_grant, membership_revoke
from apps.tenants.services.people import membership_scopes_set, user_configure
from apps.tenants.services.tenants import tenant_configure
from apps.tenants.tokens import TOKEN_LIFE_SECONDS, Identity
from tests.corpus.ingesting import PATIENT, document, ingest, job, long_report, remote_profile, run, vectors
from tests.corpus.test_jobs_celery import CHECKOUT, Worker, empty_queues
from tests.factories import Firm, make_firm, make_key, make_member
from tests.isolation.harness import eventually, rolled_back
from tests.isolation.world import World, canary
from tests.model_server import ModelServer

WORD = canary("acme", "fund:alpha")


# --- The ways to lose access ----------------------------------------------------------------------------------------


def membership_revoked(firm: Firm, person: str) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        membership_revoke(membership_of(person))


def grant_ended(firm: Firm, person: str) -> None:
    """Still a member, but of another scope."""
    with open_scope(tenant=firm.id, reason="a test"):
        membership_scopes_set(membership_of(person), scopes=[firm.scopes["fund:beta"]])


def user_deactivated(firm: Firm, person: str) -> None:
    user = User.objects.get_by_natural_key(person)
    user.is_active = False
    user_configure(user, administrator=user)


def tenant_suspended(firm: Firm, holder: str) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        tenant: Tenant = Tenant.objects.get(id=firm.id)
        tenant.status = TenantStatus.SUSPENDED
        tenant_configure(tenant)


def key_revoked(firm: Firm, plain: str) -> None:
    key = api_key_authenticate(plain)
    with open_scope(tenant=firm.id, reason="a test"):
        api_key_revoke(key)


def key_expired(firm: Firm, plain: str) -> None:
    key = api_key_authenticate(plain)
    with open_scope(tenant=firm.id, reason="a test"):
        api_key_rotate(key, overlap=timedelta(0))


def key_grant_ended(firm: Firm, plain: str) -> None:
    key = api_key_authenticate(plain)
    with open_scope(tenant=firm.id, reason="a test"):
        grants_set(api_key=key, scopes=[firm.scopes["fund:beta"]])


def membership_of(person: str) -> Membership:
    user = User.objects.get_by_natural_key(person)
    membership: Membership = Membership.objects.get(user_id=user.id, revoked_at__isnull=True)
    return membership


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """How a person or a key loses fund:alpha, and what the next request is then answered with."""

    act: Callable[[Firm, str], None]
    api_status: int

    def __str__(self) -> str:
        return self.act.__name__


OF_A_PERSON = (
    Loss(act=membership_revoked, api_status=401),
    Loss(act=grant_ended, api_status=404),
    Loss(act=user_deactivated, api_status=401),
    Loss(act=tenant_suspended, api_status=401),
)
OF_A_KEY = (
    Loss(act=key_revoked, api_status=401),
    Loss(act=key_expired, api_status=401),
    Loss(act=key_grant_ended, api_status=404),
    Loss(act=tenant_suspended, api_status=401),
)
person_loses = pytest.mark.parametrize("loss", OF_A_PERSON, ids=str)
key_loses = pytest.mark.parametrize("loss", OF_A_KEY, ids=str)


def signed_in(person: str) -> Client:
    client = Client()
    client.force_login(User.objects.get_by_natural_key(person))
    return client


def with_key(plain: str) -> Client:
    return Client(headers={"authorization": f"Bearer {plain}"})


def api_path(world: World) -> str:
    return f"/api/v1/documents/{world.document('acme', 'fund:alpha')}/"


def admin_path(world: World, page: str) -> str:
    return f"/admin/corpus/document/{world.document('acme', 'fund:alpha')}/{page}/"


# --- The next request -----------------------------------------------------------------------------------------------


@key_loses
def test_the_next_request_of_a_key_is_refused(world: World, loss: Loss) -> None:
    with rolled_back():
        client = with_key(world.keys["acme-alpha"])
        assert WORD in shown(client.get(api_path(world)), 200)
        loss.act(world.acme, world.keys["acme-alpha"])
        assert WORD not in shown(client.get(api_path(world)), loss.api_status)


@person_loses
def test_the_next_request_of_a_session_to_the_api_is_refused(world: World, loss: Loss) -> None:
    with rolled_back():
        client = signed_in("ann")
        assert WORD in shown(client.get(api_path(world)), 200)
        loss.act(world.acme, "ann")
        assert WORD not in shown(client.get(api_path(world)), loss.api_status)


@person_loses
def test_the_next_page_of_the_admin_is_refused(world: World, loss: Loss) -> None:
    with rolled_back():
        client = signed_in("ann")
        assert WORD in shown(client.get(admin_path(world, "change")), 200)
        loss.act(world.acme, "ann")
        # Nobody is asked to sign in again; a member of another scope is told that there is no such document.
        status = 404 if loss.act is grant_ended else 302
        assert WORD not in shown(client.get(admin_path(world, "change")), status)


def shown(response: Any, status: int) -> str:
    assert response.status_code == status
    return response.content.decode()


# --- A running job --------------------------------------------------------------------------------------------------


@contextmanager
def in_the_second_batch(act: Callable[[], None]) -> Iterator[None]:
    """Do something while the provider works on a job's second batch: in the job's thread, so that it is rolled back."""
    batches = itertools.count(1)

    def hooked(*args: Any, **kwargs: Any) -> Any:
        provider = provider_for(*args, **kwargs)

        def embed_documents(texts: Sequence[str]) -> Any:
            if next(batches) == 2:
                act()
            return provider.embed_documents(texts)

        return SimpleNamespace(
            name=provider.name,
            model=provider.model,
            region=provider.region,
            dimension=provider.dimension,
            profile=provider.profile,
            check=provider.check,
            embed_documents=embed_documents,
        )

    with mock.patch("apps.corpus.jobs.provider_for", hooked):
        yield


def holders_of(world: World, loss: Loss) -> tuple[Principal, str]:
    """Who brings the document, and the name by which the loss finds them."""
    if loss in OF_A_PERSON:
        return world.people["ann"], "ann"
    principal, plain = make_key(world.acme, Role.ANALYST, scopes=["fund:alpha"])
    return principal, plain


@pytest.mark.parametrize("loss", [*OF_A_PERSON, *OF_A_KEY[:3]], ids=str)
def test_a_running_job_stops_with_its_next_transaction(world: World, loss: Loss) -> None:
    with rolled_back():
        principal, holder = holders_of(world, loss)
        undisturbed = ingest(world.acme, long_report(5), principal=principal)
        with in_the_second_batch(lambda: None):
            assert run(world.acme, undisturbed.job) is RunOutcome.SUCCEEDED
        assert len(vectors(world.acme, undisturbed.document.id)) > PATIENT.batch_chunks

        disturbed = ingest(world.acme, long_report(6), principal=principal)
        with in_the_second_batch(lambda: loss.act(world.acme, holder)):
            assert run(world.acme, disturbed.job) is RunOutcome.FAILED
        ended = job(world.acme, disturbed.job.id)
        assert (ended.state, ended.error_code) == (JobState.FAILED, "corpus.actor_revoked")
        # The batch that came back after the loss is not stored, and the document is not to be found.
        assert len(vectors(world.acme, disturbed.document.id)) == PATIENT.batch_chunks
        assert document(world.acme, disturbed.document.id).status == DocumentStatus.FAILED


@pytest.fixture
def cella(committed_ground: None, model_server: ModelServer, settings: LazySettings) -> Firm:
    """A firm that a worker of its own can serve."""
    settings.GLASSBOX_EMBEDDING_PROFILES = {
        **settings.GLASSBOX_EMBEDDING_PROFILES,
        "remote": remote_profile(model_server),
    }
    firm = make_firm("cella")
    with open_scope(tenant=firm.id, reason="a test"):
        Tenant.objects.filter(id=firm.id).update(embedding_profile="remote")
    return firm


@pytest.mark.slow
def test_a_celery_worker_stops_in_the_middle_of_a_document(
    cella: Firm, model_server: ModelServer, settings: LazySettings, tmp_path: Path
) -> None:
    carl = make_member(cella, "carl", Role.ANALYST)
    empty_queues()
    worker = Worker(settings, model_server, tmp_path)
    try:
        first = ingest(cella, principal=carl)
        eventually(lambda: is_ended(cella, first.job.id), within_s=40, what="the worker ran a job")
        assert job(cella, first.job.id).state == JobState.SUCCEEDED

        # While the provider works on its vectors; a batch of the worker is larger than the document.
        model_server.at_request(len(model_server.requests) + 1, lambda: elsewhere(membership_revoked, cella, "carl"))
        second = ingest(cella, long_report(3), principal=carl)
        eventually(lambda: is_ended(cella, second.job.id), within_s=40, what="the worker ended the second job")
        assert job(cella, second.job.id).error_code == "corpus.actor_revoked"
        assert vectors(cella, second.document.id) == []
    finally:
        worker.kill()
        worker.close()


def is_ended(firm: Firm, job_id: UUID) -> bool:
    return job(firm, job_id).state in (JobState.SUCCEEDED, JobState.FAILED)


def elsewhere(act: Callable[[Firm, str], None], firm: Firm, holder: str) -> None:
    """In a thread of the model server, which has a connection of its own to give back."""
    try:
        act(firm, holder)
    finally:
        connection.close()


# --- An open download -----------------------------------------------------------------------------------------------

PART_BYTES = 32


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "PART_BYTES", PART_BYTES)


def body_of(response: HttpResponseBase) -> Iterator[bytes]:
    assert response.status_code == 200
    assert response.streaming
    return iter(response)


def assert_download_ends(world: World, client: Client, path: str, act: Callable[[], None], holder: UUID) -> None:
    complete = client.get(path)
    original = b"".join(body_of(complete))
    assert WORD in original.decode()
    assert int(complete["Content-Length"]) == len(original) > 2 * PART_BYTES

    parts = body_of(client.get(path))
    received = next(parts)
    act()
    with pytest.raises(ApplicationError):
        next(parts)
    assert received == original[:PART_BYTES]
    with open_scope(tenant=world.acme.id, reason="a test"):
        assert Event.objects.filter(action=EXPORTED).count() == 2
        event = Event.objects.get(action=EXPORT_CUT_SHORT)
        core = event.payload["core"]
    assert (event.subject_id, core["sent_bytes"]) == (world.document("acme", "fund:alpha"), PART_BYTES)
    assert core["reader_id"] == str(holder)


@key_loses
def test_an_open_download_of_a_key_ends(world: World, small_parts: None, loss: Loss) -> None:
    plain = world.keys["acme-alpha"]
    with rolled_back():
        assert_download_ends(
            world,
            with_key(plain),
            f"{api_path(world)}content/",
            lambda: loss.act(world.acme, plain),
            api_key_authenticate(plain).id,
        )


@person_loses
def test_an_open_download_of_the_admin_ends(world: World, small_parts: None, loss: Loss) -> None:
    with rolled_back():
        assert_download_ends(
            world,
            signed_in("ann"),
            admin_path(world, "original"),
            lambda: loss.act(world.acme, "ann"),
            User.objects.get_by_natural_key("ann").id,
        )


def test_an_open_download_ends_with_the_role_that_allowed_it(world: World, small_parts: None) -> None:
    """No role is without document.view today, so the table of roles is changed instead."""
    with rolled_back():
        parts = body_of(signed_in("ann").get(admin_path(world, "original")))
        assert len(next(parts)) == PART_BYTES
        assert len(next(parts)) == PART_BYTES
        with (
            mock.patch.object(Principal, "may", lambda self, permission: self.id is None),
            pytest.raises(ApplicationError, match=r"document\.view"),
        ):
            next(parts)


def test_an_open_download_ends_when_its_document_is_removed(world: World, small_parts: None) -> None:
    document_id = world.document("acme", "fund:alpha")
    with rolled_back():
        client = with_key(world.keys["acme"])
        parts = body_of(client.get(f"{api_path(world)}content/"))
        assert len(next(parts)) == PART_BYTES
        with open_scope(tenant=world.acme.id, reason="a test"):
            documents.document_delete(document_id=document_id)
        with pytest.raises(ApplicationError, match=str(document_id)):
            next(parts)


MEBIBYTE = 1024 * 1024
# More than the two ends of a connection keep in their buffers.
LARGE = b"a line of a large file that says nothing at all, again and again and again and\n" * (12 * MEBIBYTE // 79)


@pytest.fixture
def port(committed_ground: None, tmp_path: Path) -> Iterator[int]:
    """gunicorn with the settings of production's, on the test's database."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        number: int = found.getsockname()[1]
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "gunicorn", "-c", "python:config.gunicorn", "config.wsgi"),
            *("--bind", f"127.0.0.1:{number}", "--log-file", str(tmp_path / "gunicorn.log")),
        ],
        cwd=CHECKOUT,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings.test",
            "GLASSBOX_TEST_DATABASE": str(settings.TEST_DATABASE),
        },
        start_new_session=True,
    )
    try:
        eventually(lambda: answers(number), within_s=30, what="gunicorn answers")
        yield number
    finally:
        server.kill()
        server.wait(timeout=10)


def answers(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.slow
def test_the_server_breaks_the_connection_of_a_download_that_ends(port: int) -> None:
    dora = make_firm("dora")
    _, plain = make_key(dora, Role.ANALYST)
    document_id = ingest(dora, LARGE, filename="large.txt").document.id

    complete = download(port, plain, document_id)
    assert complete.read() == LARGE

    cut = download(port, plain, document_id)
    start = cut.read(MEBIBYTE)
    key_revoked(dora, plain)
    with pytest.raises((IncompleteRead, ConnectionResetError)):
        cut.read()
    assert LARGE.startswith(start)
    with open_scope(tenant=dora.id, reason="a test"):
        sent_bytes = Event.objects.get(action=EXPORT_CUT_SHORT).payload["core"]["sent_bytes"]
    assert MEBIBYTE <= sent_bytes < len(LARGE)


def download(port: int, key: str, document_id: UUID) -> Any:
    client = HTTPConnection("127.0.0.1", port, timeout=120)
    client.connect()
    client.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
    client.request("GET", f"/api/v1/documents/{document_id}/content/", headers={"Authorization": f"Bearer {key}"})
    response = client.getresponse()
    assert (response.status, response.headers["Content-Length"]) == (200, str(len(LARGE)))
    return response


# --- One long transaction -------------------------------------------------------------------------------------------


@contextmanager
def aged(seconds: float) -> Iterator[None]:
    """The tokens that are minted meanwhile are this old already."""
    minted_at = time.time() - seconds
    with mock.patch("apps.tenants.tokens.time", SimpleNamespace(time=lambda: minted_at)):
        yield


def documents_seen() -> int:
    with transaction.atomic():
        return Document._base_manager.count()


def test_a_token_of_more_than_a_minute_opens_no_scope(world: World) -> None:
    with rolled_back():
        with aged(TOKEN_LIFE_SECONDS - 10), open_scope(tenant=world.acme.id, principal=world.people["ann"]):
            assert documents_seen() == 3
        with (
            pytest.raises(ProgrammingError, match="the token has expired"),
            aged(TOKEN_LIFE_SECONDS + 2),
            open_scope(tenant=world.acme.id, principal=world.people["ann"]),
        ):
            documents_seen()


def test_a_token_of_more_than_a_minute_opens_no_identity(world: World) -> None:
    ann = UserId(User.objects.get_by_natural_key("ann").id)
    with rolled_back():
        with aged(TOKEN_LIFE_SECONDS - 10), open_identity(Identity(user=ann)):
            assert Membership._base_manager.filter(user_id=ann).exists()
        with (
            pytest.raises(ProgrammingError, match="the token has expired"),
            aged(TOKEN_LIFE_SECONDS + 2),
            open_identity(Identity(user=ann)),
        ):
            Membership._base_manager.filter(user_id=ann).exists()


def test_what_was_revoked_closes_in_an_open_transaction_when_its_minute_is_over(world: World) -> None:
    """The clock counts, not when the transaction began: here the last second of a token is lived through."""
    with rolled_back(), ExitStack() as opened:
        until_next_second = 1 - time.time() % 1
        with aged(TOKEN_LIFE_SECONDS - 1 - until_next_second):
            opened.enter_context(open_scope(tenant=world.acme.id, principal=world.people["ann"]))
        membership_revoked(world.acme, "ann")
        assert documents_seen() == 3
        eventually(has_expired, within_s=3, what="the token expires")


def has_expired() -> bool:
    try:
        documents_seen()
    except ProgrammingError as error:
        return "the token has expired" in str(error)
    return False


# --- Every change is an event ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Told:
    """What an event says: who did it, to what, and in which words."""

    action: str
    actor: str
    subject_id: UUID
    core: dict[str, Any]


def told_of(world: World, act: Callable[[], None]) -> list[Told]:
    """The events that Amy's act leaves, oldest first."""
    with open_scope(tenant=world.acme.id, principal=world.people["amy"]):
        before = set(Event.objects.values_list("id", flat=True))
        act()
        new = Event.objects.exclude(id__in=before).order_by("id")
        return [Told(each.action, each.actor_label, each.subject_id, each.payload["core"]) for each in new]


def test_giving_and_ending_a_persons_grants_are_events(world: World) -> None:
    olga = User.objects.get_by_natural_key("olga")
    alpha, beta = world.acme.scopes["fund:alpha"], world.acme.scopes["fund:beta"]
    with rolled_back():
        given = told_of(world, lambda: given_by_operator(world, olga, alpha))
        with open_scope(tenant=world.acme.id, reason="a test"):
            membership = membership_of("olga")
        moved = told_of(world, lambda: membership_scopes_set(membership, scopes=[beta]))
        revoked = told_of(world, lambda: membership_revoke(membership))
        nothing = told_of(world, lambda: membership_revoke(membership))
    member = {"user_id": str(olga.id), "role": "analyst"}
    operator = "system: a test"
    assert given == [
        Told("tenants.membership.granted", operator, membership.id, {**member, "by_operator": True}),
        Told("tenants.grant.given", operator, alpha.id, grant_core(alpha.id, membership=membership.id)),
    ]
    assert moved == [
        Told("tenants.grant.given", "amy", beta.id, grant_core(beta.id, membership=membership.id)),
        Told("tenants.grant.ended", "amy", alpha.id, grant_core(alpha.id, membership=membership.id)),
    ]
    ended = {**member, "scope_ids": [str(beta.id)]}
    assert revoked == [Told("tenants.membership.revoked", "amy", membership.id, ended)]
    assert nothing == []


def given_by_operator(world: World, user: User, scope: Any) -> None:
    with open_scope(tenant=world.acme.id, reason="a test"):
        grant(user, scope)


def grant(user: User, scope: Any) -> None:
    membership_grant(user=user, role=Role.ANALYST, scopes=[scope])


def grant_core(scope_id: UUID, *, membership: UUID | None = None, api_key: UUID | None = None) -> dict[str, Any]:
    return {
        "scope_id": str(scope_id),
        "membership_id": str(membership) if membership else None,
        "api_key_id": str(api_key) if api_key else None,
    }


def test_giving_changing_and_revoking_a_key_are_events(world: World) -> None:
    alpha, beta = world.acme.scopes["fund:alpha"], world.acme.scopes["fund:beta"]
    made: list[ApiKey] = []
    with rolled_back():
        given = told_of(
            world, lambda: made.append(api_key_create(name="a portal", role=Role.ANALYST, scopes=[alpha])[0])
        )
        (key,) = made
        moved = told_of(world, lambda: grants_set(api_key=key, scopes=[beta]))
        revoked = told_of(world, lambda: api_key_revoke(key))
        nothing = told_of(world, lambda: api_key_revoke(key))
    about = {"name": "a portal", "prefix": key.prefix, "role": "analyst"}
    assert given == [
        Told("tenants.grant.given", "amy", alpha.id, grant_core(alpha.id, api_key=key.id)),
        Told("tenants.api_key.created", "amy", key.id, about),
    ]
    assert moved == [
        Told("tenants.grant.given", "amy", beta.id, grant_core(beta.id, api_key=key.id)),
        Told("tenants.grant.ended", "amy", alpha.id, grant_core(alpha.id, api_key=key.id)),
    ]
    assert revoked == [Told("tenants.api_key.revoked", "amy", key.id, about)]
    assert nothing == []


def test_deactivating_an_account_is_an_event_of_each_of_its_tenants(world: World) -> None:
    with rolled_back():
        ann = User.objects.get_by_natural_key("ann")
        with open_scope(tenant=world.bolt.id, reason="a test"):
            grant(ann, world.bolt.root)
        assert deactivations(world.acme.id) == deactivations(world.bolt.id) == []
        ann.is_active = False
        user_configure(ann, administrator=User.objects.get_by_natural_key("root"))
        for told in (deactivations(world.acme.id), deactivations(world.bolt.id)):
            (event,) = told
            assert event.payload["core"]["user_id"] == str(ann.id)
            assert "root" in event.actor_label


def deactivations(tenant_id: TenantId) -> list[Event]:
    with open_scope(tenant=tenant_id, reason="a test"):
        configured = Event.objects.filter(action="tenants.user.configured")
        return [event for event in configured if event.payload["core"]["is_active"] is False]


def test_suspending_a_tenant_is_an_event(world: World) -> None:
    with rolled_back():
        (told,) = told_of(world, lambda: tenant_suspended(world.acme, ""))
        assert (told.action, told.core["status"]) == ("tenants.tenant.configured", "suspended")
