"""`manage.py evaluate --generator`: answers are written by a named profile, within the tenant's rules."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.core.management.base import CommandError

from apps.quality.models import EvaluationRun
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.selectors.tenants import tenant_by_slug
from tests.model_server import ModelServer
from tests.quality.evaluation.conftest import Evaluate

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def profiles(server: ModelServer, settings: LazySettings) -> None:
    model = {"backend": "openai", "model": "chat", "base_url": server.base_url}
    settings.GLASSBOX_GENERATION_PROFILES = {
        **settings.GLASSBOX_GENERATION_PROFILES,
        "here": {**model, "region": settings.GLASSBOX_REGION},
        # Nothing listens there.
        "gone": {**model, "region": settings.GLASSBOX_REGION, "base_url": "http://127.0.0.1:9/v1"},
        "abroad": {**model, "region": "elsewhere"},
    }


def asked(server: ModelServer) -> int:
    return sum(each.path.endswith("/chat/completions") for each in server.requests)


def test_a_named_profile_writes_the_answers_and_is_kept_with_the_run(
    evaluate: Evaluate, folder: Path, server: ModelServer
) -> None:
    first = evaluate(folder, questions=["dealing"])
    assert (asked(server), first["models_used"]["generation"]["profile"]) == (0, "extractive")
    body = evaluate(folder, questions=["dealing"], generator="here", compare=UUID(first["run_id"]))
    assert asked(server) >= 1
    assert body["models_used"]["generation"] == {"profile": "here", "model": "chat"}
    assert body["changes"] == {"generation_profile": "here"}
    assert body["comparison"]["settings"] == {"generation_profile": ["extractive", "here"]}
    tenant = tenant_by_slug("evaluation")
    assert tenant.generation_profile == "extractive"
    with open_scope(tenant=TenantId(tenant.id), reason="a test"):
        run = EvaluationRun.objects.get(id=UUID(body["run_id"]))
        assert run.models_used["generation"]["profile"] == "here"


def test_what_the_model_did_not_write_is_counted(evaluate: Evaluate, folder: Path) -> None:
    body = evaluate(folder, questions=["dealing"], generator="gone")
    assert body["metrics"]["model_failed"] == 1


@pytest.mark.parametrize(
    ("generator", "error"),
    [("nobody", "no generation profile nobody. Choose one of: abroad, extractive"), ("abroad", "elsewhere")],
)
def test_a_profile_that_may_not_be_used_is_told_before_anything_is_read(
    evaluate: Evaluate, folder: Path, server: ModelServer, generator: str, error: str
) -> None:
    with pytest.raises(CommandError, match=error):
        evaluate(folder, generator=generator)
    assert len(server.requests) == 0
