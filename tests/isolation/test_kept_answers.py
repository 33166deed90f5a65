"""Attacks on what is kept for the person who asked, as the roles that run things: each tried without the wall, too.

amy administers Acme and holds all of its scopes; her answer lies in all of them. ann holds fund:alpha alone; ada
audits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from apps.audit.ids import new_id
from apps.retrieval.kept.history import answer_share, content_of, kept_answer
from apps.retrieval.models import KeptAnswer
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.factories import make_member
from tests.isolation.harness import held, outcome, sql
from tests.isolation.world import KEPT, World

THROUGH = "it was let through"


class Cast:
    """vera asks as amy does: an analyst of all scopes of Acme. row: amy's answer."""

    def __init__(self, world: World) -> None:
        self.people = {**world.people, "vera": make_member(world.acme, "vera-k", Role.COMPLIANCE_OFFICER)}
        with open_scope(tenant=world.acme.id, principal=world.people["amy"]):
            self.row: KeptAnswer = KeptAnswer.objects.get()


@pytest.fixture(scope="module")
def cast(world: World) -> Cast:
    return Cast(world)


def as_who(who: Principal, act: Callable[[], Any]) -> Callable[[], str]:
    def attack() -> str:
        with open_scope(tenant=who.tenant_id, principal=who):
            return f"{THROUGH}: {act()}"

    return attack


@pytest.mark.parametrize("who", ["ann", "ada", "dan", "ben", "vera"])
def test_nobody_reads_what_is_kept_for_somebody_else(cast: Cast, who: str) -> None:
    read = as_who(cast.people[who], lambda: sql("SELECT id, sealed FROM retrieval_keptanswer"))
    assert THROUGH in held(read, loot=str(cast.row.id))


@pytest.mark.parametrize("who", ["vera", "ann"])
def test_nobody_opens_it_by_its_id(cast: Cast, who: str) -> None:
    def attack() -> str:
        found = kept_answer(cast.row.id)
        return content_of(found).question if found else "nothing"

    assert "nothing" in held(as_who(cast.people[who], attack), loot=KEPT)


@pytest.mark.parametrize("who", ["ann", "vera", "ben"])
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE retrieval_keptanswer SET shared_at = now() WHERE id = %s RETURNING id",
        "DELETE FROM retrieval_keptanswer WHERE id = %s RETURNING id",
    ],
)
def test_nobody_shares_or_removes_it_but_its_asker(cast: Cast, who: str, statement: str) -> None:
    held(as_who(cast.people[who], lambda: sql(statement, cast.row.id)), loot=str(cast.row.id))


def test_its_asker_does_not_change_what_was_answered(cast: Cast) -> None:
    changes = "UPDATE retrieval_keptanswer SET document_ids = '{}' WHERE id = %s RETURNING id"
    assert "permission denied" in outcome(as_who(cast.people["amy"], lambda: sql(changes, cast.row.id)))


def test_nobody_keeps_an_answer_in_another_s_name(cast: Cast) -> None:
    def attack() -> Any:
        return sql(
            "INSERT INTO retrieval_keptanswer (id, tenant_id, scope_ids, document_ids, asker_id, data_key_id, sealed, "
            "expires_at) VALUES (%s, %s, '{}', '{}', %s, %s, 'x', now()) RETURNING id",
            new_id(),
            cast.row.tenant_id,
            cast.row.asker_id,
            cast.row.data_key_id,
        )

    held(as_who(cast.people["vera"], attack), loot=THROUGH)


def test_what_is_shared_is_read_by_who_holds_every_scope_of_it_and_by_nobody_else(cast: Cast) -> None:
    def seen(who: str) -> bool:
        with open_scope(tenant=cast.people[who].tenant_id, principal=cast.people[who]):
            return kept_answer(cast.row.id) is not None

    amy = cast.people["amy"]
    try:
        with open_scope(tenant=amy.tenant_id, principal=amy):
            answer_share(cast.row.id, shared=True)
        assert {who: seen(who) for who in ("amy", "vera", "ann", "ben")} == {
            "amy": True,
            "vera": True,
            "ann": False,
            "ben": False,
        }
        held(
            as_who(cast.people["ann"], lambda: sql("SELECT id FROM retrieval_keptanswer")),
            loot=str(cast.row.id),
        )
        with open_scope(tenant=amy.tenant_id, principal=amy):
            row = KeptAnswer.objects.get(id=cast.row.id)
            assert row.shared_at is not None
            assert row.shared_at <= timezone.now()
    finally:
        with open_scope(tenant=amy.tenant_id, principal=amy):
            answer_share(cast.row.id, shared=False)
    assert not seen("vera")
