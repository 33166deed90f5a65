"""What is approved is what was read: every step of what two people decide names it. Generated from the document."""

from __future__ import annotations

import json
import re
from typing import Any, Final
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.db import connection

from apps.corpus.services.removals import document_remove
from apps.erasure.models import RemovalRun, RetentionSchedule
from apps.intents.models import PolicyVersion
from apps.privacy.models import ErasureRequest
from apps.tenants.context import open_scope
from apps.tenants.principals import WITHHELD_FROM_KEYS, Principal
from apps.tenants.roles import PERMISSIONS, Permission, Role
from tests.api.client import Api, openapi
from tests.api.conftest import firm_with_provider, ready_document
from tests.api.test_api_access import BODIES, DOORS, FORMS, RECORD, Door, ids_of, personal_key
from tests.api.test_api_examples import Example, access_for, is_about_access, request_for, version_for
from tests.audit.mutations import acting_as
from tests.audit.retaining import submitted as retention_submitted
from tests.corpus.ingesting import short_profile
from tests.deciding import of_run, proposal_of, revision_of
from tests.factories import Firm, as_, make_key, make_member, make_personal_key
from tests.isolation.harness import changed, held, sql
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db(transaction=True)

FLOWS: Final = ("/api/v1/privacy/requests/{id}/", "/api/v1/policy/versions/{id}/", "/api/v1/removals/{id}/")
NAMES: Final = {"revision", "run_id"}  # and of a removal its document
# Steps of nobody: what they are about is named in their bodies, or is not decided on by a second person.
NAMED_OTHERWISE: Final = {
    "/api/v1/privacy/requests/{id}/letters/": "a letter is written, and nothing is decided",
    "/api/v1/privacy/requests/{id}/inventory/": "a search: what was decided stays decided",
    "/api/v1/privacy/requests/{id}/inventory/decisions/": "of each place `seen`: what stood there",
    "/api/v1/privacy/requests/{id}/inventory/treatments/": "of the document `seen`: what was chosen",
    "/api/v1/privacy/requests/{id}/quotes/": "of each place `seen`: what stood there",
    "/api/v1/policy/versions/{id}/comments/": "something is said, and nothing decided",
}


def body_schema(operation: dict[str, Any]) -> dict[str, Any]:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = openapi()["components"]["schemas"].get(name, {})
    return found


STEPS: Final = {
    path: sorted(
        (NAMES | ({"document_id"} if "/removals/" in path else set()))
        & set(body_schema(operations["post"]).get("required", ()))
    )
    for path, operations in openapi()["paths"].items()
    if path.startswith(FLOWS) and "post" in operations and path not in NAMED_OTHERWISE
}


@pytest.fixture
def acme(model_server: ModelServer, settings: LazySettings) -> Firm:
    settings.GLASSBOX_EMBEDDING_PROFILES = {
        **settings.GLASSBOX_EMBEDDING_PROFILES,
        "remote": short_profile(model_server),
    }
    return firm_with_provider("acme")


def test_every_step_names_the_revision_that_was_read() -> None:
    assert len(STEPS) >= 20
    assert {path: fields for path, fields in STEPS.items() if "revision" not in fields} == {}
    of_proposals = ("/approve/", "/send-back/", "/take-back/", "-proof/")
    named = {path for path in STEPS if "/requests/" in path and "/package/" not in path and path.endswith(of_proposals)}
    assert named == {path for path, fields in STEPS.items() if "run_id" in fields}
    assert all("document_id" in fields for path, fields in STEPS.items() if "/removals/" in path)


def said(path: str) -> dict[str, Any]:
    """What a step says beside what it names."""
    path = path.replace("/requests/{id}/", "/requests/{request}/").replace("/versions/{id}/", "/versions/{version}/")
    path = path.replace("/removals/{id}/", "/removals/{removal}/")
    ends = [end for end in BODIES if path.endswith(end)]
    body = dict(BODIES[max(ends, key=len)]) if ends else {}
    if path.endswith("/versions/{version}/approve/"):
        # The next version would change nothing were this one in force.
        body["effective_from"] = "2099-01-01T00:00:00Z"
    return {
        name: value
        for name, value in body.items()
        if name not in ("revision", "run_id") and not ("/removals/" in path and name == "document_id")
    }


def state_of(path: str, id: UUID) -> list[dict[str, Any]]:
    """Everything that the step could change."""
    if "/versions/" in path:
        return list(PolicyVersion.objects.filter(id=id).values())
    if "/removals/" in path:
        return list(RemovalRun.objects.filter(id=id).values())
    run_id = proposal_of(id)["run_id"]
    return [*ErasureRequest.objects.filter(id=id).values(), *RemovalRun.objects.filter(id=run_id).values()]


@pytest.mark.slow
def test_no_step_goes_without_what_was_read_nor_with_what_was_read_before(acme: Firm) -> None:
    """Each in the state that it is for: named rightly, it is taken in the end."""
    ready_document(acme)
    people = {
        role: make_member(acme, role.value, role) for role in (Role.DPO, Role.COMPLIANCE_OFFICER, Role.TENANT_ADMIN)
    }
    rupert = make_member(acme, "rupert", Role.REVIEWER)
    clients = {
        principal.label: Api(make_personal_key(acme, principal.label, role=role)[1])
        for role, principal in (*people.items(), (Role.REVIEWER, rupert))
    }
    posts = [door for door in DOORS if door.method == "post"]
    doors = {re.sub(r"\{\w+\}", "{id}", door.path): door for door in posts}
    wrong: list[str] = []
    for path, fields in sorted(STEPS.items()):
        author = people[author_of(path)]
        id = UUID(prepared(acme, path, author))
        of_approvers = (Permission.PRIVACY_APPROVE, Permission.POLICY_APPROVE)
        api = clients[rupert.label if doors[path].permission in of_approvers else author.label]
        address = path.format(id=id)
        with as_(author):
            read = named(path, fields, id)
            before = state_of(path, id)
        tried = [
            *(({**read, name: None}, 400, name) for name in fields),
            *(({other: read[other] for other in fields if other != name}, 400, name) for name in fields),
            ({**read, "unheard_of": True}, 400, "unheard_of"),
            ({**read, "revision": read["revision"] + 1}, 409, ""),
            *(({**read, name: str(UUID(int=7))}, 409, "") for name in fields if name != "revision"),
        ]
        for body, status, field in tried:
            answer: Any = api.post(address, {**said(path), **body})
            if answer.status_code != status or (field and field not in answer.json()["errors"]):
                wrong.append(f"{path} {body}: {answer.status_code} {answer.content.decode()[:300]}")
        with as_(author):
            if state_of(path, id) != before:
                wrong.append(f"{path}: something was done")
        taken: Any = api.post(address, {**said(path), **read})
        if taken.status_code >= 300:
            wrong.append(f"{path} {read}: {taken.status_code} {taken.content.decode()[:300]}")
    assert not wrong, "\n".join(wrong)


def author_of(path: str) -> Role:
    if "/versions/" in path:
        return Role.COMPLIANCE_OFFICER
    return Role.TENANT_ADMIN if "/removals/" in path else Role.DPO


def prepared(firm: Firm, path: str, author: Principal) -> str:
    if "/removals/" in path:
        document = ready_document(firm, f"# {path}\n\nText.".encode())
        with as_(author):
            made = document_remove(document_id=document.id, reason="duplicate")
        assert made is not None
        return str(made.id)
    example = Example("post", path, "")
    if "/versions/" in path:
        return version_for(example, author)
    if is_about_access(example):
        return access_for(example, author)
    with as_(author):
        return request_for(example, author)


def named(path: str, fields: list[str], id: UUID) -> dict[str, Any]:
    if "/versions/" in path:
        return {"revision": revision_of(PolicyVersion, id)}
    if "/removals/" in path:
        (document_id,) = RemovalRun.objects.filter(id=id).values_list("origin_id", flat=True)
        return {"document_id": str(document_id), "revision": revision_of(RemovalRun, id)}
    found = of_run(id) if path.endswith("-proof/") else proposal_of(id)
    return {name: str(found[name]) if name == "run_id" else found[name] for name in fields}


WRITES: Final = [door for door in DOORS if door.method in ("post", "put", "patch", "delete")]


@pytest.mark.slow
def test_no_write_takes_a_field_that_it_does_not_know(acme: Firm) -> None:
    """A field that is passed over looks as if it had been heeded."""
    ids = ids_of(acme, ready_document(acme))
    wrong: list[str] = []
    for door in WRITES:
        role = next(role for role in Role if door.permission is None or door.permission in PERMISSIONS[role])
        withheld = door.permission in WITHHELD_FROM_KEYS
        key = make_key(acme, Role.TENANT_ADMIN)[1] if withheld else personal_key(acme, role)
        answer = knocked(door, Api(key), door.path.format(**ids._asdict()))
        if answer.status_code != 400 or "unheard_of" not in answer.json()["errors"]:
            wrong.append(f"{door.method} {door.path}: {answer.status_code} {answer.content.decode()[:200]}")
    assert not wrong, "\n".join(wrong)
    with open_scope(tenant=acme.id, reason="a test"):
        assert ErasureRequest.objects.count() == 1


def knocked(door: Door, api: Api, path: str) -> Any:
    headers = {"authorization": f"Bearer {api.key}"}
    if door.path in FORMS and door.method == "post":
        return api.client.post(path, {"unheard_of": "1"}, headers=headers)
    body = json.dumps({"unheard_of": 1})
    # What its address must have: else that alone would be told.
    query = "?scope=fund:alpha" if (door.method, door.path) == ("delete", RECORD) else ""
    return getattr(api.client, door.method)(path + query, body, content_type="application/json", headers=headers)


# --- What the database holds ------------------------------------------------------------------------------------------

# A decision of somebody who may take it, in their own name, without the revision that they read, or with another one.
_DECISIONS: Final = {
    "audit_removalrun": "UPDATE audit_removalrun SET state = 'approved', approved_by = '{person}', "
    "approved_at = now(){named} WHERE id = '{id}' RETURNING 'it was let through'",
    "intents_policyversion": "UPDATE intents_policyversion SET status = 'approved', approver_id = '{person}', "
    "decided_at = now(), effective_from = now(){named} WHERE id = '{id}' RETURNING 'it was let through'",
    "audit_retentionschedule": "UPDATE audit_retentionschedule SET status = 'in_force', approver_id = '{person}', "
    "approver_label = 'rupert', decided_at = now(){named} WHERE id = '{id}' RETURNING 'it was let through'",
}
_TRIGGERS: Final = {
    "audit_removalrun": "audit_removalrun_stepped",
    "intents_policyversion": "intents_version_stepped",
    "audit_retentionschedule": "retention_schedule_stepped",
}


@pytest.mark.parametrize("named_so", ["", ", decided_revision = 99"])
@pytest.mark.parametrize("table", _DECISIONS)
def test_the_database_refuses_a_decision_on_another_revision(acme: Firm, table: str, named_so: str) -> None:
    rupert = make_member(acme, "rupert", Role.REVIEWER)
    id = waiting_in(acme, table)

    def attack() -> str:
        with open_scope(tenant=acme.id, principal=rupert):
            return str(sql(_DECISIONS[table].format(person=rupert.id, named=named_so, id=id)))

    held(
        attack,
        loot="it was let through",
        without=lambda: changed(f"ALTER TABLE {table} DISABLE TRIGGER {_TRIGGERS[table]}"),
    )


def waiting_in(firm: Firm, table: str) -> UUID:
    """A row that waits for a decision, at its second revision or a later one."""
    if table == "audit_retentionschedule":
        return retention_submitted(make_member(firm, "dora", Role.DPO), keep_months=120).id
    if table == "intents_policyversion":
        author = make_member(firm, "olivia", Role.COMPLIANCE_OFFICER)
        return UUID(version_for(Example("post", "/api/v1/policy/versions/{id}/approve/", ""), author))
    with as_(make_member(firm, "alice", Role.TENANT_ADMIN)):
        made = document_remove(document_id=ready_document(firm).id, reason="duplicate")
    assert made is not None
    with acting_as("superuser"), connection.cursor() as cursor:
        cursor.execute("ALTER TABLE audit_removalrun DISABLE TRIGGER USER")
        cursor.execute("UPDATE audit_removalrun SET revision = 2 WHERE id = %s", [made.id])
        cursor.execute("ALTER TABLE audit_removalrun ENABLE TRIGGER USER")
    return made.id


def test_a_version_that_is_handed_in_anew_is_another_though_its_author_counts_nothing(acme: Firm) -> None:
    """By the database: who takes a draft back, changes it with SQL and hands it in again has another revision."""
    dora = make_member(acme, "dora", Role.DPO)
    first = retention_submitted(dora, keep_months=120)
    with open_scope(tenant=acme.id, principal=dora):
        sql("UPDATE audit_retentionschedule SET status = 'draft', submitted_at = NULL WHERE id = %s", first.id)
        sql("UPDATE audit_retentionrule SET keep_months = 96 WHERE schedule_id = %s AND keep_months = 120", first.id)
        sql("UPDATE audit_retentionschedule SET status = 'in_review', submitted_at = now() WHERE id = %s", first.id)
        assert RetentionSchedule.objects.get(id=first.id).revision == first.revision + 1
