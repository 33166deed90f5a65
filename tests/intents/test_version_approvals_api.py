"""What the API tells of the approvals that a version waits for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import LazySettings

from apps.intents.reviewers import TwoFor
from apps.tenants.roles import Role
from tests.api.client import Api, person
from tests.corpus.ingesting import short_profile
from tests.factories import Firm, make_firm, make_member
from tests.intents.test_two_reviewers import in_force
from tests.intents.versions_api import VERSIONS, Json, at, begun
from tests.model_server import ModelServer

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def acme(settings: LazySettings) -> Iterator[Firm]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield make_firm("acme")


def told(reader: Api, version: Json) -> list[object]:
    """By the version's own address, and by the list."""
    listed = next(
        each for each in reader.get(VERSIONS).json()["results"] if each["version_id"] == version["version_id"]
    )
    return [reader.get(at(version)).json()["approvals"], listed["approvals"]]


def test_a_version_tells_how_many_approvals_it_takes_and_has(acme: Firm) -> None:
    olivia, rupert = make_member(acme, "olivia", Role.COMPLIANCE_OFFICER), make_member(acme, "rupert", Role.REVIEWER)
    officer = person(olivia)
    first, second = person(rupert), person(make_member(acme, "rita", Role.REVIEWER))
    draft = begun(officer)
    assert draft["approvals"] is None
    assert officer.step(at(draft, "submit")).json()["approvals"] == {"required": 1, "given": 0}
    in_force(olivia, rupert, TwoFor.WIDER_REACH)
    version = officer.step(at(begun(officer), "submit")).json()
    assert told(first, version) == [{"required": 2, "given": 0}] * 2
    assert first.step(at(version, "approve")).json()["approvals"] == {"required": 2, "given": 1}
    assert told(officer, version) == [{"required": 2, "given": 1}] * 2
    assert second.step(at(version, "approve")).json()["approvals"] is None
    assert told(officer, version) == [None] * 2
