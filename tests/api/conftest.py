"""The API's ground: a firm with a document in one fund, a key for each role, and a provider without a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.conf import LazySettings
from django.core.cache import cache

from apps.corpus.models import Document
from apps.tenants.context import open_scope
from apps.tenants.models import Tenant
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.corpus.ingesting import REPORT, ingest, remote_profile, run
from tests.factories import Firm, make_firm, make_key
from tests.model_server import ModelServer

KeyMaker = Callable[..., Api]


@pytest.fixture(scope="session")
def model_server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def provider(model_server: ModelServer, settings: LazySettings) -> ModelServer:
    """The test server in place of the local model: the API does not care who makes the vectors."""
    settings.GLASSBOX_EMBEDDING_PROFILES = {
        **settings.GLASSBOX_EMBEDDING_PROFILES,
        "remote": remote_profile(model_server),
    }
    return model_server


@pytest.fixture(autouse=True)
def _fresh_rates() -> Iterator[None]:
    yield
    cache.clear()


def firm_with_provider(slug: str) -> Firm:
    firm = make_firm(slug)
    with open_scope(tenant=firm.id, reason="a test"):
        Tenant.objects.filter(id=firm.id).update(embedding_profile="remote")
    return firm


@pytest.fixture
def acme(provider: ModelServer) -> Firm:
    return firm_with_provider("acme")


@pytest.fixture
def bolt(provider: ModelServer) -> Firm:
    return firm_with_provider("bolt")


@pytest.fixture
def key(acme: Firm) -> KeyMaker:
    """An API client with a key of Acme's."""

    def make(role: Role = Role.ANALYST, *scopes: str, firm: Firm = acme) -> Api:
        return Api(make_key(firm, role, scopes=scopes)[1])

    return make


@pytest.fixture
def analyst(key: KeyMaker) -> Api:
    return key(Role.ANALYST)


@pytest.fixture
def admin(key: KeyMaker) -> Api:
    return key(Role.TENANT_ADMIN)


@pytest.fixture
def auditor(key: KeyMaker) -> Api:
    return key(Role.AUDITOR)


def ready_document(firm: Firm, content: bytes = REPORT, **about: str) -> Document:
    """A document that has been read and embedded."""
    result = ingest(firm, content, **about)
    run(firm, result.job)
    with open_scope(tenant=firm.id, reason="a test"):
        document: Document = Document.objects.get(id=result.document.id)
    return document


@pytest.fixture
def report(acme: Firm) -> Document:
    return ready_document(acme)


@pytest.fixture(autouse=True, scope="session")
def _owner_temporarily() -> None:
    from django.db import connections

    connections.settings["owner"]["ATOMIC_REQUESTS"] = False
