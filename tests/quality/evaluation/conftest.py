"""The command in this process: jobs run here, and vectors come from the test's own server."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.management import call_command

from tests.corpus.ingesting import short_profile
from tests.corpus.test_ingest_command import HereRunner
from tests.model_server import ModelServer
from tests.quality.evaluation.folders import make_folder

Evaluate = Callable[..., dict[str, Any]]


@pytest.fixture
def server(settings: LazySettings) -> Iterator[ModelServer]:
    """The embedding provider, under the profile that every new tenant has."""
    with ModelServer() as running:
        profile = short_profile(running, region=settings.GLASSBOX_REGION)
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": profile}
        yield running


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.corpus.batches.batch.LocalRunner", HereRunner)
    monkeypatch.setattr("apps.corpus.batches.batch.workers_alive", lambda: False)
    monkeypatch.setattr("apps.corpus.batches.batch.POLL_SECONDS", 0.0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "reports")


@pytest.fixture
def evaluate(here: None, server: ModelServer) -> Evaluate:
    """Run the command on a folder with --json, and read what it prints."""
    return evaluated


def evaluated(folder: Path, **options: Any) -> dict[str, Any]:
    out = io.StringIO()
    call_command("evaluate", str(folder), json=True, stdout=out, **options)
    body: dict[str, Any] = json.loads(out.getvalue())
    return body
