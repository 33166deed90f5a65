"""Legal holds: what is held stays, whoever wants it gone; who waited is told in the transaction that lets it go."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.utils import timezone

from apps.audit.models import Event
from apps.audit.registry import Group
from apps.audit.selectors import payloads_of
from apps.audit.services import record
from apps.corpus.models import Document, SourceFile
from apps.erasure import hold_services, registry
from apps.erasure.contracts import Target, TargetType
from apps.erasure.hold_services import hold_items_add, hold_place, hold_release, hold_review_move
from apps.erasure.holds.errors import HoldError
from apps.erasure.holds.restrictions import lift, reasons_of, restrict
from apps.erasure.holds.selectors import due_for_review, holds_of, open_holds
from apps.erasure.log_removal import Removal, removals_execute
from apps.erasure.models import Because, HeldItem, LegalHold, Restriction
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.acting import authorised, sealed
from tests.audit.forging import ANSWERED
from tests.audit.mutations import acting_as
from tests.audit.removal_world import under_way
from tests.deciding import document_delete
from tests.factories import Firm, as_, make_firm, make_key, make_member, make_personal_key
from tests.raising import raises_code
from tests.retrieval.stored import store

pytestmark = pytest.mark.django_db

MATTER = "Northwind v. Acme"
GROUND = "Claim of 3 March, of which Mrs Miller wrote"


@pytest.fixture
def acme() -> Firm:
    return make_firm("acme")


@pytest.fixture
def dora(acme: Firm) -> Principal:
    return make_member(acme, "dora", Role.DPO)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[Target]]:
    """Which targets removals were to be taken up for; none is taken up meanwhile."""
    heard: list[Sequence[Target]] = []
    monkeypatch.setattr(hold_services, "runs_take_up", heard.append)
    return heard


def soon() -> date:
    return timezone.now().date() + timedelta(days=30)


def stored(firm: Firm, title: str = "A report", *, scope: str = "fund:alpha") -> Target:
    with open_scope(tenant=firm.id, reason="a test"):
        store(firm.scopes[scope], ["The drawdown was 12.5 %."], title=title)
        document = Document.objects.get(title=title)
        own = {"tenant_id": firm.id, "scope_id": document.scope_id}
        SourceFile.objects.create(**own, document=document, content=b"The drawdown was 12.5 %.")
    return Target(type=TargetType.DOCUMENT, id=document.id)


def asked(firm: Firm) -> Target:
    with open_scope(tenant=firm.id, reason="a test"):
        event = record(action=ANSWERED, core={"intent": "x"}, question={"text": "Who is ill?"})
    return Target(type=TargetType.EVENT_GROUP, id=event.id, part="question")


def placed(by: Principal, *targets: Target, **changes: Any) -> LegalHold:
    fields = {"matter": MATTER, "ground": GROUND, "owner_id": by.id, "review_on": soon(), **changes}
    with as_(by):
        return hold_place(targets=targets, **fields)


def released(by: Principal, hold: LegalHold) -> None:
    with as_(by):
        hold_release(hold_id=hold.id, reason="Settled")


def events(firm: Firm, *actions: str) -> list[Event]:
    with open_scope(tenant=firm.id, reason="a test"):
        found = list(Event.objects.filter(action__in=actions).order_by("occurred_at", "id"))
        for event, payload in zip(found, payloads_of(found).values(), strict=True):
            event.__dict__["payload"] = payload
    return found


# --- Placing ----------------------------------------------------------------------------------------------------------


def test_what_is_held_is_known_and_its_documents_are_restricted(acme: Firm, dora: Principal) -> None:
    document, part = stored(acme), asked(acme)
    hold = placed(dora, document, part)
    with as_(dora):
        assert [each.id for each in holds_of(document)] == [hold.id]
        assert open_holds([document, part, Target(type=TargetType.USER, id=uuid4())]) == {
            document: [hold.id],
            part: [hold.id],
        }
        assert registry.kept([document, part]) == {document: f"hold:{hold.id}", part: f"hold:{hold.id}"}
        assert reasons_of(document.id) == {Because.HOLD: [hold.id]}
        assert reasons_of(part.id) == {}


def test_placing_is_recorded_with_names_only_where_they_can_be_removed(acme: Firm, dora: Principal) -> None:
    hold = placed(dora, stored(acme), asked(acme))
    first, second, third = events(acme, "audit.hold.placed", "audit.hold.items_added", "audit.document.restricted")
    assert first.payload["core"] == {"owner_id": str(dora.id), "review_on": soon().isoformat()}
    assert first.payload["actor"] == {"matter": MATTER, "ground": GROUND}
    assert {first.subject_id, second.subject_id} == {hold.id}
    assert (second.payload["core"]["documents"], second.payload["core"]["event_groups"]) == (1, 1)
    assert third.payload["core"] == {"because": "hold", "because_id": str(hold.id)}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"matter": "  "}, "audit.hold_says_nothing"),
        ({"ground": ""}, "audit.hold_says_nothing"),
        ({"owner_id": uuid4()}, "audit.hold_owner_not_a_member"),
        ({"review_on": timezone.now().date()}, "audit.hold_review_date"),
    ],
)
def test_a_hold_says_what_it_is_about_whose_and_until_when(
    acme: Firm, dora: Principal, changes: dict[str, Any], code: str
) -> None:
    document = stored(acme)
    with raises_code(code):
        placed(dora, document, **changes)
    with as_(dora):
        assert not LegalHold.objects.exists()


def test_only_what_is_there_can_be_held(acme: Firm, dora: Principal) -> None:
    part = asked(acme)
    for target in (
        Target(type=TargetType.DOCUMENT, id=uuid4()),
        Target(type=TargetType.EVENT_GROUP, id=part.id, part="answer"),
        Target(type=TargetType.EVENT_GROUP, id=uuid4(), part="question"),
    ):
        with raises_code("audit.held_item_not_found"):
            placed(dora, target)
    with raises_code("audit.not_holdable"):
        placed(dora, Target(type=TargetType.SCOPE, id=acme.root.id))
    with raises_code("audit.nothing_to_hold"):
        placed(dora)


def test_a_document_of_a_scope_that_is_not_ones_own_is_not_there(acme: Firm) -> None:
    beta = make_member(acme, "bea", Role.DPO, scopes=["fund:beta"])
    with raises_code("audit.held_item_not_found"):
        placed(beta, stored(acme, scope="fund:alpha"))


def test_placing_takes_a_person_who_manages_privacy(acme: Firm, dora: Principal) -> None:
    document = stored(acme)
    for role in (Role.REVIEWER, Role.AUDITOR, Role.TENANT_ADMIN, Role.ANALYST, Role.COMPLIANCE_OFFICER):
        with pytest.raises(PermissionDeniedError):
            placed(make_member(acme, role.value, role), document, owner_id=dora.id)
    with raises_code("audit.hold_needs_person"):
        placed(make_key(acme, Role.DPO)[0], document, owner_id=dora.id)
    with raises_code("audit.hold_needs_person"), open_scope(tenant=acme.id, reason="a test"):
        hold_place(matter=MATTER, ground=GROUND, owner_id=dora.id or uuid4(), review_on=soon(), targets=[document])
    assert placed(make_personal_key(acme, "dora", role=Role.DPO)[0], document).placed_by == dora.id


def test_more_is_added_while_it_is_open_and_nothing_twice(acme: Firm, dora: Principal) -> None:
    first, second = stored(acme, "One"), stored(acme, "Two")
    hold = placed(dora, first)
    with as_(dora):
        assert hold_items_add(hold_id=hold.id, targets=[first, second]) == [second]
        assert hold_items_add(hold_id=hold.id, targets=[second]) == []
        assert HeldItem.objects.filter(hold=hold).count() == 2
    released(dora, hold)
    with as_(dora), raises_code("audit.hold_released"):
        hold_items_add(hold_id=hold.id, targets=[stored(acme, "Three")])
    with as_(dora), raises_code("audit.hold_not_found"):
        hold_items_add(hold_id=uuid4(), targets=[first])


def test_the_review_date_moves_with_a_reason(acme: Firm, dora: Principal) -> None:
    hold = placed(dora, stored(acme))
    with as_(dora):
        moved = hold_review_move(hold_id=hold.id, review_on=soon() + timedelta(days=1), reason="Still pending")
        assert LegalHold.objects.get().review_on == moved.review_on
        with raises_code("audit.hold_review_date"):
            hold_review_move(hold_id=hold.id, review_on=timezone.now().date(), reason="x")
        with raises_code("audit.hold_says_nothing"):
            hold_review_move(hold_id=hold.id, review_on=soon(), reason=" ")
    (event,) = events(acme, "audit.hold.review_moved")
    assert event.payload["core"]["review_on_before"] == soon().isoformat()
    assert event.payload["actor"] == {"reason": "Still pending"}


def test_a_hold_is_due_from_its_review_date_on(acme: Firm, dora: Principal) -> None:
    hold = placed(dora, stored(acme))
    assert not hold.is_overdue(hold.review_on - timedelta(days=1))
    assert hold.is_overdue(hold.review_on)
    with as_(dora):
        assert due_for_review() == 0
        LegalHold.objects.update(review_on=timezone.now().date())
        assert due_for_review() == 1


# --- What is held stays ---------------------------------------------------------------------------------------------


def test_a_held_document_is_not_removed_and_the_refusal_names_the_hold(acme: Firm, dora: Principal) -> None:
    document = stored(acme)
    hold = placed(dora, document)
    with as_(dora), raises_code("audit.item_held") as refused:
        document_delete(document_id=document.id)
    assert refused.value.data["hold"] == str(hold.id)
    released(dora, hold)
    with as_(dora):
        document_delete(document_id=document.id)
        assert not Document.objects.filter(id=document.id).exists()


@pytest.mark.parametrize("role", ["glassbox_api", "glassbox_worker", "glassbox_owner", "glassbox_eraser"])
@pytest.mark.django_db(transaction=True)
def test_the_database_keeps_a_held_document_from_every_role(acme: Firm, dora: Principal, role: str) -> None:
    """Raw SQL, as the platform itself, which may everything else."""
    document = stored(acme)
    hold = placed(dora, document)
    is_eraser = role == "glassbox_eraser"
    if is_eraser:
        # As far as it may ever go: a run is under way that names all of the firm. It changes no document at all.
        with acting_as("superuser"), transaction.atomic(), connection.cursor() as cursor:
            for statement in under_way(acme):
                cursor.execute(statement)
    changes = ("UPDATE corpus_chunk SET text = ''", "UPDATE corpus_sourcefile SET content = '' WHERE document_id = %s")
    with acting_as(role):
        with pytest.raises(IntegrityError, match=f"hold:{hold.id}"):
            _sql(acme, "DELETE FROM corpus_document WHERE id = %s", document.id)
        for statement in (
            "DELETE FROM corpus_chunk",
            "DELETE FROM corpus_sourcefile WHERE document_id = %s",
            *(() if is_eraser else changes),
        ):
            assert _sql(acme, statement, *([document.id] if "%s" in statement else [])) == 0
    released(dora, hold)
    with acting_as(role):
        if not is_eraser:
            assert _sql(acme, "UPDATE corpus_chunk SET section = 'x'") == 1
        assert _sql(acme, "DELETE FROM corpus_sourcefile WHERE document_id = %s", document.id) == 1


def _sql(firm: Firm, statement: str, *parameters: Any) -> int:
    """Returns: how many rows it touched."""
    with open_scope(tenant=firm.id, reason="a test"), connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return int(cursor.rowcount)


@pytest.mark.django_db(transaction=True)
def test_a_held_part_of_an_event_is_not_authorised_for_removal_nor_removed(acme: Firm, dora: Principal) -> None:
    part, other = asked(acme), asked(acme)
    sealed(acme)
    removal, free = (Removal(event_id=each.id, group=Group.QUESTION) for each in (part, other))
    authorising = authorised(acme.id, [removal, free])
    sealed(acme)
    hold = placed(dora, part)
    with raises_code("audit.removal_refused", match=str(hold.id)):
        authorised(acme.id, [removal])
    with acting_as("glassbox_eraser"):
        with open_scope(tenant=acme.id, reason="a test"):
            done = removals_execute(authorising_event_id=authorising.id)
        assert (done.removed, done.gone, done.held) == (1, 0, 1)
        with pytest.raises(DatabaseError, match=f"hold:{hold.id}"):
            _sql(acme, "SELECT audit_erase(%s, 'question', %s)", part.id, authorising.id)
    released(dora, hold)
    with acting_as("glassbox_eraser"), open_scope(tenant=acme.id, reason="a test"):
        done = removals_execute(authorising_event_id=authorising.id)
        assert (done.removed, done.gone, done.held) == (1, 1, 0)


# --- Releasing ------------------------------------------------------------------------------------------------------


def test_releasing_gives_back_what_no_other_hold_keeps_and_tells_who_waits(
    acme: Firm, dora: Principal, told: list[Sequence[Target]]
) -> None:
    alone, shared, part = stored(acme, "One"), stored(acme, "Two"), asked(acme)
    first, second = placed(dora, alone, shared, part), placed(dora, shared)
    released(dora, first)
    assert told == [[alone, part]]
    with as_(dora):
        assert registry.kept([alone, shared, part]) == {shared: f"hold:{second.id}"}
        assert reasons_of(alone.id) == {}
        assert reasons_of(shared.id) == {Because.HOLD: [second.id]}
    (event,) = events(acme, "audit.hold.released")
    assert event.payload["core"] == {"documents": 2, "event_groups": 1, "still_held": 1}
    assert event.payload["actor"] == {"reason": "Settled"}


def test_a_hold_is_released_once_by_who_gives_a_reason(acme: Firm, dora: Principal) -> None:
    hold = placed(dora, stored(acme))
    with as_(dora), raises_code("audit.hold_says_nothing"):
        hold_release(hold_id=hold.id, reason="  ")
    with pytest.raises(PermissionDeniedError):
        released(make_member(acme, "rita", Role.REVIEWER), hold)
    with raises_code("audit.hold_needs_person"):
        released(make_key(acme, Role.DPO)[0], hold)
    released(dora, hold)
    with raises_code("audit.hold_released"):
        released(dora, hold)
    with as_(dora):
        found = LegalHold.objects.get()
        assert (found.released_by, found.released_by_label, found.release_reason) == (dora.id, dora.label, "Settled")


def test_the_release_and_what_waited_for_it_are_one_transaction(
    acme: Firm, dora: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = stored(acme)
    hold = placed(dora, document)
    seen: list[object] = []

    def failing(targets: Sequence[Target]) -> None:
        seen.append((targets, LegalHold.objects.get().is_open, reasons_of(document.id)))
        raise RuntimeError("the queue is down")

    monkeypatch.setattr(hold_services, "runs_take_up", failing)
    with pytest.raises(RuntimeError, match="the queue is down"):
        released(dora, hold)
    assert seen == [([document], False, {})]
    with as_(dora):
        assert LegalHold.objects.get().is_open
        assert reasons_of(document.id) == {Because.HOLD: [hold.id]}
    assert events(acme, "audit.hold.released", "audit.document.restriction_lifted") == []


def test_who_does_not_hold_all_of_its_scopes_does_not_release_it(acme: Firm, dora: Principal) -> None:
    hold = placed(dora, stored(acme, "One"), stored(acme, "Two", scope="fund:beta"))
    beta = make_member(acme, "bea", Role.DPO, scopes=["fund:beta"])
    with raises_code("audit.hold_beyond_scopes"):
        released(beta, hold)


# --- The database holds it, whatever the services do -----------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM audit_legalhold",
        "DELETE FROM audit_helditem",
        "UPDATE audit_helditem SET part = 'core'",
        "UPDATE audit_legalhold SET matter = 'x'",
        "UPDATE audit_legalhold SET placed_by = NULL",
    ],
)
def test_nothing_is_removed_from_a_hold_or_rewritten(acme: Firm, dora: Principal, statement: str) -> None:
    placed(dora, stored(acme))
    with as_(dora), pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
        _sql_here(statement)


def _sql_here(statement: str, *parameters: Any) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return int(cursor.rowcount)


def test_the_database_lets_nobody_reopen_or_extend_a_released_hold(acme: Firm, dora: Principal) -> None:
    hold = placed(dora, stored(acme))
    released(dora, hold)
    item = {"tenant_id": acme.id, "hold_id": hold.id, "type": "document", "item_id": uuid4(), "added_by": dora.id}
    with as_(dora):
        reopen = "UPDATE audit_legalhold SET released_at = NULL, released_by = NULL, release_reason = ''"
        assert _sql_here(reopen) == 0
        with pytest.raises(DatabaseError, match="row-level security"), transaction.atomic():
            HeldItem.objects.create(**item)


def test_the_database_lets_nobody_act_in_anothers_name(acme: Firm, dora: Principal) -> None:
    other = make_member(acme, "dirk", Role.DPO)
    hold = placed(dora, stored(acme))
    now = timezone.now()
    with as_(other):
        for by in (dora.id, None):
            with pytest.raises(DatabaseError), transaction.atomic():
                LegalHold.objects.filter(id=hold.id).update(released_by=by, released_at=now, release_reason="x")
        with pytest.raises(DatabaseError, match="row-level security"), transaction.atomic():
            LegalHold.objects.create(
                tenant_id=acme.id, matter="x", ground="x", owner_id=dora.id, review_on=soon(), placed_by=dora.id
            )
    with (
        open_scope(tenant=acme.id, reason="a test"),
        pytest.raises(DatabaseError, match="in the decider's own name"),
        transaction.atomic(),
    ):
        LegalHold.objects.filter(id=hold.id).update(released_by=dora.id, released_at=now, release_reason="x")


def test_the_restriction_of_a_held_document_lasts_as_long_as_the_hold(acme: Firm, dora: Principal) -> None:
    document = stored(acme)
    hold = placed(dora, document)
    with as_(dora):
        lift([document], Because.HOLD, hold.id)
        assert _sql_here("DELETE FROM audit_restriction") == 0
        assert reasons_of(document.id) == {Because.HOLD: [hold.id]}


# --- Restrictions ---------------------------------------------------------------------------------------------------


def test_a_request_restricts_and_lifts_what_a_hold_does_not_touch(acme: Firm, dora: Principal) -> None:
    document, part, request = stored(acme), asked(acme), uuid4()
    with as_(dora):
        assert restrict([document, part], Because.REQUEST, request) == [document]
        assert restrict([document], Because.REQUEST, request) == [document]
        assert Restriction.objects.count() == 1
        assert restrict([Target(type=TargetType.DOCUMENT, id=uuid4())], Because.REQUEST, request) == []
    hold = placed(dora, document)
    with as_(dora):
        assert reasons_of(document.id) == {Because.REQUEST: [request], Because.HOLD: [hold.id]}
        assert lift([document], Because.REQUEST, request) == []
        assert reasons_of(document.id) == {Because.HOLD: [hold.id]}
    released(dora, hold)
    lifted = events(acme, "audit.document.restriction_lifted")
    assert [each.payload["core"]["still_restricted"] for each in lifted] == [True, False]
    assert len(events(acme, "audit.document.restricted")) == 2


def test_who_approves_may_restrict_and_who_merely_reads_may_not(acme: Firm, dora: Principal) -> None:
    document, request = stored(acme), uuid4()
    with as_(make_member(acme, "rita", Role.REVIEWER)):
        assert restrict([document], Because.REQUEST, request) == [document]
        assert lift([document], Because.REQUEST, request) == [document]
    for role in (Role.AUDITOR, Role.TENANT_ADMIN):
        with (
            as_(make_member(acme, role.value, role)),
            pytest.raises(DatabaseError, match="row-level security"),
            transaction.atomic(),
        ):
            restrict([document], Because.REQUEST, request)


# --- Placing and removing at the same time ----------------------------------------------------------------------------


class Beside:
    """Something that another connection does at the same time, and how it ended."""

    def __init__(self, act: Any) -> None:
        self.error: BaseException | None = None
        self._act = act
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._act()
        except BaseException as error:  # noqa: BLE001 - looked at by the test
            self.error = error
        finally:
            connection.close()

    @property
    def waits(self) -> bool:
        self._thread.join(0.4)
        return self._thread.is_alive()

    def ended(self) -> BaseException | None:
        self._thread.join(20)
        assert not self._thread.is_alive()
        return self.error


@pytest.mark.django_db(transaction=True)
def test_removing_waits_for_a_hold_that_is_being_placed_and_then_finds_it(acme: Firm, dora: Principal) -> None:
    document = stored(acme)

    def remove() -> None:
        with as_(dora):
            document_delete(document_id=document.id)

    with as_(dora):
        hold_place(matter=MATTER, ground=GROUND, owner_id=_id(dora), review_on=soon(), targets=[document])
        beside = Beside(remove)
        assert beside.waits
    ended = beside.ended()
    assert isinstance(ended, HoldError)
    assert ended.code == "audit.item_held"


@pytest.mark.django_db(transaction=True)
def test_placing_waits_for_a_removal_that_goes_on_and_then_finds_nothing_to_hold(acme: Firm, dora: Principal) -> None:
    document = stored(acme)
    with as_(dora):
        document_delete(document_id=document.id)
        beside = Beside(lambda: placed(dora, document))
        assert beside.waits
    ended = beside.ended()
    assert isinstance(ended, HoldError)
    assert ended.code == "audit.held_item_not_found"


@pytest.mark.django_db(transaction=True)
def test_raw_sql_that_waits_for_the_row_finds_the_hold_too(acme: Firm, dora: Principal) -> None:
    """Whoever goes past the services has no lock of theirs; the row's own keeps the order."""
    document = stored(acme)
    with as_(dora):
        hold = hold_place(matter=MATTER, ground=GROUND, owner_id=_id(dora), review_on=soon(), targets=[document])
        beside = Beside(lambda: _sql(acme, "DELETE FROM corpus_document WHERE id = %s", document.id))
        assert beside.waits
    error = beside.ended()
    assert isinstance(error, IntegrityError)
    assert f"hold:{hold.id}" in str(error)


@pytest.mark.django_db(transaction=True)
def test_removals_go_on_beside_one_another(acme: Firm, dora: Principal) -> None:
    first, second = stored(acme, "One"), stored(acme, "Two")

    def remove() -> None:
        with as_(dora):
            document_delete(document_id=second.id)

    with as_(dora):
        document_delete(document_id=first.id)
        beside = Beside(remove)
        assert beside.ended() is None


def _id(principal: Principal) -> UUID:
    assert principal.id is not None
    return principal.id
