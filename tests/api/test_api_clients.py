"""Clients that are generated of the OpenAPI document make the whole round trip against the running platform.

Nothing of them is kept: whoever integrates makes their own, with these tools or others.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from django.conf import settings
from django.test import TransactionTestCase
from pytest_django import DjangoDbBlocker

from apps.tenants.context import open_scope
from apps.tenants.models import Tenant
from apps.tenants.roles import Role
from config.processes import Platform, choose_port, start_platform
from tests.config.test_platform import Output, all_secrets
from tests.factories import make_firm, make_key
from tests.model_server import ModelServer
from tests.npm import node_modules, run_program

pytestmark = pytest.mark.slow

SOURCES = Path(__file__).parent / "clients"


@pytest.fixture(scope="module")
def platform(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, model_server: ModelServer
) -> Iterator[Platform]:
    """With vectors from the test's server: a client does not care who makes them."""
    environment = {
        **all_secrets(),
        "GLASSBOX_TEST_DATABASE": settings.TEST_DATABASE,
        "DJANGO_SETTINGS_MODULE": "config.settings.test",
        "GLASSBOX_OPENAI_BASE_URL": model_server.base_url,
        "GLASSBOX_OPENAI_REGION": settings.GLASSBOX_REGION,
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        started = start_platform(port=choose_port(8400, search=True), emit=Output(), web_processes=1)
    running = replace(started, leaves_services=False)
    yield running
    running.stop()
    with django_db_blocker.unblock():
        TransactionTestCase._fixture_teardown(TransactionTestCase())


@pytest.fixture(scope="module")
def document(platform: Platform, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As the running platform serves it."""
    path = tmp_path_factory.mktemp("document") / "openapi.json"
    served = httpx.get(f"{platform.base_url}/api/v1/openapi.json", timeout=60, trust_env=False)
    path.write_bytes(served.raise_for_status().content)
    return path


@pytest.fixture
def environment(
    platform: Platform, django_db_blocker: DjangoDbBlocker, request: pytest.FixtureRequest
) -> dict[str, str]:
    """Of a firm of its own, and with keys as an administrator would make them."""
    with django_db_blocker.unblock():
        firm = make_firm(f"round-trip-{hashlib.sha256(request.node.name.encode()).hexdigest()[:12]}")
        with open_scope(tenant=firm.id, reason="a test"):
            Tenant.objects.filter(id=firm.id).update(embedding_profile="openai")
        key, log_key = make_key(firm, Role.ANALYST)[1], make_key(firm, Role.AUDITOR)[1]
    inherited = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    return {**inherited, "GLASSBOX_URL": platform.base_url, "GLASSBOX_KEY": key, "GLASSBOX_LOG_KEY": log_key}


def test_a_python_client_makes_the_round_trip(document: Path, environment: dict[str, str], tmp_path: Path) -> None:
    # Nothing of the document may be beyond the generator, but for the names of JSON Lines and PNG, which are bytes to
    # it; and what it made need not be pretty.
    as_bytes = dict.fromkeys(("application/jsonl", "image/png"), "application/octet-stream")
    config = {"post_hooks": [], "content_type_overrides": as_bytes}
    (tmp_path / "generator.json").write_text(json.dumps(config))
    generator = (sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none", "--fail-on-warning")
    told = ("--path", str(document), "--output-path", "glassbox_client", "--config", "generator.json")
    run_program(*generator, *told, directory=tmp_path)
    paths = {**environment, "PYTHONPATH": str(tmp_path)}
    run_program(sys.executable, str(SOURCES / "round_trip.py"), directory=tmp_path, environment=paths)


def test_a_typescript_client_makes_the_round_trip(document: Path, environment: dict[str, str], tmp_path: Path) -> None:
    tools = node_modules(SOURCES)
    (tmp_path / "node_modules").symlink_to(tools)
    for name in ("round_trip.ts", "tsconfig.json", "package.json"):
        shutil.copy(SOURCES / name, tmp_path)
    run_program(str(tools / ".bin" / "openapi-typescript"), str(document), "-o", "schema.d.ts", directory=tmp_path)
    run_program(str(tools / ".bin" / "tsc"), directory=tmp_path)
    run_program("node", "built/round_trip.js", directory=tmp_path, environment=environment)
