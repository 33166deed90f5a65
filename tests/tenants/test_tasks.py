from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from apps.tenants.context import open_scope
from apps.tenants.models import IdempotentRequest
from apps.tenants.tasks import forget_all_expired
from tests.factories import make_firm

pytestmark = pytest.mark.django_db


def test_what_is_kept_for_replays_goes_after_its_day_in_every_tenant() -> None:
    now = timezone.now()
    firms = [make_firm("acme"), make_firm("bolt")]
    for firm in firms:
        with open_scope(tenant=firm.id, reason="a test"):
            for digest, expires_at in (("old", now - timedelta(seconds=1)), ("fresh", now + timedelta(hours=1))):
                IdempotentRequest.objects.create(
                    tenant_id=firm.id,
                    principal_kind="api_key",
                    principal_id=uuid.uuid4(),
                    key_digest=digest,
                    request_digest="",
                    subject_id=uuid.uuid4(),
                    replayable=False,
                    status_code=202,
                    expires_at=expires_at,
                )
    forget_all_expired()
    for firm in firms:
        with open_scope(tenant=firm.id, reason="a test"):
            assert [row.key_digest for row in IdempotentRequest.objects.all()] == ["fresh"]
