"""A run whose physical proof can't be made: ended by two people, with the reason, and never as if it had one."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.management import call_command
from django.db import DatabaseError

from apps.corpus.models import Document
from apps.erasure.certificate.checking import checked, holds, unproven_code
from apps.erasure.certificate.document import document_of
from apps.erasure.contracts import Origin, RunState
from apps.erasure.engine import carry_out_due
from apps.erasure.models import Certificate, RemovalRun
from apps.erasure.proof import safe
from apps.erasure.proof.prover import is_anything_due
from apps.erasure.runs.unproven import Unproven
from apps.privacy.codes.requests import SubjectType
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.acting import sealed
from tests.audit.mutations import acting_as
from tests.audit.proving import ZOE, ending, issued, letter, noted, own_access, prepared_by_hand, proved, removed
from tests.audit.removing import actions, again, approved, carried_out, documents, left_of, person, proposed
from tests.audit.requesting import Office, make_office
from tests.baked import baked
from tests.deciding import (
    request_agree_without_proof,
    request_approve,
    request_ask_without_proof,
    request_propose,
    unproven_agree,
    unproven_ask,
    unproven_take_back,
)
from tests.factories import Firm, as_, make_firm
from tests.raising import raises_code
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def acme(settings: LazySettings) -> Firm:
    settings.GLASSBOX_PHYSICAL_ORIGINS = frozenset({Origin.REQUEST})
    return baked(make_firm, "acme")


def dora(firm: Firm) -> Principal:
    return person(firm, f"dora-{firm.tenant.slug}", Role.DPO)


def rita(firm: Firm) -> Principal:
    return person(firm, f"rita-{firm.tenant.slug}", Role.REVIEWER)


def without(firm: Firm, run: RemovalRun, reason: Unproven = Unproven.NO_ADMINISTRATOR) -> None:
    with as_(dora(firm)):
        unproven_ask(run.id, reason)
    with as_(rita(firm)):
        unproven_agree(run.id)


def told(firm: Firm, certificate: Certificate) -> dict[str, object]:
    with open_scope(tenant=firm.id, reason="a test"):
        document: dict[str, object] = json.loads(json.dumps(document_of(certificate)))
    return document


@pytest.mark.slow
def test_where_nobody_has_the_administrators_access_it_is_carried_out_and_says_that_nothing_was_shown(
    acme: Firm, settings: LazySettings, tmp_path: Path
) -> None:
    target = letter(acme, ZOE)
    run = approved(acme, [target])
    assert carried_out(acme, run) is None, "without a control nothing goes"
    without(acme, run)
    sealed(acme)
    with acting_as("glassbox_eraser"):
        assert not is_anything_due(), "the prover leaves it alone"
        assert carry_out_due() == 1
    run = again(acme, run)
    assert (run.state, run.verification, left_of(acme, [target])) == (RunState.COMPLETED, {}, 0)
    assert actions(acme, run)[-2:] == ["counted_zero", "ended"]

    [certificate] = issued(acme)
    document = told(acme, certificate)
    assert holds(checked(document, settings.GLASSBOX_LOG_VERIFY_KEYS))
    assert unproven_code(document) == "no_administrator"
    body = certificate.body
    assert {body[name] for name in ("control", "physical", "scan", "needles")} == {None}
    assert (body["unproven"]["asked_by"], body["unproven"]["agreed_by"]) == (str(dora(acme).id), str(rita(acme).id))
    assert {store["remaining"] for store in body["stores"]} == {0}
    file, printed = tmp_path / "certificate.json", StringIO()
    file.write_text(json.dumps(document), encoding="utf-8")
    call_command("erasure", "verify-certificate", str(file), stdout=printed)
    assert "NO physical proof was made (no_administrator)" in printed.getvalue()


@pytest.mark.slow
def test_a_certificate_without_proof_can_not_pass_for_one_with(acme: Firm, settings: LazySettings) -> None:
    run = approved(acme, [letter(acme, ZOE)])
    without(acme, run)
    sealed(acme)
    carried_out(acme, run)
    [certificate] = issued(acme)
    for change in (
        {"unproven": None},
        {"scan": {"clean": True, "hits": 0}},
        {"unproven": {**certificate.body["unproven"], "agreed_by": certificate.body["unproven"]["asked_by"]}},
    ):
        document = told(acme, certificate)
        document["certificate"] = {**certificate.body, **change}
        failed = [check.label for check in checked(document, settings.GLASSBOX_LOG_VERIFY_KEYS) if not check.holds]
        assert len(failed) >= 3, change


@pytest.mark.slow
def test_one_that_waits_for_the_disk_is_ended_by_the_clock_and_its_needles_are_destroyed(
    acme: Firm, settings: LazySettings
) -> None:
    home = settings.GLASSBOX_HOME
    run = approved(acme, [letter(acme, ZOE)])
    prepared_by_hand(run, home)
    assert safe.path_of(home, tenant_id=acme.id, run_id=run.id).exists()
    removed(acme, run)
    assert again(acme, run).state == RunState.VERIFYING
    without(acme, run, Unproven.KEEPS_FAILING)
    with acting_as("glassbox_eraser"):
        assert carry_out_due() == 1
    assert again(acme, run).state == RunState.COMPLETED
    assert not safe.path_of(home, tenant_id=acme.id, run_id=run.id).exists()
    [certificate] = issued(acme)
    assert (certificate.body["unproven"]["code"], certificate.body["scan"]) == ("keeps_failing", None)


@pytest.mark.slow
def test_one_whose_scan_found_something_is_carried_out_again_and_ends_without(acme: Firm, tmp_path: Path) -> None:
    run = ending(acme)
    noted(run, scan={"clean": False, "hits": [{"group": "heap", "count": 1, "place": "x", "encoding": "utf-8"}]})
    access = own_access(tmp_path, turned_over=False)
    proved(access, only=run.id)
    assert (again(acme, run).state, again(acme, run).error_code) == (RunState.FAILED, "audit.proof_residue")
    without(acme, run, Unproven.RESIDUE)
    assert carried_out(acme, run) is RunState.COMPLETED
    [certificate] = issued(acme)
    assert certificate.body["unproven"]["code"] == "residue"


@pytest.mark.slow
def test_a_store_that_holds_something_again_is_not_passed_over(acme: Firm) -> None:
    """Between the count and the agreement days may pass: every store is asked once more."""
    (target,) = documents(acme, 1, pages=0)
    run = ending(acme, [target])
    with open_scope(tenant=acme.id, reason="a test"):
        Document.objects.create(
            id=target.id,
            tenant_id=acme.id,
            scope=acme.scopes["fund:alpha"],
            kind="run",
            title="A report",
            slug="a-report-that-came-back",
            series_id=target.id,
            filename="report.md",
            byte_size=1,
            content_sha256="0" * 64,
        )
    without(acme, run)
    assert carried_out(acme, run) is RunState.FAILED
    assert again(acme, run).error_code == "audit.removal_incomplete"
    assert issued(acme) == []


def test_it_takes_two_people_and_nobody_agrees_to_their_own(acme: Firm) -> None:
    run = approved(acme, documents(acme, 1))
    dirk = person(acme, "dirk-acme", Role.DPO)
    with as_(rita(acme)), pytest.raises(PermissionDeniedError):
        unproven_ask(run.id, Unproven.KEEPS_FAILING)
    with as_(rita(acme)), raises_code("audit.removal_not_unproven"):
        unproven_agree(run.id)
    with as_(dora(acme)):
        unproven_ask(run.id, Unproven.KEEPS_FAILING)
        with raises_code("audit.removal_unproven_own"):
            unproven_agree(run.id)
    with as_(dirk), raises_code("audit.removal_not_unproven"):
        unproven_take_back(run.id)
    with as_(dora(acme)):
        unproven_take_back(run.id)
    assert carried_out(acme, run) is None
    with as_(dirk), raises_code("audit.removal_not_unproven"):
        unproven_agree(run.id)
    assert actions(acme, run)[-2:] == ["unproven_asked", "unproven_taken_back"]


def test_only_a_run_that_was_approved_and_has_a_physical_proof_can_do_without(acme: Firm) -> None:
    waiting = proposed(acme, documents(acme, 1))
    with as_(dora(acme)), raises_code("audit.removal_run_state"):
        unproven_ask(waiting.id, Unproven.KEEPS_FAILING)
    counted = approved(acme, documents(acme, 1), origin=Origin.PURGE)
    with as_(dora(acme)), raises_code("audit.removal_not_unproven"):
        unproven_ask(counted.id, Unproven.KEEPS_FAILING)


@pytest.mark.parametrize("as_whom", ["dora", "rita", "platform"])
def test_nobody_does_it_alone_by_sql(acme: Firm, as_whom: str) -> None:
    run = approved(acme, documents(acme, 1))
    one, other = dora(acme).id, rita(acme).id
    forged = {"unproven_code": "residue", "unproven_asked_by": one, "unproven_asked_at": run.approved_at}
    agreed = {"unproven_agreed_by": other, "unproven_agreed_at": run.approved_at}
    who = {"dora": lambda: as_(dora(acme)), "rita": lambda: as_(rita(acme))}
    platform = lambda: open_scope(tenant=acme.id, reason="a test")  # noqa: E731
    with pytest.raises(DatabaseError, match="physical proof"), who.get(as_whom, platform)():
        RemovalRun.objects.filter(id=run.id).update(**forged, **agreed)
    with as_(dora(acme)):
        unproven_ask(run.id, Unproven.RESIDUE)
    if as_whom != "rita":
        with pytest.raises(DatabaseError, match="physical proof"), who.get(as_whom, platform)():
            RemovalRun.objects.filter(id=run.id).update(**agreed)
    assert not again(acme, run).is_unproven


@pytest.mark.slow
def test_by_the_pages_it_is_asked_agreed_and_said_everywhere(settings: LazySettings) -> None:
    settings.GLASSBOX_PHYSICAL_ORIGINS = frozenset({Origin.REQUEST})
    office: Office = make_office()
    request = office.assessed(about=SubjectType.SCOPE)
    with as_(office.dora):
        request_propose(request.id)
    with as_(office.rita):
        run_id = request_approve(request.id).run_id
    dora_, rita_ = Visitor("dora"), Visitor("rita")
    assert "Ask to end it without" in dora_.open("removal_run", run_id).text
    assert "Ask to end it without" not in rita_.open("removal_run", run_id).text
    assert dora_.send("removal_run", run_id, act="without", unproven="nonsense").status == 400
    assert dora_.send("removal_run", run_id, act="without", unproven="no_administrator").status == 302
    assert "Somebody asked to end it without a physical proof" in dora_.open("erasure_request", request.id).text
    own = dora_.open("removal_run", run_id).text
    assert "Take it back, and go on to the physical proof" in own
    assert "Agree, and end it" not in own
    assert "Agree, and end it without a physical proof" in rita_.open("removal_run", run_id).text
    assert rita_.send("removal_run", run_id, act="agree").status == 302
    sealed(office.firm)
    with acting_as("glassbox_eraser"):
        carry_out_due()
    assert office.again(request).state == "completed"
    page = dora_.open("removal_run", run_id).text
    assert "without physical phase and scan: Nobody has administrator access" in page
    assert "Without a physical proof: Nobody has administrator access" in dora_.open("erasure_request", request.id).text
    [certificate] = issued(office.firm)
    for name in ("erasure_certificate", "erasure_certificate_html"):
        text = dora_.open(name, certificate.id).text
        assert "No physical proof was made. Physical phase and scan not made: Nobody has administrator access" in text
        assert "looked on the disk, found nothing" not in text


def test_the_request_finds_its_run(settings: LazySettings) -> None:
    settings.GLASSBOX_PHYSICAL_ORIGINS = frozenset({Origin.REQUEST})
    office = make_office()
    request = office.assessed(about=SubjectType.SCOPE)
    with as_(office.dora), raises_code("audit.request_step"):
        request_ask_without_proof(request.id, Unproven.NO_ADMINISTRATOR)
    with as_(office.dora):
        request_propose(request.id)
    with as_(office.rita):
        request_approve(request.id)
    with as_(office.dora):
        request_ask_without_proof(request.id, Unproven.NO_ADMINISTRATOR)
    with as_(office.dirk):
        request_agree_without_proof(request.id)
    with open_scope(tenant=office.firm.id, reason="a test"):
        assert RemovalRun.objects.get(id=office.again(request).run_id).is_unproven
