"""Records that come at the same time, on connections of their own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from apps.corpus.models import Document
from apps.corpus.services.records.upsert import Outcome
from apps.tenants.context import open_scope
from tests.corpus.test_records import upsert
from tests.factories import make_firm


@pytest.mark.django_db(transaction=True)
def test_many_at_once_make_one_document() -> None:
    """Of one id from several connections: the same record and changed ones."""
    firm = make_firm("acme")
    bodies = [{"summary": f"Version {number % 3}"} for number in range(12)]

    def send(body: Any) -> Outcome:
        try:
            return upsert(firm, body).outcome
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        outcomes = list(pool.map(send, bodies))
    with open_scope(tenant=firm.id, reason="a test"):
        assert Document.objects.values_list("series_id", flat=True).distinct().count() == 1
        numbers = list(Document.objects.order_by("version").values_list("version", flat=True))
    assert outcomes.count(Outcome.CREATED) == 1
    assert numbers == list(range(1, 1 + outcomes.count(Outcome.CREATED) + outcomes.count(Outcome.CHANGED)))
