"""What an answer lists as the next steps is what its reader can do: each state, each role, each step, tried.

A step that is listed is taken when its operation is called; one that is not listed is refused. The states of a person's
acts are reached by the services; those that the eraser leads to are put there. Retention schedules have no address of
the API: their services are called, and what the page offers is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any, Final
from unittest.mock import patch

import pytest
from django.conf import LazySettings, settings
from django.db import connection, transaction
from django.db.models import Model
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from apps.audit.ids import new_id
from apps.corpus.api import removals
from apps.erasure.contracts import Origin, RunState, Target, TargetType
from apps.erasure.log_removal import RemovalReason
from apps.erasure.models import RemovalRun, RetentionSchedule, ScheduleStatus
from apps.erasure.retention import services as retention
from apps.erasure.retention.baseline import ensure_in_force
from apps.erasure.retention.flow import SCHEDULES
from apps.erasure.runs.flow import RUNS
from apps.erasure.runs.runs import RejectionReason, run_propose
from apps.errors import ApplicationError
from apps.intents.api import version_serializers
from apps.intents.flow import VERSIONS
from apps.intents.models import PolicyVersion, VersionStatus
from apps.privacy.api import request_serializers
from apps.privacy.codes.life import REQUESTS, RequestState
from apps.privacy.codes.requests import Ground, Purpose, Refusal, SubjectType
from apps.privacy.models import ErasureRequest
from apps.tenants.api.next_steps import NextStepsField, Operation
from apps.tenants.context import open_scope
from apps.tenants.flows.checks import steps_offered
from apps.tenants.flows.table import Flow
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests import deciding
from tests.api.client import Api, openapi, person
from tests.api.test_api_decided import body_schema
from tests.audit import retaining
from tests.audit.requesting import Office
from tests.factories import Firm, as_, make_key, make_member
from tests.intents.versions_api import at, begun, submitted
from tests.isolation.harness import changed, sql

pytestmark = pytest.mark.django_db

S = RequestState
_BY_THE_ERASER: Final = (S.EXECUTING, S.VERIFYING, S.COMPLETED, S.PARTIALLY_COMPLETED, S.FAILED)
# What is missing of the content, and says nothing of who may take the step or when.
_OF_CONTENT: Final = {"audit.inventory_not_proposable", "audit.access_not_preparable", "audit.access_package_not_found"}
VALUES: Final[Mapping[str, Any]] = {
    "reason": RejectionReason.MUST_BE_KEPT.value,
    "words": "Because.",
    "ground": Ground.CONTRACT_ENDED.value,
    "code": Refusal.UNFOUNDED.value,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """firm's members, one a role; author holds the roles of whoever begins something, and decides too; keys of roles.

    others: who asks, by name: all of them.
    """

    firm: Firm
    members: Mapping[str, Principal]
    apis: Mapping[str, Api]

    @property
    def author(self) -> Principal:
        return self.members["author"]


@pytest.fixture(scope="module")
def _module_transaction(django_db_setup: None, django_db_blocker: DjangoDbBlocker, _provider: None) -> Iterator[None]:
    """As of every module of the API, in a session that may also put a row where the eraser would (`placed`)."""
    with django_db_blocker.unblock(), changed():
        yield


@pytest.fixture(scope="module")
def people(acme: Firm) -> People:
    members = {role.value: make_member(acme, role.value, role) for role in Role}
    for role in (Role.COMPLIANCE_OFFICER, Role.TENANT_ADMIN, Role.REVIEWER, Role.DPO):
        members["author"] = make_member(acme, "author", role)
    apis = {name: person(principal) for name, principal in members.items()}
    keys = {f"key of {role.value}": make_key(acme, role) for role in Role}
    return People(
        firm=acme,
        members={**members, **{name: principal for name, (principal, _) in keys.items()}},
        apis={**apis, **{name: Api(plain) for name, (_, plain) in keys.items()}},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """address: of all. operations: that take a step, by its name. beside: steps without one, as services.

    ended: the states in which nobody has anything to do.
    """

    flow: Flow
    model: type[Model]
    address: str
    operations: Mapping[str, tuple[Operation, ...]]
    ended: tuple[str, ...]
    beside: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)


def operations_of(found: Mapping[str, Operation]) -> dict[str, tuple[Operation, ...]]:
    return {name: (operation,) for name, operation in found.items()}


VERSION: Final = Kind(
    flow=VERSIONS,
    model=PolicyVersion,
    address="/api/v1/policy/versions/",
    operations=operations_of(version_serializers.OPERATIONS),
    ended=(VersionStatus.ACTIVE, VersionStatus.REJECTED, VersionStatus.SUPERSEDED, VersionStatus.WITHDRAWN),
)
REMOVAL: Final = Kind(
    flow=RUNS,
    model=RemovalRun,
    address="/api/v1/removals/",
    operations={**operations_of(removals.OPERATIONS), "reject": (removals.OPERATIONS["reject"], removals.TAKE_BACK)},
    ended=(*set(RunState) - {RunState.PROPOSED, RunState.FAILED},),
    beside={"retry": deciding.run_retry, "agree": deciding.unproven_agree},
)
REQUEST: Final = Kind(
    flow=REQUESTS,
    model=ErasureRequest,
    address="/api/v1/privacy/requests/",
    operations=operations_of(request_serializers.OPERATIONS),
    ended=(S.RESTRICTED, S.REFUSED, S.WITHDRAWN, *_BY_THE_ERASER),
)


# --- How each is brought to a state -----------------------------------------------------------------------------------


def version_in(people: People, state: str) -> Any:
    author, reviewer = people.apis["author"], people.apis["reviewer"]
    if state == VersionStatus.DRAFT:
        return begun(author)["version_id"]
    version = submitted(author)
    if state == VersionStatus.APPROVED:
        later = (timezone.now() + timedelta(days=1)).isoformat()
        reviewer.step(at(version, "approve"), {"effective_from": later})
    elif state in (VersionStatus.ACTIVE, VersionStatus.SUPERSEDED):
        reviewer.step(at(version, "approve"))
    elif state in (VersionStatus.REJECTED, VersionStatus.WITHDRAWN):
        step = "reject" if state == VersionStatus.REJECTED else "withdraw"
        reviewer.step(at(version, step), {"reason": "No."})
    elif state == "sent back":
        reviewer.step(at(version, "send-back"), {"reason": "No."})
    if state == VersionStatus.SUPERSEDED:
        return author.get(VERSION.address, {"status": state}).json()["results"][0]["version_id"]
    return version["version_id"]


def removal_in(people: People, state: str) -> Any:
    with as_(people.author):
        # Of a document that is gone: who is not told of the log does not see it.
        target = Target(type=TargetType.DOCUMENT, id=new_id())
        run = run_propose(Origin.REMOVAL, target.id, [target], RemovalReason.DUPLICATE)
    with as_(people.members["reviewer"]):
        if state == RunState.APPROVED:
            deciding.run_approve(run.id)
        elif state == RunState.REJECTED:
            deciding.run_reject(run.id, RejectionReason.NOT_DUE)
        elif state != RunState.PROPOSED:
            deciding.run_approve(run.id)
            placed("audit_removalrun", run.id, state)
    return run.id


def erasure_in(people: People, state: str) -> Any:
    """About a scope: what is to go is clear by itself."""
    return request_in(people, state, subject_type=SubjectType.SCOPE, subject_id=people.firm.scopes["fund:beta"].id)


def persons_in(people: People, state: str) -> Any:
    return request_in(people, state, subject_type=SubjectType.DATA_SUBJECT)


def access_in(people: People, state: str) -> Any:
    return request_in(people, state, subject_type=SubjectType.DATA_SUBJECT, purpose=Purpose.ACCESS)


def request_in(people: People, state: str, *, subject_type: SubjectType, **more: Any) -> Any:
    dpo, reviewer = people.author, people.members["reviewer"]
    office = Office(firm=people.firm, dora=dpo, dirk=dpo, rita=reviewer, ada=dpo)
    id = office.received(about=subject_type, **more).id
    with as_(dpo):
        if state == S.IDENTITY_PENDING:
            deciding.identity_ask(id, words="Who are you?")
        elif state == S.REFUSED:
            deciding.refuse(id, code=Refusal.UNFOUNDED, words="No.")
        elif state == S.WITHDRAWN:
            deciding.withdraw(id, words="No.")
        elif state != S.RECEIVED:
            deciding.identity_confirm(id)
    if more.get("purpose") is Purpose.ACCESS and state in (S.INVENTORY_READY, S.COMPLETED):
        placed("audit_erasurerequest", id, state)
    elif state in (S.INVENTORY_READY, S.AWAITING_APPROVAL, S.RESTRICTED, "with a ground", *_BY_THE_ERASER):
        with as_(dpo):
            deciding.assess(id, ground=Ground.CONTRACT_ENDED)
            if state not in (S.INVENTORY_READY, "with a ground"):
                deciding.request_propose(id)
        with as_(reviewer):
            if state in (S.RESTRICTED, *_BY_THE_ERASER):
                deciding.request_approve(id)
        if state in _BY_THE_ERASER:
            placed("audit_erasurerequest", id, state)
    return id


def placed(table: str, id: Any, state: str) -> None:
    """As the eraser, or a package, would have left it."""
    sql("RESET ROLE; SET LOCAL session_replication_role = replica")
    sql(f"UPDATE {table} SET state = %s WHERE id = %s", state, id)
    sql(f"SET LOCAL session_replication_role = origin; SET LOCAL ROLE {settings.GLASSBOX_DB_ROLE}")


Builder = Callable[[People, str], Any]
CASES: Final[tuple[tuple[Kind, Builder, str], ...]] = (
    *((VERSION, version_in, state) for state in (*VersionStatus, "sent back")),
    *((REMOVAL, removal_in, state) for state in RunState),
    *((REQUEST, erasure_in, state) for state in S),
    *((REQUEST, persons_in, state) for state in (S.RECEIVED, S.ASSESSING, "with a ground")),
    *((REQUEST, access_in, state) for state in (S.RECEIVED, S.ASSESSING, S.INVENTORY_READY, S.COMPLETED, S.REFUSED)),
)
_IDS: Final = [f"{build.__name__}-{state}" for _, build, state in CASES]


# --- Trying them ------------------------------------------------------------------------------------------------------


@contextmanager
def undone() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def row_of(people: People, kind: Kind, id: Any) -> Any:
    with open_scope(tenant=people.firm.id, reason="a test"):
        return kind.model._default_manager.get(pk=id)


def body_of(kind: Kind, row: Any, fields: Iterable[str]) -> dict[str, Any]:
    known = {
        **VALUES,
        "revision": row.revision,
        "run_id": str(getattr(row, "run_id", None) or new_id()),
        "document_id": str(getattr(row, "origin_id", "")),
    }
    return {name: known[name] for name in fields}


def answered(api: Api, method: str, url: str, body: Mapping[str, Any]) -> tuple[int, str]:
    """The status and the code of the problem; empty where there is none."""
    with undone():
        response: Any = api.delete(url) if method == "DELETE" else api.post(url, dict(body))
        return response.status_code, response.json()["code"] if response.status_code >= 400 else ""


def served(principal: Principal, service: Callable[[], Any]) -> tuple[int, str]:
    """The same of a service, in somebody's name."""
    with undone():
        try:
            with as_(principal):
                service()
        except ApplicationError as error:
            return error.status, error.code
        return 200, ""


def is_taken(brought: tuple[int, str]) -> bool:
    return brought[0] < 300 or brought[1] in _OF_CONTENT


def is_refused(brought: tuple[int, str]) -> bool:
    return brought[0] in (403, 404, 409)


def listed(api: Api, address: str) -> list[dict[str, Any]]:
    """Nothing for whoever is not shown the thing."""
    response: Any = api.get(address)
    assert response.status_code in (200, 403, 404), response.content
    steps: list[dict[str, Any]] = response.json()["next_steps"] if response.status_code == 200 else []
    return steps


@pytest.mark.parametrize(("kind", "build", "state"), CASES, ids=_IDS)
def test_the_steps_listed_are_those_that_can_be_taken(people: People, kind: Kind, build: Builder, state: str) -> None:
    id = build(people, state)
    row, address = row_of(people, kind, id), f"{kind.address}{id}/"
    seen = set()
    for name, api in people.apis.items():
        steps = {step["name"]: step for step in listed(api, address)}
        seen |= steps.keys()
        for step in steps.values():
            if step["url"] is None:
                brought = served(people.members[name], partial(kind.beside[step["name"]], id))
            else:
                brought = answered(api, step["method"], step["url"], body_of(kind, row, step["body_fields"]))
            assert is_taken(brought), (name, step["name"], brought)
        for other in kind.operations.keys() - steps.keys():
            for operation in kind.operations[other]:
                body = body_of(kind, row, operation.fields)
                brought = answered(api, operation.method, f"{address}{operation.path}", body)
                assert is_refused(brought), (name, other, operation.path, brought)
        for other in kind.beside.keys() - steps.keys():
            brought = served(people.members[name], partial(kind.beside[other], id))
            assert is_refused(brought), (name, other, brought)
    assert bool(seen) is (state not in kind.ended), seen


@pytest.mark.parametrize("state", [*ScheduleStatus])
def test_a_retention_schedules_page_offers_what_its_services_do(people: People, state: str) -> None:
    author, reviewer = people.author, people.members["reviewer"]
    with open_scope(tenant=people.firm.id, reason="a test"):
        first = ensure_in_force()
    is_draft = state == ScheduleStatus.DRAFT
    schedule = (retaining.drafted if is_draft else retaining.submitted)(author, keep_months=120, remove_months=None)
    with as_(reviewer):
        against = {"revision": schedule.revision, "against": first.number}
        if state in (ScheduleStatus.IN_FORCE, ScheduleStatus.SUPERSEDED):
            retention.schedule_approve(schedule.id, **against)
        elif state == ScheduleStatus.REJECTED:
            retention.schedule_reject(schedule.id, **against, reason="No.")
    id = first.id if state == ScheduleStatus.SUPERSEDED else schedule.id
    with open_scope(tenant=people.firm.id, reason="a test"):
        row = RetentionSchedule.objects.get(id=id)
        number = RetentionSchedule.objects.get(status=ScheduleStatus.IN_FORCE).number
    services: Mapping[str, Callable[[], Any]] = {
        "submit": partial(retention.draft_submit, id, revision=row.revision),
        "take_back": partial(retention.schedule_take_back, id, revision=row.revision),
        "approve": partial(retention.schedule_approve, id, revision=row.revision, against=number),
        "reject": partial(retention.schedule_reject, id, revision=row.revision, against=number, reason="No."),
    }
    for name, principal in people.members.items():
        offered = steps_offered(SCHEDULES, row, principal)
        assert offered.keys() <= services.keys()
        for step, service in services.items():
            brought = served(principal, service)
            assert is_taken(brought) if step in offered else is_refused(brought), (name, step, brought)


# --- What else is said of a step --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [VERSION, REMOVAL, REQUEST], ids=lambda kind: kind.flow.name)
def test_the_fields_are_those_that_the_operation_demands(kind: Kind) -> None:
    for operation in (each for several in kind.operations.values() for each in several):
        described = openapi()["paths"][f"{kind.address}{{id}}/{operation.path}"][operation.method.lower()]
        assert sorted(body_schema(described).get("required", ())) == sorted(operation.fields), operation


def test_every_step_of_a_person_has_an_operation_or_is_known_to_have_none() -> None:
    for kind in (VERSION, REMOVAL, REQUEST):
        of_people = {step.name for step in kind.flow.steps if not step.within and step.may}
        assert of_people == kind.operations.keys() | kind.beside.keys(), kind.flow.name


def test_a_step_says_who_takes_it_and_what_is_to_be_said(people: People) -> None:
    id = version_in(people, VersionStatus.IN_REVIEW)
    author, reviewer = (
        {step["name"]: step for step in listed(people.apis[name], f"{VERSION.address}{id}/")}
        for name in ("author", "reviewer")
    )
    assert reviewer["send_back"] == {
        "name": "send_back",
        "to": "draft",
        "method": "POST",
        "url": f"{VERSION.address}{id}/send-back/",
        "requires": ["person", "second_person", "reason"],
        "body_fields": ["revision", "reason"],
    }
    assert author["withdraw"]["requires"] == ["person", "author", "reason"]
    assert list(author) == ["withdraw"]


def test_a_step_that_wants_a_second_factor_first_says_so(people: People, settings: LazySettings) -> None:
    id = removal_in(people, RunState.PROPOSED)
    settings.GLASSBOX_REQUIRE_SECOND_FACTOR = True
    with as_(people.members["reviewer"]):
        field = removals.RemovalSerializer().fields["next_steps"]
        steps = {step["name"]: step for step in field.to_representation(RemovalRun.objects.get(id=id))}
    assert steps["approve"]["requires"] == ["person", "second_person", "second_factor"]
    assert steps["reject"]["requires"] == ["person", "reason"]


@pytest.mark.parametrize(
    ("kind", "build", "state"),
    [
        (VERSION, version_in, VersionStatus.DRAFT),
        (REMOVAL, removal_in, RunState.PROPOSED),
        (REQUEST, erasure_in, S.AWAITING_APPROVAL),
    ],
    ids=["versions", "removals", "requests"],
)
def test_a_list_shows_them_without_a_query(people: People, kind: Kind, build: Builder, state: str) -> None:
    for _ in range(2):
        build(people, state)
    api = people.apis["author"]
    # What a first request of a session looks up is not asked again.
    api.get(kind.address)
    with CaptureQueriesContext(connection) as with_them:
        shown: Any = api.get(kind.address).json()["results"]
    with patch.object(NextStepsField, "to_representation", return_value=[]), CaptureQueriesContext(connection) as bare:
        api.get(kind.address)
    assert sum(bool(each["next_steps"]) for each in shown) >= 2
    assert len(with_them) == len(bare)
