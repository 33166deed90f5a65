"""Attacks on webhooks with SQL, as the roles that run things: of another tenant, beyond the scopes, and by who may not.

Each is tried again without what is meant to stop it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from apps.audit.ids import new_id
from apps.audit.models import Webhook, WebhookDelivery
from apps.audit.services import record
from apps.audit.webhooks.services import webhook_create, webhook_test
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.factories import Firm, as_, make_firm, make_member
from tests.isolation.harness import changed, held, outcome, rolled_back, sql

THROUGH = "it was let through"
TABLES = ("audit_webhook", "audit_webhookdelivery", "audit_webhookattempt")


class Cast:
    """Of Acme: tom administers all, nora fund:alpha alone, ann complies. bob administers Bolt."""

    def __init__(self) -> None:
        self.acme, self.bolt = make_firm("acme"), make_firm("bolt")
        self.tom = make_member(self.acme, "tom", Role.TENANT_ADMIN)
        self.nora = make_member(self.acme, "nora", Role.TENANT_ADMIN, scopes=["fund:alpha"])
        self.ann = make_member(self.acme, "ann", Role.COMPLIANCE_OFFICER)
        self.bob = make_member(self.bolt, "bob", Role.TENANT_ADMIN)
        self.whole = self._made(self.tom, "whole")
        self.of_alpha = self._made(self.nora, "alpha")
        self.of_bolt = self._made(self.bob, "bolt")
        with open_scope(tenant=self.acme.id, reason="a test"):
            self.beta_event: UUID = record(
                action="tenants.scope.created",
                core={"key": "x"},
                scopes=[ScopeId(self.acme.scopes["fund:beta"].id)],
            ).id

    def _made(self, who: Principal, word: str) -> Webhook:
        with as_(who):
            webhook, _ = webhook_create(
                url=f"https://kestrel-{word}.example.com/", actions=["corpus.document.ready"], scopes=who.scope_ids
            )
            webhook_test(webhook.id)
        return webhook


@pytest.fixture(scope="module")
def cast(committed_ground: None) -> Cast:
    return Cast()


def as_who(cast: Cast, who: Principal | None, act: Callable[[], Any], firm: Firm | None = None) -> Callable[[], str]:
    def attack() -> str:
        opened = open_scope(tenant=who.tenant_id, principal=who) if who else None
        with opened or open_scope(tenant=(firm or cast.acme).id, reason="an attack"):
            return f"{THROUGH}: {act()}"

    return attack


@pytest.mark.parametrize("who", ["nora", "bob"])
def test_one_of_other_scopes_or_of_another_tenant_is_not_read(cast: Cast, who: str) -> None:
    for table in TABLES[:2]:
        brought = held(
            as_who(cast, getattr(cast, who), lambda t=table: sql(f"SELECT * FROM {t}")),
            loot=str(cast.whole.id),
        )
        assert THROUGH in brought
    held(as_who(cast, getattr(cast, who), lambda: sql("SELECT url FROM audit_webhook")), loot="kestrel-whole")


@pytest.mark.parametrize("who", ["nora", "bob"])
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_webhook SET url = 'https://elsewhere.example.com/' WHERE id = %s RETURNING id",
        "DELETE FROM audit_webhookdelivery WHERE webhook_id = %s RETURNING webhook_id",
    ],
)
def test_nor_is_it_changed_or_removed(cast: Cast, who: str, statement: str) -> None:
    held(as_who(cast, getattr(cast, who), lambda: sql(statement, cast.whole.id)), loot=str(cast.whole.id))


def _row(cast: Cast, scopes: list[ScopeId], tenant: UUID) -> Callable[[], object]:
    return lambda: sql(
        "INSERT INTO audit_webhook (id, tenant_id, url, actions, scope_ids, sealed, data_key_id, pause_reason, cursor, "
        "failures, lease_owner) SELECT %s, %s, 'https://elsewhere.example.com/', '{}', %s::uuid[], 'x', data_key_id, "
        "'', 0, 0, '' FROM audit_webhook LIMIT 1 RETURNING id",
        new_id(),
        tenant,
        scopes,
    )


def test_nobody_makes_one_in_scopes_that_they_lack(cast: Cast) -> None:
    beta = cast.acme.scope_ids("fund:beta")
    held(as_who(cast, cast.nora, _row(cast, beta, cast.acme.id)), loot=THROUGH)


def test_nobody_makes_one_in_another_tenant(cast: Cast) -> None:
    # The foreign key to its data key would stop it, too.
    alone = ("ALTER TABLE audit_webhook DROP CONSTRAINT audit_webhook_data_key_id_fk",)
    held(as_who(cast, cast.bob, _row(cast, [], cast.acme.id)), loot=THROUGH, alone=alone)


def test_who_does_not_administer_makes_and_changes_none(cast: Cast) -> None:
    without = partial(
        changed,
        *(f"DROP POLICY administers_{command} ON audit_webhook" for command in ("insert", "update", "delete")),
    )
    alpha = cast.acme.scope_ids("fund:alpha")
    held(as_who(cast, cast.ann, _row(cast, alpha, cast.acme.id)), loot=THROUGH, without=without)
    update = "UPDATE audit_webhook SET url = 'https://elsewhere.example.com/' RETURNING id"
    held(as_who(cast, cast.ann, lambda: sql(update)), loot=str(cast.whole.id), without=without)


def _delivery(webhook: Webhook, event_id: UUID, event_scopes: list[Any], scopes: list[Any]) -> Callable[[], object]:
    return lambda: sql(
        "INSERT INTO audit_webhookdelivery (id, tenant_id, webhook_id, scope_ids, event_id, event_scope_ids, state, "
        "attempts, earlier) VALUES (%s, %s, %s, %s::uuid[], %s, %s::uuid[], 'waiting', 0, 0) RETURNING id",
        new_id(),
        webhook.tenant_id,
        webhook.id,
        scopes,
        event_id,
        event_scopes,
    )


@pytest.mark.parametrize("who", ["nora", "tom", None])
def test_no_event_is_sent_beyond_the_scopes_of_an_endpoint_not_even_by_the_platform(
    cast: Cast, who: str | None
) -> None:
    person: Principal | None = getattr(cast, who) if who else None
    mine, beta = list(cast.of_alpha.scope_ids), cast.acme.scope_ids("fund:beta")
    # As it is: the check holds the event's scopes within the endpoint's.
    said_truly = as_who(cast, person, _delivery(cast.of_alpha, cast.beta_event, beta, mine))
    check = "ALTER TABLE audit_webhookdelivery DROP CONSTRAINT webhook_delivery_within_scopes"
    held(said_truly, loot=THROUGH, without=partial(changed, check))
    # As if it were of no scope: the foreign key holds the event's scopes to the event.
    said_falsely = as_who(cast, person, _delivery(cast.of_alpha, cast.beta_event, [], mine))
    key = "ALTER TABLE audit_webhookdelivery DROP CONSTRAINT audit_webhookdelivery_event_fk"
    held(said_falsely, loot=THROUGH, without=partial(changed, key))


def test_nor_by_calling_the_endpoint_wider_than_it_is(cast: Cast) -> None:
    whole, beta = list(cast.whole.scope_ids), cast.acme.scope_ids("fund:beta")
    attack = as_who(cast, cast.tom, _delivery(cast.of_alpha, cast.beta_event, beta, whole))
    key = "ALTER TABLE audit_webhookdelivery DROP CONSTRAINT audit_webhookdelivery_webhook_fk"
    held(attack, loot=THROUGH, without=partial(changed, key))


def test_an_endpoint_is_not_widened(cast: Cast) -> None:
    whole = list(cast.whole.scope_ids)
    statement = "UPDATE audit_webhook SET scope_ids = %s::uuid[] WHERE id = %s RETURNING id"
    attack = as_who(cast, cast.tom, lambda: sql(statement, whole, cast.of_alpha.id))
    keys = (
        "GRANT UPDATE (scope_ids) ON audit_webhook TO glassbox_api",
        "ALTER TABLE audit_webhookdelivery DROP CONSTRAINT audit_webhookdelivery_webhook_fk",
    )
    held(attack, loot=THROUGH, without=partial(changed, *keys))


def _attempt(cast: Cast) -> Callable[[], object]:
    with open_scope(tenant=cast.acme.id, reason="a test"):
        delivery = WebhookDelivery.objects.get(webhook_id=cast.whole.id)
    return lambda: sql(
        "INSERT INTO audit_webhookattempt (id, tenant_id, delivery_id, scope_ids, number, status, error) "
        "VALUES (%s, %s, %s, %s::uuid[], 1, 200, '') RETURNING id",
        new_id(),
        cast.acme.id,
        delivery.id,
        list(delivery.scope_ids),
    )


def test_no_person_writes_what_was_sent(cast: Cast) -> None:
    without = partial(changed, "DROP POLICY administers_insert ON audit_webhookattempt")
    held(as_who(cast, cast.tom, _attempt(cast)), loot=THROUGH, without=without)


def test_without_a_scope_nothing_is_read_and_nobody_empties_a_table(cast: Cast) -> None:
    # A policy is asked for rows: where there are none, whether it is asked depends on the plan. The attempt is undone
    # with its transaction, since what it belongs to could not be deleted by other tests else.
    with rolled_back():
        assert THROUGH in as_who(cast, None, _attempt(cast))()
        for table in TABLES:
            assert "no scope is open" in outcome(lambda t=table: sql(f"SELECT * FROM {t}"))
    for table in TABLES:
        assert "permission denied" in outcome(as_who(cast, cast.tom, lambda t=table: sql(f"TRUNCATE {t} CASCADE")))
