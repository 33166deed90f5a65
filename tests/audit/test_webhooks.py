"""Webhooks from the log to a real receiver: signed, at least once, in order, and never beyond what they were given."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.core import mail
from django.db import connection

from apps.audit.models import DeliveryState, Event, Webhook, WebhookAttempt, WebhookDelivery
from apps.audit.services import record
from apps.audit.webhooks import collecting, delivering, sending
from apps.audit.webhooks.collecting import webhooks_sweep
from apps.audit.webhooks.delivering import DELAYS, MAX_ATTEMPTS, webhook_run
from apps.audit.webhooks.errors import WebhookUrlError
from apps.audit.webhooks.queue import DELIVER_TASK
from apps.audit.webhooks.secrets import open_secrets
from apps.audit.webhooks.services import (
    webhook_change,
    webhook_create,
    webhook_delete,
    webhook_pause,
    webhook_redeliver,
    webhook_resume,
    webhook_rotate,
    webhook_test,
)
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError, ScopeNotGrantedError
from apps.tenants.ids import ScopeId
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from config.celery import app
from tests.audit.acting import as_worker, sealed
from tests.audit.webhooking import HOST, Receiver, receiving
from tests.baked import baked
from tests.factories import Firm, as_, make_firm, make_member
from tests.isolation.harness import sql
from tests.raising import raises_code

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
MADE = "tenants.scope.created"
_FIELD = {MADE: "key", "tenants.grant.given": "scope_id"}


@pytest.fixture
def receiver(tmp_path: Path, settings: LazySettings, names: dict[str, list[str]]) -> Iterator[Receiver]:
    with receiving(tmp_path) as found:
        settings.GLASSBOX_WEBHOOK_ROOTS = str(found.roots)
        settings.GLASSBOX_WEBHOOK_PORTS = (443, found.port)
        settings.GLASSBOX_WEBHOOK_PRIVATE_HOSTS = frozenset({HOST})
        names[HOST] = ["127.0.0.1"]
        yield found


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """The name server, which is outside: by name, the address for each question, the last for all that follow."""
    known: dict[str, list[str]] = {}
    real = socket.getaddrinfo

    def asked(host: Any, port: Any, *rest: Any, **more: Any) -> Any:
        if host not in known:
            return real(host, port, *rest, **more)
        if more.get("flags", 0) & socket.AI_NUMERICHOST:
            raise socket.gaierror(socket.EAI_NONAME, "not a number")
        address = known[host].pop(0) if len(known[host]) > 1 else known[host][0]
        return real(address, port, type=socket.SOCK_STREAM)

    monkeypatch.setattr(socket, "getaddrinfo", asked)
    return known


@pytest.fixture
def acme() -> Firm:
    firm = baked(make_firm, "acme")
    # What waits for its place when an endpoint is made is sent to it as well.
    sealed(firm)
    return firm


@pytest.fixture
def tom(acme: Firm) -> Principal:
    return make_member(acme, "tom", Role.TENANT_ADMIN)


def made(
    who: Principal, receiver: Receiver, *, scopes: Iterable[ScopeId] | None = None, path: str = "/hook"
) -> tuple[Webhook, str]:
    with as_(who):
        return webhook_create(
            url=receiver.url(path=path),
            actions=[MADE, "corpus.document.ready"],
            scopes=who.scope_ids if scopes is None else scopes,
        )


def happens(firm: Firm, count: int = 1, *, scopes: Iterable[str] = (), action: str = MADE) -> list[UUID]:
    """So many events, on the log and sealed."""
    with open_scope(tenant=firm.id, reason="a test"):
        ids = [
            record(action=action, core={_FIELD[action]: "x"}, subject_type="scope", scopes=firm.scope_ids(*scopes)).id
            for _ in range(count)
        ]
    sealed(firm)
    return ids


def run(webhook: Webhook) -> int:
    with as_worker():
        return webhook_run(
            tenant_id=webhook.tenant_id, webhook_id=webhook.id, scope_ids=[ScopeId(each) for each in webhook.scope_ids]
        )


def seen(webhook: Webhook) -> Webhook:
    with open_scope(tenant=webhook.tenant_id, reason="a test"):
        return Webhook.objects.get(id=webhook.id)


def deliveries(webhook: Webhook) -> list[WebhookDelivery]:
    with open_scope(tenant=webhook.tenant_id, reason="a test"):
        return list(WebhookDelivery.objects.filter(webhook_id=webhook.id).order_by("event_id"))


def attempts(webhook: Webhook) -> list[tuple[int, int | None, str]]:
    with open_scope(tenant=webhook.tenant_id, reason="a test"):
        return list(WebhookAttempt.objects.order_by("began_at", "number").values_list("number", "status", "error"))


def actions_of(firm: Firm) -> list[str]:
    with open_scope(tenant=firm.id, reason="a test"):
        found = Event.objects.filter(action__startswith="audit.webhook.").order_by("id")
        return [each.removeprefix("audit.webhook.") for each in found.values_list("action", flat=True)]


def passed(webhook: Webhook) -> None:
    """As if so much time had passed: what waits is due, and leases have run out."""
    with open_scope(tenant=webhook.tenant_id, reason="a test"):
        WebhookDelivery.objects.filter(state="waiting").update(next_attempt_at=None)
        Webhook.objects.filter(id=webhook.id).update(next_attempt_at=None, lease_until=None)


def test_an_event_reaches_the_receiver_signed_and_thin(acme: Firm, tom: Principal, receiver: Receiver) -> None:
    webhook, secret = made(tom, receiver)
    (event,) = happens(acme)
    assert run(webhook) == 1
    (request,) = receiver.requests
    assert request.is_signed(secret)
    assert not request.is_signed("whsec_" + "A" * 43 + "=")
    assert request.headers["host"] == f"{HOST}:{receiver.port}"
    assert request.headers["content-type"] == "application/json"
    assert request.json.keys() == {"type", "timestamp", "data"}
    assert request.json["data"] == {
        "event_id": str(event),
        "tenant": {"id": str(acme.id), "slug": "acme"},
        "subject": {"type": "scope", "id": None},
    }
    (delivery,) = deliveries(webhook)
    assert request.headers["webhook-id"] == str(delivery.id)
    assert delivery.state == DeliveryState.DELIVERED
    assert attempts(webhook) == [(1, 204, "")]
    assert run(webhook) == 0, "once taken, it is not sent again"


def test_what_was_recorded_before_and_what_is_of_another_class_is_not_sent(
    acme: Firm, tom: Principal, receiver: Receiver
) -> None:
    happens(acme, 3)
    webhook, _ = made(tom, receiver)
    happens(acme, 1, action="tenants.grant.given")
    assert run(webhook) == 0
    assert deliveries(webhook) == []


def test_many_are_sent_in_the_order_of_the_log(
    acme: Firm, tom: Principal, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "COLLECTED", 4)
    webhook, _ = made(tom, receiver)
    events = happens(acme, 11)
    assert run(webhook) == 11
    assert [each.json["data"]["event_id"] for each in receiver.requests] == [str(each) for each in events]


def test_the_sweep_finds_what_waits_and_nothing_else(
    acme: Firm, tom: Principal, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[UUID] = []
    monkeypatch.setattr(collecting, "announce", lambda tenant, id, scopes: sent.append(id))
    webhook, _ = made(tom, receiver)
    sealed(acme)
    run(webhook)
    with as_worker():
        assert webhooks_sweep() == 0
    happens(acme)
    with as_worker():
        assert webhooks_sweep() == 1
        assert webhooks_sweep() == 0, "one message is enough"
    assert sent == [webhook.id]
    with as_(tom):
        webhook_pause(webhook.id)
    passed(webhook)
    with as_worker():
        assert webhooks_sweep() == 0


@pytest.mark.parametrize(
    ("answer", "status", "error"),
    [
        (500, 500, "status"),
        (404, 404, "status"),
        ((302, {"Location": "https://127.0.0.1/elsewhere"}), 302, "redirect"),
        ((307, {"Location": "/hook2"}), 307, "redirect"),
        (lambda handler: handler.connection.close(), None, "protocol"),
        (lambda handler: handler.wfile.write(b"SSH-2.0-hello\r\n"), None, "protocol"),
    ],
)
def test_what_is_not_taken_is_tried_again(
    acme: Firm, tom: Principal, receiver: Receiver, answer: Any, status: int | None, error: str
) -> None:
    receiver.answers = [answer, 200]
    webhook, _ = made(tom, receiver)
    happens(acme)
    assert run(webhook) == 0
    assert [each.path for each in receiver.requests] == ["/hook"], "a redirect is not followed"
    assert attempts(webhook) == [(1, status, error)]
    assert run(webhook) == 0, "not before its time"
    passed(webhook)
    assert run(webhook) == 1
    assert attempts(webhook)[1:] == [(2, 200, "")]
    first, second = receiver.requests
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.body == second.body
    assert seen(webhook).failing_since is None


def test_a_slow_answer_ends_after_the_limit_though_it_trickles(
    acme: Firm, tom: Principal, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "TIMEOUT_S", 1.0)

    def trickles(handler: BaseHTTPRequestHandler) -> None:
        for letter in "HTTP/1.1 200 OK\r\nX-Slow: " + "x" * 100:
            handler.wfile.write(letter.encode())
            handler.wfile.flush()
            time.sleep(0.1)

    receiver.answers = [trickles]
    webhook, _ = made(tom, receiver)
    happens(acme, 3)
    began = time.monotonic()
    assert run(webhook) == 0
    assert time.monotonic() - began < 5
    assert attempts(webhook) == [(1, None, "timeout")], "one that is slow is not asked for the others too"


def test_an_endless_answer_is_not_read(acme: Firm, tom: Principal, receiver: Receiver) -> None:
    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        for _ in range(2_000):
            handler.wfile.write(b"x" * 65_536)

    receiver.answers = [endless]
    webhook, _ = made(tom, receiver)
    happens(acme)
    began = time.monotonic()
    assert run(webhook) == 1
    assert time.monotonic() - began < 5


def test_an_event_that_is_not_taken_keeps_no_other_from_it(acme: Firm, tom: Principal, receiver: Receiver) -> None:
    receiver.answers = [500, 200]
    webhook, _ = made(tom, receiver)
    events = happens(acme, 4)
    assert run(webhook) == 3
    assert [each.state for each in deliveries(webhook)] == ["waiting", *["delivered"] * 3]
    passed(webhook)
    run(webhook)
    assert receiver.requests[-1].json["data"]["event_id"] == str(events[0])


def test_an_endpoint_that_is_down_is_left_in_peace_for_a_while(acme: Firm, tom: Principal, receiver: Receiver) -> None:
    receiver.answers = [503]
    webhook, _ = made(tom, receiver)
    happens(acme, 10)
    run(webhook)
    assert len(receiver.requests) == 3
    rests = seen(webhook).next_attempt_at
    assert rests is not None
    passed(webhook)
    run(webhook)
    later = seen(webhook).next_attempt_at
    assert later is not None
    assert later - rests > timedelta(seconds=20)


def test_it_is_given_up_after_three_days_and_the_log_says_so(acme: Firm, tom: Principal, receiver: Receiver) -> None:
    assert timedelta(days=2, hours=12) < sum(DELAYS, timedelta()) <= timedelta(days=3)
    receiver.answers = [500]
    webhook, _ = made(tom, receiver)
    (event,) = happens(acme)
    for _ in range(MAX_ATTEMPTS + 2):
        passed(webhook)
        run(webhook)
    assert len(receiver.requests) == MAX_ATTEMPTS
    (delivery,) = deliveries(webhook)
    assert (delivery.state, delivery.attempts) == (DeliveryState.GIVEN_UP, MAX_ATTEMPTS)
    assert actions_of(acme) == ["created", "gave_up"]
    with open_scope(tenant=acme.id, reason="a test"):
        told = Event.objects.get(action="audit.webhook.gave_up")
        assert told.payload["core"]["event_id"] == str(event)
        assert told.payload["core"]["error"] == "status"
    receiver.answers = [200]
    with as_(tom):
        webhook_redeliver(delivery.id)
    assert run(webhook) == 1
    assert receiver.requests[-1].headers["webhook-id"] == receiver.requests[0].headers["webhook-id"]
    assert attempts(webhook)[-1] == (MAX_ATTEMPTS + 1, 200, "")


def test_one_that_failed_for_three_days_is_paused_and_its_administrator_told(
    acme: Firm, tom: Principal, receiver: Receiver
) -> None:
    receiver.answers = [500, 500, 200]
    webhook, _ = made(tom, receiver)
    happens(acme)
    run(webhook)
    _as_owner("UPDATE audit_webhook SET failing_since = failing_since - interval '3 days 1 minute'")
    passed(webhook)
    mail.outbox.clear()
    run(webhook)
    found = seen(webhook)
    assert (found.paused_at is not None, found.pause_reason) == (True, "failing")
    assert actions_of(acme) == ["created", "paused"]
    assert [letter.to for letter in mail.outbox] == [["tom@example.com"]]
    assert HOST not in mail.outbox[0].body
    happens(acme, 2)
    passed(webhook)
    assert run(webhook) == 0
    assert len(receiver.requests) == 2, "nothing is sent meanwhile"
    with as_(tom):
        webhook_resume(webhook.id)
    passed(webhook)
    assert run(webhook) == 3, "and nothing is lost"


def test_one_that_is_gone_is_paused_at_once(acme: Firm, tom: Principal, receiver: Receiver) -> None:
    receiver.answers = [410]
    webhook, _ = made(tom, receiver)
    happens(acme, 3)
    run(webhook)
    assert len(receiver.requests) == 1
    assert seen(webhook).pause_reason == "gone"


class Killed(BaseException):
    """The worker is no more; nothing of what it would do afterwards is done."""


@pytest.mark.parametrize("step", ["_claimed", "collect", "_next", "send", "_noted", "_release"])
@pytest.mark.parametrize("before", [True, False])
def test_a_worker_that_dies_between_any_two_steps_loses_nothing(
    acme: Firm, tom: Principal, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, step: str, before: bool
) -> None:
    webhook, _ = made(tom, receiver)
    events = happens(acme, 3)
    real: Callable[..., Any] = getattr(delivering, step)

    def dies(*args: Any, **kwargs: Any) -> Any:
        if not before:
            real(*args, **kwargs)
        raise Killed

    with monkeypatch.context() as dying:
        dying.setattr(delivering, step, dies)
        with pytest.raises(Killed):
            run(webhook)
    # Where it died with the lease in its hand, nobody else has the endpoint until that has run out.
    assert (step, before) in (("_claimed", True), ("_release", False)) or run(webhook) == 0
    for _ in range(3):
        passed(webhook)
        run(webhook)
    taken = [each.json["data"]["event_id"] for each in receiver.requests]
    assert set(taken) == {str(each) for each in events}
    assert len(taken) <= len(events) + 1, "at most what it was sending is sent once more"
    assert {each.state for each in deliveries(webhook)} == {"delivered"}


def test_two_workers_do_not_send_at_once(
    acme: Firm, tom: Principal, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook, _ = made(tom, receiver)
    happens(acme, 2)
    real, within = delivering.send, []

    def meanwhile(*args: Any) -> Any:
        within.append(
            webhook_run(
                tenant_id=acme.id, webhook_id=webhook.id, scope_ids=[ScopeId(each) for each in webhook.scope_ids]
            )
        )
        return real(*args)

    monkeypatch.setattr(delivering, "send", meanwhile)
    assert run(webhook) == 2
    assert within == [0, 0]


def test_no_transaction_is_open_while_the_receiver_is_asked(
    acme: Firm, tom: Principal, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook, _ = made(tom, receiver)
    happens(acme)
    real, inside = delivering.send, []

    def looks(*args: Any) -> Any:
        inside.append(connection.in_atomic_block)
        return real(*args)

    monkeypatch.setattr(delivering, "send", looks)
    run(webhook)
    assert inside == [False]


def test_it_is_told_of_events_in_its_scopes_alone(acme: Firm, tom: Principal, receiver: Receiver) -> None:
    nora = make_member(acme, "nora", Role.TENANT_ADMIN, scopes=["fund:alpha"])
    webhook, _ = made(nora, receiver)
    (inside,) = happens(acme, scopes=["fund:alpha"])
    happens(acme, scopes=["fund:beta"])
    happens(acme, scopes=["fund:alpha", "fund:beta"])
    assert run(webhook) == 1
    assert [each.event_id for each in deliveries(webhook)] == [inside]


def test_nobody_makes_one_in_scopes_that_they_do_not_hold(acme: Firm, tom: Principal, receiver: Receiver) -> None:
    nora = make_member(acme, "nora", Role.TENANT_ADMIN, scopes=["fund:alpha"])
    with pytest.raises(ScopeNotGrantedError):
        made(nora, receiver, scopes=acme.scope_ids("fund:beta"))
    webhook, _ = made(tom, receiver)
    with as_(nora), pytest.raises(Exception, match="There is no webhook"):
        webhook_pause(webhook.id)


def test_another_role_makes_none(acme: Firm, receiver: Receiver) -> None:
    ann = make_member(acme, "ann", Role.COMPLIANCE_OFFICER)
    with pytest.raises(PermissionDeniedError):
        made(ann, receiver)


def test_both_secrets_sign_for_a_day_and_the_older_one_no_longer(
    acme: Firm, tom: Principal, receiver: Receiver
) -> None:
    webhook, first = made(tom, receiver)
    with as_(tom):
        _, second = webhook_rotate(webhook.id)
    happens(acme)
    run(webhook)
    assert receiver.requests[-1].is_signed(first)
    assert receiver.requests[-1].is_signed(second)
    _as_owner("UPDATE audit_webhook SET previous_until = previous_until - interval '1 day'")
    happens(acme)
    run(webhook)
    assert not receiver.requests[-1].is_signed(first)
    assert receiver.requests[-1].is_signed(second)
    assert actions_of(acme) == ["created", "rotated"]


def test_the_secret_lies_sealed_and_opens_in_its_own_row_alone(acme: Firm, tom: Principal, receiver: Receiver) -> None:
    webhook, _ = made(tom, receiver)
    other, _ = made(tom, receiver, path="/other")
    with open_scope(tenant=acme.id, reason="a test"):
        mine = Webhook.objects.get(id=webhook.id)
        (secret,) = open_secrets(mine, at=mine.created_at)
        assert secret not in bytes(mine.sealed)
    _as_owner("UPDATE audit_webhook SET sealed = (SELECT sealed FROM audit_webhook WHERE url LIKE '%%/other')")
    happens(acme)
    assert run(webhook) == 0
    assert receiver.requests == []
    assert attempts(webhook) == [(1, None, "secret")]
    assert run(other) == 1


def test_a_test_is_sent_at_once_and_is_on_the_log(acme: Firm, tom: Principal, receiver: Receiver) -> None:
    webhook, secret = made(tom, receiver)
    with as_(tom):
        webhook_test(webhook.id)
    assert run(webhook) == 1
    assert receiver.types == ["audit.webhook.tested"]
    assert receiver.requests[0].is_signed(secret)
    assert receiver.requests[0].json["data"]["subject"] == {"type": "webhook", "id": str(webhook.id)}
    sealed(acme)
    assert run(webhook) == 0
    with as_(tom):
        webhook_pause(webhook.id)
        with raises_code("audit.webhook_state"):
            webhook_test(webhook.id)


def test_a_change_counts_for_what_waits(acme: Firm, tom: Principal, receiver: Receiver) -> None:
    webhook, _ = made(tom, receiver)
    happens(acme)
    with as_(tom):
        webhook_change(webhook.id, url=receiver.url(path="/moved"))
        webhook_change(webhook.id, url=receiver.url(path="/moved"))
    run(webhook)
    assert [each.path for each in receiver.requests] == ["/moved"]
    assert actions_of(acme) == ["created", "changed"], "what changes nothing is not recorded"


def test_one_that_is_deleted_in_the_middle_is_gone_with_all_of_it(
    acme: Firm, tom: Principal, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook, _ = made(tom, receiver)
    happens(acme, 3)
    real = delivering.send

    def deletes(*args: Any) -> Any:
        with as_(tom):
            webhook_delete(webhook.id)
        return real(*args)

    monkeypatch.setattr(delivering, "send", deletes)
    run(webhook)
    assert len(receiver.requests) == 1
    for table in ("audit_webhook", "audit_webhookdelivery", "audit_webhookattempt"):
        with open_scope(tenant=acme.id, reason="a test"):
            assert sql(f"SELECT count(*) FROM {table}") == [(0,)]
    assert actions_of(acme) == ["created", "deleted"]


def test_deliveries_that_ended_go_after_a_month(acme: Firm, tom: Principal, receiver: Receiver) -> None:
    webhook, _ = made(tom, receiver)
    happens(acme, 2)
    run(webhook)
    _as_owner("UPDATE audit_webhookdelivery SET ended_at = ended_at - interval '31 days' WHERE place % 2 = 0")
    with as_worker():
        webhooks_sweep()
    assert len(deliveries(webhook)) == 1
    assert len(attempts(webhook)) == 1


def test_a_name_that_points_inside_is_refused_at_each_attempt(
    acme: Firm, tom: Principal, receiver: Receiver, settings: LazySettings, names: dict[str, list[str]]
) -> None:
    settings.GLASSBOX_WEBHOOK_PRIVATE_HOSTS = frozenset()
    webhook, _ = made(tom, receiver)
    happens(acme)
    for address in ("127.0.0.1", "::1", "10.0.0.7", "169.254.169.254", "::ffff:127.0.0.1", "fd00::1", "100.64.0.1"):
        names[HOST] = [address]
        passed(webhook)
        run(webhook)
    assert receiver.requests == []
    assert {error for _, _, error in attempts(webhook)} == {"address_refused"}


def test_it_connects_to_the_address_that_was_looked_at_whatever_the_name_says_next(
    acme: Firm, tom: Principal, receiver: Receiver, names: dict[str, list[str]]
) -> None:
    webhook, _ = made(tom, receiver)
    happens(acme)
    # Nobody listens at the first; at the second, the receiver does.
    names[HOST] = ["127.0.0.2", "127.0.0.1"]
    run(webhook)
    assert receiver.requests == []
    assert attempts(webhook) == [(1, None, "connect")]
    assert names[HOST] == ["127.0.0.1"], "it was asked once"


def test_a_certificate_of_another_name_or_authority_is_refused(
    acme: Firm, tom: Principal, receiver: Receiver, settings: LazySettings, names: dict[str, list[str]]
) -> None:
    names["other.glassbox.test"] = ["127.0.0.1"]
    settings.GLASSBOX_WEBHOOK_PRIVATE_HOSTS = frozenset({HOST, "other.glassbox.test"})
    webhook, _ = made(tom, receiver)
    with as_(tom):
        webhook_change(webhook.id, url=receiver.url("other.glassbox.test"))
    happens(acme)
    run(webhook)
    with as_(tom):
        webhook_change(webhook.id, url=receiver.url())
    settings.GLASSBOX_WEBHOOK_ROOTS = ""
    passed(webhook)
    run(webhook)
    assert [error for _, _, error in attempts(webhook)] == ["tls", "tls"]
    assert receiver.requests == []


@pytest.mark.parametrize("actions", [[], ["tenants.session.login"], ["no.such.class"], ["audit.webhook.tested"]])
def test_classes_of_what_people_do_are_not_offered(
    acme: Firm, tom: Principal, receiver: Receiver, actions: list[str]
) -> None:
    with as_(tom), raises_code("audit.webhook_class"):
        webhook_create(url=receiver.url(), actions=actions, scopes=tom.scope_ids)


@pytest.mark.parametrize("url", ["http://hooks.example.com/", "https://127.0.0.1/", "https://hooks.example.com:22/"])
def test_addresses_that_are_refused_make_no_row(acme: Firm, tom: Principal, url: str) -> None:
    with as_(tom), pytest.raises(WebhookUrlError):
        webhook_create(url=url, actions=[MADE], scopes=tom.scope_ids)
    assert actions_of(acme) == []


def _as_owner(statement: str) -> None:
    from tests.audit.verifying import tampering

    with tampering() as cursor:
        cursor.execute(statement)


def test_a_slow_receiver_never_holds_the_clock() -> None:
    """Whoever may name receivers could otherwise keep every tenant's checkpoints and letters waiting."""
    route = app.amqp.router.route
    assert route({}, "apps.audit.tasks.webhooks_due")["queue"].name == "clock"
    assert route({}, DELIVER_TASK)["queue"].name == app.conf.task_default_queue != "clock"
