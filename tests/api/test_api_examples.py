"""Every example of the OpenAPI document, taken as it stands and run in a shell against the running server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from django.conf import LazySettings
from pytest_django.live_server_helper import LiveServer

from apps.audit.models import Event
from apps.corpus.models import Document
from apps.tenants.api.examples import EXTENSION
from apps.tenants.context import open_scope
from apps.tenants.roles import Permission, Role
from tests.api.conftest import firm_with_provider, ready_document
from tests.api.test_api_access import DOORS
from tests.corpus.ingesting import ingest, remote_profile, run
from tests.factories import Firm, make_key
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db(transaction=True)

_CHECKOUT = Path(__file__).resolve().parents[2]


class Example(NamedTuple):
    method: str
    path: str
    source: str


@pytest.fixture
def acme(model_server: ModelServer, settings: LazySettings) -> Firm:
    settings.GLASSBOX_EMBEDDING_PROFILES = {
        **settings.GLASSBOX_EMBEDDING_PROFILES,
        "remote": remote_profile(model_server),
    }
    return firm_with_provider("acme")


@pytest.fixture
def reader(acme: Firm) -> dict[str, str]:
    """What a reader of the page would have set: ids from the lists."""
    document = ready_document(acme)
    broken = ingest(acme, b"%PDF-1.7 cut off", filename="broken.pdf")
    run(acme, broken.job)
    with open_scope(tenant=acme.id, reason="a test"):
        event = Event.objects.filter(subject_id=document.id).latest("occurred_at")
    return {
        "DOCUMENT_ID": str(document.id),
        "JOB_ID": str(broken.job.id),
        "EVENT_ID": str(event.id),
        "SCOPE": "fund:alpha",
    }


@pytest.fixture(params=["curl", "its stand-in"])
def shell(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dict[str, str]]:
    """An environment whose curl fails on a status of 400 and above."""
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    if request.param == "curl":
        if shutil.which("curl") is None:
            pytest.skip("this machine has no curl; its stand-in runs the same examples")
        (tmp_path / ".curlrc").write_text("silent\nshow-error\nfail-with-body\n")
        yield {**environment, "CURL_HOME": str(tmp_path)}
        return
    stand_in = tmp_path / "bin" / "curl"
    stand_in.parent.mkdir()
    stand_in.write_text(f'#!/bin/sh\nPYTHONPATH={_CHECKOUT} exec {sys.executable} -m tests.api.curl "$@"\n')
    stand_in.chmod(0o700)
    yield {**environment, "PATH": f"{stand_in.parent}:{environment['PATH']}"}


def examples(document: dict[str, Any]) -> list[Example]:
    found = [
        Example(method, path, example["source"])
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        for example in operation[EXTENSION]
    ]
    # Deleting last: the others need the document.
    return sorted(found, key=lambda example: example.method == "delete")


def permission_for(example: Example) -> Permission | None:
    for door in DOORS:
        if (door.method, door.path.format(document="{id}", job="{id}", event="{id}")) == example[:2]:
            return door.permission
    return None


def test_every_example_runs_as_it_stands(
    acme: Firm, live_server: LiveServer, reader: dict[str, str], shell: dict[str, str], tmp_path: Path
) -> None:
    admin, auditor = make_key(acme, Role.TENANT_ADMIN)[1], make_key(acme, Role.AUDITOR)[1]
    document = httpx.get(f"{live_server.url}/api/v1/openapi.json", trust_env=False).json()
    failures: list[str] = []
    for example in examples(document):
        key = auditor if permission_for(example) is Permission.AUDIT_VIEW else admin
        ended = subprocess.run(
            ["sh", "-c", example.source],
            env={**shell, **reader, "GLASSBOX_KEY": key},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if ended.returncode != 0:
            failures.append(f"{example.source}\n-> {ended.returncode} {ended.stdout[:500]} {ended.stderr[:500]}")
        elif ended.stdout:
            json.loads(ended.stdout)
    assert not failures, "\n\n".join(failures)
    assert (tmp_path / "report.md").exists()
    with open_scope(tenant=acme.id, reason="a test"):
        assert not Document.objects.filter(id=reader["DOCUMENT_ID"]).exists()
