"""A tenant that is erased: nothing is left of it but the fact, and nothing of its neighbour has changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import connections
from django.test import Client, TransactionTestCase, override_settings
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from apps.audit.ids import new_id
from apps.audit.keys.data_keys import cache as key_cache
from apps.audit.log.notes import opened
from apps.audit.models import Checkpoint, DataKey, Event, Payload
from apps.audit.selectors import payloads_of
from apps.audit.services import record
from apps.audit.verify.application import verify_tenant
from apps.audit.verify.export import export_log
from apps.audit.verify.findings import VerificationReport
from apps.audit.verify.offline import verify as verify_export
from apps.erasure.contracts import RunState, Target, TargetType
from apps.erasure.events import LOG_EMPTIED
from apps.erasure.models import Purge, PurgePart, Reach, RemovalRun
from apps.erasure.retention.counting import count_all, count_tenant
from apps.privacy.codes.requests import Ground, Requester, SubjectType
from apps.privacy.requests.services.receiving import request_receive
from apps.retrieval.presentation import asked_json
from apps.retrieval.services.ask import ask
from apps.tenants.context import open_scope
from apps.tenants.models import Tenant
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.acting import checkpointed, sealed
from tests.audit.ending import MATTER, Rows, all_rows, counted, ended, hold, holding, release, whole
from tests.audit.forging import ANSWERED
from tests.audit.mutations import log_keys
from tests.audit.removal_world import BEA, RemovalWorld, make_removal_world
from tests.audit.removing import ledger, outcomes, person
from tests.audit.requesting import PERSON, SECRETS
from tests.corpus.ingesting import remote_profile
from tests.deciding import assess, identity_confirm, request_approve, request_propose
from tests.factories import Firm, as_, make_key
from tests.model_server import ModelServer

PURGING = "Because the partners agreed"
WHO = "Quentin Marchetti"
WITH_OTHERS = {"tenants.requests", "audit.restrictions", "audit.payloads", "audit.data_keys"}
# What may name the tenant afterwards: ids, codes, times and digests, each of them classified as what stays.
FACTS = {
    "audit_checkpoint",
    "audit_datakey",
    "audit_erasurerequest",
    "audit_event",
    "audit_inventory",
    "audit_inventoryhit",
    "audit_leaf",
    "audit_letter",
    "audit_payload",
    "audit_removalrun",
    "audit_removalstep",
    "audit_removaltarget",
    "audit_tombstonemark",
    "tenants_scope",
    "tenants_tenant",
}


@dataclass(slots=True, kw_only=True)
class Erased:
    """Acme before and after its end; Bolt likewise. reports: Bolt's log as verified before and after."""

    world: RemovalWorld
    run: RemovalRun
    state: RunState | None
    key: str
    wrapped: list[bytes]
    before: Rows
    after: Rows
    answers: list[dict[str, Any]]
    reports: list[VerificationReport]
    exports: list[Path]
    kept_note: str
    people: dict[str, Principal] = field(default_factory=dict)

    @property
    def acme(self) -> Firm:
        return self.world.acme


@pytest.fixture(scope="module")
def erased(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Erased]:
    """Committed once."""
    with django_db_blocker.unblock(), ModelServer() as server:
        profile = {**settings.GLASSBOX_EMBEDDING_PROFILES, "local": remote_profile(server)}
        with override_settings(GLASSBOX_EMBEDDING_PROFILES=profile):
            try:
                yield _erased(tmp_path_factory.mktemp("exports"))
            finally:
                connections["default"].close()
                TransactionTestCase._fixture_teardown(TransactionTestCase())  # type: ignore[attr-defined]
                cache.clear()
                key_cache.clear()


def _erased(folder: Path) -> Erased:
    world = make_removal_world()
    acme, bolt = world.acme, world.bolt
    people = {"dora": person(acme, "dora-acme", Role.DPO), "rita": person(acme, "rita-acme", Role.REVIEWER)}
    _, plain = make_key(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        record(action=ANSWERED, core={"intent": "x"}, question={"text": f"Who is {WHO}?"}, answer={"grounding": WHO})
    _held_once(world, people["dora"])
    _purged_once(acme, people["dora"])
    request = _requested(acme, people)
    for firm in (acme, bolt):
        sealed(firm)
        assert checkpointed(firm)
    with open_scope(tenant=acme.id, reason="a test"):
        note = Checkpoint.objects.order_by("-size")[:1].get().note
        wrapped = [bytes(each.wrapped_key) for each in DataKey.objects.all()]
    answers, reports, exports = [_asked(bolt)], [], []
    sealed(bolt)
    before = all_rows()
    reports.append(verify_tenant(tenant=bolt.id))
    with as_(people["dora"]):
        run_id = request_propose(request).run_id
    with as_(people["rita"]):
        request_approve(request)
    with open_scope(tenant=acme.id, reason="a test"):
        run = RemovalRun.objects.get(id=run_id)
    state = ended(acme, run)
    after = all_rows()
    reports.append(verify_tenant(tenant=bolt.id))
    answers.append(_asked(bolt))
    for firm in (acme, bolt):
        sealed(firm)
        checkpointed(firm)
        exports.append(export_log(tenant=firm.id, output=folder / firm.tenant.slug).path)
    return Erased(
        world=world,
        run=run,
        state=state,
        key=plain,
        wrapped=wrapped,
        before=before,
        after=after,
        answers=answers,
        reports=reports,
        exports=exports,
        kept_note=note,
        people=people,
    )


def _held_once(world: RemovalWorld, dora: Principal) -> None:
    placed = hold(dora, Target(type=TargetType.DOCUMENT, id=world.documents["beta"]))
    release(dora, placed)


def _purged_once(firm: Firm, dora: Principal) -> None:
    """A dry run that was kept, with a part that was handed on."""
    with open_scope(tenant=firm.id, reason="a test"):
        schedule = count_tenant().schedule
    with as_(dora):
        purge = Purge.objects.create(
            tenant_id=firm.id,
            schedule=schedule,
            reach=Reach.MAY,
            reason=PURGING,
            counted_for=timezone.now().date(),
            created_by_id=dora.id,
            created_by_label="dora-acme",
        )
        PurgePart.objects.create(
            tenant_id=firm.id,
            purge=purge,
            number=1,
            targets=0,
            last_position=0,
            is_last=True,
            proposed_by_id=dora.id,
            proposed_by_label="dora-acme",
        )


def _requested(firm: Firm, people: dict[str, Principal]) -> Any:
    with as_(people["dora"]):
        request = request_receive(
            subject_type=SubjectType.TENANT,
            subject_id=firm.tenant.id,
            requester=Requester.PERSON,
            details=PERSON,
        )
        identity_confirm(request.id)
        assess(request.id, ground=Ground.CONTRACT_ENDED)
    return request.id


def _asked(firm: Firm) -> dict[str, Any]:
    with open_scope(tenant=firm.id, reason="a test"):
        found = asked_json(ask(text="What was the maximum drawdown of the Alpha Fund in the fourth quarter?"))
    return {name: value for name, value in found.items() if name not in ("audit_event_id", "elapsed_ms")}


# --- What is gone -----------------------------------------------------------------------------------------------------


def test_it_comes_to_its_end_with_every_store_at_zero(erased: Erased) -> None:
    assert erased.state is RunState.COMPLETED
    assert set(outcomes(erased.acme, erased.run).values()) == {("removed", "")}
    for key, (before, removed, retained, remaining, finished) in ledger(erased.acme, erased.run).items():
        assert (retained, remaining, finished) == (0, 0, True), key
        # Answers to an upload, restrictions, and what the log holds of a document's vectors are counted by their
        # document, too, and go with others of the tenant's; keys of packages, and of requests for access that were
        # answered, go with those.
        assert removed >= before or key in WITH_OTHERS, key
    # What is counted in both goes with the log's contents, and nothing of it is lost between them.
    (parts, gone, *_), (_, with_the_log, *_) = (
        ledger(erased.acme, erased.run)[key] for key in ("audit.payloads", "audit.log_contents")
    )
    assert 0 < parts <= gone + with_the_log
    assert counted(erased.acme, *outcomes(erased.acme, erased.run)) == {}


def test_every_store_that_knows_tenants_held_something_before(erased: Erased) -> None:
    held = {key for key, (before, *_) in ledger(erased.acme, erased.run).items() if before}
    assert {
        "audit.data_keys",
        "audit.holds",
        "audit.log_contents",
        "audit.retention",
        "audit.webhooks",
        "corpus.documents",
        "intents.comments",
        "intents.policies",
        "tenants.access_accounts",
        "tenants.access_memberships",
        "tenants.tenant",
    } <= held


def test_no_row_of_any_table_holds_a_word_of_it(erased: Erased) -> None:
    words = [BEA, "dora-acme", "rita-acme", MATTER, PURGING, WHO, "gamma is what this one is about", *SECRETS]
    for word in (*words[:6], "gamma is what this one is about"):
        assert holding(erased.before, word) or word == WHO, f"{word} was never there"
    assert holding(erased.after, *words) == {}
    # Names that both firms have, or that are plain words: no row that names Acme holds one.
    of_acme = holding(erased.after, str(erased.acme.id))
    assert holding(of_acme, "acme", "fund:", "alpha", "dora", "drawdown") == {}


def test_what_names_it_still_are_the_facts_alone(erased: Erased) -> None:
    assert holding(erased.after, str(erased.acme.id)).keys() == FACTS
    ids = [str(id) for name, id in erased.world.documents.items() if name != "bolt"]
    # A document's id stands in its events' headers, in what the run removed, and where somebody was found in it.
    assert holding(erased.after, *ids).keys() <= {"audit_event", "audit_removaltarget", "audit_inventoryhit"}


def test_its_keys_are_gone_and_one_is_left_for_the_fact(erased: Erased) -> None:
    for wrapped in erased.wrapped:
        assert not any(wrapped.hex() in row for rows in erased.after.values() for row in rows)
    with open_scope(tenant=erased.acme.id, reason="a test"):
        assert [key.epoch for key in DataKey.objects.all()] == ["end.1"]
        left = list(Event.objects.filter(id__in=Payload.objects.values("event_id")))
        assert {event.actor_kind for event in left} == {"system"}
        said = payloads_of([event for event in left if event.action == LOG_EMPTIED])
        (core,) = [payload["core"] for payload in said.values()]
        assert (core["run_id"], core["kept"]) == (str(erased.run.id), [])
        # Two requests for access were answered: their keys and their packages' went before, with the packages.
        assert len(core["keys"]) == len(erased.wrapped) - 4
        assert set(
            Event.objects.exclude(id__in=[event.id for event in left]).values_list("actor_label", flat=True)
        ) == {""}


def test_details_of_a_request_can_not_be_opened_any_more(erased: Erased) -> None:
    from apps.privacy.models import ErasureRequest
    from apps.privacy.requests.details import details_of

    with open_scope(tenant=erased.acme.id, reason="a test"):
        requests = list(ErasureRequest.objects.all())
        assert [(each.state, details_of(each)) for each in requests] == [("completed", None)] * 3


# --- What stays -------------------------------------------------------------------------------------------------------


def test_its_log_verifies_against_a_checkpoint_of_before(erased: Erased) -> None:
    report = verify_tenant(tenant=erased.acme.id, checkpoint=erased.kept_note)
    assert report.findings == ()
    assert report.checkpoint is not None
    assert report.size > report.checkpoint
    assert report.checked.removed > report.checked.groups
    with open_scope(tenant=erased.acme.id, reason="a test"):
        newest = Checkpoint.objects.order_by("-size")[:1].get()
    assert opened(newest.note, settings.GLASSBOX_LOG_VERIFY_KEYS).size > report.checkpoint


def test_its_exported_log_verifies_offline(erased: Erased, tmp_path: Path) -> None:
    kept = tmp_path / "kept.txt"
    kept.write_text(erased.kept_note, encoding="utf-8")
    found = verify_export(erased.exports[0], kept)
    assert found.findings == []
    assert found.counts["removed"] > found.counts["groups"]
    assert verify_export(erased.exports[1], None, log_keys()).findings == []


def test_whoever_runs_the_platform_reads_that_it_was_erased(erased: Erased) -> None:
    printed = StringIO()
    call_command("erasure", "tenants", stdout=printed)
    assert printed.getvalue().startswith(f"tenant {erased.acme.id}  run {erased.run.id}  completed")
    assert str(erased.world.bolt.id) not in printed.getvalue()
    printed = StringIO()
    call_command("erasure", "show", str(erased.run.id), stdout=printed)
    lines = printed.getvalue()
    assert f"run {erased.run.id} of tenant {erased.acme.id}: completed" in lines
    assert f"approved by {erased.people['rita'].id}" in lines
    assert "audit.data_keys" in lines
    assert not [word for word in (BEA, "dora", "rita", MATTER, PURGING, WHO) if word.lower() in lines.lower()]
    with pytest.raises(CommandError, match="Name an existing removal run"):
        call_command("erasure", "show", str(new_id()), stdout=StringIO())


def test_nobody_signs_in_and_no_key_is_let_in(erased: Erased) -> None:
    with open_scope(tenant=erased.acme.id, reason="a test"):
        tenant = Tenant.objects.get(id=erased.acme.id)
    assert (tenant.is_erased, tenant.status, tenant.name) == (True, "suspended", "Erased tenant")
    assert not Client().login(username="dora-acme", password="")
    answer = Client().get("/api/v1/me/", headers={"authorization": f"Bearer {erased.key}"})
    assert answer.status_code == 401


def test_the_clock_counts_nothing_in_it_and_makes_nothing_anew(erased: Erased) -> None:
    count_all()
    assert not counted(erased.acme, whole(erased.acme))


# --- Its neighbour ----------------------------------------------------------------------------------------------------


def test_the_other_tenants_rows_are_the_same_byte_for_byte(erased: Erased) -> None:
    bolt = str(erased.world.bolt.id)
    before, after = holding(erased.before, bolt), holding(erased.after, bolt)
    assert len(before) > 15
    assert after == before


def test_the_other_tenants_log_and_answers_are_as_before(erased: Erased) -> None:
    first, second = erased.reports
    assert first.is_intact
    assert (first.root, first.size, first.checked, first.findings) == (
        second.root,
        second.size,
        second.checked,
        second.findings,
    )
    assert erased.answers[0] == erased.answers[1]
    assert erased.answers[0]["citations"]
