"""Many questions at once: that the benchmark runs, and what holds at any size. Times and memory are for a reader.

With the figures of its report: GLASSBOX_AT_ONCE=50 GLASSBOX_MODEL_SECONDS=20 manage.py test
tests/benchmarks/test_questions_at_once_smoke.py -s
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import pytest
from django.conf import LazySettings

from apps.tenants.context import open_scope
from apps.tenants.models import Tenant
from apps.tenants.roles import Role
from tests.baked import baked
from tests.benchmarks.questions_at_once import counted, in_one_process, over_http
from tests.factories import Firm, make_key, make_member
from tests.model_server import ModelServer
from tests.retrieval.asking import make_acme

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

COUNT = int(os.environ.get("GLASSBOX_AT_ONCE", "12"))
SECONDS = float(os.environ.get("GLASSBOX_MODEL_SECONDS", "1.5"))


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def firm(server: ModelServer, settings: LazySettings) -> Firm:
    found = baked(make_acme)
    settings.GLASSBOX_GENERATION_PROFILES = {
        "openai": {
            "backend": "openai",
            "region": "eu",
            "model": "chat",
            "base_url": server.base_url,
            "timeout_seconds": 40,
        },
        "extractive": {"backend": "extractive", "region": "eu"},
    }
    with open_scope(tenant=found.id, reason="a test"):
        Tenant.objects.filter(id=found.id).update(generation_profile="openai", residency_region="eu")
    return found


def test_while_a_model_works_on_many_questions_no_transaction_is_open(firm: Firm, server: ModelServer) -> None:
    report = in_one_process(server, make_member(firm, "amy", Role.ANALYST), count=COUNT, seconds=SECONDS)
    print(json.dumps({**report, **counted(firm)}))
    assert report["answered"] == COUNT
    assert report["looks"] > 0
    assert (report["idle_in_transaction"], report["transactions"], report["pool_errors"]) == (0, 0, 0)
    # And the one before, which loaded the model for vectors.
    assert set(counted(firm).values()) == {COUNT + 1}


def test_over_http_every_question_is_answered_and_recorded(firm: Firm, server: ModelServer) -> None:
    environment = {
        "GLASSBOX_OPENAI_BASE_URL": server.base_url,
        "GLASSBOX_OPENAI_REGION": "eu",
        "OPENAI_API_KEY": "unused",
    }
    _, key = make_key(firm, Role.ANALYST)
    report = over_http(server, key, count=COUNT, seconds=SECONDS, environment=environment)
    print(json.dumps({**report, **counted(firm)}))
    assert report["answered"] == COUNT
    assert report["looks"] > 0
    assert (report["idle_in_transaction"], report["transactions"]) == (0, 0)
    # And the one before.
    assert set(counted(firm).values()) == {COUNT + 1}
