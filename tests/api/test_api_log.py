"""Checkpoints and proofs as an auditor's own program takes them: checked with the keys and the verification alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import LazySettings, settings

from apps.audit.log.notes import opened
from apps.audit.log.tree import proves_consistency, proves_inclusion
from apps.audit.services import record
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.audit.acting import checkpointed, recorded, sealed
from tests.baked import baked
from tests.factories import Firm, make_firm, make_key

pytestmark = pytest.mark.django_db(transaction=True)

LOG = "/api/v1/audit/"


@pytest.fixture
def acme(settings: LazySettings, tmp_path: Path) -> Firm:
    settings.GLASSBOX_CHECKPOINT_URL = str(tmp_path)
    return baked(make_firm, "acme")


@pytest.fixture
def auditor(acme: Firm) -> Api:
    return Api(make_key(acme, Role.AUDITOR)[1])


def hashes(texts: list[str]) -> list[bytes]:
    return [bytes.fromhex(text) for text in texts]


def test_an_event_is_proved_against_a_signed_note(acme: Firm, auditor: Api) -> None:
    (event,) = recorded(acme)
    sealed(acme, 300)
    checkpointed(acme)
    found = auditor.get(f"{LOG}events/{event.id}/proof/").json()
    told = opened(found["checkpoint"], settings.GLASSBOX_LOG_VERIFY_KEYS)
    assert (found["event_id"], found["size"], found["root"]) == (str(event.id), told.size, told.root.hex())
    assert proves_inclusion(
        leaf=bytes.fromhex(found["leaf"]),
        index=found["index"],
        size=told.size,
        path=hashes(found["path"]),
        root=told.root,
    )


def test_two_checkpoints_are_of_one_log(acme: Firm, auditor: Api) -> None:
    for more in (3, 260):
        sealed(acme, more)
        checkpointed(acme)
    newer, older = auditor.get(f"{LOG}checkpoints/").json()["results"]
    assert auditor.get(f"{LOG}checkpoints/latest/").json() == newer
    found = auditor.get(f"{LOG}consistency/", {"first": older["size"], "second": newer["size"]}).json()
    assert proves_consistency(
        first=older["size"],
        second=newer["size"],
        first_root=bytes.fromhex(older["root"]),
        second_root=bytes.fromhex(newer["root"]),
        path=hashes(found["path"]),
    )


def test_an_event_that_is_not_signed_yet_is_a_conflict(acme: Firm, auditor: Api) -> None:
    (event,) = recorded(acme)
    assert answer(auditor, f"events/{event.id}/proof/") == (409, "audit.not_sealed")
    assert answer(auditor, "checkpoints/latest/") == (404, "audit.no_checkpoint")
    assert auditor.get(f"{LOG}checkpoints/").json()["results"] == []


def test_an_event_of_a_scope_that_one_does_not_hold_is_proved_to_nobody(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        scope = ScopeId(acme.scopes["fund:alpha"].id)
        event = record(action="tenants.scope.created", core={"key": "x"}, scopes=[scope])
    sealed(acme)
    checkpointed(acme)
    of_beta = Api(make_key(acme, Role.AUDITOR, scopes=["fund:beta"])[1])
    assert answer(of_beta, f"events/{event.id}/proof/") == (404, "audit.event_not_found")
    assert answer(of_beta, f"events/{uuid4()}/proof/") == (404, "audit.event_not_found")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("consistency/", "api.invalid"),
        ("consistency/?first=0&second=1", "api.invalid"),
        ("consistency/?first=1&second=99999999999999999999", "api.invalid"),
        ("consistency/?first=one&second=2", "api.invalid"),
        ("consistency/?first=1&second=1&third=1", "api.invalid"),
        ("consistency/?first=1&second=1000000", "audit.size_unknown"),
        ("consistency/?first=2&second=1", "audit.size_unknown"),
    ],
)
def test_sizes_that_are_none_are_refused(acme: Firm, auditor: Api, path: str, code: str) -> None:
    sealed(acme, 2)
    assert answer(auditor, path)[1] == code


def answer(api: Api, path: str) -> tuple[int, Any]:
    response = api.get(f"{LOG}{path}")
    return response.status_code, response.json()["code"]
