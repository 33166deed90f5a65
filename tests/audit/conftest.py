"""A firm with its officers. Files whose tests commit make their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import DjangoDbBlocker

from tests.audit.requesting import Office, make_office
from tests.grounds import for_one_test, shared_ground


@pytest.fixture(scope="module")
def shared_office(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Office]:
    with shared_ground(make_office, blocker=django_db_blocker) as office:
        yield office


@pytest.fixture
def office(shared_office: Office, db: None) -> Office:
    """Made once a file; for files whose tests are of one transaction each."""
    return for_one_test(shared_office)
