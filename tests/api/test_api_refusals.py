"""Every parameter and every field of every operation, sent in every way that the OpenAPI document rules out."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import pytest
from django.http import HttpResponse

from apps.corpus.models import Document
from apps.tenants.api.parsers import CountedParts
from apps.tenants.principals import WITHHELD_FROM_KEYS
from apps.tenants.roles import PERMISSIONS, Role
from tests.api.breaking import broken, broken_parameter, valid
from tests.api.client import PROBLEM, Api, openapi
from tests.api.test_api_access import DOORS, Door, Ids, ids_of, template_of
from tests.factories import Firm, make_key, make_member, make_personal_key

pytestmark = pytest.mark.django_db

Json = dict[str, Any]
NAMES = tuple(Ids._fields)


def operation_of(method: str, path: str) -> Json:
    found: Json = openapi()["paths"][template_of(Door(method, path, None))][method]
    return found


OPERATIONS = [
    pytest.param(door, operation, id=operation["operationId"])
    for door in DOORS
    if (operation := operation_of(door.method, door.path))
]
WITH_BODY = [
    pytest.param(door, operation["requestBody"]["content"]["application/json"]["schema"], id=operation["operationId"])
    for door, operation in (parameters.values for parameters in OPERATIONS)
    if "application/json" in operation.get("requestBody", {}).get("content", {})
]


@pytest.fixture(scope="module")
def home(acme: Firm, report: Document) -> Ids:
    return ids_of(acme, report)


@pytest.fixture(scope="module")
def keys(acme: Firm) -> dict[str, Api]:
    """Of people, and one of the firm's: what either is withheld, the other may."""
    for role in Role:
        make_member(acme, f"breaks-{role.value}", role)
    of_people = {role: Api(make_personal_key(acme, f"breaks-{role.value}", role=role)[1]) for role in Role}
    return {**of_people, "the firm's": Api(make_key(acme, Role.TENANT_ADMIN)[1])}


def who_may(door: Any, keys: dict[str, Api]) -> Api:
    if door.permission in WITHHELD_FROM_KEYS:
        return keys["the firm's"]
    return next(keys[role] for role in reversed(Role) if door.permission in (None, *PERMISSIONS[role]))


def mistake(response: HttpResponse, place: str) -> str:
    """What is wrong with a refusal that should name a place; nothing where it does."""
    if response.status_code not in (400, 413) or response["Content-Type"] != PROBLEM:
        return f"{response.status_code} {response.content[:200]!r}"
    named = response.json().get("errors", {})
    found = any(name == place or name.startswith(f"{place}.") or place.startswith(f"{name}.") for name in named)
    return "" if found else f"names {sorted(named)}: {response.json()['detail']}"


@pytest.mark.parametrize(("door", "operation"), OPERATIONS)
def test_a_parameter_that_can_t_be_heeded_is_refused(
    door: Any, operation: Json, home: Ids, keys: dict[str, Api]
) -> None:
    api = who_may(door, keys)
    declared = {each["name"]: each for each in operation.get("parameters", []) if each["in"] == "query"}
    needed = {name: str(valid(each["schema"])) for name, each in declared.items() if each.get("required")}
    cases = [("nobody_knows_this", ["1"], "unknown")]
    cases += [(name, *case) for name, each in declared.items() for case in broken_parameter(each["schema"])]
    failures = []
    for name, values, why in cases:
        rest = [f"{other}={value}" for other, value in needed.items() if other != name]
        query = "&".join([*(f"{name}={value}" for value in values), *rest])
        response = api.client.generic(
            door.method.upper(),
            f"{door.path.format(**home._asdict())}?{query}",
            headers={"authorization": f"Bearer {api.key}"},
        )
        if problem := mistake(response, name):
            failures.append(f"{name} ({why}): {problem}")
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize(("door", "schema"), WITH_BODY)
def test_a_field_that_can_t_be_heeded_is_refused(door: Any, schema: Json, home: Ids, keys: dict[str, Api]) -> None:
    api = who_may(door, keys)
    cases = [case for case in broken(schema) if case.place]
    assert cases
    failures = []
    for body, place, why in cases:
        response = api.client.generic(
            door.method.upper(),
            door.path.format(**home._asdict()),
            json.dumps(body),
            content_type="application/json",
            headers={"authorization": f"Bearer {api.key}"},
        )
        if problem := mistake(response, place):
            failures.append(f"{place} ({why}): {problem}")
    assert not failures, f"{len(failures)} of {len(cases)}\n" + "\n".join(failures)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ('{"question": "a", "question": "b"}', "question"),
        ('{"question": "a", "scopes": ["fund:alpha"], "scopes": []}', "scopes"),
        ('{"question": 5}', "question"),
        ('{"question": "What?\\u0000"}', "question"),
        ('{"question": "What?", "scopes": ["\\ud83d"]}', "scopes.0"),
        ('{"question": "What?", "trace": "yes"}', "trace"),
        ('{"question": "What?", "a\\u0000": 1}', "non_field_errors"),
    ],
)
def test_a_question_says_one_thing(analyst: Api, body: str, field: str) -> None:
    response = analyst.client.post(
        "/api/v1/query/", body, content_type="application/json", headers={"authorization": f"Bearer {analyst.key}"}
    )
    assert (response.status_code, list(response.json()["errors"])) == (400, [field])


def test_a_key_that_can_t_be_one_is_named(analyst: Api) -> None:
    response = analyst.post("/api/v1/query/", {"question": "What?"}, **{"Idempotency-Key": "x" * 256})
    assert (response.status_code, list(response.json()["errors"])) == (400, ["Idempotency-Key"])


def part(name: str, value: bytes, *, more: str = "") -> bytes:
    head = f'--limit\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'
    return head.encode() + value + b"\r\n"


FILE = part("file", b"# A note\n\nIt says something.\n", more='; filename="note.md"')
NEEDED = {"file": FILE, "scope": part("scope", b"fund:alpha"), "kind": part("kind", b"run")}


def send(api: Api, *parts: bytes, end: bytes = b"--limit--\r\n") -> HttpResponse:
    response: HttpResponse = api.client.post(
        "/api/v1/documents/",
        b"".join(parts) + end,
        content_type="multipart/form-data; boundary=limit",
        headers={"authorization": f"Bearer {api.key}"},
    )
    return response


def values_of(name: str) -> list[tuple[list[bytes], str]]:
    schema = fields()[name]
    found = [([b""], "empty"), ([b" "], "blank"), ([b"a\0b"], "NUL"), ([b"a\xff"], "no UTF-8")]
    if schema.get("type") != "array":
        found.append(([b"2024-01-01", b"2024-01-02"], "repeated"))
    if "maxLength" in schema:
        found.append(([b"x" * (schema["maxLength"] + 1)], "too long"))
    return found


def fields() -> Json:
    schema: Json = openapi()["components"]["schemas"]["UploadRequest"]["properties"]
    return schema


@pytest.mark.parametrize("name", [name for name in fields() if name != "file"])
def test_a_part_that_can_t_be_heeded_is_refused(analyst: Api, name: str) -> None:
    failures = []
    for values, why in values_of(name):
        rest = [each for other, each in NEEDED.items() if other != name]
        if problem := mistake(send(analyst, *rest, *(part(name, value) for value in values)), name):
            failures.append(f"{name} ({why}): {problem}")
    as_file = [each for other, each in NEEDED.items() if other != name]
    if problem := mistake(send(analyst, *as_file, part(name, b"run", more='; filename="a.txt"')), name):
        failures.append(f"{name} (a file): {problem}")
    assert not failures, "\n".join(failures)


def test_of_two_kinds_neither_is_taken(analyst: Api) -> None:
    """The kind decides who may read it."""
    response = send(analyst, *NEEDED.values(), part("kind", b"schedule"))
    assert (response.status_code, response.json()["errors"]) == (400, {"kind": ["Sent 2 times. Send it once."]})


def test_of_two_files_neither_is_taken(analyst: Api) -> None:
    assert mistake(send(analyst, *NEEDED.values(), FILE), "file") == ""


def test_a_list_may_be_repeated_and_all_of_it_is_used(analyst: Api) -> None:
    response = send(analyst, *NEEDED.values(), part("jurisdictions", b"DE"), part("jurisdictions", b"LU"))
    assert (response.status_code, response.json()["jurisdictions"]) == (202, ["DE", "LU"])


@pytest.mark.parametrize(
    ("more", "end"),
    [
        (b"--limit\r\nContent-Type: text/plain\r\n\r\nwithout a name\r\n", b"--limit--\r\n"),
        (b'--limit\r\nContent-Disposition: form-data; name="title"\r\n\r\ncut off', b""),
    ],
    ids=["a part without a name", "cut off"],
)
def test_a_form_of_which_a_part_would_be_lost_is_refused(analyst: Api, more: bytes, end: bytes) -> None:
    response = send(analyst, *NEEDED.values(), more, end=end)
    assert (response.status_code, response["Content-Type"]) == (400, PROBLEM)


@pytest.mark.parametrize("piece", [1, 7, 64 * 1024])
def test_boundaries_are_counted_wherever_the_stream_is_cut(piece: int) -> None:
    counted = CountedParts(BytesIO(b"".join(NEEDED.values()) + b"--limit--\r\n"), boundary="limit")
    while counted.read(piece):
        pass
    assert (counted.parts, counted.is_closed) == (3, True)


def test_several_kinds_are_all_used(analyst: Api, report: Document) -> None:
    def found(query: str) -> list[str]:
        return [each["id"] for each in analyst.get(f"/api/v1/documents/?{query}").json()["results"]]

    assert str(report.id) in found("kind=schedule&kind=run")
    assert str(report.id) in found("kind=run&kind=schedule")
    assert str(report.id) not in found("kind=schedule&kind=methodology")
    response = analyst.get("/api/v1/documents/?kind=run&kind=run")
    assert response.json()["errors"] == {"kind": ["Name each once."]}
