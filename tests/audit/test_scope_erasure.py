"""A scope that is erased: with what lies below it, and without what is held in it, which goes when it is released."""

from __future__ import annotations

from uuid import UUID

import pytest

from apps.audit.ids import new_id
from apps.audit.services import record
from apps.corpus.models import Document
from apps.erasure.contracts import Origin, RunState, Target, TargetType
from apps.erasure.holds.selectors import held_within
from apps.erasure.log_removal import RemovalReason
from apps.erasure.runs.expansion import expanded
from apps.erasure.runs.runs import run_propose
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.models import Grant, Scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.services.tenants import scope_create
from tests.audit.acting import sealed, verified_log
from tests.audit.ending import all_rows, counted, ended, hold, holding, release
from tests.audit.forging import ANSWERED
from tests.audit.removing import approved, ledger, outcomes, person
from tests.baked import baked
from tests.factories import Firm, as_, make_firm, make_key
from tests.retrieval.stored import store

pytestmark = pytest.mark.django_db(transaction=True)

HELD = {"corpus.chunks": 1, "corpus.documents": 1, "corpus.embeddings_384": 1}


@pytest.fixture
def acme() -> Firm:
    """fund:gamma and fund:delta lie below fund:beta."""
    firm = baked(make_firm, "acme")
    with open_scope(tenant=firm.id, reason="a test"):
        for name in ("gamma", "delta"):
            scope = scope_create(key=f"fund:{name}", name=f"Fund {name}", parent=firm.scopes["fund:beta"])
            firm.scopes[scope.key] = scope
    return firm


@pytest.fixture
def dora(acme: Firm) -> Principal:
    return person(acme, "dora-acme", Role.DPO)


def stored(firm: Firm, name: str, scope: str) -> Target:
    with open_scope(tenant=firm.id, reason="a test"):
        store(firm.scopes[scope], [f"Word of {name}."], title=name)
        return Target(type=TargetType.DOCUMENT, id=Document.objects.get(title=name).id)


def answered(firm: Firm, document: Target, *scopes: str) -> UUID:
    with open_scope(tenant=firm.id, reason="a test"):
        event = record(
            action=ANSWERED,
            core={"intent": "x"},
            question={"text": "Who is ill?"},
            answer={"ref_ids": ["report#1"]},
            passages={"hits": [{"document_id": str(document.id)}]},
            scopes=[ScopeId(id) for id in firm.scope_ids(*scopes)],
        )
    return event.id


def part(event: UUID, name: str = "question") -> Target:
    return Target(type=TargetType.EVENT_GROUP, id=event, part=name)


def scope(firm: Firm, key: str) -> Target:
    return Target(type=TargetType.SCOPE, id=firm.scopes[key].id)


def names(firm: Firm) -> dict[str, str]:
    with open_scope(tenant=firm.id, reason="a test"):
        current = {each.id: each.name for each in Scope.objects.all()}
    return {key: current[each.id] for key, each in firm.scopes.items()}


def test_it_is_frozen_with_all_that_lies_in_it_and_below(acme: Firm) -> None:
    beta, gamma, alpha = (stored(acme, name, f"fund:{name}") for name in ("beta", "gamma", "alpha"))
    below, beside = answered(acme, gamma, "fund:gamma"), answered(acme, alpha, "fund:alpha")
    across = answered(acme, gamma, "fund:gamma", "fund:alpha")
    sealed(acme)
    run = approved(acme, [scope(acme, "fund:beta")])
    wanted = {scope(acme, f"fund:{name}") for name in ("beta", "gamma", "delta")} | {beta, gamma}
    wanted |= {part(below, name) for name in ("question", "answer", "passages")}
    # Of what another scope is touched by as well, only what the documents gave to it.
    wanted |= {part(across, name) for name in ("answer", "passages")}
    assert outcomes(acme, run).keys() == wanted
    assert beside not in {target.id for target in wanted}
    with open_scope(tenant=acme.id, reason="a test"):
        assert set(expanded([scope(acme, "fund:beta")])) == wanted == set(expanded(sorted(wanted)))
        assert set(expanded([alpha])) == {alpha, part(beside, "answer"), part(beside, "passages")}


@pytest.mark.slow
def test_it_goes_with_all_below_it_and_nothing_beside_it(acme: Firm) -> None:
    for name in ("alpha", "beta", "gamma"):
        answered(acme, stored(acme, name, f"fund:{name}"), f"fund:{name}")
    for name in ("alpha", "gamma"):
        make_key(acme, scopes=[f"fund:{name}"])
    sealed(acme)
    before = all_rows()
    run = approved(acme, [scope(acme, "fund:beta")])
    assert ended(acme, run) is RunState.COMPLETED
    assert set(outcomes(acme, run).values()) == {("removed", "")}
    after = all_rows()
    assert holding(after, "word of beta", "word of gamma", "fund gamma") == {}
    of_alpha = str(acme.scopes["fund:alpha"].id)
    for table, rows in holding(before, of_alpha).items():
        assert rows <= holding(after, of_alpha)[table], table
    assert names(acme)["fund:alpha"] == "Alpha"
    assert names(acme)["fund:gamma"] == names(acme)["fund:beta"] == "Erased scope"
    assert verified_log(acme).findings == ()


@pytest.mark.slow
def test_what_is_held_in_it_stays_whole_and_everything_else_goes(acme: Firm, dora: Principal) -> None:
    beta, gamma, kept = (stored(acme, name, f"fund:{at}") for name, at in HOLDINGS)
    asked, kept_part = answered(acme, beta, "fund:beta"), part(answered(acme, gamma, "fund:gamma"))
    make_key(acme, scopes=["fund:gamma"])
    placed = hold(dora, kept, kept_part)
    sealed(acme)
    whole = holding(all_rows(), str(kept.id))
    run = approved(acme, [scope(acme, "fund:beta")])
    assert ended(acme, run) is RunState.PARTIALLY_COMPLETED
    ground = ("retained", f"hold:{placed.id}")
    found = outcomes(acme, run)
    assert {target for target, outcome in found.items() if outcome == ground} == {
        scope(acme, "fund:beta"),
        scope(acme, "fund:gamma"),
        kept,
        kept_part,
    }
    assert set(found.values()) == {ground, ("removed", "")}
    assert counted(acme, beta, gamma, part(asked)) == {}
    assert counted(acme, kept).items() >= HELD.items()
    assert counted(acme, kept_part) == {"audit.payloads": 1}
    after = holding(all_rows(), str(kept.id))
    assert {table: rows for table, rows in after.items() if table.startswith("corpus_")} == {
        table: rows for table, rows in whole.items() if table.startswith("corpus_")
    }
    # Who answers for it finds it where it was; beside it nothing has a name any more.
    assert (names(acme)["fund:gamma"], names(acme)["fund:delta"]) == ("Fund gamma", "Erased scope")
    assert ledger(acme, run)["corpus.documents"] == (3, 2, 1, 0, True)
    with open_scope(tenant=acme.id, reason="a test"):
        assert Grant.objects.filter(scope_id=acme.scopes["fund:gamma"].id).count() == 1
    release(dora, placed)
    sealed(acme)
    assert ended(acme, run) is RunState.COMPLETED
    assert set(outcomes(acme, run).values()) == {("removed", "")}
    assert counted(acme, kept, kept_part, scope(acme, "fund:beta")) == {}
    assert names(acme)["fund:gamma"] == "Erased scope"


HOLDINGS = (("beta", "beta"), ("gamma", "gamma"), ("held", "gamma"))


@pytest.mark.slow
def test_what_came_after_the_freeze_and_is_held_stays_though_no_target_names_it(acme: Firm, dora: Principal) -> None:
    stored(acme, "gamma", "fund:gamma")
    run = approved(acme, [scope(acme, "fund:beta")])
    late = stored(acme, "late", "fund:delta")
    later = stored(acme, "later", "fund:delta")
    placed = hold(dora, late)
    sealed(acme)
    assert ended(acme, run) is RunState.PARTIALLY_COMPLETED
    assert late not in outcomes(acme, run)
    assert outcomes(acme, run)[scope(acme, "fund:delta")] == ("retained", f"hold:{placed.id}")
    assert outcomes(acme, run)[scope(acme, "fund:gamma")] == ("removed", "")
    assert counted(acme, later) == {}
    assert ledger(acme, run)["corpus.documents"][2] == 1
    release(dora, placed)
    sealed(acme)
    assert ended(acme, run) is RunState.COMPLETED
    assert counted(acme, late) == {}


@pytest.mark.slow
def test_a_hold_of_two_is_waited_for(acme: Firm, dora: Principal) -> None:
    one, two = stored(acme, "one", "fund:gamma"), stored(acme, "two", "fund:gamma")
    first, second = hold(dora, one), hold(dora, two)
    sealed(acme)
    run = approved(acme, [scope(acme, "fund:gamma")])
    assert ended(acme, run) is RunState.PARTIALLY_COMPLETED
    release(dora, first)
    sealed(acme)
    assert ended(acme, run) is RunState.PARTIALLY_COMPLETED
    assert (counted(acme, one), outcomes(acme, run)[one]) == ({}, ("removed", ""))
    assert (
        outcomes(acme, run)[two] == outcomes(acme, run)[scope(acme, "fund:gamma")] == ("retained", f"hold:{second.id}")
    )
    release(dora, second)
    sealed(acme)
    assert ended(acme, run) is RunState.COMPLETED


def test_a_part_of_an_event_is_in_a_scope_when_it_touched_no_other(acme: Firm, dora: Principal) -> None:
    gamma = stored(acme, "gamma", "fund:gamma")
    inside, across = answered(acme, gamma, "fund:gamma"), answered(acme, gamma, "fund:gamma", "fund:alpha")
    sealed(acme)
    placed = hold(dora, part(inside), part(across), gamma)
    ground = f"hold:{placed.id}"
    targets = [scope(acme, "fund:beta"), scope(acme, "fund:delta"), Target(type=TargetType.TENANT, id=acme.id)]
    with open_scope(tenant=acme.id, reason="a test"):
        found = held_within(targets)
    assert found == {
        targets[0]: {part(inside): ground, gamma: ground},
        targets[2]: {part(inside): ground, part(across): ground, gamma: ground},
    }


def test_whoever_proposes_sees_what_goes_with_it(acme: Firm, dora: Principal) -> None:
    gamma = stored(acme, "gamma", "fund:gamma")
    with as_(dora):
        run = run_propose(Origin.REQUEST, new_id(), [scope(acme, "fund:gamma")], RemovalReason.ERASURE_REQUEST)
    assert outcomes(acme, run).keys() == {scope(acme, "fund:gamma"), gamma}
