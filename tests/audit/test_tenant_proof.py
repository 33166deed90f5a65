"""A tenant's end with a physical proof: looked for on the disk, certified and signed, though its keys are destroyed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import connections
from django.test import TransactionTestCase, override_settings
from pytest_django import DjangoDbBlocker

from apps.audit.keys.data_keys import cache as key_cache
from apps.audit.models import Checkpoint, DataKey
from apps.audit.services import record
from apps.audit.verify.application import verify_tenant
from apps.audit.verify.findings import VerificationReport
from apps.erasure.certificate.checking import checked, holds
from apps.erasure.certificate.document import document_of
from apps.erasure.certificate.selectors import checks_of
from apps.erasure.contracts import Origin, RunState, Target, TargetType
from apps.erasure.models import Certificate, RemovalRun
from apps.erasure.proof import safe
from apps.privacy.codes.requests import Ground, Requester, SubjectType
from apps.privacy.requests.services.receiving import request_receive
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.audit.acting import checkpointed, sealed
from tests.audit.ending import counted, ended
from tests.audit.forging import ANSWERED
from tests.audit.proving import ZOE, issued, letter, own_access, proved
from tests.audit.removal_world import BEA, RemovalWorld, make_removal_world
from tests.audit.removing import again, outcomes, person
from tests.audit.requesting import PERSON, SECRETS
from tests.corpus.ingesting import remote_profile
from tests.deciding import assess, identity_confirm, request_approve, request_propose
from tests.factories import as_
from tests.model_server import ModelServer


@dataclass(slots=True, kw_only=True)
class Proven:
    """Acme's end. verified: Bolt's log before and after; document: the certificate as its file."""

    world: RemovalWorld
    run: RemovalRun
    kept_note: str
    patterns: list[bytes]
    verified: list[VerificationReport]
    certificate: Certificate
    document: dict[str, Any]


@pytest.fixture(scope="module")
def proven(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Proven]:
    """Committed once."""
    with django_db_blocker.unblock(), ModelServer() as server:
        profile = {**settings.GLASSBOX_EMBEDDING_PROFILES, "local": remote_profile(server)}
        with override_settings(
            GLASSBOX_EMBEDDING_PROFILES=profile, GLASSBOX_PHYSICAL_ORIGINS=frozenset({Origin.REQUEST})
        ):
            try:
                yield _proven(tmp_path_factory.mktemp("home"))
            finally:
                connections["default"].close()
                TransactionTestCase._fixture_teardown(TransactionTestCase())  # type: ignore[attr-defined]
                cache.clear()
                key_cache.clear()


def _proven(home: Path) -> Proven:
    world = make_removal_world()
    acme, bolt = world.acme, world.bolt
    letter(acme, ZOE)
    with open_scope(tenant=acme.id, reason="a test"):
        record(action=ANSWERED, core={"intent": "x"}, question={"text": f"Who is {ZOE}?"}, answer={"grounding": ZOE})
    dora, rita = person(acme, "dora-acme", Role.DPO), person(acme, "rita-acme", Role.REVIEWER)
    with as_(dora):
        request = request_receive(
            subject_type=SubjectType.TENANT,
            subject_id=acme.tenant.id,
            requester=Requester.PERSON,
            details=PERSON,
        )
        identity_confirm(request.id)
        assess(request.id, ground=Ground.CONTRACT_ENDED)
    for firm in (acme, bolt):
        sealed(firm)
        assert checkpointed(firm)
    with open_scope(tenant=acme.id, reason="a test"):
        note = Checkpoint.objects.order_by("-size")[:1].get().note
    verified = [verify_tenant(tenant=bolt.id)]
    with as_(dora):
        run_id = request_propose(request.id).run_id
    with as_(rita):
        request_approve(request.id)
    with open_scope(tenant=acme.id, reason="a test"):
        run = RemovalRun.objects.get(id=run_id)
    access = own_access(home)
    assert proved(access).prepared == 1
    gathered = safe.opened(home, tenant_id=acme.id, run_id=run.id)
    assert ended(acme, run) is RunState.VERIFYING
    proved(access)
    run = again(acme, run)
    assert run.state == RunState.COMPLETED, (run.error_code, run.verification.get("waits"), _hits(run))
    verified.append(verify_tenant(tenant=bolt.id))
    (certificate,) = issued(acme)
    # As another process reads it, later.
    key_cache.clear()
    with open_scope(tenant=acme.id, reason="a test"):
        document = json.loads(json.dumps(document_of(certificate)))
    return Proven(
        world=world,
        run=run,
        kept_note=note,
        patterns=[needle.pattern for needle in gathered.needles.needles],
        verified=verified,
        certificate=certificate,
        document=document,
    )


def _hits(run: RemovalRun) -> object:
    return run.verification.get("scan", {}).get("hits")


def test_it_was_looked_for_by_the_real_scan_and_nothing_was_found(proven: Proven) -> None:
    found = proven.run.verification
    assert found["control"]["found"] == found["control"]["sources"] > 30
    assert found["needles"]["by_sort"].keys() >= {"text", "id", "bytes", "term", "vector"}
    # Also the people who go with it.
    for word in (BEA, "dora-acme", ZOE.split()[-1]):
        assert any(word.encode() in pattern for pattern in proven.patterns), word
    assert found["scan"]["clean"] is True
    assert found["scan"]["sources"] == found["needles"]["sources"]
    assert {place["group"] for place in found["scan"]["places"]} >= {"heap", "WAL", "pg_statistic", "Redis", "dump"}
    assert counted(proven.world.acme, *outcomes(proven.world.acme, proven.run)) == {}


def test_the_keys_went_before_it_was_certified(proven: Proven) -> None:
    with open_scope(tenant=proven.world.acme.id, reason="a test"):
        assert [key.epoch for key in DataKey.objects.all()] == ["end.1"]
    assert proven.document["certificate"]["keys_destroyed"]["audit.data_keys"] >= 2


def test_the_certificate_is_read_signed_and_holds_though_the_tenants_keys_are_destroyed(proven: Proven) -> None:
    checks = checked(proven.document, settings.GLASSBOX_LOG_VERIFY_KEYS)
    assert holds(checks), checks
    with open_scope(tenant=proven.world.acme.id, reason="a test"):
        assert holds(checks_of(proven.certificate))
    body = proven.document["certificate"]
    assert (body["outcome"], body["targets"]["retained"], body["scan"]["hits"]) == ("completed", 0, 0)
    assert body["subject"]["tenant"] == 1


def test_nothing_that_was_looked_for_stands_in_it(proven: Proven) -> None:
    written = json.dumps(proven.document, ensure_ascii=False).encode()
    assert not [pattern for pattern in proven.patterns if pattern in written]
    for word in (ZOE, "Brz", BEA, "dora-acme", "rita-acme", *SECRETS):
        assert word.encode() not in written, word


def test_who_runs_the_platform_hands_it_out_and_anybody_checks_it(proven: Proven, tmp_path: Path) -> None:
    """Nobody of the tenant can sign in any more to open its page."""
    printed = StringIO()
    call_command("erasure", "certificate", str(proven.run.id), stdout=printed)
    file = tmp_path / "certificate.json"
    file.write_text(printed.getvalue(), encoding="utf-8")
    assert json.loads(printed.getvalue()) == proven.document
    told = StringIO()
    tenant = f"tenant:{proven.world.acme.id}"
    call_command("erasure", "verify-certificate", str(file), target=[tenant], stdout=told)
    assert "The certificate holds." in told.getvalue()
    assert f"is among the targets: {tenant}" in told.getvalue()
    file.write_text(printed.getvalue().replace('"outcome": "completed"', '"outcome": "failed"'), encoding="utf-8")
    with pytest.raises(CommandError, match="does not hold"):
        call_command("erasure", "verify-certificate", str(file), stdout=StringIO())


def test_its_log_verifies_from_a_checkpoint_of_before_and_the_neighbours_does_as_before(proven: Proven) -> None:
    acme, bolt = proven.world.acme, proven.world.bolt
    assert verify_tenant(tenant=acme.id, checkpoint=proven.kept_note).findings == ()
    for report in (*proven.verified, verify_tenant(tenant=bolt.id)):
        assert report.findings == ()
    before, after = proven.verified
    assert (before.size, before.checked) == (after.size, after.checked)
    assert counted(bolt, Target(type=TargetType.TENANT, id=bolt.tenant.id))["corpus.documents"] == 1
