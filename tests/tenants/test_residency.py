from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from apps.audit.models import Event
from apps.tenants.context import open_scope
from apps.tenants.errors import ResidencyError, UnknownTenantError
from apps.tenants.selectors.tenants import all_tenants, tenant_by_slug
from apps.tenants.services.tenants import tenant_configure, tenant_create
from tests.factories import make_firm

pytestmark = pytest.mark.django_db


def test_a_strict_tenant_can_t_be_made_with_a_provider_of_another_region() -> None:
    with pytest.raises(ResidencyError, match="is in us"):
        tenant_create(slug="acme", name="Acme", residency_region="eu", embedding_profile="openai", reason="a test")
    assert all_tenants() == ()


def test_a_strict_tenant_can_t_be_given_one_later() -> None:
    acme = make_firm("acme", strict=True)
    acme.tenant.generation_profile = "openai"
    with open_scope(tenant=acme.id, reason="a test"), pytest.raises(ResidencyError):
        tenant_configure(acme.tenant)
    assert tenant_by_slug("acme").generation_profile == "extractive"


def test_a_tenant_that_is_not_strict_may_choose() -> None:
    acme = make_firm("acme", strict=False)
    with open_scope(tenant=acme.id, reason="a test"):
        acme.tenant.embedding_profile = "openai"
        tenant_configure(acme.tenant)
        assert Event.objects.filter(action="tenants.tenant.configured").count() == 1


def test_an_unknown_provider_is_refused_beside_its_field() -> None:
    with pytest.raises(ValidationError) as caught:
        tenant_create(slug="acme", name="Acme", residency_region="eu", embedding_profile="magic", reason="a test")
    assert "embedding_profile" in caught.value.message_dict


def test_an_unknown_tenant_is_named_with_those_there_are() -> None:
    make_firm("acme")
    with pytest.raises(UnknownTenantError, match="acme"):
        tenant_by_slug("acne")
