"""A person who is erased is no entity any more: their names go with the document, or with the old version of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import LazySettings

from apps.corpus.models import Document
from apps.filings.models import EntityMention, Relation
from apps.privacy.codes.inventory import Treatment
from apps.privacy.codes.life import RequestState
from apps.privacy.inventory.deciding import document_treat
from apps.privacy.models import ErasureRequest
from apps.tenants.context import open_scope
from tests.audit.inventorying import NAME, assessed, confirm_all, erased, inventoried, redacted_by_worker, stored
from tests.audit.requesting import Office, make_office
from tests.baked import baked
from tests.corpus.ingesting import remote_profile
from tests.deciding import inventory_propose, redactions_prepare, request_approve
from tests.factories import as_
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db(transaction=True)

KEY = "person:johann-falkenhayn"
LETTER = f"""# Letters to the fund

## Who wrote

Mr. {NAME} is the Chief Executive Officer of Falken Cranes plc. He wrote about the fees of the fund in March.

## What we answered

Falken Cranes plc acquired Ostrava Hoists Ltd. in 2020. The fees are 0.75 % a year of the net asset value.
""".encode()


@pytest.fixture
def office(settings: LazySettings) -> Iterator[Office]:
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(server)}
        yield baked(make_office)


@pytest.fixture
def letter(office: Office) -> Document:
    return baked(stored, LETTER, title="Letters", on=office)


def named(office: Office) -> tuple[int, int]:
    """How many rows name the person: mentions and relations, of whatever version."""
    with open_scope(tenant=office.firm.id, reason="a test"):
        return EntityMention.objects.filter(key=KEY).count(), Relation.objects.filter(subject_key=KEY).count()


def searched(office: Office) -> ErasureRequest:
    request = assessed(office)
    inventoried(office, request)
    return request


def carried_out(office: Office, request: ErasureRequest) -> None:
    with as_(office.dora):
        inventory_propose(request.id)
    with as_(office.rita):
        request_approve(request.id)
    assert erased(office, request) == RequestState.COMPLETED


def test_an_erased_document_takes_the_person_along(office: Office, letter: Document) -> None:
    assert named(office) == (1, 1)
    request = searched(office)
    confirm_all(office, request)
    with as_(office.dora):
        document_treat(request.id, letter.id, Treatment.REMOVE, seen=None)
    carried_out(office, request)
    assert named(office) == (0, 0)


def test_a_redacted_document_keeps_its_other_entities(office: Office, letter: Document) -> None:
    request = searched(office)
    confirm_all(office, request)
    with as_(office.dora):
        document_treat(request.id, letter.id, Treatment.REDACT, seen=None)
        assert redactions_prepare(request.id) == 1
    redacted_by_worker(office, request)
    with open_scope(tenant=office.firm.id, reason="a test"):
        new = Document.objects.get(series_id=letter.series_id, version=2)
        assert not EntityMention.objects.filter(document=new, key=KEY).exists()
        assert Relation.objects.filter(document=new, relation="acquired").exists()
    carried_out(office, request)
    assert named(office) == (0, 0)
