"""The folder, written once; the corpus made of it, and every question asked of it, once a module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.cache import cache
from django.db import connections
from django.test import TransactionTestCase
from pytest_django import DjangoDbBlocker

from tests.evaluation.folder import write_folder
from tests.evaluation.measuring import Asked, Ingested, ask_all, ingest_folder


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory: Path = tmp_path_factory.mktemp("folder")
    write_folder(directory)
    return directory


@pytest.fixture(scope="module")
def ingested(django_db_setup: None, django_db_blocker: DjangoDbBlocker, folder: Path) -> Iterator[Ingested]:
    """The folder in the database, with the vectors of the real model; the database is emptied again."""
    with django_db_blocker.unblock():
        try:
            yield ingest_folder(folder)
        finally:
            connections["default"].close()
            TransactionTestCase._fixture_teardown(TransactionTestCase())
            cache.clear()


@pytest.fixture(scope="module")
def asked(ingested: Ingested, folder: Path) -> list[Asked]:
    return ask_all(ingested, folder)
