"""Every example of the OpenAPI document, taken as it stands and run in a shell against the running server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import httpx
import pytest
from django.conf import LazySettings
from django.db import transaction
from django.test import Client, override_settings
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from apps.audit.models import DeliveryState, Event, WebhookDelivery
from apps.corpus.services.removals import document_remove
from apps.erasure.contracts import Origin, Phase, TargetType
from apps.erasure.runs.staying import Reason
from apps.erasure.runs.unproven import Unproven
from apps.intents.baseline import baseline_snapshot
from apps.intents.contracts import PolicySnapshot
from apps.intents.models import PolicyVersion, VersionOrigin, VersionStatus
from apps.intents.policy_file import render_policy_file
from apps.intents.services.absences import absence_record
from apps.intents.services.drafts import draft_of
from apps.intents.services.notices import count_unread, own_notices
from apps.intents.services.recertification import recertification_begin
from apps.privacy.access_packages.quoting import Chosen, quotes_decide
from apps.privacy.access_packages.told import told_by_rules
from apps.privacy.codes.inventory import Decision, Quoting
from apps.privacy.codes.requests import Ground, Purpose, Requester, SubjectType
from apps.privacy.inventory.asking import inventory_request
from apps.privacy.inventory.deciding import Said, hits_decide
from apps.privacy.inventory.runner import inventory_run
from apps.privacy.inventory.selectors import hits_of
from apps.privacy.models import ErasureRequest, InventoryHit
from apps.privacy.requests.details import Details
from apps.privacy.requests.services.receiving import request_receive
from apps.research.errors import RunError
from apps.research.runs.contracts import RunContent
from apps.research.runs.sealing import Sealer
from apps.research.runs.services import run_cancel
from apps.tenants.api.examples import EXTENSION
from apps.tenants.context import open_scope
from apps.tenants.models import Scope, User
from apps.tenants.principals import Principal
from apps.tenants.roles import Permission, Role
from apps.tenants.selectors.grants import user_principal
from apps.tenants.selectors.members import membership_revision
from apps.tenants.selectors.people import user_by_name
from tests.api.conftest import firm_with_provider, ready_document
from tests.api.test_api_access import DOORS, invitation_of, member_of, removal_of, request_of, template_of, webhook_of
from tests.audit.acting import checkpointed, sealed
from tests.audit.proving import certified
from tests.audit.removing import Table, stores_of_documents
from tests.corpus.files import BROKEN, lines, pdf
from tests.corpus.ingesting import NAMES, ingest, run, short_profile
from tests.corpus.test_records import upsert
from tests.deciding import (
    assess,
    identity_confirm,
    of_run,
    package_make,
    proposal_of,
    request_approve,
    request_ask_without_proof,
    request_propose,
    revision_of,
    version_submit,
)
from tests.factories import Firm, as_, make_invited, make_key, make_member, make_personal_key
from tests.model_server import ModelServer
from tests.research.running import carry_out, request

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

_CHECKOUT = Path(__file__).resolve().parents[2]


class Example(NamedTuple):
    method: str
    path: str
    source: str


@pytest.fixture
def acme(model_server: ModelServer, settings: LazySettings) -> Firm:
    settings.GLASSBOX_EMBEDDING_PROFILES = {
        **settings.GLASSBOX_EMBEDDING_PROFILES,
        "remote": short_profile(model_server),
    }
    return firm_with_provider("acme")


@pytest.fixture
def reader(acme: Firm) -> dict[str, str]:
    """What a reader of the page would have set: ids from the lists."""
    document = ready_document(acme)
    broken = ingest(acme, BROKEN, filename="broken.json")
    run(acme, broken.job)
    with open_scope(tenant=acme.id, reason="a test"):
        event = Event.objects.filter(subject_id=document.id).latest("occurred_at")
        in_force = PolicyVersion.objects.get(status=VersionStatus.ACTIVE)
    sealed(acme)
    checkpointed(acme)
    return {
        "DOCUMENT_ID": str(document.id),
        "PDF_ID": str(ready_document(acme, pdf([lines("A page to be drawn.")]), filename="drawn.pdf").id),
        "JOB_ID": str(broken.job.id),
        "EVENT_ID": str(event.id),
        "VERSION_ID": str(in_force.id),
        "CERTIFICATE_ID": str(certified(acme).id),
        "REQUEST_ID": str(request_of(acme).id),
        "REMOVAL_ID": str(removal_of(acme, ready_document(acme, b"# Another\n\nText.")).id),
        "SCOPE": "fund:alpha",
        "OTHER_SCOPE": "fund:beta",
        "RECORD_ID": record_of(acme),
        "ENTITY_KEY": entity_of(acme),
        "MEMBER_ID": str(member_of(acme).id),
        "INVITATION_ID": str(invitation_of(acme).id),
        "KEY_ID": str(make_key(acme)[0].id),
        "SCOPE_ID": str(acme.scopes["fund:beta"].id),
        **_webhook(acme),
    }


def entity_of(firm: Firm) -> str:
    text = f"# Names\n{NAMES.decode()}"
    ready_document(firm, text.encode(), filename="names.md")
    return "organisation:northgate-custody"


def record_of(firm: Firm) -> str:
    run(firm, upsert(firm).job)
    return "r-7"


def _webhook(firm: Firm) -> dict[str, str]:
    """One, with a delivery that was given up."""
    webhook, delivery = webhook_of(firm)
    with open_scope(tenant=firm.id, reason="a test"):
        WebhookDelivery.objects.filter(id=delivery.id).update(state=DeliveryState.GIVEN_UP, ended_at=timezone.now())
    return {"WEBHOOK_ID": str(webhook.id), "DELIVERY_ID": str(delivery.id)}


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
        if (door.method, template_of(door)) == example[:2]:
            return door.permission
    return None


def needs_person(example: Example) -> bool:
    """Whether an API key that acts for nobody is refused: policies are written and approved by people."""
    of_people = ("/api/v1/policy/versions/", "/api/v1/privacy/requests/")
    return (
        example.path == "/api/v1/me/data/"
        or is_about_access(example)
        or is_removal(example)
        or is_of_directory(example)
        or is_about_sending(example)
        or is_research(example)
        or is_of_recertification(example)
        or is_reading(example)
        or is_about_absence(example)
        or example.path.endswith("/example-suggestions/")
        or (example.path.startswith(of_people) and example.method != "get")
    )


def is_about_sending(example: Example) -> bool:
    """About a question that somebody sends to an officer."""
    return example.path.startswith("/api/v1/queries/{id}/")


def is_research(example: Example) -> bool:
    return example.path.startswith("/api/v1/research/runs/")


def is_of_recertification(example: Example) -> bool:
    return example.path.startswith("/api/v1/recertifications/")


def is_reading(example: Example) -> bool:
    """About a notice, which a person marks as read."""
    return example.path == "/api/v1/notices/{id}/read/"


def is_about_absence(example: Example) -> bool:
    """About a reviewer's own absence."""
    return example.path.startswith("/api/v1/absences/") and example.method == "post"


def is_of_directory(example: Example) -> bool:
    """About members, invitations and keys, of which much is done by nobody but a person who is signed in."""
    return example.path.startswith(("/api/v1/members/", "/api/v1/invitations/", "/api/v1/keys/"))


def is_removal(example: Example) -> bool:
    """A step of a removal, or its proposal."""
    if example.path in ("/api/v1/documents/{id}/", "/api/v1/records/{source}/{external_id}/"):
        return example.method == "delete"
    if example.path == "/api/v1/documents/{id}/move/":
        return True
    return example.path.startswith("/api/v1/removals/") and example.method == "post"


def is_about_erasure(example: Example) -> bool:
    return example.path.startswith("/api/v1/privacy/requests/")


def is_about_access(example: Example) -> bool:
    return is_about_erasure(example) and any(part in example.path for part in ("/quotes/", "/package/", "/answer/"))


def access_for(example: Example, officer: Principal) -> str:
    """A request for access about a person who is named like a word of the report, as far as the operation needs it."""
    with as_(officer):
        request = request_receive(
            purpose=Purpose.ACCESS,
            subject_type=SubjectType.DATA_SUBJECT,
            requester=Requester.PERSON,
            details=Details(aliases=("drawdown",)),
        )
        identity_confirm(request.id)
        made = inventory_request(request.id)
    inventory_run(tenant_id=officer.tenant_id, inventory_id=made.id)
    with as_(officer):
        hits = list(hits_of(request))
        hits_decide(request.id, [Said(hit_id=hit.id, seen=Decision.OPEN, reason=Reason.NAMED) for hit in hits])
    if "/quotes/" not in example.path:
        with as_(officer):
            quotes_decide(request.id, [Chosen(hit_id=hit.id, seen="", quoting=Quoting.QUOTED) for hit in hits])
    if example.path.endswith(("/take-back/", "/content/", "/answer/")):
        with as_(officer):
            package_make(request.id, told=told_by_rules(request.language))
    return str(request.id)


# Steps of a request that was approved, and whose physical proof is not made yet.
_OF_PROOF = ("without-proof", "keep-proof", "agree-without-proof")


def request_for(example: Example, officer: Principal) -> str:
    """A request for erasure in the state that the operation is for."""
    if "/inventory/" in example.path:
        return inventory_for(example, officer)
    scope = Scope.objects.get(key="fund:beta").id
    request = request_receive(
        subject_type=SubjectType.SCOPE, subject_id=scope, requester=Requester.FIRM, details=Details()
    )
    step = example.path.split("/")[-2]
    if step in ("assess", "propose", "take-back", "approve", "send-back", *_OF_PROOF):
        identity_confirm(request.id)
    if step in ("propose", "take-back", "approve", "send-back", *_OF_PROOF):
        assess(request.id, ground=Ground.CONTRACT_ENDED)
    if step in ("take-back", "approve", "send-back"):
        request_propose(request.id)
    if step in _OF_PROOF:
        with override_settings(GLASSBOX_PHYSICAL_ORIGINS=frozenset({Origin.REQUEST})):
            request_propose(request.id)
        rupert = user_by_name("rupert")
        assert rupert is not None
        with as_(user_principal(rupert, officer.tenant_id)):
            request_approve(request.id)
    if step in ("keep-proof", "agree-without-proof"):
        request_ask_without_proof(request.id, Unproven.NO_ADMINISTRATOR)
    return str(request.id)


def inventory_for(example: Example, officer: Principal) -> str:
    """A request about a person who is named like a word of the report, searched for where the operation needs it."""
    request = request_receive(
        subject_type=SubjectType.DATA_SUBJECT, requester=Requester.PERSON, details=Details(aliases=("drawdown",))
    )
    identity_confirm(request.id)
    if not example.path.endswith("/inventory/"):
        made = inventory_request(request.id)
        # As the worker does, once the row is committed.
        transaction.on_commit(lambda: inventory_run(tenant_id=officer.tenant_id, inventory_id=made.id))
    return str(request.id)


def read_of(request_id: str) -> dict[str, str]:
    """What a step of a request names: revisions, and the run that it was proposed as."""
    id = UUID(request_id)
    return {
        "REVISION": str(revision_of(ErasureRequest, id)),
        "RUN_ID": str(proposal_of(id)["run_id"]),
        "RUN_REVISION": str(of_run(id)["revision"]),
    }


def hit_for(request_id: str, officer: Principal) -> str:
    with as_(officer):
        found = InventoryHit.objects.filter(request_id=request_id).first()
        return str(found.id) if found else ""


def version_for(example: Example, officer: Principal) -> str:
    """A version in the state that the operation is for: the officer's draft, or one that they have submitted."""
    with open_scope(tenant=officer.tenant_id, principal=officer):
        draft = draft_of(_lenient(), origin=VersionOrigin.DRAFT, reason="A lower bar.")
        if example.path.endswith(("/approve/", "/reject/", "/send-back/", "/withdraw/")):
            version_submit(draft.id)
    return str(draft.id)


def _lenient() -> PolicySnapshot:
    baseline = baseline_snapshot()
    # The vectors of the test's server stand for words, not for meanings.
    return replace(baseline, classifier=replace(baseline.classifier, minimum_golden_accuracy=0.0))


def failure(source: str, environment: dict[str, str], directory: Path) -> str:
    """Run a command in a shell; what went wrong, or nothing."""
    ended = subprocess.run(
        ["sh", "-c", source],
        env=environment,
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if ended.returncode != 0:
        return f"{source}\n-> {ended.returncode} {ended.stdout[:500]} {ended.stderr[:500]}"
    if ended.stdout:
        json.loads(ended.stdout)
    return ""


def test_every_example_runs_as_it_stands(
    acme: Firm, live_server: LiveServer, reader: dict[str, str], shell: dict[str, str], tmp_path: Path
) -> None:
    admin, auditor = make_key(acme, Role.TENANT_ADMIN)[1], make_key(acme, Role.AUDITOR)[1]
    document = httpx.get(f"{live_server.url}/api/v1/openapi.json", trust_env=False).json()
    failures = []
    for example in examples(document):
        if not needs_person(example) and permission_for(example) is not Permission.PRIVACY_APPROVE:
            key = auditor if permission_for(example) is Permission.AUDIT_VIEW else admin
            failures.append(failure(example.source, {**shell, **reader, "GLASSBOX_KEY": key}, tmp_path))
    assert not any(failures), "\n\n".join(filter(None, failures))
    assert (tmp_path / "report.md").exists()
    assert (tmp_path / "page-1.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "policy-version-1.py").read_text() == render_policy_file(baseline_snapshot())


def test_a_question_is_sent_and_taken_back_as_the_examples_say(
    acme: Firm, live_server: LiveServer, shell: dict[str, str], tmp_path: Path
) -> None:
    make_member(acme, "alice", Role.ANALYST)
    key = make_personal_key(acme, "alice", role=Role.ANALYST)[1]
    # Nothing is held that answers the question of the example.
    asked = httpx.post(
        f"{live_server.url}/api/v1/query/",
        json={"question": "What was the drawdown in Q4 2024?"},
        headers={"Authorization": f"Bearer {key}"},
        trust_env=False,
        timeout=600,
    ).json()
    document = httpx.get(f"{live_server.url}/api/v1/openapi.json", trust_env=False).json()
    environment = {**shell, "GLASSBOX_KEY": key, "QUESTION_ID": asked["audit_event_id"]}
    failures = [failure(each.source, environment, tmp_path) for each in filter(is_about_sending, examples(document))]
    assert failures == ["", ""]


def test_research_runs_as_the_examples_say(
    acme: Firm, live_server: LiveServer, reader: dict[str, str], shell: dict[str, str], tmp_path: Path
) -> None:
    alice = make_member(acme, "alice", Role.ANALYST)
    by_key, key = make_personal_key(acme, "alice", role=Role.ANALYST)
    document = httpx.get(f"{live_server.url}/api/v1/openapi.json", trust_env=False).json()
    failures = []
    for example in filter(is_research, examples(document)):
        made = request(
            by_key, "What was the maximum drawdown?", confirm_plan=example.path.endswith(("/plan/", "/start/"))
        )
        with as_(alice):
            (cell,) = Sealer.of(made).open(RunContent, made).plan.sub_questions
        if example.path.endswith(("/export/", "/events/")):
            carry_out(made)
        environment = {**shell, "GLASSBOX_KEY": key, "RUN_ID": str(made.id), "PART_KEY": cell.key}
        failures.append(failure(example.source, environment, tmp_path))
        with as_(alice), suppress(RunError):
            run_cancel(made.id)
    assert failures == [""] * 8
    assert "## Sources" in (tmp_path / "research.md").read_text()


def test_every_example_of_a_removal_runs_for_those_who_decide(
    acme: Firm, live_server: LiveServer, reader: dict[str, str], shell: dict[str, str], tmp_path: Path
) -> None:
    alice, _ = make_member(acme, "alice", Role.TENANT_ADMIN), make_member(acme, "rupert", Role.REVIEWER)
    alice_key = make_personal_key(acme, "alice", role=Role.TENANT_ADMIN)[1]
    reviewer_key = make_personal_key(acme, "rupert", role=Role.REVIEWER)[1]
    document = httpx.get(f"{live_server.url}/api/v1/openapi.json", trust_env=False).json()
    failures = []
    for number, example in enumerate(filter(is_removal, examples(document))):
        content = f"# Note {number}\n\nText.".encode()
        ids = {"DOCUMENT_ID": str(ready_document(acme, content).id), "RECORD_ID": record_of(acme)}
        environment = {**shell, **reader, **ids, "REVISION": "1"}
        if example.path.startswith("/api/v1/removals/"):
            with as_(alice):
                made = document_remove(document_id=UUID(environment["DOCUMENT_ID"]), reason="duplicate")
            assert made is not None
            environment["REMOVAL_ID"] = str(made.id)
        approves = permission_for(example) is Permission.PRIVACY_APPROVE
        environment["GLASSBOX_KEY"] = reviewer_key if approves else alice_key
        failures.append(failure(example.source, environment, tmp_path))
    assert len(failures) == 6
    assert not any(failures), "\n\n".join(filter(None, failures))


def test_every_example_that_needs_a_person_runs_for_one(
    acme: Firm, live_server: LiveServer, reader: dict[str, str], shell: dict[str, str], tmp_path: Path
) -> None:
    """With a key that acts for the person."""
    officer = make_member(acme, "olivia", Role.COMPLIANCE_OFFICER)
    make_member(acme, "rupert", Role.REVIEWER)
    officer_key = make_personal_key(acme, "olivia", role=Role.COMPLIANCE_OFFICER)[1]
    reviewer_key = make_personal_key(acme, "rupert", role=Role.REVIEWER)[1]
    document = httpx.get(f"{live_server.url}/api/v1/openapi.json", trust_env=False).json()
    failures = []
    for example in filter(needs_person, examples(document)):
        of_others = (is_about_erasure, is_removal, is_of_directory, is_about_sending, is_research)
        of_others += (is_of_recertification, is_reading, is_about_absence)
        if any(is_of(example) for is_of in of_others):
            continue
        key = reviewer_key if permission_for(example) is Permission.POLICY_APPROVE else officer_key
        version = version_for(example, officer) if "{id}" in example.path else reader["VERSION_ID"]
        environment = {**shell, **reader, "GLASSBOX_KEY": key, "VERSION_ID": version}
        with as_(officer):
            environment["REVISION"] = str(revision_of(PolicyVersion, UUID(version)))
        failures.append(failure(example.source, environment, tmp_path))
    assert not any(failures), "\n\n".join(filter(None, failures))
    with open_scope(tenant=acme.id, reason="a test"):
        reached = Counter(PolicyVersion.objects.values_list("status", flat=True))
    # Two begun, one changed, one commented on, one sent back and one with suggestions; one withdrawn as a draft, one in
    # review.
    assert reached == {"active": 1, "draft": 6, "withdrawn": 2, "in_review": 1, "approved": 1, "rejected": 1}


def test_a_notice_is_read_as_the_example_says(
    acme: Firm, live_server: LiveServer, reader: dict[str, str], shell: dict[str, str], tmp_path: Path
) -> None:
    officer, rupert = make_member(acme, "olivia", Role.COMPLIANCE_OFFICER), make_member(acme, "rupert", Role.REVIEWER)
    with as_(officer):
        version_submit(draft_of(_lenient(), origin=VersionOrigin.DRAFT, reason="A lower bar.").id)
    with as_(rupert):
        notice = own_notices().get()
    key = make_personal_key(acme, "rupert", role=Role.REVIEWER)[1]
    document = httpx.get(f"{live_server.url}/api/v1/openapi.json", trust_env=False).json()
    environment = {**shell, "GLASSBOX_KEY": key, "NOTICE_ID": str(notice.id)}
    assert [failure(each.source, environment, tmp_path) for each in filter(is_reading, examples(document))] == [""]
    with as_(rupert):
        assert count_unread() == 0


def test_an_absence_is_recorded_and_ended_as_the_examples_say(
    acme: Firm, live_server: LiveServer, shell: dict[str, str], tmp_path: Path
) -> None:
    with as_(make_member(acme, "rupert", Role.REVIEWER)):
        now = timezone.now()
        made = absence_record(begins_at=now, ends_at=now + timedelta(days=1))
    key = make_personal_key(acme, "rupert", role=Role.REVIEWER)[1]
    document = httpx.get(f"{live_server.url}/api/v1/openapi.json", trust_env=False).json()
    environment = {**shell, "GLASSBOX_KEY": key, "ABSENCE_ID": str(made.id)}
    ran = [failure(each.source, environment, tmp_path) for each in filter(is_about_absence, examples(document))]
    assert ran == ["", ""]


def test_every_example_of_a_recertification_runs_for_an_officer(
    acme: Firm, live_server: LiveServer, shell: dict[str, str], tmp_path: Path
) -> None:
    officer, owner = make_member(acme, "olivia", Role.COMPLIANCE_OFFICER), make_member(acme, "dora", Role.DPO)
    make_member(acme, "ann", Role.ANALYST)
    assert owner.id is not None
    environment = {
        **shell,
        "GLASSBOX_KEY": make_personal_key(acme, "olivia", role=Role.COMPLIANCE_OFFICER)[1],
        "PERSON_ID": str(owner.id),
    }
    document = httpx.get(f"{live_server.url}/api/v1/openapi.json", trust_env=False).json()
    failures = []
    for example in filter(is_of_recertification, examples(document)):
        with as_(officer):
            due_at = timezone.now() + timedelta(days=9)
            made = recertification_begin(owner_ids=[owner.id], due_at=due_at, roles=[Role.ANALYST])
        failures.append(failure(example.source, {**environment, "RECERTIFICATION_ID": str(made.id)}, tmp_path))
    assert failures == [""] * 5


def test_every_example_about_erasure_runs_for_its_officers(
    acme: Firm, live_server: LiveServer, reader: dict[str, str], shell: dict[str, str], tmp_path: Path
) -> None:
    officer = make_member(acme, "olivia", Role.DPO)
    make_member(acme, "rupert", Role.REVIEWER)
    officer_key = make_personal_key(acme, "olivia", role=Role.DPO)[1]
    reviewer_key = make_personal_key(acme, "rupert", role=Role.REVIEWER)[1]
    document = httpx.get(f"{live_server.url}/api/v1/openapi.json", trust_env=False).json()
    failures = []
    with stores_of_documents(
        Table(
            key="test.scopes",
            label="Scopes",
            phase=Phase.DOCUMENTS,
            table="corpus_document",
            column="scope_id",
            types=frozenset({TargetType.SCOPE}),
        )
    ):
        for example in filter(is_about_erasure, examples(document)):
            if is_about_access(example):
                request_id = access_for(example, officer)
            else:
                with as_(officer):
                    request_id = request_for(example, officer)
            key = reviewer_key if permission_for(example) is Permission.PRIVACY_APPROVE else officer_key
            environment = {**shell, **reader, "GLASSBOX_KEY": key, "REQUEST_ID": request_id}
            environment["HIT_ID"] = hit_for(request_id, officer)
            with as_(officer):
                environment |= read_of(request_id)
            failures.append(failure(example.source, environment, tmp_path))
    assert len(failures) == 30
    assert not any(failures), "\n\n".join(filter(None, failures))


def cookies_of(username: str) -> dict[str, str]:
    """What a browser of theirs would send."""
    client = Client()
    client.force_login(User.objects.get_by_natural_key(username))
    return {"SESSION": client.cookies["sessionid"].value, "CSRF": "c" * 32}


def test_every_example_about_members_and_keys_runs_for_those_who_may(
    acme: Firm, live_server: LiveServer, reader: dict[str, str], shell: dict[str, str], tmp_path: Path
) -> None:
    amy = make_member(acme, "amy", Role.TENANT_ADMIN)
    make_member(acme, "rita", Role.REVIEWER)
    firm_key = make_key(acme, Role.TENANT_ADMIN)[1]
    reviewer_key = make_personal_key(acme, "rita", role=Role.REVIEWER)[1]
    document = httpx.get(f"{live_server.url}/api/v1/openapi.json", trust_env=False).json()
    failures = []
    for number, example in enumerate(filter(is_of_directory, examples(document))):
        decides = example.path.endswith(("/confirm/", "/decline/"))
        role = Role.REVIEWER if decides else Role.ANALYST
        made = make_invited(acme, f"jo-{number}", role, by=amy)
        with open_scope(tenant=acme.id, reason="a test"):
            revision = membership_revision(made.id)
        environment = {
            **shell,
            **reader,
            **cookies_of("rita" if decides else "amy"),
            "GLASSBOX_KEY": reviewer_key if decides else firm_key,
            "MEMBER_ID": str(made.id),
            "INVITATION_ID": str(invitation_of(acme).id),
            "KEY_ID": str(make_key(acme)[0].id),
            "REVISION": str(revision),
        }
        failures.append(failure(example.source, environment, tmp_path))
    assert len(failures) == 17
    assert not any(failures), "\n\n".join(filter(None, failures))
