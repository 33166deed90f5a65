"""A request about a person through the services alone, from its receipt to a certificate that the disk bears out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.conf import LazySettings

from apps.corpus.models import Document
from apps.erasure.certificate.checking import checked, holds
from apps.erasure.certificate.document import document_of
from apps.erasure.contracts import Origin, RunState
from apps.erasure.models import RemovalRun
from apps.erasure.proof import safe
from apps.erasure.runs.staying import Reason
from apps.privacy.codes.inventory import Treatment
from apps.privacy.inventory.deciding import Said, document_treat, hits_decide
from apps.tenants.context import open_scope
from apps.tenants.models import Tenant
from tests.audit.inventorying import (
    NAME,
    asked_about,
    assessed,
    confirm_all,
    found_in,
    group_of,
    inventoried,
    redacted_by_worker,
    stored,
)
from tests.audit.proving import issued, own_access, proved, removed
from tests.audit.requesting import Office, make_office
from tests.baked import baked
from tests.corpus.ingesting import short_profile
from tests.deciding import inventory_propose, redactions_prepare, request_approve
from tests.factories import as_
from tests.model_server import ModelServer
from tests.raising import raises_code

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def office(settings: LazySettings) -> Office:
    settings.GLASSBOX_PHYSICAL_ORIGINS = frozenset({Origin.REQUEST})
    return baked(make_office)


def test_what_was_found_confirmed_and_approved_is_nowhere_on_the_disk(
    office: Office, settings: LazySettings, tmp_path: Path
) -> None:
    with ModelServer() as server:
        profiles = {**settings.GLASSBOX_EMBEDDING_PROFILES, "remote": short_profile(server)}
        settings.GLASSBOX_EMBEDDING_PROFILES = profiles
        with open_scope(tenant=office.firm.id, reason="a test"):
            Tenant.objects.filter(id=office.firm.id).update(embedding_profile="remote")
        there = found_in(office)
        mason = stored(office, f"# House\n\nThe mason {NAME} built it in 1712.\n".encode(), title="Chronicle")
        asked_about(office, there.letter)

        # Found; somebody else of that name stays; one document is redacted, the other one goes.
        request = assessed(office)
        inventoried(office, request)
        somebody_else = group_of(office, request, mason).open
        with as_(office.dora):
            hits_decide(
                request.id,
                [Said(hit_id=hit.id, seen=hit.decision, reason=Reason.SOMEBODY_ELSE) for hit in somebody_else],
            )
        confirm_all(office, request)
        with as_(office.dora):
            document_treat(request.id, there.letter.id, Treatment.REDACT, seen=None)
            document_treat(request.id, there.note.id, Treatment.REMOVE, seen=None)
            redactions_prepare(request.id)
        redacted_by_worker(office, request)

    # Proposed by one, approved by another.
    with as_(office.dora):
        inventory_propose(request.id)
    with as_(office.dora), raises_code("audit.removal_run_own"):
        request_approve(request.id)
    with as_(office.rita):
        request_approve(request.id)
    assert office.again(request).state == "restricted"

    # Prepared, removed, forgotten by the disk, looked for.
    with open_scope(tenant=office.firm.id, reason="a test"):
        run = RemovalRun.objects.get()
    access = own_access(tmp_path)
    assert proved(access).prepared == 1
    needles = safe.opened(access.home, tenant_id=office.firm.id, run_id=run.id)
    assert not [each for each in needles.needles.needles if each.pattern == NAME.encode()], "the mason's name stays"
    removed(office.firm, run)
    assert office.again(request).state == "verifying"
    assert proved(access).ended == {RunState.COMPLETED: 1}
    assert office.again(request).state == "completed"

    # Certified; what was to stay is there.
    [certificate] = issued(office.firm)
    with open_scope(tenant=office.firm.id, reason="a test"):
        document = json.loads(json.dumps(document_of(certificate)))
        titles = sorted(Document.objects.values_list("title", "version"))
        redacted = Document.objects.get(version=2)
    assert holds(checked(document, settings.GLASSBOX_LOG_VERIFY_KEYS))
    body = document["certificate"]
    assert (body["origin"], body["origin_id"], body["scan"]["hits"]) == ("request", str(request.id), 0)
    assert body["control"]["found"] == body["control"]["sources"] > 20
    assert "Falkenhayn" not in json.dumps(document)
    # The mason's name stays, and the certificate says where, and on which decision.
    [name] = body["standing"]
    assert (name["why"], name["elsewhere"], name["places"]) == ("stands", False, len(name["where"]))
    assert {place["document"] for place in name["where"]} == {str(mason.id)}
    assert {place["table"] for place in name["where"]} >= {"corpus_page", "corpus_chunk", "corpus_sourcefile"}
    assert {place["because"] for place in name["where"]} == {"somebody_else"}
    assert body["redacted"] == [{"document": str(redacted.id), "version": 2, "older": 1}]
    assert titles == [("Chronicle", 1), ("Letters", 2), ("Other notes", 1)]
