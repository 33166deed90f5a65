from __future__ import annotations

import pytest

from apps.tenants import registry
from apps.tenants.context import open_scope
from apps.tenants.models import Tenant
from apps.tenants.registry import register_on_tenant_configured
from apps.tenants.selectors.tenants import tenant_by_slug
from apps.tenants.services.tenants import tenant_configure
from tests.factories import make_firm

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def callbacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The registrations of a test end with it."""
    monkeypatch.setattr(registry, "_on_configured", [])


def test_a_change_is_told_as_it_was_and_as_it_is() -> None:
    seen: list[tuple[str, str]] = []
    register_on_tenant_configured(lambda before, after: seen.append((before.name, after.name)))
    acme = make_firm("acme")
    acme.tenant.name = "Acme Funds"
    with open_scope(tenant=acme.id, reason="a test"):
        tenant_configure(acme.tenant)
    assert seen == [("Acme", "Acme Funds")]


def test_a_callback_that_raises_undoes_the_change() -> None:
    def refuse(before: Tenant, after: Tenant) -> None:
        raise LookupError

    register_on_tenant_configured(refuse)
    acme = make_firm("acme")
    acme.tenant.name = "Acme Funds"
    with pytest.raises(LookupError), open_scope(tenant=acme.id, reason="a test"):
        tenant_configure(acme.tenant)
    assert tenant_by_slug("acme").name == "Acme"
