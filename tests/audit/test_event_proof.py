"""The card on an event's page that says where it stands in the log, and whether that can be proved."""

from __future__ import annotations

import psycopg
import pytest
from django.conf import LazySettings, settings

from apps.audit.admin.events.proof import proof_of
from apps.audit.models import Event
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.audit.acting import checkpointed, recorded, sealed
from tests.baked import baked
from tests.conftest import admin_dsn
from tests.factories import Firm, make_firm, make_member
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def acme() -> Firm:
    return baked(make_firm, "acme")


def state(firm: Firm, event: Event) -> str:
    with open_scope(tenant=firm.id, reason="a test"):
        return proof_of(Event.objects.get(id=event.id)).state


def test_an_event_waits_is_sealed_and_then_proved(acme: Firm) -> None:
    (event,) = recorded(acme)
    assert state(acme, event) == "Waiting"
    sealed(acme)
    assert state(acme, event) == "Sealed"
    checkpointed(acme)
    assert state(acme, event) == "Proved"


def test_the_page_shows_its_place_and_the_checkpoint_to_keep(acme: Firm) -> None:
    make_member(acme, "ada", Role.AUDITOR)
    (event,) = recorded(acme)
    sealed(acme)
    checkpointed(acme)
    text = Visitor("ada").open("audit_event_change", event.id).text
    assert "leads to the root that the checkpoint signs" in text
    assert f"glassbox/audit/{acme.id}" in text


def test_a_record_that_was_changed_is_not_what_was_sealed(acme: Firm) -> None:
    (event,) = recorded(acme)
    sealed(acme)
    checkpointed(acme)
    with psycopg.connect(f"{admin_dsn()} dbname={settings.TEST_DATABASE}", autocommit=True) as superuser:
        superuser.execute("SET session_replication_role = replica")
        superuser.execute("UPDATE audit_event SET outcome = 'failed' WHERE id = %s", [event.id])
    assert state(acme, event) == "Not what was sealed"


def test_a_checkpoint_that_nobody_known_has_signed_proves_nothing(acme: Firm, settings: LazySettings) -> None:
    (event,) = recorded(acme)
    sealed(acme)
    checkpointed(acme)
    settings.GLASSBOX_LOG_VERIFY_KEYS = ()
    assert state(acme, event) == "Not signed"
