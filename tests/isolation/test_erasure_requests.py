"""Attacks on requests for erasure, as the roles that run things: each tried again with what stops it taken away."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from django.db.models import F

from apps.privacy.codes.life import REQUESTS, RequestState
from apps.privacy.codes.requests import Ground, Requester, SubjectType
from apps.privacy.models import ErasureRequest, Letter
from apps.privacy.requests.details import Details
from apps.privacy.requests.services.receiving import request_receive
from apps.tenants.context import open_scope
from apps.tenants.flows.table import By
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.deciding import assess, identity_confirm
from tests.factories import make_member
from tests.isolation.harness import changed, held, sql
from tests.isolation.world import World, canary

THROUGH = "it was let through"
NO_TRIGGER = (
    "ALTER TABLE audit_erasurerequest DISABLE TRIGGER USER",
    "ALTER TABLE audit_letter DISABLE TRIGGER USER",
)
S = RequestState


class Cast:
    """Of Acme: dora and dirk are DPOs, rita reviews. One request is ready to be proposed, one is just received."""

    def __init__(self, world: World) -> None:
        self.firm = world.acme
        self.dora = make_member(world.acme, "dora", Role.DPO)
        self.dirk = make_member(world.acme, "dirk", Role.DPO)
        self.rita = make_member(world.acme, "rita", Role.REVIEWER)
        with open_scope(tenant=world.acme.id, principal=self.dora):
            given = {"subject_type": SubjectType.TENANT, "requester": Requester.FIRM, "details": Details()}
            self.fresh: UUID = request_receive(**given).id  # type: ignore[arg-type]
            self.ready: UUID = request_receive(**given).id  # type: ignore[arg-type]
            identity_confirm(self.ready)
            assess(self.ready, ground=Ground.CONTRACT_ENDED)
            self.letter: UUID = Letter.objects.values_list("id", flat=True)[0]


@pytest.fixture(scope="module")
def cast(world: World) -> Cast:
    return Cast(world)


def doing(cast: Cast, who: Principal | None, *steps: tuple[UUID, dict[str, Any]]) -> Callable[[], str]:
    """Updates of requests by plain rows, one after another, in somebody's name; the platform's for None."""

    def attack() -> str:
        with open_scope(tenant=cast.firm.id, principal=who, reason="" if who else "a test"):
            for request_id, values in steps:
                changed_rows = ErasureRequest.objects.filter(id=request_id).update(**values)
                assert changed_rows == 1
        return THROUGH

    return attack


without_triggers = partial(changed, *NO_TRIGGER)


def proposal(who: Principal, run: UUID) -> dict[str, Any]:
    from django.utils import timezone

    return {
        "state": S.AWAITING_APPROVAL,
        "run_id": run,
        "proposed_by_id": who.id,
        "proposed_at": timezone.now(),
    }


def approval(who: Principal) -> dict[str, Any]:
    from django.utils import timezone

    approved = {"state": S.RESTRICTED, "approved_by_id": who.id, "approved_at": timezone.now()}
    return {**approved, "decided_revision": F("revision")}


def test_nobody_proposes_in_anothers_name(cast: Cast) -> None:
    held(doing(cast, cast.dora, (cast.ready, proposal(cast.dirk, cast.fresh))), loot=THROUGH, without=without_triggers)


def test_who_proposed_does_not_approve_in_their_own_name_or_in_anothers(cast: Cast) -> None:
    for name in (cast.dora, cast.rita):
        steps = ((cast.ready, proposal(cast.dora, cast.fresh)), (cast.ready, approval(name)))
        without = partial(
            changed, *NO_TRIGGER, "ALTER TABLE audit_erasurerequest DROP CONSTRAINT erasure_request_four_eyes"
        )
        held(doing(cast, cast.dora, *steps), loot=THROUGH, without=without)


def test_two_people_can_and_so_the_attacks_above_fail_for_their_names_alone(cast: Cast) -> None:
    from tests.isolation.harness import outcome, rolled_back

    def both() -> str:
        doing(cast, cast.dora, (cast.ready, proposal(cast.dora, cast.fresh)))()
        return doing(cast, cast.rita, (cast.ready, approval(cast.rita)))()

    with rolled_back():
        assert outcome(both) == THROUGH


def test_the_platform_approves_nothing(cast: Cast) -> None:
    def attack() -> str:
        doing(cast, cast.dora, (cast.ready, proposal(cast.dora, cast.fresh)))()
        return doing(cast, None, (cast.ready, approval(cast.rita)))()

    held(attack, loot=THROUGH, without=without_triggers)


@pytest.mark.parametrize("after", [S.EXECUTING, S.COMPLETED, S.VERIFYING, S.FAILED, S.RESTRICTED])
@pytest.mark.parametrize("who", ["dora", "rita"])
def test_no_person_says_that_something_is_erased(cast: Cast, who: str, after: RequestState) -> None:
    held(doing(cast, getattr(cast, who), (cast.fresh, {"state": after})), loot=THROUGH, without=without_triggers)


@pytest.mark.parametrize("before", S)
def test_the_database_takes_the_edges_of_the_table_and_no_others(cast: Cast, before: RequestState) -> None:
    """Each state set without triggers; then every step out of it, as the platform and as a manager, with them."""
    from django.db import DatabaseError, connection, transaction
    from django.utils import timezone

    ended = (S.COMPLETED, S.PARTIALLY_COMPLETED, S.REFUSED, S.WITHDRAWN)
    for after in S:
        if after is before:
            continue
        steps = [each for each in REQUESTS.steps if before in each.before and each.after is after]
        steps = [each for each in steps if each.where != {"purpose": "access"}]
        if any(each.sets for each in steps):
            continue  # names are set with these: tested above
        who = steps[0].by if steps else None
        for person in (cast.dora, None):
            with (
                changed(
                    "ALTER TABLE audit_erasurerequest DISABLE TRIGGER audit_request_step, "
                    "DISABLE TRIGGER ab_flow, DISABLE TRIGGER zz_second_person_approved_by_id"
                ),
                open_scope(tenant=cast.firm.id, principal=person, reason="" if person else "a test"),
            ):
                rows = ErasureRequest.objects.filter(id=cast.fresh)
                rows.update(
                    state=before,
                    refusal="17_1" if before is S.REFUSED else "",
                    finished_at=timezone.now() if before in ended else None,
                )
                with connection.cursor() as cursor:
                    cursor.execute("RESET ROLE")
                    cursor.execute(
                        "ALTER TABLE audit_erasurerequest ENABLE TRIGGER audit_request_step, ENABLE TRIGGER ab_flow"
                    )
                try:
                    with transaction.atomic():
                        rows.update(
                            state=after,
                            refusal="17_1" if after is S.REFUSED else "",
                            finished_at=timezone.now() if after in ended else None,
                        )
                        taken = True
                except DatabaseError:
                    taken = False
            assert taken == (who is (By.PERSON if person else By.PLATFORM)), (before, after, person)


@pytest.mark.parametrize(
    "change",
    [
        {"number": 999},
        {"subject_type": "scope"},
        {"received_on": "2020-01-01"},
        {"first_due_on": "2099-01-01", "due_on": "2099-01-01"},
        {"due_on": "2099-01-01", "extension": "number", "extended_at": "2026-01-01T00:00:00Z"},
        {"proposed_by_id": "00000000-0000-7000-8000-000000000000"},
        {"finished_at": "2026-01-01T00:00:00Z"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_a_request_was_taken_in_with_stays(cast: Cast, change: dict[str, Any]) -> None:
    held(doing(cast, cast.dora, (cast.fresh, change)), loot=THROUGH, without=without_triggers)


def test_an_auditor_or_a_reviewer_changes_nothing_of_a_request(cast: Cast) -> None:
    held(doing(cast, cast.rita, (cast.fresh, {"language": "de"})), loot=THROUGH, without=without_triggers)


@pytest.mark.parametrize("table", ["audit_erasurerequest", "audit_letter"])
@pytest.mark.parametrize("command", ["DELETE FROM {}", "TRUNCATE {} CASCADE"])
def test_requests_and_letters_are_kept(cast: Cast, table: str, command: str) -> None:
    def attack() -> str:
        with open_scope(tenant=cast.firm.id, reason="a test"):
            sql(command.format(table))
        return THROUGH

    # Inventories and packages hang on requests, and go with them in a cascade.
    below = (
        "audit_letter",
        "audit_inventory",
        "audit_inventoryhit",
        "audit_inventorytreatment",
        "audit_accesspackage",
    )
    granted = f"GRANT DELETE, TRUNCATE ON audit_erasurerequest, {', '.join(below)} TO glassbox_api"
    held(
        attack,
        loot=THROUGH,
        without=partial(
            changed,
            *NO_TRIGGER,
            *(f"ALTER TABLE {each} DISABLE TRIGGER USER" for each in below[1:]),
            granted,
            *(f"ALTER TABLE {each} DROP CONSTRAINT {each}_request_id_fk" for each in below),
        ),
    )
    # With the rights alone the trigger still stands.
    with changed(granted):
        from tests.isolation.harness import outcome

        assert "are kept" in outcome(attack)


@pytest.mark.parametrize("values", [{"ciphertext": b"x"}, {"kind": "done"}, {"state": "sending"}], ids=str)
def test_a_letter_stays_as_it_was_written_and_only_the_platform_sends_it(cast: Cast, values: dict[str, Any]) -> None:
    def attack() -> str:
        with open_scope(tenant=cast.firm.id, principal=cast.dora):
            assert Letter.objects.filter(id=cast.letter).update(**values) == 1
        return THROUGH

    held(attack, loot=THROUGH, without=without_triggers)


def test_the_words_of_another_firm_are_not_even_sealed_to_be_seen(world: World, cast: Cast) -> None:
    def attack() -> list[Any]:
        with open_scope(tenant=cast.firm.id, principal=cast.dora):
            return sql("SELECT tenant_id FROM audit_letter UNION SELECT tenant_id FROM audit_erasurerequest")

    held(attack, loot=str(world.bolt.id))
    assert canary("bolt", "firm") not in str(attack())


def test_the_functions_ask_in_whose_name(world: World) -> None:
    asked = sql(
        "SELECT sum(array_length(string_to_array(prosrc, 'authz.acts_as'), 1) - 1) FROM pg_proc "
        "WHERE proname IN ('audit_request_step', 'audit_letter_step', 'tenants_flow_step', 'tenants_takes_step')"
    )
    assert asked[0][0] >= 5
