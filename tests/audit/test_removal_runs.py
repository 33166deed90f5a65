"""Runs of removals: proposed by one, approved by another, frozen, carried out store by store, and told of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from uuid import UUID

import pytest

from apps.audit.ids import new_id
from apps.audit.models import Event
from apps.audit.registry import Group
from apps.erasure import registry
from apps.erasure.contracts import Origin, Phase, RunState, Target, TargetType
from apps.erasure.engine import INCOMPLETE, STUCK, carry_out_due
from apps.erasure.log_removal import Removal
from apps.erasure.models import RemovalRun
from apps.erasure.runs import selectors
from apps.erasure.runs.lease import EnginePolicy
from apps.erasure.runs.leftovers import remove_leftovers_all
from apps.erasure.runs.selectors import progress_of, removal_lag, run_of
from apps.erasure.runs.waiting import runs_take_up, runs_waiting
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.audit.acting import authorised, sealed, verified_log
from tests.audit.mutations import acting_as
from tests.audit.removing import (
    POLICY,
    STORES,
    Table,
    actions,
    again,
    approved,
    asked,
    carried_out,
    documents,
    expire,
    ledger,
    left_of,
    outcomes,
    person,
    stores_of_documents,
)
from tests.baked import baked
from tests.deciding import run_retry
from tests.factories import Firm, as_, make_firm
from tests.raising import raises_code

pytestmark = pytest.mark.django_db(transaction=True)


class Keeping:
    """An obstacle: what is in it stays."""

    def __init__(self) -> None:
        self.grounds: dict[Target, str] = {}

    def __call__(self, targets: Sequence[Target]) -> Mapping[Target, str]:
        return {target: self.grounds[target] for target in targets if target in self.grounds}


@pytest.fixture
def acme() -> Firm:
    return baked(make_firm, "acme")


@pytest.fixture
def keeping() -> Keeping:
    return Keeping()


@pytest.fixture(autouse=True)
def _stores(keeping: Keeping) -> Iterator[None]:
    with stores_of_documents(obstacles=[keeping]):
        yield


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[UUID, RunState, int]]:
    """What the listener heard: of which origin, the state, and how many runs were in that state as it could see."""
    heard: list[tuple[UUID, RunState, int]] = []

    def listener(*, origin_id: UUID, run_id: UUID, state: RunState) -> None:
        heard.append((origin_id, state, RemovalRun.objects.filter(id=run_id, state=state).count()))

    monkeypatch.setitem(registry._listeners, Origin.REQUEST, listener)
    return heard


# --- Proposing and approving ------------------------------------------------------------------------------------------


def test_a_run_is_proposed_approved_by_another_and_carried_out(
    acme: Firm, told: list[tuple[UUID, RunState, int]]
) -> None:
    targets, other = documents(acme, 2), documents(acme, 1)
    run = approved(acme, targets)
    assert left_of(acme, targets) == 14
    assert carried_out(acme, run) is RunState.COMPLETED
    assert (left_of(acme, targets), left_of(acme, other)) == (0, 7)
    assert set(outcomes(acme, run).values()) == {("removed", "")}
    assert ledger(acme, run) == {
        "test.chunks": (6, 6, 0, 0, True),
        "test.pages": (6, 6, 0, 0, True),
        "test.documents": (2, 2, 0, 0, True),
        "audit.payloads": (0, 0, 0, 0, True),
    }
    assert actions(acme, run) == ["proposed", "approved", "started", *["step_finished"] * 4, "ended"]
    assert [(state, seen) for _, state, seen in told] == [
        (state, 1) for state in (RunState.PROPOSED, RunState.APPROVED, RunState.EXECUTING, RunState.COMPLETED)
    ]
    assert {origin_id for origin_id, *_ in told} == {run.origin_id}


def test_its_events_hold_ids_and_counts_and_who(acme: Firm) -> None:
    run = approved(acme, documents(acme, 2))
    carried_out(acme, run)
    with open_scope(tenant=acme.id, reason="a test"):
        approval = Event.objects.get(subject_id=run.id, action="audit.removal.approved")
        assert approval.actor_id == run.approved_by != run.proposed_by
        assert approval.payload["core"] == {
            "origin": "request",
            "origin_id": str(run.origin_id),
            "reason_code": "erasure_request",
            "targets": {"document": 2},
            "joined": {},
            "proposed_by": str(run.proposed_by),
        }
        ended = Event.objects.get(subject_id=run.id, action="audit.removal.ended")
        assert ended.actor_kind == "system"
        assert ended.payload["core"]["removed"] == {
            "audit.payloads": 0, "test.chunks": 6, "test.documents": 2, "test.pages": 6
        }  # fmt: skip


# --- Parts of events --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_parts_of_events_are_authorised_in_the_log_and_go_once_that_is_sealed(acme: Firm) -> None:
    parts = asked(acme, 3)
    sealed(acme)
    run = approved(acme, [*parts, *documents(acme, 1)])
    assert carried_out(acme, run) is RunState.EXECUTING
    waiting = again(acme, run)
    assert (waiting.lease_owner, waiting.attempts) == ("", 1)
    assert waiting.next_attempt_at is not None
    assert left_of(acme, parts) == 3
    sealed(acme)
    assert carried_out(acme, run) is RunState.COMPLETED
    assert left_of(acme, parts) == 0
    assert ledger(acme, run)["audit.payloads"] == (3, 3, 0, 0, True)
    sealed(acme)
    assert not verified_log(acme).totals


def test_a_part_whose_event_is_not_sealed_itself_waits_for_that_too(acme: Firm) -> None:
    parts = asked(acme)
    run = approved(acme, parts)
    assert carried_out(acme, run) is RunState.EXECUTING
    sealed(acme)
    assert carried_out(acme, run) is RunState.EXECUTING
    sealed(acme)
    assert carried_out(acme, run) is RunState.COMPLETED


@pytest.mark.slow
def test_a_part_that_is_gone_already_keeps_nothing_up(acme: Firm) -> None:
    parts = asked(acme, 2)
    sealed(acme)
    first = approved(acme, parts[:1])
    for _ in range(2):
        carried_out(acme, first)
        sealed(acme)
    second = approved(acme, parts)
    for _ in range(2):
        state = carried_out(acme, second)
        sealed(acme)
    assert state is RunState.COMPLETED
    assert ledger(acme, second)["audit.payloads"] == (1, 1, 0, 0, True)


@pytest.mark.slow
def test_what_was_authorised_in_another_way_is_removed_by_the_clock(acme: Firm, keeping: Keeping) -> None:
    kept, gone, of_run = asked(acme, 3)
    sealed(acme)
    authorised(acme.id, [Removal(event_id=each.id, group=Group.QUESTION) for each in (kept, gone)])
    keeping.grounds[kept] = "hold:1"
    run = approved(acme, [of_run])
    carried_out(acme, run)
    with acting_as("glassbox_eraser"):
        assert remove_leftovers_all() == 0
    sealed(acme)
    with acting_as("glassbox_eraser"):
        assert remove_leftovers_all() == 1
        assert remove_leftovers_all() == 0
    assert [left_of(acme, [each]) for each in (kept, gone, of_run)] == [1, 0, 1]
    carried_out(acme, run)
    assert ledger(acme, run)["audit.payloads"] == (1, 1, 0, 0, True)


# --- What must stay ---------------------------------------------------------------------------------------------------


def test_what_is_kept_stays_and_the_ground_is_noted(acme: Firm, keeping: Keeping) -> None:
    held, *free = documents(acme, 3)
    keeping.grounds[held] = f"hold:{new_id()}"
    run = approved(acme, [held, *free])
    assert carried_out(acme, run) is RunState.PARTIALLY_COMPLETED
    assert (left_of(acme, [held]), left_of(acme, free)) == (7, 0)
    assert outcomes(acme, run)[held] == ("retained", keeping.grounds[held])
    assert ledger(acme, run)["test.documents"] == (3, 2, 1, 0, True)
    assert "retained" in actions(acme, run)


def test_a_hold_that_comes_while_it_is_carried_out_is_obeyed_from_then_on(acme: Firm, keeping: Keeping) -> None:
    first, second = documents(acme, 2)

    class Late(Table):
        def clear(self, targets: Sequence[Target], *, limit: int) -> int:
            keeping.grounds[second] = "hold:1"
            return super().clear(targets, limit=limit)

    late = Late(key="test.pages", label="Pages", phase=Phase.PASSAGES, table="corpus_page")
    with stores_of_documents(obstacles=[keeping]):
        registry._stores["test.pages"] = late
        run = approved(acme, [first, second])
        assert carried_out(acme, run, EnginePolicy(batch=1)) is RunState.PARTIALLY_COMPLETED
    assert outcomes(acme, run) == {first: ("removed", ""), second: ("retained", "hold:1")}
    found = ledger(acme, run)
    assert found["test.chunks"] == (6, 6, 0, 0, True)
    assert found["test.documents"] == (2, 1, 1, 0, True)
    before, removed, retained, remaining, _ = found["test.pages"]
    assert (before, removed + retained, remaining) == (6, 6, 0)
    assert 2 <= retained <= 3


@pytest.mark.slow
def test_a_release_takes_the_run_up_again_in_its_own_transaction(
    acme: Firm, keeping: Keeping, told: list[tuple[UUID, RunState, int]]
) -> None:
    held, other, free = documents(acme, 3)
    keeping.grounds |= {held: "hold:1", other: "hold:2"}
    run = approved(acme, [held, other, free])
    carried_out(acme, run)
    told.clear()
    with open_scope(tenant=acme.id, reason="a test"):
        del keeping.grounds[held]
        runs_take_up([held])
        assert told == [(run.origin_id, RunState.APPROVED, 1)]
    assert carried_out(acme, run) is RunState.PARTIALLY_COMPLETED
    assert left_of(acme, [held]) == 0
    assert ledger(acme, run)["test.documents"] == (3, 2, 1, 0, True)
    with open_scope(tenant=acme.id, reason="a test"):
        keeping.grounds.clear()
        runs_take_up([other, Target(type=TargetType.DOCUMENT, id=new_id())])
    assert carried_out(acme, run) is RunState.COMPLETED
    assert ledger(acme, run)["test.documents"] == (3, 3, 0, 0, True)
    assert actions(acme, run).count("resumed") == 2


@pytest.mark.slow
def test_the_page_that_releases_counts_what_waits(acme: Firm, keeping: Keeping) -> None:
    held, other, free = documents(acme, 3)
    keeping.grounds |= {held: "hold:1", other: "hold:2"}
    carried_out(acme, approved(acme, [held, free]))
    carried_out(acme, approved(acme, [other]))
    with open_scope(tenant=acme.id, reason="a test"):
        assert [runs_waiting([each]) for each in (held, other, free)] == [1, 1, 0]
        assert runs_waiting([held, other]) == 2
        del keeping.grounds[held]
        runs_take_up([held])
        assert runs_waiting([held]) == 0


def test_a_release_of_something_else_takes_up_nothing(acme: Firm, keeping: Keeping) -> None:
    held = documents(acme, 1)[0]
    keeping.grounds[held] = "hold:1"
    run = approved(acme, [held])
    carried_out(acme, run)
    with open_scope(tenant=acme.id, reason="a test"):
        runs_take_up(documents(acme, 1))
    assert again(acme, run).state == RunState.PARTIALLY_COMPLETED


# --- Failing, waiting, going on ---------------------------------------------------------------------------------------


class Broken(Table):
    """Fails, blocks or refills while `how` says so."""

    how: list[str] = []

    def clear(self, targets: Sequence[Target], *, limit: int) -> int:
        if "fail" in Broken.how:
            raise ZeroDivisionError("Somebody is ill")
        return 0 if "block" in Broken.how else Table.clear(self, targets, limit=limit)

    def count(self, targets: Sequence[Target]) -> int:
        return 1 if "block" in Broken.how else Table.count(self, targets)


@pytest.fixture
def broken(keeping: Keeping) -> Iterator[Callable[..., None]]:
    def be(*how: str) -> None:
        Broken.how[:] = how

    with stores_of_documents(
        Broken(key="test.broken", label="Broken", phase=Phase.SEARCH, table="corpus_posting"), obstacles=[keeping]
    ):
        yield be
    Broken.how.clear()


@pytest.mark.slow
def test_a_run_that_fails_says_so_by_a_code_and_is_tried_again_by_the_clock(
    acme: Firm, broken: Callable[..., None], caplog: pytest.LogCaptureFixture, told: list[tuple[UUID, RunState, int]]
) -> None:
    targets = documents(acme, 1)
    run = approved(acme, targets)
    broken("fail")
    assert carried_out(acme, run, EnginePolicy(retry_seconds=1000)) is RunState.FAILED
    failed = again(acme, run)
    assert (failed.error_code, failed.attempts, failed.lease_owner) == ("audit.removal_crashed", 1, "")
    assert "ill" not in caplog.text
    assert told[-1][1] is RunState.FAILED
    broken()
    assert carried_out(acme, run) is None
    with acting_as("glassbox_eraser"), open_scope(tenant=acme.id, reason="a test"):
        RemovalRun.objects.update(next_attempt_at="2020-01-01T00:00Z")
    with acting_as("glassbox_eraser"):
        assert carry_out_due(POLICY) == 1
        assert carry_out_due(POLICY) == 0
    assert again(acme, run).state == RunState.COMPLETED
    assert left_of(acme, targets) == 0


@pytest.mark.slow
def test_a_person_has_it_tried_again_at_once(acme: Firm, broken: Callable[..., None]) -> None:
    run = approved(acme, documents(acme, 1))
    broken("fail")
    carried_out(acme, run, EnginePolicy(retry_seconds=1000))
    broken()
    with as_(person(acme, "dora-acme", Role.DPO)):
        assert run_retry(run.id).error_code == ""
    assert carried_out(acme, run) is RunState.COMPLETED
    with as_(person(acme, "dora-acme", Role.DPO)), raises_code("audit.removal_run_state"):
        run_retry(run.id)


@pytest.mark.slow
def test_a_store_that_does_not_come_to_zero_ends_in_a_failure_and_not_in_a_claim(
    acme: Firm, broken: Callable[..., None]
) -> None:
    targets = documents(acme, 1)
    run = approved(acme, targets)
    broken("block")
    policy = EnginePolicy(wait_seconds=0, most_waits=2)
    assert [carried_out(acme, run, policy) for _ in range(3)] == [
        RunState.EXECUTING, RunState.EXECUTING, RunState.FAILED
    ]  # fmt: skip
    assert again(acme, run).error_code == STUCK
    assert left_of(acme, targets) == 7


def test_what_comes_back_into_a_store_that_was_done_is_found_at_the_end(
    acme: Firm, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = approved(acme, documents(acme, 1))
    count, seen = Table.count, list[str]()

    def refilled(self: Table, targets: Sequence[Target]) -> int:
        seen.append(self.key)
        # Before, when it is done, and once more at the end.
        return 1 if self.key == "test.chunks" and seen.count(self.key) == 3 else count(self, targets)

    monkeypatch.setattr(Table, "count", refilled)
    policy = EnginePolicy(retry_seconds=0)
    assert carried_out(acme, run, policy) is RunState.FAILED
    assert again(acme, run).error_code == INCOMPLETE
    assert ledger(acme, run)["test.chunks"] == (3, 3, 0, 1, False)
    assert carried_out(acme, run, policy) is RunState.COMPLETED


def test_a_long_run_gives_others_their_turn_and_goes_on(acme: Firm) -> None:
    targets = documents(acme, 2)
    run = approved(acme, targets)
    states = [carried_out(acme, run, EnginePolicy(batch=2, turn_seconds=-1.0))]
    assert states == [RunState.EXECUTING]
    assert again(acme, run).next_attempt_at is not None
    assert carried_out(acme, run) is RunState.COMPLETED


def test_one_process_has_a_run_until_its_lease_expires(acme: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    run = approved(acme, documents(acme, 1))
    clear, found = Table.clear, list[RunState | None]()

    def meanwhile(self: Table, targets: Sequence[Target], *, limit: int) -> int:
        if not found:
            found.append(carried_out(acme, run))
        return clear(self, targets, limit=limit)

    monkeypatch.setattr(Table, "clear", meanwhile)
    assert carried_out(acme, run) is RunState.COMPLETED
    assert found == [None]


def test_who_lost_the_lease_writes_nothing_more(acme: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    run = approved(acme, documents(acme, 2))
    from apps.erasure import engine

    authorise = engine._authorise

    def taken_over(lease: object, ledger: object) -> None:
        monkeypatch.setattr(engine, "_authorise", authorise)
        expire(acme, run)
        assert carried_out(acme, run) is RunState.COMPLETED

    monkeypatch.setattr(engine, "_authorise", taken_over)
    assert carried_out(acme, run) is None
    assert actions(acme, run).count("ended") == 1


@pytest.mark.slow
def test_its_progress_can_be_read(acme: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    run = approved(acme, documents(acme, 2))
    with open_scope(tenant=acme.id, reason="a test"):
        assert progress_of(run).steps == ()
        assert (removal_lag().waiting, removal_lag().is_late) == (1, False)
        monkeypatch.setattr(selectors, "LATE_AFTER", timedelta())
        assert removal_lag().is_late
    carried_out(acme, run, EnginePolicy(turn_seconds=-1.0))
    with open_scope(tenant=acme.id, reason="a test"):
        found = progress_of(run_of(run.id))
        assert (found.state, found.done, found.total, found.fraction) == (RunState.EXECUTING, 0, 14, 0.0)
        assert {step.label for step in found.steps} >= {store.label for store in STORES}
    carried_out(acme, run)
    with open_scope(tenant=acme.id, reason="a test"):
        found = progress_of(run_of(run.id))
        assert (found.done, found.total, found.fraction, found.targets) == (14, 14, 1.0, {"document": 2})
        assert removal_lag().waiting == 0


@pytest.mark.slow
def test_runs_of_all_tenants_are_carried_out(acme: Firm) -> None:
    bolt = make_firm("bolt")
    runs = [(firm, approved(firm, documents(firm, 1))) for firm in (acme, bolt)]
    with acting_as("glassbox_eraser"):
        assert carry_out_due(POLICY) == 2
    assert {again(firm, run).state for firm, run in runs} == {RunState.COMPLETED}
