"""Records over the API: stored once, changed by version, told of in their place, hidden alike, removed by two."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse

from apps.corpus import registry
from apps.corpus.models import Document, IngestJob
from apps.corpus.registry import kinds_in_force
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.api.client import Api, conforms
from tests.api.conftest import KeyMaker
from tests.api.test_api_access import personal_key
from tests.corpus.ingesting import run
from tests.factories import Firm

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/records/flows/r-7/"
RECORD = {"summary": "All limits were kept.", "limits": [{"name": "cash", "value": 5}]}


def said(**fields: Any) -> dict[str, Any]:
    return {"scope": "fund:alpha", "kind": "run", "type": "workflow_output", "record": RECORD, **fields}


def put_text(api: Api, record: str, **fields: Any) -> HttpResponse:
    """A body whose record is written by hand."""
    body = json.dumps(said(record="RECORD", **fields)).replace('"RECORD"', record)
    headers = {"authorization": f"Bearer {api.key}"}
    response = api.client.put(ADDRESS, body, content_type="application/json", headers=headers)
    conforms("put", ADDRESS, response)
    return response


def read(firm: Firm, document_id: str) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        job = IngestJob.objects.get(document_id=document_id)
    run(firm, job)


def test_a_record_is_created_left_and_changed(analyst: Api, acme: Firm) -> None:
    made = analyst.put(ADDRESS, said())
    assert (made.status_code, made.json()["outcome"]) == (202, "created")
    document = made.json()["document"]
    assert (document["title"], document["external_id"], document["kind"], document["version"]) == (
        "Workflow output r-7",
        "flows/r-7",
        "run",
        1,
    )
    assert made["Location"] == f"/api/v1/documents/{document['id']}/"
    read(acme, document["id"])
    again = analyst.put(ADDRESS, said(record=dict(reversed(RECORD.items()))))
    assert (again.status_code, again.json()["outcome"]) == (200, "unchanged")
    other = analyst.put(ADDRESS, said(title="Run 7", company="Acme"))
    assert (other.status_code, other.json()["outcome"], other.json()["document"]["version"]) == (202, "changed", 2)
    assert other.json()["document"]["series_id"] == document["series_id"]


def test_numbers_are_kept_as_they_are_written(analyst: Api, acme: Firm) -> None:
    made = put_text(analyst, '{"value": 1.50, "id": 12345678901234567890123, "big": 1e400}').json()
    assert put_text(analyst, '{"big": 1e400, "id": 12345678901234567890123, "value": 1.50}').status_code == 200
    assert (
        put_text(analyst, '{"value": 1.5, "id": 12345678901234567890123, "big": 1e400}').json()["outcome"] == "changed"
    )
    content = analyst.get(f"/api/v1/documents/{made['document']['id']}/content/")
    assert b'"body":{"big":1e400,"id":12345678901234567890123,"value":1.50}' in b"".join(content)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("record", "place", "told"),
    [
        ('{"a": NaN}', None, "NaN is not a JSON number"),
        ('{"a": 1, "a": 2}', "a", "Appears twice in one object"),
        ('{"a": [{"b": "\\u0007"}]}', "record.a.0.b", "Contains the control character U+0007."),
        ('{"a": "\\u0000"}', "record.a", "NUL character"),
        ('{"a": "\\ud800"}', "record.a", "half a surrogate pair"),
        ('{"\\u0001": "x"}', "record.non_field_errors", "Has a name with the control character U+0001."),
        ("[]", "record.non_field_errors", "Must be an object."),
        ("{}", "record.non_field_errors", "Must not be empty."),
        ("null", "record", "null"),
        ('{"a":' * 17 + "1" + "}" * 17, None, "nested deeper than 16 levels"),
        ('{"a":' * 20_000 + "1" + "}" * 20_000, None, "nested too deeply"),
        ('{"a": ' + "[1" + ",1" * 20_000 + "]}", "record.non_field_errors", "Has more than 20,000 values."),
        ('{"a": ' + "1" * 65 + "}", "record.a", "Is a number of too many digits."),
        ('{"a": 1', None, "not valid JSON"),
    ],
)
def test_what_can_not_be_stored_is_told_in_its_place(
    analyst: Api, acme: Firm, record: str, place: str | None, told: str
) -> None:
    response = put_text(analyst, record)
    assert response.status_code == 400
    problem = response.json()
    text = json.dumps(problem["errors"][place]) if place else json.dumps(problem)
    assert told.lower() in text.lower()
    with open_scope(tenant=acme.id, reason="a test"):
        assert not Document.objects.filter(external_id="flows/r-7").exists()


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"type": "poem"}, "type"),
        ({"type": "data_profile"}, "type"),
        ({"kind": "nonsense"}, "kind"),
        ({"kind": "Run"}, "kind"),
        ({"scope": "fund:nowhere"}, "scope"),
        ({"period": "soon"}, "period"),
        ({"unheard_of": 1}, "unheard_of"),
        ({"title": 5}, "title"),
    ],
)
def test_a_field_that_can_not_be_used_is_named(analyst: Api, fields: dict[str, Any], place: str) -> None:
    response = analyst.put(ADDRESS, said(**fields))
    assert response.status_code == 400
    assert place in response.json()["errors"]


@pytest.mark.parametrize(
    "address", ["/api/v1/records/Flows/r-7/", "/api/v1/records/flows/-x/", f"/api/v1/records/a/{'x' * 128}/"]
)
def test_an_id_of_another_form_is_refused(analyst: Api, address: str) -> None:
    response = analyst.put(address, said())
    assert (response.status_code, response.json()["code"]) == (400, "corpus.record_invalid")


def test_a_body_is_as_the_published_schema_of_its_type_demands(analyst: Api) -> None:
    schemas = {each["type"]: each["schema"] for each in analyst.get("/api/v1/records/schemas/").json()["schemas"]}
    assert schemas["edit_pattern"]["required"] == ["before", "after"]
    refused = analyst.put(ADDRESS, said(type="edit_pattern", record={"before": "will", "count": "many"}))
    assert (refused.status_code, refused.json()["errors"]) == (
        400,
        {
            "record.after": ["Is missing (/after)."],
            "record.count": ["Must be a whole number (/count)."],
        },
    )
    with_more = {"before": "will", "after": "may", "count": 2, "desk": "Equities"}
    assert analyst.put(ADDRESS, said(type="edit_pattern", record=with_more)).status_code == 202


def test_kind_and_type_do_not_change(analyst: Api) -> None:
    analyst.put(ADDRESS, said())
    assert analyst.put(ADDRESS, said(kind="methodology")).json()["code"] == "corpus.record_kind_differs"
    assert analyst.put(ADDRESS, said(type="compliance_configuration")).json()["code"] == "corpus.record_type_differs"


def test_the_policy_says_who_may_store_records_of_a_kind(
    acme: Firm, analyst: Api, admin: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        known = kinds_in_force()
    only_admins = tuple(replace(each, uploaders=(Role.TENANT_ADMIN,)) for each in known)
    analyst.put(ADDRESS, said())
    monkeypatch.setattr(registry, "_sources", [lambda: only_admins])
    # Not even that it is unchanged is told to who may not upload its kind.
    refused = analyst.put(ADDRESS, said())
    assert (refused.status_code, refused.json()["code"]) == (403, "corpus.kind_not_yours")
    assert "kind" in refused.json()["errors"]
    assert admin.put(ADDRESS, said()).json()["outcome"] == "unchanged"


def test_a_field_leads_to_its_characters(analyst: Api, acme: Firm) -> None:
    document = analyst.put(ADDRESS, said()).json()["document"]
    read(acme, document["id"])
    shown = analyst.get(ADDRESS, {"scope": "fund:alpha"}).json()
    assert (shown["source"], shown["external_id"], shown["type"]) == ("flows", "r-7", "workflow_output")
    [place] = [each for each in shown["places"] if each["pointer"] == "/limits/0/value"]
    page = analyst.get(f"/api/v1/documents/{document['id']}/pages/{place['page']}/").json()
    assert page["text"][place["char_start"] : place["char_end"]] == "value: 5"


def test_a_citation_names_the_record_and_the_field(analyst: Api, acme: Firm) -> None:
    record = {"performance": {"summary": "The maximum drawdown of the Alpha Fund in Q4 2024 was 12.5 %."}}
    document = analyst.put(ADDRESS, said(record=record)).json()["document"]
    read(acme, document["id"])
    answered = analyst.post(
        "/api/v1/query/", {"question": "What was the maximum drawdown of the Alpha Fund in Q4 2024?"}
    )
    [cited, *_] = [each["record"] for each in answered.json()["citations"] if each["document"]["id"] == document["id"]]
    assert (cited["source"], cited["external_id"], cited["type"]) == ("flows", "r-7", "workflow_output")
    assert "/performance/summary" in cited["pointers"]


def test_an_absent_record_and_a_hidden_one_get_the_same_answer(analyst: Api, bolt: Firm, key: KeyMaker) -> None:
    analyst.put(ADDRESS, said(scope="fund:beta"))
    narrow = key(Role.TENANT_ADMIN, "fund:alpha")
    for call in (narrow.get, narrow.delete):
        told = [
            call(f"/api/v1/records/flows/{name}/{query}")
            for name in ("r-7", "r-8")
            for query in ("?scope=fund:alpha", "?scope=fund:beta", "?scope=fund:none")
        ]
        bare = [(each.status_code, each.json()["code"], each.json().get("errors")) for each in told]
        assert bare[:3] == bare[3:]
        assert bare[0][:2] == (404, "corpus.record_not_found")
        assert str(bare[1]).replace("beta", "none") == str(bare[2])


def test_another_tenants_record_is_nothing_to_this_one(analyst: Api, bolt: Firm) -> None:
    theirs = Api(personal_key(bolt, Role.ANALYST))
    assert theirs.put(ADDRESS, said(record={"a": "theirs"})).json()["outcome"] == "created"
    made = analyst.put(ADDRESS, said())
    assert (made.json()["outcome"], made.json()["document"]["version"]) == ("created", 1)


def test_each_version_is_proposed_for_removal(acme: Firm, analyst: Api) -> None:
    for record in (RECORD, {"a": "b"}):
        read(acme, analyst.put(ADDRESS, said(record=record)).json()["document"]["id"])
    remover = Api(personal_key(acme, Role.TENANT_ADMIN))
    assert "reason" in remover.delete(f"{ADDRESS}?scope=fund:alpha").json()["errors"]
    answer = remover.delete(f"{ADDRESS}?scope=fund:alpha&reason=duplicate")
    assert answer.status_code == 202
    assert [each["state"] for each in answer.json()["removals"]] == ["proposed"] * 2
    assert analyst.put(ADDRESS, said(record={"c": "d"})).json()["code"] == "corpus.record_removal_pending"


def test_ones_own_that_was_never_searchable_goes_at_once(acme: Firm) -> None:
    remover = Api(personal_key(acme, Role.TENANT_ADMIN))
    remover.put(ADDRESS, said())
    assert remover.delete(f"{ADDRESS}?scope=fund:alpha").status_code == 204
    assert remover.get(ADDRESS, {"scope": "fund:alpha"}).status_code == 404
    assert remover.put(ADDRESS, said()).json()["outcome"] == "created"


BATCH = "/api/v1/records/batch/"


def one(external_id: Any, **fields: Any) -> dict[str, Any]:
    return {
        **{name: value for name, value in said(**fields).items() if name != "scope"},
        "source": "flows",
        "external_id": external_id,
    }


def test_each_record_of_a_batch_is_stored_or_refused_by_itself(analyst: Api, acme: Firm) -> None:
    analyst.put("/api/v1/records/flows/b-1/", said())
    analyst.put("/api/v1/records/flows/b-2/", said())
    records = [
        one("b-1"),
        one("b-2", record={"a": "b"}),
        one("b-3"),
        one("b-4", record={"a": ["\x01"]}),
        one("b-5", kind="nonsense"),
        one("b-6"),
        one("b-6"),
        "b-7",
        one("b/8"),
        one(9),
    ]
    answer = analyst.post(BATCH, {"scope": "fund:alpha", "records": records})
    assert answer.status_code == 202
    told = answer.json()["records"]
    assert [each["outcome"] for each in told] == ["unchanged", "changed", "created", *["refused"] * 7]
    assert [each["error"]["code"] for each in told[3:]] == [
        "corpus.record_invalid",
        "corpus.unknown_kind",
        "corpus.record_twice",
        "corpus.record_twice",
        *["corpus.record_invalid"] * 3,
    ]
    assert told[3]["error"]["detail"] == "record.a.0: Contains the control character U+0001."
    assert told[9]["error"]["detail"].startswith("external_id: Must be a text.")
    with open_scope(tenant=acme.id, reason="a test"):
        stored = Document.objects.filter(external_id__startswith="flows/b-").values_list("external_id", flat=True)
        assert sorted(stored) == ["flows/b-1", "flows/b-2", "flows/b-2", "flows/b-3"]


def test_a_batch_that_stores_nothing_new_says_so(analyst: Api) -> None:
    analyst.post(BATCH, {"scope": "fund:alpha", "records": [one("b-1")]})
    assert analyst.post(BATCH, {"scope": "fund:alpha", "records": [one("b-1")]}).status_code == 200


@pytest.mark.parametrize("records", [[], [one("b-1")] * 101, "b-1", None])
def test_a_batch_has_records_and_not_too_many(analyst: Api, records: Any) -> None:
    answer = analyst.post(BATCH, {"scope": "fund:alpha", "records": records})
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["records"])


def test_a_batch_goes_into_a_scope_that_one_has(key: KeyMaker) -> None:
    answer = key(Role.ANALYST, "fund:beta").post(BATCH, {"scope": "fund:alpha", "records": [one("b-1")]})
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["scope"])


PROFILE = f"{ADDRESS}profile/"
CSV = b"day,nav\n" + b"".join(f"2024-01-{day:02d},{100 + day}\n".encode() for day in range(1, 31))


def send_csv(api: Api, content: bytes = CSV, **fields: Any) -> Any:
    form = {"file": SimpleUploadedFile("nav.csv", content), "scope": "fund:alpha", "kind": "dataset_summary", **fields}
    response = api.client.post(PROFILE, form, headers={"authorization": f"Bearer {api.key}"})
    conforms("post", PROFILE, response)
    return response


def test_a_csv_file_is_summarised_and_not_stored(analyst: Api, acme: Firm) -> None:
    made = send_csv(analyst)
    assert (made.status_code, made.json()["outcome"]) == (202, "created")
    document = made.json()["document"]
    assert document["title"] == "Data profile r-7"
    read(acme, document["id"])
    text = analyst.get(f"/api/v1/documents/{document['id']}/pages/1/").json()["text"]
    assert "columns.nav\n" in text
    assert "max: 130\n" in text
    assert hashlib.sha256(CSV).hexdigest() in text
    content = b"".join(analyst.get(f"/api/v1/documents/{document['id']}/content/"))  # type: ignore[call-overload]
    assert b"2024-01-07" not in content
    assert send_csv(analyst).json()["outcome"] == "unchanged"
    assert send_csv(analyst, CSV + b"2024-02-01,131\n").json()["outcome"] == "changed"


@pytest.mark.parametrize(
    ("content", "fields", "place"),
    [
        (b"", {}, "file"),
        (b"a,b\n", {}, "file"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", {}, "file"),
        (b"1,2\n3,4\n", {}, "file"),
        (CSV, {"header": "maybe"}, "header"),
        (CSV, {"kind": "nonsense"}, "kind"),
        (CSV, {"unheard_of": "x"}, "unheard_of"),
    ],
)
def test_a_file_that_can_not_be_summarised_is_refused(
    analyst: Api, content: bytes, fields: dict[str, str], place: str
) -> None:
    response = send_csv(analyst, content, **fields)
    assert response.status_code in (400, 413)
    assert place in response.json()["errors"]
