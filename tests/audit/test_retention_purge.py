"""Purges from the dry run to the removal: proposed in parts, approved by a second person, carried out by the eraser."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from uuid import UUID

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.audit.models import Event, Leaf, Payload
from apps.corpus.models import Document
from apps.erasure.contracts import RunState, Target, TargetType
from apps.erasure.models import (
    Purge,
    PurgeFigure,
    PurgePart,
    Reach,
    RemovalRun,
    RemovalTarget,
)
from apps.erasure.retention.dry_run import purge_count
from apps.erasure.retention.errors import NothingDueError
from apps.erasure.runs.runs import RejectionReason
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.acting import sealed, verified_log
from tests.audit.removing import carried_out, documents, stores_of_documents
from tests.audit.retaining import ASKED, REASON, approved, asked_at
from tests.baked import baked
from tests.deciding import purge_propose, run_approve, run_reject
from tests.factories import Firm, as_, make_firm, make_key, make_member
from tests.raising import raises_code
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db(transaction=True)

LONG_AGO = timedelta(days=3700)


class Keeping:
    """An obstacle: what is in it stays."""

    def __init__(self) -> None:
        self.grounds: dict[Target, str] = {}

    def __call__(self, targets: Sequence[Target]) -> Mapping[Target, str]:
        return {target: self.grounds[target] for target in targets if target in self.grounds}

    def hold(self, event: Event, *parts: str) -> None:
        for part in parts:
            self.grounds[Target(type=TargetType.EVENT_GROUP, id=event.id, part=part)] = f"hold:{event.id}"


@pytest.fixture
def acme() -> Firm:
    return baked(make_firm, "acme")


@pytest.fixture
def dora(acme: Firm) -> Principal:
    return make_member(acme, "dora", Role.DPO)


@pytest.fixture
def rupert(acme: Firm) -> Principal:
    return make_member(acme, "rupert", Role.REVIEWER)


@pytest.fixture
def keeping() -> Keeping:
    return Keeping()


@pytest.fixture(autouse=True)
def _stores(keeping: Keeping) -> Iterator[None]:
    with stores_of_documents(obstacles=[keeping]):
        yield


def old_events(firm: Firm, count: int) -> list[Event]:
    return [asked_at(firm, timezone.now() - LONG_AGO + timedelta(hours=number)) for number in range(count)]


def counted(author: Principal, reach: Reach = Reach.MAY, subject: str = "") -> Purge:
    with as_(author):
        return purge_count(reach=reach, reason=REASON, subject=subject)


def proposed(author: Principal, purge: Purge, most: int = 2_000) -> PurgePart:
    with as_(author):
        return purge_propose(purge.id, most=most)


def run_of(firm: Firm, part: PurgePart) -> RemovalRun:
    with open_scope(tenant=firm.id, reason="a test"):
        found: RemovalRun = RemovalRun.objects.get(id=part.run_id)
        return found


def targets_of(firm: Firm, part: PurgePart) -> set[tuple[UUID, str]]:
    with open_scope(tenant=firm.id, reason="a test"):
        return set(RemovalTarget.objects.filter(run_id=part.run_id).values_list("item_id", "part"))


def removed(firm: Firm, part: PurgePart) -> RunState | None:
    """Sealed and carried out, turn by turn, as the clock does it."""
    state = None
    for _ in range(6):
        sealed(firm)
        state = carried_out(firm, run_of(firm, part))
        if state in (RunState.COMPLETED, RunState.PARTIALLY_COMPLETED):
            break
    return state


@pytest.mark.slow
def test_a_purge_goes_from_its_dry_run_to_the_removal(acme: Firm, dora: Principal, rupert: Principal) -> None:
    (event, young) = (old_events(acme, 1)[0], asked_at(acme, timezone.now()))
    dpo, reviewer = Visitor("dora"), Visitor("rupert")
    dpo.send("purge_new", reach="may", subject="", reason=REASON)
    with open_scope(tenant=acme.id, reason="a test"):
        purge = Purge.objects.get()
    assert dpo.send("purge", purge.id).location == reverse("admin:purge", args=[purge.id])
    with open_scope(tenant=acme.id, reason="a test"):
        part = PurgePart.objects.get()
        assert "question" in event.payload
    assert (part.number, part.targets, part.is_last, part.kept) == (1, 3, True, {})
    assert "Waits for a second person" in reviewer.open("purge", purge.id).text

    with as_(rupert):
        run_approve(run_of(acme, part).id)
    assert removed(acme, part) is RunState.COMPLETED

    page = dpo.open("purge", purge.id)
    (row,) = page.tree.xpath("//*[@id='parts']//tbody/tr")
    assert [cell.text_content().strip() for cell in row][1:5] == ["Completed", "3", "3", "0"]
    assert not page.tree.xpath("//*[@id='propose']")
    assert reverse("admin:removal_run", args=[part.run_id]) in page.links
    assert reverse("admin:purge", args=[purge.id]) in reviewer.open("removal_run", str(part.run_id)).links
    with open_scope(tenant=acme.id, reason="a test"):
        assert not Payload.objects.filter(event_id=event.id).exists()
        assert Event.objects.get(id=event.id).actor_label == ""
        assert set(Payload.objects.filter(event_id=young.id).values_list("group", flat=True)) == {
            "core",
            "actor",
            "question",
        }
    sealed(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        own = Event.objects.filter(subject_id__in=[purge.id, run_of(acme, part).id])
        assert {"audit.purge.counted", "audit.purge.proposed"} < set(own.values_list("action", flat=True))
        assert Leaf.objects.filter(event_id__in=own.values("id")).count() == own.count()
    assert not verified_log(acme).totals
    with pytest.raises(NothingDueError):
        counted(dora)


@pytest.mark.slow
def test_a_large_purge_is_cut_into_parts_that_go_on_where_the_last_one_ended(acme: Firm, dora: Principal) -> None:
    events = old_events(acme, 5)
    purge = counted(dora)
    parts = [proposed(dora, purge, most=7) for _ in range(3)]
    assert [(part.number, part.targets, part.is_last) for part in parts] == [(1, 6, False), (2, 6, False), (3, 3, True)]
    found = [targets_of(acme, part) for part in parts]
    assert set.union(*found) == {(event.id, part) for event in events for part in ("core", "actor", "question")}
    assert sum(len(each) for each in found) == 15
    with raises_code("audit.purge_ended"):
        proposed(dora, purge)


@pytest.mark.slow
def test_an_item_with_more_parts_than_fit_is_taken_whole(acme: Firm, dora: Principal) -> None:
    old_events(acme, 2)
    purge = counted(dora)
    assert [proposed(dora, purge, most=1).targets for _ in range(2)] == [3, 3]


@pytest.mark.slow
def test_what_is_held_is_counted_and_passed_over(acme: Firm, dora: Principal, keeping: Keeping) -> None:
    held, free = old_events(acme, 2)
    keeping.hold(held, "question", "core")
    purge = counted(dora)
    with open_scope(tenant=acme.id, reason="a test"):
        (figure,) = PurgeFigure.objects.filter(purge_id=purge.id)
    assert (figure.count, figure.kept) == (6, {"hold": 2})
    page = Visitor("dora").open("purge", purge.id)
    assert "2 under a legal hold" in page.text
    # A hold that came after the dry run counts just as much.
    keeping.hold(held, "actor")
    part = proposed(dora, purge)
    assert (part.targets, part.kept) == (3, {"hold": 3})
    assert targets_of(acme, part) == {(free.id, group) for group in ("core", "actor", "question")}


@pytest.mark.slow
def test_where_all_is_held_nothing_is_proposed(acme: Firm, dora: Principal, keeping: Keeping) -> None:
    (event,) = old_events(acme, 1)
    keeping.hold(event, "question", "core", "actor")
    purge = counted(dora)
    part = proposed(dora, purge)
    assert (part.run_id, part.targets, part.is_last, part.kept) == (None, 0, True, {"hold": 3})
    assert "Nothing to remove" in Visitor("dora").open("purges").text
    assert "Nothing to remove" in Visitor("dora").open("purge", purge.id).text


@pytest.mark.slow
def test_what_is_proposed_already_is_not_proposed_twice_and_after_a_rejection_it_is_found_again(
    acme: Firm, dora: Principal, rupert: Principal
) -> None:
    old_events(acme, 1)
    first = proposed(dora, counted(dora))
    second = counted(dora)
    with open_scope(tenant=acme.id, reason="a test"):
        assert PurgeFigure.objects.get(purge_id=second.id).kept == {"run": 3}
    part = proposed(dora, second)
    assert (part.run_id, part.kept) == (None, {"run": 3})
    with as_(rupert):
        run_reject(run_of(acme, first).id, RejectionReason.NOT_DUE)
    assert proposed(dora, counted(dora)).targets == 3


@pytest.mark.slow
def test_a_dry_run_by_rules_that_are_not_in_force_any_more_is_not_proposed(
    acme: Firm, dora: Principal, rupert: Principal
) -> None:
    old_events(acme, 1)
    purge = counted(dora)
    approved(dora, rupert, keep_months=240)
    with raises_code("audit.purge_outdated"):
        proposed(dora, purge)
    visitor = Visitor("dora")
    page = visitor.open("purge", purge.id)
    assert "Other retention rules are in force now" in page.text
    refused = visitor.send("purge", purge.id)
    assert refused.status == 409
    assert "no longer in force" in refused.text
    with open_scope(tenant=acme.id, reason="a test"):
        assert not PurgePart.objects.exists()


def test_whoever_may_not_manage_privacy_proposes_nothing(acme: Firm, dora: Principal, rupert: Principal) -> None:
    old_events(acme, 1)
    purge = counted(dora)
    with pytest.raises(PermissionDeniedError):
        proposed(rupert, purge)
    with raises_code("audit.retention_person_needed"):
        proposed(make_key(acme, Role.DPO)[0], purge)


def test_only_what_must_go_is_taken_where_that_is_asked(acme: Firm, dora: Principal, rupert: Principal) -> None:
    (event,) = old_events(acme, 1)
    approved(dora, rupert, group="question", remove_months=96)
    part = proposed(dora, counted(dora, Reach.MUST))
    assert targets_of(acme, part) == {(event.id, "question")}


# --- Documents --------------------------------------------------------------------------------------------------------


@pytest.fixture
def versions(acme: Firm) -> list[Target]:
    """A superseded version of long ago, and the current one of as long ago."""
    made = documents(acme, 2)
    at = timezone.now() - LONG_AGO
    with open_scope(tenant=acme.id, reason="a test"):
        Document.objects.filter(id=made[0].id).update(status="superseded", valid_from=at, valid_to=at, created_at=at)
        Document.objects.filter(id=made[1].id).update(status="ready", valid_from=at, created_at=at, published_on=at)
    return made


def test_a_superseded_version_is_due_and_the_current_one_is_not(
    acme: Firm, dora: Principal, rupert: Principal, versions: list[Target]
) -> None:
    purge = counted(dora, subject="document:run")
    part = proposed(dora, purge)
    assert targets_of(acme, part) == {(versions[0].id, "")}
    with as_(rupert):
        run_approve(run_of(acme, part).id)
    assert removed(acme, part) is RunState.COMPLETED
    with open_scope(tenant=acme.id, reason="a test"):
        assert list(Document.objects.values_list("id", flat=True)) == [versions[1].id]


@pytest.mark.parametrize(
    ("clock", "current", "found"),
    [
        ("superseded_at", True, [0]),
        ("created_at", False, [0]),
        ("created_at", True, [0, 1]),
        ("published_on", False, []),
        ("published_on", True, [1]),
    ],
)
def test_the_current_version_goes_only_where_its_rule_says_so(
    acme: Firm, dora: Principal, rupert: Principal, versions: list[Target], clock: str, current: bool, found: list[int]
) -> None:
    approved(dora, rupert, "document:run", clock_start=clock, includes_current=current)
    if not found:
        with pytest.raises(NothingDueError):
            counted(dora, subject="document:run")
        return
    part = proposed(dora, counted(dora, subject="document:run"), most=1)
    more = [] if part.is_last else [proposed(dora, Purge(id=part.purge_id), most=1)]
    ids = {item for each in [part, *more] for item, _ in targets_of(acme, each)}
    assert ids == {versions[number].id for number in found}


def test_events_are_named_by_the_class_that_they_are_of(acme: Firm, dora: Principal) -> None:
    old_events(acme, 1)
    text = Visitor("dora").open("purge", counted(dora, subject=ASKED).id).text
    assert "Question answered" in text
    assert "7 years from when it happened" in text
