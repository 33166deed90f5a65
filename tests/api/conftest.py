"""The API's ground: two firms, a key for each role, and a provider of vectors without a model.

The firms are made once a module, inside a transaction that the module's end rolls back; each test has its own
savepoint in it. A firm is ninety statements, most tests are two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from django.db import transaction
from django.test import override_settings
from pytest_django import DjangoDbBlocker

from apps.corpus.models import Document
from apps.tenants.context import open_scope
from apps.tenants.models import Tenant
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.corpus.ingesting import REPORT, ingest, run, short_profile
from tests.factories import Firm, make_firm, make_key
from tests.model_server import ModelServer

KeyMaker = Callable[..., Api]


@pytest.fixture(scope="session")
def model_server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture(scope="module")
def _provider(model_server: ModelServer) -> Iterator[None]:
    """The test server in place of the local model: the API does not care who makes the vectors."""
    profiles = {**settings.GLASSBOX_EMBEDDING_PROFILES, "remote": short_profile(model_server)}
    with override_settings(GLASSBOX_EMBEDDING_PROFILES=profiles):
        yield


@pytest.fixture(scope="module")
def _module_transaction(django_db_setup: None, django_db_blocker: DjangoDbBlocker, _provider: None) -> Iterator[None]:
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def acme(_module_transaction: None) -> Firm:
    return firm_with_provider("acme")


@pytest.fixture(scope="module")
def bolt(_module_transaction: None) -> Firm:
    return firm_with_provider("bolt")


@pytest.fixture(scope="module")
def analyst(acme: Firm) -> Api:
    return Api(make_key(acme, Role.ANALYST)[1])


@pytest.fixture(scope="module")
def admin(acme: Firm) -> Api:
    return Api(make_key(acme, Role.TENANT_ADMIN)[1])


@pytest.fixture(scope="module")
def auditor(acme: Firm) -> Api:
    return Api(make_key(acme, Role.AUDITOR)[1])


@pytest.fixture(scope="module")
def report(acme: Firm, analyst: Api) -> Document:
    """A document that can be asked about, in fund:alpha.

    Acme has it from the first test of the module that asks for it, whichever that is: where Acme's documents or events
    are counted, nothing may ask for it.
    """
    document = ready_document(acme)
    # The first question of a tenant embeds its golden examples; no test should have to.
    analyst.post("/api/v1/query/", {"question": "What was the drawdown?"})
    return document


@pytest.fixture
def key(acme: Firm) -> KeyMaker:
    """A client with a new key of Acme's."""

    def make(role: Role = Role.ANALYST, *scopes: str) -> Api:
        return Api(make_key(acme, role, scopes=scopes)[1])

    return make


def firm_with_provider(slug: str) -> Firm:
    firm = make_firm(slug)
    with open_scope(tenant=firm.id, reason="a test"):
        Tenant.objects.filter(id=firm.id).update(embedding_profile="remote")
    return firm


def ready_document(firm: Firm, content: bytes = REPORT, **about: str | int) -> Document:
    """A document that has been read and embedded."""
    result = ingest(firm, content, **about)
    run(firm, result.job)
    with open_scope(tenant=firm.id, reason="a test"):
        document: Document = Document.objects.get(id=result.document.id)
    return document
