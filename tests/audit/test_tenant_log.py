"""The log of a tenant that was erased, and what somebody with every right might do to it: both verifiers find it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from apps.audit.keys.data_keys import cache as key_cache
from apps.audit.models import Checkpoint, DataKey, Event, Leaf, Payload
from apps.audit.verify.application import verify_tenant
from apps.audit.verify.export import export_log
from apps.audit.verify.offline import verify as verify_export
from apps.erasure.contracts import RunState
from apps.erasure.events import LOG_EMPTIED
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.audit.acting import checkpointed, sealed
from tests.audit.ending import ended, hold, only_the_log, whole
from tests.audit.mutations import acting_as, as_api, mutated, of_application, of_offline
from tests.audit.removing import approved, asked, person
from tests.baked import baked
from tests.factories import Firm, make_firm

pytestmark = pytest.mark.django_db(transaction=True)

Found = set[tuple[str, str | None, str | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Emptied:
    """early: an event of before, with its payload rows and name; said: the event that empties; late: one after it."""

    firm: Firm
    early: str
    name: str
    rows: list[dict[str, Any]]
    said: str
    late: str
    kept: str
    before: int


@pytest.fixture
def log() -> Emptied:
    firm = baked(make_firm, "acme")
    (question,) = asked(firm)
    sealed(firm, 5)
    assert checkpointed(firm)
    run = approved(firm, [whole(firm)])
    with open_scope(tenant=firm.id, reason="a test"):
        rows = list(Payload.objects.filter(event_id=question.id).values())
        name = Event.objects.get(id=question.id).actor_label
        note = Checkpoint.objects.get().note
    with only_the_log():
        assert ended(firm, run) is RunState.COMPLETED
    assert checkpointed(firm)
    with open_scope(tenant=firm.id, reason="a test"):
        said = Event.objects.get(action=LOG_EMPTIED)
        late = Event.objects.filter(id__gt=said.id).order_by("-id")[:1].get()
        groups = Leaf.objects.filter(index__lt=Leaf.objects.get(event_id=said.id).index).values("event_id")
        before = sum(len(event.commitments) for event in Event.objects.filter(id__in=groups))
    return Emptied(
        firm=firm,
        early=str(question.id),
        name=name,
        rows=rows,
        said=str(said.id),
        late=str(late.id),
        kept=note,
        before=before,
    )


def run(statement: str, *parameters: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)


def judged(firm: Firm, note: str, folder: Path, attack: Callable[[], None]) -> Counter[Any]:
    """What both find after the attack, which is undone."""
    kept = folder / "kept.txt"
    kept.write_text(note, encoding="utf-8")
    key_cache.clear()
    with acting_as("superuser"), mutated():
        attack()
        as_api()
        report = verify_tenant(tenant=firm.id, checkpoint=note)
        bare = verify_tenant(tenant=firm.id, checkpoint=note, contents=False)
        export_log(tenant=firm.id, output=folder / "whole")
        export_log(tenant=firm.id, output=folder / "bare", contents=False)
    key_cache.clear()
    found = of_application(report)
    assert found == of_offline(verify_export(folder / "whole", kept))
    assert of_application(bare) == of_offline(verify_export(folder / "bare", kept))
    return found


def places(found: Counter[Any]) -> Found:
    return {(kind, event, group) for kind, _, event, group, _ in found}


@pytest.mark.slow
def test_as_it_is_it_is_intact(log: Emptied, tmp_path: Path) -> None:
    assert judged(log.firm, log.kept, tmp_path, lambda: None) == Counter()
    report = verify_tenant(tenant=log.firm.id)
    assert report.checked.removed == log.before > 20


@pytest.mark.slow
def test_what_is_put_back_is_found(log: Emptied, tmp_path: Path) -> None:
    def attack() -> None:
        for row in log.rows:
            run(
                "INSERT INTO audit_payload (tenant_id, event_id, scope_ids, field_group, ciphertext, data_key_id, "
                "terms) VALUES (%s, %s, %s::uuid[], %s, %s, %s, %s::text[])",
                *(row[name] for name in ("tenant_id", "event_id", "scope_ids", "group", "ciphertext")),
                row["data_key_id"],
                row["terms"],
            )

    found = places(judged(log.firm, log.kept, tmp_path, attack))
    groups = {str(row["group"]) for row in log.rows}
    assert groups == {"actor", "core", "question"}
    # Its key is gone, so that nobody can say either that it is what was recorded.
    assert found == {(kind, log.early, group) for kind in ("INCOMPLETE_ERASURE", "ALTERED_GROUP") for group in groups}


def test_a_name_that_is_put_back_is_found(log: Emptied, tmp_path: Path) -> None:
    assert log.name

    def attack() -> None:
        run("UPDATE audit_event SET actor_label = %s WHERE id = %s", log.name, log.early)

    assert places(judged(log.firm, log.kept, tmp_path, attack)) == {("INCOMPLETE_ERASURE", log.early, "actor")}


def test_what_goes_afterwards_is_not_covered(log: Emptied, tmp_path: Path) -> None:
    def attack() -> None:
        run("DELETE FROM audit_payload WHERE event_id = %s AND field_group = 'core'", log.late)

    assert places(judged(log.firm, log.kept, tmp_path, attack)) == {("UNAUTHORISED_REMOVAL", log.late, "core")}


@pytest.mark.slow
@pytest.mark.parametrize(
    "attack",
    [
        "DELETE FROM audit_payload WHERE event_id = %s AND field_group = 'core'",
        "UPDATE audit_payload SET ciphertext = set_byte(ciphertext, 20, get_byte(ciphertext, 20) # 1) "
        "WHERE event_id = %s",
        "UPDATE audit_event SET outcome = 'failed' WHERE id = %s",
        "DELETE FROM audit_leaf WHERE event_id = %s",
    ],
)
def test_without_the_event_that_says_so_everything_is_missed(log: Emptied, tmp_path: Path, attack: str) -> None:
    found = judged(log.firm, log.kept, tmp_path, lambda: run(attack, log.said))
    missed = [key for key in found if key[0] == "UNAUTHORISED_REMOVAL" and key[2] != log.said]
    assert len(missed) == log.before


def test_an_event_that_only_claims_it_covers_nothing(tmp_path: Path) -> None:
    """An ordinary event renamed, as somebody would who wants a theft to look like an erasure."""
    firm = baked(make_firm, "acme")
    (question,) = asked(firm)
    sealed(firm, 5)
    assert checkpointed(firm)
    with open_scope(tenant=firm.id, reason="a test"):
        note = Checkpoint.objects.get().note
        last = str(Event.objects.order_by("-id").values_list("id", flat=True)[:1].get())

    def attack() -> None:
        run("UPDATE audit_event SET action = %s WHERE id = %s", LOG_EMPTIED, last)
        run("DELETE FROM audit_payload WHERE event_id = %s AND field_group = 'question'", question.id)

    assert places(judged(firm, note, tmp_path, attack)) == {
        ("ALTERED_EVENT", last, None),
        ("UNAUTHORISED_REMOVAL", str(question.id), "question"),
    }


def test_a_key_that_was_destroyed_without_authority_is_found_and_named(tmp_path: Path) -> None:
    firm = baked(make_firm, "acme")
    sealed(firm, 5)
    assert checkpointed(firm)
    with open_scope(tenant=firm.id, reason="a test"):
        note, key = Checkpoint.objects.get().note, DataKey.objects.get()
        groups = Payload.objects.count()

    def attack() -> None:
        run("DELETE FROM audit_datakey WHERE id = %s", key.id)

    key_cache.clear()
    with acting_as("superuser"), mutated():
        attack()
        as_api()
        report = verify_tenant(tenant=firm.id, checkpoint=note)
    assert {each.words for each in report.findings} == {f"its data key {key.id} was destroyed"}
    assert report.totals == {"ALTERED_GROUP": groups}
    assert report.checked.opened == 0


@pytest.mark.slow
def test_what_a_hold_kept_of_it_is_missed_when_it_goes(tmp_path: Path) -> None:
    firm = baked(make_firm, "acme")
    dora = person(firm, "dora-acme", Role.DPO)
    (held,) = asked(firm)
    sealed(firm)
    hold(dora, held)
    sealed(firm)
    assert checkpointed(firm)
    run_of_it = approved(firm, [whole(firm)])
    with only_the_log():
        assert ended(firm, run_of_it) is RunState.PARTIALLY_COMPLETED
    # Signed over what authorises the end: no verifier believes it before.
    assert checkpointed(firm)
    with open_scope(tenant=firm.id, reason="a test"):
        note = Checkpoint.objects.latest("size").note
    assert judged(firm, note, tmp_path, lambda: None) == Counter()
    other = tmp_path / "other"
    other.mkdir()

    def attack() -> None:
        run("DELETE FROM audit_payload WHERE event_id = %s AND field_group = 'question'", held.id)

    assert places(judged(firm, note, other, attack)) == {("UNAUTHORISED_REMOVAL", str(held.id), "question")}
