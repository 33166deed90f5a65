"""The wall against what nobody thought of: every operation of the API's document, asked at random with real keys.

Schemathesis makes the requests, valid and broken ones. A share of them is aimed: the ids and the scope keys in them are
real ones, of rows that the key must not reach, which random ones never are. Every request is rolled back.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch
from uuid import UUID

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, models
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import APIOperation, Case, GenerationMode, Response
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from apps.audit.models import DataKey, Event
from apps.corpus.models import IngestJob
from apps.errors import ApplicationError
from apps.tenants.api import probes
from apps.tenants.context import open_scope
from apps.tenants.models.base import TenantManager
from apps.tenants.roles import Role
from tests.api.client import openapi
from tests.factories import make_key
from tests.isolation.harness import rolled_back, wall_down
from tests.isolation.world import KINDS, QUESTION, SCOPES, World, canary, content, scope_key

EXAMPLES = 6
HANDLER = WSGIHandler()
# A configuration of its own: by default it is looked for in the folders above.
SCHEMA = schemathesis.openapi.from_dict(copy.deepcopy(openapi()), config=schemathesis.Config())
OPERATIONS: dict[str, APIOperation[Any, Any, Any, Any]] = {
    each.ok().definition.raw["operationId"]: each.ok() for each in SCHEMA.get_all_operations()
}
AS_DOCUMENTED = [status_code_conformance, content_type_conformance, response_schema_conformance]
# What the look must find when the wall is down. Of the others most have nothing to tell, and a question names its
# scopes to the database once more, so that it stays within them in any case.
REVEALING = frozenset(
    {
        "list_documents",
        "get_document",
        "list_document_chunks",
        "get_document_page",
        "list_document_versions",
        "download_document",
        "list_jobs",
        "get_job",
        "list_audit_events",
        "get_audit_event",
        "list_scopes",
        "who_am_i",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Who asks, and what is beyond the wall for them.

    key, log_key: the second one reads the log, which no other role may.
    ids: of documents, jobs, events and scopes beyond the wall.
    sample: one id of each.
    scope_keys: of the scopes beyond the wall that have no namesake on this side.
    words: canaries and digests of what lies beyond.
    """

    key: str
    log_key: str
    ids: tuple[str, ...]
    sample: tuple[str, ...]
    scope_keys: tuple[str, ...]
    words: frozenset[str]


@pytest.fixture(scope="module")
def askers(world: World) -> dict[str, Asker]:
    bolt = [("bolt", scope) for scope in SCOPES]
    log_key = make_key(world.acme, Role.AUDITOR, scopes=["fund:alpha"])[1]
    return {
        "acme": _asker(world, world.keys["acme"], world.keys["acme-auditor"], bolt),
        "acme-alpha": _asker(
            world, world.keys["acme-alpha"], log_key, [*bolt, ("acme", "firm"), ("acme", "fund:beta")]
        ),
    }


def _asker(world: World, key: str, log_key: str, beyond: list[tuple[str, str]]) -> Asker:
    ids: list[UUID] = []
    sample: list[UUID] = []
    for slug, scope in beyond:
        scope_id = world.scope_id(slug, scope)
        with open_scope(tenant=world.firm(slug).id, scopes=[scope_id], reason="a test"):
            kinds: list[list[UUID]] = [
                [world.document(slug, scope, kind) for kind in KINDS],
                list(IngestJob.objects.values_list("id", flat=True)),
                list(Event.objects.filter(action="corpus.document.ready").values_list("id", flat=True)),
                [scope_id],
            ]
        ids += [each for kind in kinds for each in kind]
        sample = [kind[0] for kind in kinds]
    digests = {hashlib.sha256(content(slug, scope, kind)).hexdigest() for slug, scope in beyond for kind in KINDS}
    own = set() if ("acme", "fund:beta") in beyond else {"fund:beta"}
    return Asker(
        key=key,
        log_key=log_key,
        ids=tuple(map(str, ids)),
        sample=tuple(map(str, sample)),
        scope_keys=tuple(sorted({scope_key(*each) for each in beyond} - own - {"fund:alpha"})),
        words=frozenset(digests | {canary(*each) for each in beyond}),
    )


@pytest.fixture(autouse=True)
def _no_worker_to_wait_for() -> Iterator[None]:
    with patch.object(probes, "WORKER_TIMEOUT_S", 0.01):
        yield


@pytest.mark.parametrize("who", ["acme", "acme-alpha"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_no_request_brings_home_what_lies_beyond_the_wall(askers: dict[str, Asker], name: str, who: str) -> None:
    asker = askers[who]

    @settings(max_examples=EXAMPLES, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=_cases(OPERATIONS[name], asker))
    def anything(case: Case[Any]) -> None:
        response = _ask(case, asker)
        assert breach(case, response, asker) == ""
        assert response.status_code < 500, response.content[:2000]
        case.validate_response(response, checks=AS_DOCUMENTED)

    anything()


@pytest.mark.slow
def test_without_the_wall_the_same_look_finds_other_scopes(askers: dict[str, Asker]) -> None:
    assert set(_revealing(askers["acme-alpha"], wall_down)) >= REVEALING
    assert _revealing(askers["acme-alpha"], rolled_back) == {}


@pytest.mark.slow
def test_without_the_wall_a_forgotten_filter_finds_another_tenant(askers: dict[str, Asker]) -> None:
    """The application's own filter hides Bolt from Acme also without policies: this is the day that it is forgotten."""
    filtered = TenantManager.get_queryset

    def forgotten(manager: TenantManager[Any]) -> models.QuerySet[Any]:
        # Not for the keys: what is recorded would be sealed with another tenant's, which is refused. Whether the
        # tenant's own is still in memory is a matter of time.
        return filtered(manager) if manager.model is DataKey else models.Manager.get_queryset(manager)

    with patch.object(TenantManager, "get_queryset", forgotten):
        assert set(_revealing(askers["acme"], wall_down)) >= REVEALING
        assert _revealing(askers["acme"], rolled_back) == {}


def breach(case: Case[Any], response: Response, asker: Asker) -> str:
    """What a request brought home, or made happen, beyond the wall; nothing that it said itself counts."""
    sent = f"{case.formatted_path} {case.query} {case.body}"
    headers = " ".join(value for values in response.headers.values() for value in values)
    answer = f"{headers} {response.content.decode('utf-8', 'replace')}"
    told = [each for each in (*asker.words, *asker.ids, *asker.scope_keys) if each in answer and each not in sent]
    replaced = case.body.get("replaces") if isinstance(case.body, dict) else None
    named = [each for each in (case.path_parameters.get("id"), replaced) if str(each) in asker.ids]
    obeyed = named if response.status_code < 300 else []
    return f"{response.status_code} told {told}, obeyed {obeyed}" if told or obeyed else ""


def _ask(case: Case[Any], asker: Asker) -> Response:
    key = asker.log_key if case.path.startswith("/api/v1/audit/") else asker.key
    with rolled_back(), _one_connection():
        return case.call(app=_application, headers={"Authorization": f"Bearer {key}"})


def _application(environ: dict[str, Any], start_response: Any) -> Iterator[bytes]:
    """As a server runs it: an answer that fails in the middle is cut off, and what was sent until then is out."""
    parts = HANDLER(environ, start_response)
    try:
        yield from parts
    except ApplicationError:
        return
    finally:
        parts.close()


@contextmanager
def _one_connection() -> Iterator[None]:
    """A request gives its connection back when it begins and ends; in here it must stay in our transaction."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    try:
        yield
    finally:
        for signal in signals:
            signal.connect(close_old_connections)


def _cases(operation: APIOperation[Any, Any, Any, Any], asker: Asker) -> st.SearchStrategy[Case[Any]]:
    valid = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
    breakable = operation.definition.raw.get("parameters") or operation.definition.raw.get("security")
    broken = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE) if breakable else valid

    @st.composite
    def cases(draw: st.DrawFn) -> Case[Any]:
        if draw(st.integers(0, 2)) == 0:
            return draw(broken)
        case = draw(valid)
        if draw(st.booleans()):
            _aim(case, draw(st.sampled_from(asker.ids)), draw(st.sampled_from(("fund:alpha", *asker.scope_keys))))
        return case

    return cases()


def _aim(case: Case[Any], identifier: str, scope: str) -> None:
    """Put what is real in the place of what is random."""
    if "id" in case.path_parameters:
        case.path_parameters.update(id=identifier)
    for name in {"document", "subject_id", "actor"} & {each.name for each in case.operation.query}:
        case.query[name] = identifier
    if case.operation.query.get("scope"):
        case.query["scope"] = scope
    if case.operation.definition.raw["operationId"] == "upload_document":
        case.body = {"file": b"# A note\n\nIt says something.\n", "scope": scope, "kind": "run", "replaces": identifier}
    elif isinstance(case.body, dict):
        case.body = {**case.body, "scopes": [scope]}


def _revealing(asker: Asker, ground: Callable[[], AbstractContextManager[None]]) -> dict[str, str]:
    """Which operations bring something home when they are aimed well, and what."""
    found: dict[str, str] = {}
    for name, operation in OPERATIONS.items():
        for case in _aimed(operation, asker):
            with ground():
                brought = breach(case, _ask(case, asker), asker)
            if brought:
                found[name] = brought
                break
    return found


def _aimed(operation: APIOperation[Any, Any, Any, Any], asker: Asker) -> Iterator[Case[Any]]:
    if "{id}" in operation.path:
        for identifier in asker.sample:
            yield operation.Case(path_parameters={"id": identifier, "number": 1})
    elif "{source}" in operation.path:
        for identifier in asker.sample:
            yield operation.Case(path_parameters={"source": "ledger", "external_id": identifier})
    elif "{key}" in operation.path:
        for place in (("acme", "fund:beta"), ("bolt", "fund:alpha")):
            yield operation.Case(path_parameters={"key": f"organisation:{canary(*place)}"})
    elif "{model}" in operation.path:
        for scope in ("fund:alpha", "fund:beta"):
            yield operation.Case(path_parameters={"model": f"glassbox/{scope}"})
    elif operation.definition.raw["operationId"] == "list_entities":
        yield operation.Case(query={"name": "kestrel"})
    elif operation.definition.raw["operationId"] == "ask_question":
        yield operation.Case(body={"question": QUESTION}, query={"trace": "true"}, media_type="application/json")
    elif operation.definition.raw["operationId"] == "check_text":
        yield operation.Case(body={"text": f"{QUESTION} It was 12.5 % in 2024."}, media_type="application/json")
    elif operation.definition.raw["operationId"] == "upload_document":
        body = {"file": b"# A note\n", "scope": "fund:alpha", "kind": "run", "replaces": asker.sample[0]}
        yield operation.Case(body=body, media_type="multipart/form-data")
    else:
        yield operation.Case()
