"""The end of an erasure: prepared, removed, forgotten by the disk, looked for and certified; or not, and why."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.core.management import call_command

from apps.corpus.models import Document
from apps.erasure import registry
from apps.erasure.certificate.checking import checked, holds
from apps.erasure.certificate.document import document_of
from apps.erasure.contracts import Origin, RunState, Target
from apps.erasure.hold_services import hold_place, hold_release
from apps.erasure.proof import safe
from apps.erasure.proof.disk import WRITTEN_SINCE
from apps.erasure.proof.errors import ControlFailedError, ProverBusyError, WindowError
from apps.erasure.proof.prover import is_open, prove_due
from apps.erasure.registry import register_given_texts
from apps.erasure.residue.access import Access
from apps.erasure.residue.control import control_each
from apps.erasure.residue.needles import Needles
from apps.erasure.residue.places import ByteSources
from apps.erasure.residue.results import ControlResult, ScanResult
from apps.erasure.residue.scanning import scan_each
from apps.privacy.codes.requests import Requester, SubjectType
from apps.privacy.requests.details import Details
from apps.privacy.requests.services.receiving import request_receive
from apps.tenants.advisory import advisory_key
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.acting import sealed
from tests.audit.mutations import acting_as
from tests.audit.proving import (
    PHYSICAL,
    ZOE,
    counted_zero,
    issued,
    letter,
    looked_at,
    noted,
    own_access,
    prepared_by_hand,
    proved,
    removed,
)
from tests.audit.removing import actions, again, approved, asked, carried_out, left_of, outcomes, person
from tests.baked import baked
from tests.deciding import run_retry
from tests.factories import Firm, as_, make_firm
from tests.own import OWN

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def acme(settings: LazySettings) -> Firm:
    settings.GLASSBOX_PHYSICAL_ORIGINS = frozenset({Origin.REQUEST})
    return baked(make_firm, "acme")


@pytest.fixture
def access(tmp_path: Path) -> Access:
    return own_access(tmp_path)


@pytest.fixture
def _given() -> Iterator[None]:
    """Somebody gave two names with the request: one that is in the letter, and one that is nowhere."""
    before = dict(registry._given)
    registry._given.clear()
    register_given_texts(Origin.REQUEST, lambda connection, tenant, origin: [ZOE.split()[-1], "Bresch-Ost"])
    yield
    registry._given.clear()
    registry._given.update(before)


def dora(firm: Firm) -> Principal:
    return person(firm, f"dora-{firm.tenant.slug}", Role.DPO)


def placed(firm: Firm, target: Target) -> UUID:
    principal = dora(firm)
    assert principal.id is not None
    with as_(principal):
        hold = hold_place(
            matter="A dispute",
            ground="Commercial code",
            owner_id=principal.id,
            review_on=datetime.now(UTC).date() + timedelta(days=90),
            targets=[target],
        )
    placed_id: UUID = hold.id
    return placed_id


def lifted(firm: Firm, hold_id: UUID) -> None:
    with as_(dora(firm)):
        hold_release(hold_id=hold_id, reason="It is settled.")


@pytest.mark.slow
@pytest.mark.usefixtures("_given")
def test_an_erasure_ends_with_a_certificate_that_holds_and_names_nobody(
    acme: Firm, access: Access, settings: LazySettings
) -> None:
    settings.GLASSBOX_BACKUP_RETENTION_DAYS = 30
    stays = letter(acme, "Ignatius Grünwald-Österreicher")
    targets = [letter(acme, ZOE), *asked(acme)]
    sealed(acme)
    run = approved(acme, targets)

    assert carried_out(acme, run) is None, "nothing goes before it is prepared"
    assert proved(access).prepared == 1
    kept = safe.path_of(access.home, tenant_id=acme.id, run_id=run.id)
    assert kept.stat().st_mode & 0o777 == 0o600
    assert ZOE.encode() not in kept.read_bytes()
    gathered = safe.opened(access.home, tenant_id=acme.id, run_id=run.id)
    assert gathered.by_sort() == {"bytes": 4, "id": 2, "term": 1, "text": 7}
    assert len(gathered.by_encoding()) >= 8
    prepared = again(acme, run).verification
    assert prepared["control"]["found"] == prepared["control"]["sources"] == 14
    assert prepared["needles"]["left_out"] == {"entered, but found nowhere before the removal": 1}

    counted_zero(acme, run, access)
    assert proved(access).ended == {RunState.COMPLETED: 1}, again(acme, run).verification
    run = again(acme, run)
    assert not kept.exists()
    assert left_of(acme, targets) == 0
    assert left_of(acme, [stays]) == 3
    assert actions(acme, run)[-2:] == ["counted_zero", "ended"]

    [certificate] = issued(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        document = json.loads(json.dumps(document_of(certificate)))
    checks = checked(document, settings.GLASSBOX_LOG_VERIFY_KEYS)
    assert holds(checks), checks
    body = document["certificate"]
    assert body["scan"]["hits"] == 0
    assert {place["group"] for place in body["scan"]["places"]} >= {"heap", "WAL", "pg_statistic", "Redis", "dump"}
    assert body["backups"]["may_hold_it_until"] == (run.finished_at + timedelta(days=30)).date().isoformat()
    assert {each["store"]: each["removed"] for each in body["stores"] if each["removed"]} == {
        "audit.payloads": 1,
        "audit.restrictions": 1,
        "corpus.chunks": 1,
        "corpus.document_files": 1,
        "corpus.documents": 1,
        "corpus.pages": 1,
        "corpus.postings": 1,
    }
    # Nothing of what was looked for stands in the certificate, in the run's row, or in the log's words of it.
    written = json.dumps(document, ensure_ascii=False).encode() + json.dumps(run.verification).encode()
    assert not [needle.encoding for needle in gathered.needles.needles if needle.pattern in written]
    for name in (ZOE, "Zoë", f"{OWN}.example", "dora", "rita"):
        assert name not in written.decode()


@pytest.mark.slow
def test_a_scan_that_finds_something_fails_the_run_until_it_is_cleared_and_tried_again(
    acme: Firm, access: Access
) -> None:
    run = approved(acme, [letter(acme, ZOE)])
    counted_zero(acme, run, access)
    forgotten = access.home / "log" / "worker.log"
    forgotten.parent.mkdir()
    forgotten.write_text(f"could not read: Complaint of {ZOE}\n")
    assert proved(access).ended == {RunState.FAILED: 1}
    failed = again(acme, run)
    assert (failed.error_code, failed.next_attempt_at) == ("audit.proof_residue", None)
    assert failed.verification["again"] == {"logs": 1}, "it was looked for twice"
    hits = failed.verification["scan"]["hits"]
    assert {(hit["group"], hit["place"]) for hit in hits} == {("logs", "log/worker.log")}
    assert "Brz" not in json.dumps(hits)
    assert issued(acme) == []

    forgotten.unlink()
    with as_(dora(acme)):
        run_retry(run.id)
    removed(acme, run)
    assert not {"plan", "physical", "scan"} & again(acme, run).verification.keys(), "all of it is done again"
    assert proved(access).ended == {RunState.COMPLETED: 1}
    assert len(issued(acme)) == 1


@pytest.mark.slow
def test_what_others_wrote_since_the_preparation_is_no_residue(acme: Firm, access: Access) -> None:
    """The same passage comes to another firm after the preparation, and to a third one that deletes it again."""
    target = letter(acme, ZOE)
    run = approved(acme, [target])
    counted_zero(acme, run, access)
    stays, went = make_firm("bolt"), make_firm("crux")
    letter(stays, ZOE)
    gone = letter(went, ZOE)
    with open_scope(tenant=went.id, reason="a test"):
        Document.objects.filter(id=gone.id).delete()
    assert proved(access).ended == {RunState.COMPLETED: 1}, again(acme, run).verification
    verification = again(acme, run).verification
    assert verification["again"]["heap"] > 0, "the first scan found it"
    assert verification["scan"]["left_out"][WRITTEN_SINCE] > 3
    # Who looks for the document itself still does: its ids, title and slug are nobody else's.
    assert verification["scan"]["patterns"] > 0
    [certificate] = issued(acme)
    assert certificate.body["scan"]["left_out"][WRITTEN_SINCE] == verification["scan"]["left_out"][WRITTEN_SINCE]


@pytest.mark.slow
def test_what_is_held_is_not_looked_for_and_its_release_begins_a_second_certificate(acme: Firm, access: Access) -> None:
    goes, stays = letter(acme, ZOE), letter(acme, "Ignatius Grünwald-Österreicher")
    run = approved(acme, [goes, stays])
    hold = placed(acme, stays)
    assert proved(access).prepared == 1
    gathered = safe.opened(access.home, tenant_id=acme.id, run_id=run.id)
    assert gathered.targets == (goes,)
    removed(acme, run)
    assert looked_at(acme, run) is RunState.PARTIALLY_COMPLETED
    assert (left_of(acme, [goes]), left_of(acme, [stays])) == (0, 3)
    [first] = issued(acme)
    [retained] = first.body["retained"]
    assert (retained["ground"], retained["id"], retained["targets"]) == ("hold", str(hold), 1)
    assert retained["review_on"] == (datetime.now(UTC).date() + timedelta(days=90)).isoformat()

    lifted(acme, hold)
    resumed = again(acme, run)
    assert (resumed.state, resumed.prepared_at, resumed.verification) == (RunState.APPROVED, None, {})
    prepared_by_hand(run, access.home)
    removed(acme, run)
    assert looked_at(acme, run) is RunState.COMPLETED
    assert set(outcomes(acme, run).values()) == {("removed", "")}
    _, second = issued(acme)
    assert (second.number, second.body["end"], second.body["targets"]["removed"]) == (2, 2, 2)


@pytest.mark.slow
def test_what_is_released_while_the_disk_is_looked_at_is_taken_up(acme: Firm, tmp_path: Path) -> None:
    goes, stays = letter(acme, ZOE), letter(acme, "Ignatius Grünwald-Österreicher")
    run = approved(acme, [goes, stays])
    hold = placed(acme, stays)
    prepared_by_hand(run, tmp_path)
    removed(acme, run)
    lifted(acme, hold)
    assert again(acme, run).state == RunState.VERIFYING
    assert looked_at(acme, run) is RunState.PARTIALLY_COMPLETED
    assert again(acme, run).state == RunState.APPROVED
    assert len(issued(acme)) == 1


@pytest.mark.slow
def test_runs_that_wait_share_one_physical_phase_in_their_window(
    acme: Firm, access: Access, settings: LazySettings
) -> None:
    bolt = make_firm("bolt")
    runs = {firm.id: (firm, approved(firm, asked(firm))) for firm in (acme, bolt)}
    for firm, run in runs.values():
        prepared_by_hand(run, access.home)
        removed(firm, run)
    now = datetime.now(UTC)
    settings.GLASSBOX_ERASURE_WINDOW = f"{now + timedelta(hours=2):%H:%M}-{now + timedelta(hours=3):%H:%M}"
    assert proved(access, at_once=False).waiting == 2
    for firm, run in runs.values():
        waiting = again(firm, run).verification
        assert waiting["waits"] == {"code": "audit.proof_window"}
        assert "plan" not in waiting
    assert proved(access).ended == {RunState.COMPLETED: 2}
    assert len({again(firm, run).verification["batch"] for firm, run in runs.values()}) == 1
    assert [len(issued(firm)) for firm, _ in runs.values()] == [1, 1]


@pytest.mark.slow
def test_runs_that_wait_are_looked_for_in_one_pass_each_by_itself(
    acme: Firm, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    from apps.erasure.proof import disk, preparing

    passes: list[int] = []

    def counted(several: Sequence[Needles], places: ByteSources) -> list[ScanResult]:
        passes.append(len(several))
        return scan_each(several, places)

    def controlled(several: Sequence[Needles], places: ByteSources) -> list[ControlResult]:
        passes.append(len(several))
        return control_each(several, places)

    monkeypatch.setattr(disk, "scan_each", counted)
    monkeypatch.setattr(preparing, "control_each", controlled)
    bolt = make_firm("bolt")
    names = ("Ottilie Zwirnstein-Achleitner", "Leberecht Hopfensperger", "Walburga Tannhäuser-Quast")
    firms = (acme, bolt, acme)
    runs = [(firm, approved(firm, [letter(firm, name), *asked(firm)])) for firm, name in zip(firms, names, strict=True)]
    for firm in (acme, bolt):
        sealed(firm)
    assert proved(access).prepared == 3
    assert passes == [3]
    for firm, run in runs:
        control = again(firm, run).verification["control"]
        assert control["found"] == control["sources"] > 0
        removed(firm, run)
    # Of one the needles are gone: the others end nevertheless.
    safe.destroy(access.home, tenant_id=bolt.id, run_id=runs[1][1].id)
    assert proved(access).ended == {RunState.FAILED: 1, RunState.COMPLETED: 2}
    assert passes == [3, 2]
    assert [again(firm, run).state for firm, run in runs] == ["completed", "failed", "completed"]
    scans = [again(firm, run).verification["scan"] for firm, run in (runs[0], runs[2])]
    assert [scan["clean"] for scan in scans] == [True, True]


@pytest.mark.slow
def test_a_control_that_finds_too_little_lets_nothing_go(
    acme: Firm, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A place that can't be read any more: the scan would be clean whatever is left."""
    from apps.erasure.proof import preparing
    from apps.erasure.residue.places import ByteSource, ByteSources, every_place

    def blind(access: Access) -> ByteSources:
        found = every_place(access)
        shut = (
            ByteSource(group=each.group, name=each.name, form=each.form, table=each.table, read=lambda: iter(()))
            for each in found.places
        )
        return ByteSources(access=access, places=tuple(shut), unreachable=found.unreachable)

    run = approved(acme, [letter(acme, ZOE)])
    monkeypatch.setattr(preparing, "every_place", blind)
    went = proved(access)
    assert (went.prepared, went.waiting) == (0, 1)
    assert again(acme, run).verification == {"waits": {"code": ControlFailedError.code}}
    assert carried_out(acme, run) is None
    assert safe.kept(access.home) == []


@pytest.mark.slow
def test_needles_that_are_lost_fail_the_run_and_are_never_certified(acme: Firm, tmp_path: Path) -> None:
    access = own_access(tmp_path, turned_over=False)
    run = approved(acme, asked(acme))
    prepared_by_hand(run, tmp_path)
    removed(acme, run)
    noted(run, batch="1", plan={}, physical=PHYSICAL)
    path = safe.path_of(tmp_path, tenant_id=acme.id, run_id=run.id)
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    assert proved(access).ended == {RunState.FAILED: 1}
    assert again(acme, run).error_code == "audit.proof_needles_lost"
    assert issued(acme) == []


@pytest.mark.slow
def test_what_a_killed_process_left_of_a_run_that_ended_is_destroyed(acme: Firm, tmp_path: Path) -> None:
    access = own_access(tmp_path, turned_over=False)
    run = approved(acme, asked(acme))
    prepared_by_hand(run, tmp_path)
    removed(acme, run)
    assert looked_at(acme, run) is RunState.COMPLETED  # whose last step was in another folder
    assert safe.kept(tmp_path) == [(acme.id, run.id)]
    proved(access)
    assert safe.kept(tmp_path) == []


def test_one_process_at_a_time(acme: Firm, tmp_path: Path) -> None:
    access = own_access(tmp_path, turned_over=False)
    with access.connect() as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", [advisory_key("proof of erasure")])
        with pytest.raises(ProverBusyError):
            prove_due(access)


def test_a_purge_is_proven_by_counts_alone_unless_asked_for(acme: Firm) -> None:
    run = approved(acme, [letter(acme, ZOE)], origin=Origin.PURGE)
    assert run.proof == "counts"
    for _ in range(4):
        if carried_out(acme, run) is RunState.COMPLETED:
            break
    assert again(acme, run).state == RunState.COMPLETED
    assert issued(acme) == []


@pytest.mark.parametrize(
    ("window", "hour", "is_in"),
    [
        ("", 12, True),
        ("01:00-04:00", 3, True),
        ("01:00-04:00", 4, False),
        ("22:00-04:00", 23, True),
        ("22:00-04:00", 12, False),
    ],
)
def test_the_window_is_open_in_its_hours(settings: LazySettings, window: str, hour: int, is_in: bool) -> None:
    settings.GLASSBOX_ERASURE_WINDOW = window
    assert is_open(datetime(2026, 11, 22, hour, 30, tzinfo=UTC)) is is_in


def test_a_window_that_is_none_is_refused(settings: LazySettings) -> None:
    settings.GLASSBOX_ERASURE_WINDOW = "at night"
    with pytest.raises(WindowError):
        is_open(datetime(2026, 11, 22, 12, tzinfo=UTC))


def test_the_command_does_what_waits_as_the_eraser(acme: Firm, settings: LazySettings) -> None:
    said = StringIO()
    settings.GLASSBOX_DB_ROLE = "glassbox_eraser"
    with acting_as("glassbox_eraser"):
        call_command("erasure", "physical", "--now", stdout=said)
    assert said.getvalue() == "0 prepared; ended: none; 0 wait.\n"


def test_of_a_request_names_addresses_and_numbers_are_looked_for_and_nothing_else_that_it_says(
    acme: Firm, tmp_path: Path
) -> None:
    with as_(dora(acme)):
        request = request_receive(
            subject_type=SubjectType.DATA_SUBJECT,
            requester=Requester.PERSON,
            details=Details(
                names=("Zoë Øster",),
                emails=("zoe@bluewhale.example",),
                identifiers=("4711-0815",),
                description="A former client.",
                requester_name="Jo Doe",
            ),
        )
    with own_access(tmp_path, turned_over=False).connect() as connection:
        given = registry.given_texts(connection, origin=Origin.REQUEST, tenant_id=acme.id, origin_id=request.id)
        assert given == ["Zoë Øster", "zoe@bluewhale.example", "4711-0815"]
        assert not registry.given_texts(connection, origin=Origin.REQUEST, tenant_id=acme.id, origin_id=acme.id)
