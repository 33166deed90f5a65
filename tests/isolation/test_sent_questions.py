"""Attacks on what was sent to the officers, as the roles that run things: each tried without the wall, too.

amy's question lies in all scopes of Acme. vera is an officer of all of them, nils one of fund:alpha alone, olaf one of
Bolt. tilda is an analyst of all scopes, as near to amy as anybody.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from apps.audit.ids import new_id
from apps.retrieval.models import SentQuestion
from apps.retrieval.sent.content import content_of
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.factories import make_member
from tests.isolation.harness import held, outcome, sql
from tests.isolation.world import KEPT, World

THROUGH = "it was let through"


class Cast:
    def __init__(self, world: World) -> None:
        self.people = {
            **world.people,
            "vera": make_member(world.acme, "vera-s", Role.COMPLIANCE_OFFICER),
            "nils": make_member(world.acme, "nils-s", Role.COMPLIANCE_OFFICER, scopes=["fund:alpha"]),
            "olaf": make_member(world.bolt, "olaf-s", Role.COMPLIANCE_OFFICER),
            "tilda": make_member(world.acme, "tilda-s", Role.ANALYST),
        }
        with open_scope(tenant=world.acme.id, principal=world.people["amy"]):
            self.row: SentQuestion = SentQuestion.objects.get()


@pytest.fixture(scope="module")
def cast(world: World) -> Cast:
    return Cast(world)


def as_who(who: Principal, act: Callable[[], Any]) -> Callable[[], str]:
    def attack() -> str:
        with open_scope(tenant=who.tenant_id, principal=who):
            return f"{THROUGH}: {act()}"

    return attack


def test_an_officer_of_its_scopes_and_its_asker_read_it(cast: Cast) -> None:
    for who in ("vera", "amy"):
        read = as_who(cast.people[who], lambda: content_of(SentQuestion.objects.get(id=cast.row.id)).question)
        assert KEPT in outcome(read)


@pytest.mark.parametrize("who", ["nils", "olaf", "tilda", "ada", "dan", "ann"])
def test_nobody_else_does(cast: Cast, who: str) -> None:
    read = as_who(cast.people[who], lambda: sql("SELECT id, sealed FROM retrieval_sentquestion"))
    assert THROUGH in held(read, loot=str(cast.row.id))


@pytest.mark.parametrize("who", ["nils", "olaf", "tilda", "amy"])
def test_nobody_but_an_officer_of_its_scopes_decides(cast: Cast, who: str) -> None:
    decides = (
        "UPDATE retrieval_sentquestion SET state = 'withheld', decided_at = now(), decided_by_id = %s WHERE id = %s "
        "RETURNING id"
    )
    person = cast.people[who]
    # The flow's trigger refuses as well: with the policies gone it speaks instead.
    attack = as_who(person, lambda: sql(decides, person.id, cast.row.id))
    assert str(cast.row.id) not in outcome(attack)


@pytest.mark.parametrize("who", ["vera", "nils", "olaf", "tilda"])
def test_nobody_takes_it_back_but_its_asker(cast: Cast, who: str) -> None:
    removes = as_who(
        cast.people[who], lambda: sql("DELETE FROM retrieval_sentquestion WHERE id = %s RETURNING id", cast.row.id)
    )
    held(removes, loot=str(cast.row.id))


@pytest.mark.parametrize("change", ["sealed = 'x'", "asker_id = gen_random_uuid()", "scope_ids = '{}'"])
def test_an_officer_does_not_change_what_was_asked(cast: Cast, change: str) -> None:
    changes = f"UPDATE retrieval_sentquestion SET {change} WHERE id = %s RETURNING id"
    assert "permission denied" in outcome(as_who(cast.people["vera"], lambda: sql(changes, cast.row.id)))


def test_an_officer_decides_in_their_own_name_alone(cast: Cast) -> None:
    decides = (
        "UPDATE retrieval_sentquestion SET state = 'withheld', decided_at = now(), decided_by_id = %s WHERE id = %s "
        "RETURNING id"
    )
    vera = cast.people["vera"]
    other = outcome(as_who(vera, lambda: sql(decides, cast.people["nils"].id, cast.row.id)), undone=True)
    assert "own name" in other
    assert THROUGH in outcome(as_who(vera, lambda: sql(decides, vera.id, cast.row.id)), undone=True)


def test_nobody_sends_in_another_s_name(cast: Cast) -> None:
    def attack() -> Any:
        return sql(
            "INSERT INTO retrieval_sentquestion (id, tenant_id, scope_ids, event_id, asker_id, data_key_id, sealed, "
            "state) VALUES (%s, %s, '{}', %s, %s, %s, 'x', 'sent') RETURNING id",
            new_id(),
            cast.row.tenant_id,
            new_id(),
            cast.row.asker_id,
            cast.row.data_key_id,
        )

    held(as_who(cast.people["tilda"], attack), loot=THROUGH)
