"""Who corrects documents of a kind, and who proposes their removal, is in the policy, and held by the database."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any
from uuid import uuid4

import pytest
from django.db import ProgrammingError, transaction

from apps.corpus.models import Document
from apps.corpus.services.correct import document_correct
from apps.corpus.services.ingest.errors import KindNotYoursError
from apps.corpus.services.removals import document_remove
from apps.erasure.contracts import Origin, Target, TargetType
from apps.erasure.log_removal import RemovalReason
from apps.erasure.models import RemovalRun, RemovalTarget
from apps.erasure.runs.runs import run_propose
from apps.intents.services.versions import policy_version_activate
from apps.privacy.codes.requests import Ground, SubjectType
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.mutations import acting_as
from tests.audit.removing import documents
from tests.audit.requesting import make_office
from tests.corpus.ingesting import REPORT, document, ingest, run
from tests.corpus.test_reindex import restricted
from tests.deciding import assess, identity_confirm, request_propose
from tests.factories import Firm, as_, make_firm, make_key, make_member
from tests.intents.test_uploaders_held import approve

pytestmark = pytest.mark.django_db

ANALYST, ADMIN, DPO = Role.ANALYST, Role.TENANT_ADMIN, Role.DPO
REASON = RemovalReason.UPLOADED_BY_MISTAKE


@pytest.fixture
def alice(acme: Firm) -> Principal:
    return make_member(acme, "alice", ANALYST)


@pytest.fixture
def tessa(acme: Firm) -> Principal:
    return make_member(acme, "tessa", ADMIN)


@pytest.fixture
def minutes(acme: Firm, tessa: Principal) -> Document:
    made = ingest(acme, kind="run", principal=tessa)
    run(acme, made.job)
    return document(acme, made.document.id)


def in_force(firm: Firm, **given: dict[str, Any]) -> None:
    version = approve(firm, given)
    with open_scope(tenant=firm.id, reason="a test"):
        policy_version_activate(version)


def copied(firm: Firm, principal: Principal, earlier: Document, **changes: Any) -> Document:
    """The next version as a process could write it that was taken over; by default of the same bytes."""
    said: dict[str, Any] = {"kind": earlier.kind, "title": "Ours", "content_sha256": earlier.content_sha256, **changes}
    with as_(principal), transaction.atomic():
        made: Document = Document.objects.create(
            tenant_id=firm.id,
            scope_id=earlier.scope_id,
            slug=uuid4().hex,
            series_id=earlier.series_id,
            version=earlier.version + 1,
            filename=earlier.filename,
            byte_size=earlier.byte_size,
            **said,
        )
    return made


# --- To correct -------------------------------------------------------------------------------------------------------


def test_who_is_named_corrects_and_who_uploads_does_not(
    acme: Firm, alice: Principal, tessa: Principal, minutes: Document
) -> None:
    in_force(acme, run={"uploaders": (ADMIN,), "correctors": (ANALYST,)})
    with as_(tessa), pytest.raises(KindNotYoursError, match=r"may not correct .* 'run'.*Analyst"):
        document_correct(document_id=minutes.id, changes={"title": "Ours"})
    with as_(alice):
        assert document_correct(document_id=minutes.id, changes={"title": "Ours"}).version == 2
        with pytest.raises(KindNotYoursError, match="may not upload"):
            ingest(acme, b"# Other words\n\nOf mine.\n", kind="run", principal=alice)


def test_the_database_holds_who_corrects(acme: Firm, alice: Principal, tessa: Principal, minutes: Document) -> None:
    in_force(acme, run={"uploaders": (ADMIN,), "correctors": (ANALYST,)})
    with pytest.raises(ProgrammingError, match="lets only analyst correct documents of the kind run"):
        copied(acme, tessa, minutes)
    assert copied(acme, alice, minutes).version == 2


def test_other_bytes_are_an_upload_whoever_may_correct(acme: Firm, alice: Principal, minutes: Document) -> None:
    in_force(acme, run={"uploaders": (ADMIN,), "correctors": (ANALYST,)})
    with pytest.raises(ProgrammingError, match="lets only tenant_admin file documents of the kind run"):
        copied(acme, alice, minutes, content_sha256="0" * 64)


def test_a_document_that_was_never_searchable_is_corrected_by_who_is_named(
    acme: Firm, alice: Principal, tessa: Principal
) -> None:
    in_force(acme, run={"correctors": (ANALYST,)})
    made = ingest(acme, kind="run", principal=tessa).document
    with as_(tessa):
        with pytest.raises(KindNotYoursError, match="may not correct"):
            document_correct(document_id=made.id, changes={"title": "Mine"})
        with pytest.raises(ProgrammingError, match="lets only analyst correct"), transaction.atomic():
            Document.objects.filter(id=made.id).update(title="Mine")
    with as_(alice):
        assert document_correct(document_id=made.id, changes={"title": "Ours"}).title == "Ours"


def test_without_correctors_those_who_upload_correct(
    acme: Firm, alice: Principal, tessa: Principal, minutes: Document
) -> None:
    in_force(acme, run={"uploaders": (ADMIN,)})
    with as_(alice), pytest.raises(KindNotYoursError, match="Tenant administrator"):
        document_correct(document_id=minutes.id, changes={"title": "Mine"})
    with pytest.raises(ProgrammingError, match="lets only tenant_admin correct"):
        copied(acme, alice, minutes)
    assert copied(acme, tessa, minutes).version == 2


@pytest.mark.parametrize("kind", ["run", "methodology"])
def test_both_kinds_are_ones_own_to_correct_where_a_document_gets_another(
    acme: Firm, alice: Principal, tessa: Principal, minutes: Document, kind: str
) -> None:
    in_force(acme, **{kind: {"correctors": (ADMIN,)}})
    with as_(alice), pytest.raises(KindNotYoursError, match=f"may not correct documents of the kind '{kind}'"):
        document_correct(document_id=minutes.id, changes={}, kind="methodology")
    with pytest.raises(ProgrammingError, match=f"lets only tenant_admin correct documents of the kind {kind}"):
        copied(acme, alice, minutes, kind="methodology")
    with as_(tessa):
        assert document_correct(document_id=minutes.id, changes={}, kind="methodology").kind == "methodology"


def test_the_same_bytes_under_another_kind_are_a_correction_by_whichever_way(
    acme: Firm, alice: Principal, minutes: Document
) -> None:
    in_force(acme, run={"correctors": (ADMIN,)})
    with pytest.raises(KindNotYoursError, match="may not correct documents of the kind 'run'"):
        ingest(acme, REPORT, kind="methodology", replaces=minutes.id, principal=alice)


def test_what_a_reading_finds_is_the_jobs_to_write(acme: Firm, alice: Principal) -> None:
    """The control: who uploads may not correct, and the file is read in their name all the same."""
    in_force(acme, run={"correctors": (ADMIN,)})
    made = ingest(acme, kind="run", principal=alice)
    run(acme, made.job)
    assert document(acme, made.document.id).language == "en"


def test_which_fields_a_reading_leaves_alone_is_said_by_who_corrects(
    acme: Firm, alice: Principal, tessa: Principal
) -> None:
    in_force(acme, run={"correctors": (ADMIN,)})
    made = ingest(acme, kind="run", principal=tessa).document
    for person in (alice, tessa):
        refused = pytest.raises(ProgrammingError, match="lets only tenant_admin correct")
        with as_(person), refused if person is alice else nullcontext(), transaction.atomic():
            Document.objects.filter(id=made.id).update(corrected_fields=["language"])


def test_a_worker_without_a_job_is_whoever_it_acts_for() -> None:
    with acting_as("glassbox_worker"), transaction.atomic():
        bolt = make_firm("bolt")
        alice, tessa = make_member(bolt, "alice", ANALYST), make_member(bolt, "tessa", ADMIN)
        in_force(bolt, run={"correctors": (ADMIN,)})
        made = ingest(bolt, kind="run", principal=tessa).document
        with as_(alice), pytest.raises(ProgrammingError, match="lets only tenant_admin correct"), transaction.atomic():
            Document.objects.filter(id=made.id).update(title="Mine")
        transaction.set_rollback(True)


def test_the_same_bytes_under_another_file_name_are_a_correction_and_an_upload(
    acme: Firm, alice: Principal, tessa: Principal, minutes: Document
) -> None:
    """The name decides as what the file is read. The control: who has both rights."""
    in_force(acme, run={"uploaders": (ADMIN, DPO), "correctors": (ADMIN, ANALYST)})
    minutes.filename = "mine.csv"
    with pytest.raises(ProgrammingError, match="file documents of the kind run"):
        copied(acme, alice, minutes)
    assert copied(acme, tessa, minutes).version == 2


@pytest.mark.parametrize("person", ["alice", "tessa"])
def test_a_restricted_document_is_replaced_by_who_may_file_its_kind_alone(
    acme: Firm, alice: Principal, tessa: Principal, person: str
) -> None:
    """Whoever knows its external id did not see it, and gave it another kind while it was restricted."""
    in_force(acme, run={"uploaders": (ADMIN,)})
    made = ingest(acme, kind="run", principal=tessa, external_id="X-1")
    run(acme, made.job)
    restricted(acme, made.document.id)
    who = {"alice": alice, "tessa": tessa}[person]
    other = ingest(acme, b"# Other words\n\nOf hers.\n", kind="methodology", external_id="X-1", principal=who)
    run(acme, other.job)
    replaces = who is tessa
    assert (other.document.series_id == made.document.series_id) is replaces
    assert document(acme, made.document.id).status == ("superseded" if replaces else "ready")


# --- To propose a removal ---------------------------------------------------------------------------------------------


def test_only_who_is_named_proposes_the_removal(acme: Firm, tessa: Principal, minutes: Document) -> None:
    in_force(acme, run={"removers": (DPO,)})
    with as_(tessa), pytest.raises(KindNotYoursError, match="propose the removal of documents of the kind 'run'"):
        document_remove(document_id=minutes.id, reason=REASON)
    with as_(make_member(acme, "dora", DPO)):
        assert document_remove(document_id=minutes.id, reason=REASON) is not None


def test_the_database_holds_who_proposes_the_removal(acme: Firm, tessa: Principal, minutes: Document) -> None:
    in_force(acme, run={"removers": (DPO,)})
    target = Target(type=TargetType.DOCUMENT, id=minutes.id)

    def propose() -> None:
        run_propose(origin=Origin.REMOVAL, origin_id=minutes.id, targets=[target], reason=REASON)

    with (
        as_(tessa),
        pytest.raises(ProgrammingError, match="lets only dpo propose the removal of documents of the kind run"),
        transaction.atomic(),
    ):
        propose()
    with as_(make_member(acme, "dora", DPO)):
        propose()


@pytest.mark.parametrize("origin", [Origin.REQUEST, Origin.PURGE, Origin.LOG])
def test_no_request_or_purge_is_claimed_that_is_not_there(acme: Firm, minutes: Document, origin: Origin) -> None:
    """The control: where nobody is named, the same run is proposed."""
    dora, target = make_member(acme, "dora", DPO), Target(type=TargetType.DOCUMENT, id=minutes.id)

    def propose() -> None:
        run_propose(origin=origin, origin_id=uuid4(), targets=[target], reason=REASON)

    with as_(dora), transaction.atomic():
        propose()
        transaction.set_rollback(True)
    in_force(acme, run={"removers": (ADMIN,)})
    with as_(dora), pytest.raises(ProgrammingError, match="lets only tenant_admin propose"), transaction.atomic():
        propose()


@pytest.mark.parametrize("origin", [Origin.REQUEST, Origin.PURGE, Origin.LOG])
@pytest.mark.parametrize("type", [TargetType.SCOPE, TargetType.TENANT])
def test_no_whole_scope_is_proposed_for_a_request_that_is_not_there(
    acme: Firm, minutes: Document, type: TargetType, origin: Origin
) -> None:
    """It holds documents of every kind. The control: where nobody is named, the same run is proposed."""
    dora, item = make_member(acme, "dora", DPO), minutes.scope_id if type is TargetType.SCOPE else acme.id

    def propose() -> None:
        made = RemovalRun.objects.create(
            tenant_id=acme.id, origin=origin, origin_id=uuid4(), reason_code=REASON, proposed_by=dora.id
        )
        RemovalTarget.objects.create(tenant_id=acme.id, run=made, type=type, item_id=item)

    with as_(dora), transaction.atomic():
        propose()
        transaction.set_rollback(True)
    in_force(acme, run={"removers": (ADMIN,)})
    with as_(dora), pytest.raises(ProgrammingError, match="lets only tenant_admin propose"), transaction.atomic():
        propose()


@pytest.mark.parametrize("origin", Origin)
def test_nobody_proposes_the_removal_of_what_they_do_not_see(acme: Firm, minutes: Document, origin: Origin) -> None:
    """Whatever they say it is for, of a request or a purge that is not there. The control: who sees it proposes it."""
    in_force(acme, run={"removers": (DPO,)})
    target = Target(type=TargetType.DOCUMENT, id=minutes.id)
    elsewhere = make_member(acme, "bert", DPO, scopes=["fund:beta"])
    with as_(elsewhere), pytest.raises(ProgrammingError, match="by who sees it"), transaction.atomic():
        run_propose(origin=origin, origin_id=minutes.id, targets=[target], reason=REASON)
    with as_(make_member(acme, "dora", DPO, scopes=["fund:alpha"])):
        assert run_propose(origin=origin, origin_id=minutes.id, targets=[target], reason=REASON)


def test_what_a_request_asks_for_is_proposed_whatever_its_kind() -> None:
    office = make_office("bolt")
    in_force(office.firm, run={"removers": (ADMIN,)})
    (target,) = documents(office.firm, 1)
    request = office.received(about=SubjectType.DOCUMENT, subject_id=target.id)
    with as_(office.dora):
        identity_confirm(request.id)
        assess(request.id, ground=Ground.NOT_NEEDED)
        assert request_propose(request.id).run_id


def test_a_kind_without_removers_is_proposed_by_whose_role_may(acme: Firm, tessa: Principal, minutes: Document) -> None:
    in_force(acme, methodology={"removers": (DPO,)})
    with as_(tessa):
        assert document_remove(document_id=minutes.id, reason=REASON) is not None


def test_ones_own_upload_that_was_never_searchable_needs_no_proposal(acme: Firm, tessa: Principal) -> None:
    in_force(acme, run={"removers": (DPO,)})
    made = ingest(acme, kind="run", principal=tessa).document
    with as_(tessa):
        assert document_remove(document_id=made.id) is None


# --- Keys, and what a claim opens -------------------------------------------------------------------------------------


def test_a_key_is_held_by_its_role(acme: Firm, minutes: Document) -> None:
    in_force(acme, run={"correctors": (ADMIN,)})
    with pytest.raises(ProgrammingError, match="lets only tenant_admin correct"):
        copied(acme, make_key(acme, ANALYST)[0], minutes)
    assert copied(acme, make_key(acme, ADMIN)[0], minutes).version == 2


def test_only_a_job_claims_to_run_one(acme: Firm, alice: Principal) -> None:
    assert "job.run" not in alice.permissions
