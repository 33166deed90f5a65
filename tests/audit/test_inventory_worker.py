"""A search and a redaction by a real Celery worker, with a real Redis between."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import LazySettings

from apps.privacy.codes.inventory import InventoryState, Treatment
from apps.privacy.inventory.asking import inventory_request
from apps.privacy.inventory.deciding import document_treat
from apps.privacy.models import ErasureRequest, Inventory
from apps.privacy.proposals.prospect import prospect
from apps.tenants.context import open_scope
from apps.tenants.models import Tenant
from tests.audit.inventorying import LETTER, assessed, confirm_all, stored
from tests.audit.requesting import Office, make_office
from tests.corpus.ingesting import remote_profile
from tests.corpus.test_jobs_celery import Worker, empty_queues, wait_for
from tests.deciding import redactions_prepare
from tests.factories import as_
from tests.model_server import ModelServer

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def office(settings: LazySettings, server: ModelServer) -> Office:
    settings.GLASSBOX_EMBEDDING_PROFILES = {
        **settings.GLASSBOX_EMBEDDING_PROFILES,
        "remote": remote_profile(server),
    }
    made = make_office()
    with open_scope(tenant=made.firm.id, reason="a test"):
        Tenant.objects.filter(id=made.firm.id).update(embedding_profile="remote")
    return made


def test_searched_and_redacted_by_a_worker(
    office: Office, settings: LazySettings, server: ModelServer, tmp_path: Path
) -> None:
    letter = stored(office, LETTER, title="Letters")
    request = assessed(office)
    empty_queues()
    worker = Worker(settings, server, tmp_path)
    try:
        with as_(office.dora):
            inventory_request(request.id)
        wait_for(lambda: states(office) == [InventoryState.DONE])
        confirm_all(office, request)
        with as_(office.dora):
            document_treat(request.id, letter.id, Treatment.REDACT, seen=None)
            redactions_prepare(request.id)
        # The redacted version is searched again, by itself.
        wait_for(lambda: not problems(office, request))
        assert states(office) == [InventoryState.DONE] * 2
    finally:
        worker.close()


def states(office: Office) -> list[str]:
    with open_scope(tenant=office.firm.id, reason="a test"):
        return list(Inventory.objects.values_list("state", flat=True))


def problems(office: Office, request: ErasureRequest) -> tuple[str, ...]:
    with as_(office.dora):
        return prospect(office.again(request)).problems
