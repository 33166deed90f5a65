"""Drafts by the API: begun, changed and discarded in a person's own name; and every version, for whoever may look."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given, settings
from rest_framework.exceptions import ValidationError

from apps.audit.models import Event
from apps.intents.api.policy_content import (
    MOST_EXAMPLES,
    MOST_INTENTS,
    MOST_TERMS,
    PolicyContentSerializer,
)
from apps.intents.baseline import baseline_snapshot
from apps.intents.contracts import PolicySnapshot
from apps.intents.models import PolicyVersion
from apps.intents.policy_file import render_policy_file
from apps.intents.rendering import policy_sha256
from apps.intents.snapshots.content import policy_content, read_content
from apps.tenants.api.idempotency import REPLAYED_HEADER
from apps.tenants.api.problems import field_errors
from apps.tenants.context import open_scope
from apps.tenants.models import User
from apps.tenants.roles import Role
from tests.api.client import Api, person
from tests.corpus.ingesting import short_profile
from tests.factories import Firm, make_firm, make_key, make_member
from tests.intents.test_policy_file import policies
from tests.intents.versions_api import VERSIONS, Json, at, begun, changed, submitted, wider
from tests.model_server import Fault, ModelServer

pytestmark = pytest.mark.django_db

FILE = render_policy_file(baseline_snapshot())
PARTS = ("intents", "fallback", "budgets", "total_cap_chars", "classifier", "retrieval")


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def acme(server: ModelServer, settings: LazySettings) -> Firm:
    settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(server)}
    return make_firm("acme")


@pytest.fixture
def officer(acme: Firm) -> Api:
    return person(make_member(acme, "olivia", Role.COMPLIANCE_OFFICER))


@pytest.fixture
def analyst(acme: Firm) -> Api:
    return Api(make_key(acme, Role.ANALYST)[1])


def refusal(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


def errors(response: Any) -> dict[str, list[str]]:
    assert response.status_code == 400, response.content
    found: dict[str, list[str]] = response.json()["errors"]
    return found


# --- Read and write the same shape ----------------------------------------------------------------------------------


def read(content: Any) -> PolicySnapshot:
    serializer = PolicyContentSerializer(data=json.loads(json.dumps(content)))
    serializer.is_valid(raise_exception=True)
    return read_content(serializer.validated_data)


def test_the_shipped_policy_comes_back_as_it_went() -> None:
    assert policy_sha256(read(policy_content(baseline_snapshot()))) == policy_sha256(baseline_snapshot())


@pytest.mark.slow
@given(policies())
@settings(max_examples=60, deadline=None)
def test_whatever_the_tables_hold_comes_back_as_it_went(snapshot: PolicySnapshot) -> None:
    content = policy_content(snapshot)
    for rule in (*content["intents"], content["fallback"]):
        rule["examples"] = list(dict.fromkeys(rule["examples"]))  # the table holds each once
    assert policy_content(read(content)) == content


def test_a_program_that_writes_whole_numbers_without_a_point_says_the_same() -> None:
    content = policy_content(baseline_snapshot())
    for part in ("classifier", "retrieval"):
        content[part] = {
            name: int(value) if isinstance(value, float) and value.is_integer() else value
            for name, value in content[part].items()
        }
    assert policy_sha256(read(content)) == policy_sha256(baseline_snapshot())


def test_what_a_version_shows_can_be_sent_back_as_its_content(officer: Api) -> None:
    draft = begun(officer)
    shown = officer.get(at(draft)).json()
    body = {"reason": "Again.", "revision": 1, "content": {part: shown[part] for part in PARTS}}
    assert officer.put(at(draft), body).json()["content_sha256"] == shown["content_sha256"] == draft["content_sha256"]


def test_the_file_that_a_version_shows_can_be_handed_in_again(officer: Api, analyst: Api) -> None:
    draft = begun(officer)
    file = analyst.get(at(draft, "file"))
    assert file["Content-Type"] == "text/plain; charset=utf-8"
    assert file["Content-Disposition"] == 'attachment; filename="policy-version-2.py"'
    text = file.content.decode()
    assert text.startswith("# Policy version 2, draft. Author: olivia.")
    again = officer.post(VERSIONS, {"reason": "From the repository.", "file": text}).json()
    assert (again["origin"], again["content_sha256"]) == ("import", draft["content_sha256"])


# --- Begin ----------------------------------------------------------------------------------------------------------


def test_a_draft_begins_as_a_copy_of_what_is_in_force(officer: Api, acme: Firm) -> None:
    response = officer.post(VERSIONS, {"reason": "Analysts need the schedules."})
    version = response.json()
    assert (response.status_code, response["Location"]) == (201, at(version))
    assert {name: version[name] for name in ("version", "status", "origin", "author", "based_on", "revision")} == {
        "version": 2,
        "status": "draft",
        "origin": "draft",
        "author": "olivia",
        "based_on": 1,
        "revision": 1,
    }
    assert version["content_sha256"] == policy_sha256(baseline_snapshot())
    with open_scope(tenant=acme.id, reason="a test"):
        assert Event.objects.get(action="intents.policy.drafted").actor_label == "olivia"


def test_an_older_version_is_brought_back_as_a_new_draft(officer: Api) -> None:
    older = officer.get(VERSIONS, {"status": "active"}).json()["results"][0]
    back = officer.post(VERSIONS, {"reason": "It reached too much.", "copy_of": older["version_id"]}).json()
    assert (back["version"], back["origin"]) == (2, "rollback")


def test_a_copy_of_a_stranger_s_version_is_as_impossible_as_of_none(officer: Api) -> None:
    bolt = make_firm("bolt")
    with open_scope(tenant=bolt.id, reason="a test"):
        theirs = str(PolicyVersion.objects.get().id)
    nobody_s = "019b8a52-7c3e-7d10-9a44-6f2f6f1f2a01"
    answers = [officer.post(VERSIONS, {"reason": "Mine now.", "copy_of": each}) for each in (theirs, nobody_s)]
    assert [errors(each)["copy_of"][0].replace(theirs, nobody_s) for each in answers] == [
        f"There is no policy version {nobody_s}."
    ] * 2


def test_what_is_wrong_with_a_file_is_told_with_line_and_column(officer: Api) -> None:
    broken = FILE.replace('"recording_mode": "hash_only"', '"recording_mode": "loud"', 1)
    line = broken[: broken.index('"loud"')].count("\n") + 1
    response = officer.post(VERSIONS, {"reason": "From the repository.", "file": broken})
    assert refusal(response) == (400, "intents.policy_file_invalid")
    assert f"line {line}, column 27" in errors(response)["file"][0]
    (problem,) = response.json()["data"]["problems"]
    assert (problem["line"], problem["column"]) == (line, 27)
    assert 'there is no recording mode "loud"' in problem["message"]


def test_nothing_in_a_file_is_executed(officer: Api) -> None:
    response = officer.post(VERSIONS, {"reason": "Try.", "file": f"raise SystemExit(1)\n{FILE}"})
    assert "nothing is executed here" in errors(response)["file"][0]


def test_a_draft_that_is_begun_twice_with_one_key_is_one_draft(officer: Api) -> None:
    first, second = (officer.post(VERSIONS, {"reason": "Once."}, idempotency_key="begin-1") for _ in range(2))
    assert (second.json(), second[REPLAYED_HEADER]) == (first.json(), "true")
    assert len(officer.get(VERSIONS).json()["results"]) == 2


UNREADABLE: tuple[tuple[Json, str], ...] = (
    ({}, "reason"),
    ({"reason": ""}, "reason"),
    ({"reason": " \n"}, "reason"),
    ({"reason": "x" * 5000}, "reason"),
    ({"reason": "Nothing\u0000here."}, "reason"),
    ({"reason": "A.", "file": ""}, "file"),
    ({"reason": "A.", "file": 7}, "file"),
    ({"reason": "A.", "file": "INTENTS = [\u0000]"}, "file"),
    ({"reason": "A.", "file": "#" * 150_001}, "file"),
    ({"reason": "A.", "copy_of": "1"}, "copy_of"),
    ({"reason": "A.", "copy_of": None}, "copy_of"),
    ({"reason": "A.", "content": []}, "content.non_field_errors"),
    ({"reason": "A.", "content": None}, "content"),
    ({"reason": "A.", "content": {}, "draft": True}, "draft"),
    ({"reason": "A.", "file": FILE, "content": policy_content(baseline_snapshot())}, "file"),
)


def test_a_beginning_that_can_t_be_read_is_refused_at_its_field(officer: Api) -> None:
    for body, field in UNREADABLE:
        assert field in errors(officer.post(VERSIONS, body)), body
    assert len(officer.get(VERSIONS).json()["results"]) == 1


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ("intents.0.colour", "red", "intents.0.colour"),
        ("fallback.name", "other", "fallback.name"),
        ("budgets.2.position", 3, "budgets.2.position"),
        ("retrieval.speed", 3, "retrieval.speed"),
        ("classifier.luck", 0.5, "classifier.luck"),
        ("version", 2, "version"),
        ("intents.1.kinds.0", "Any secrets!", "intents.1.kinds.0"),
        ("intents.1.kinds", ["run", "run"], "intents.1.kinds.1"),
        ("intents.1.kinds", "run", "intents.1.kinds"),
        ("intents.1.recording_mode", "none", "intents.1.recording_mode"),
        ("intents.1.name", "performance", "intents.1.name"),
        ("intents.1.name", "unrecognised", "intents.1.name"),
        ("intents.1.name", "Compliance!", "intents.1.name"),
        ("intents.1.name", "compliance\n", "intents.1.name"),
        ("intents.1.label", "", "intents.1.label"),
        ("intents.1.label", "x" * 81, "intents.1.label"),
        ("intents.1.label", 7, "intents.1.label"),
        ("intents.1.label", None, "intents.1.label"),
        ("intents.1.description", ..., "intents.1.description"),
        ("intents.1.examples.3", "Where\u0000is it?", "intents.1.examples.3"),
        ("intents.1.examples.3", "x" * 501, "intents.1.examples.3"),
        ("intents.1.examples", ["Same?", "Same?"], "intents.1.examples.1"),
        ("intents.1.examples", [f"{n}?" for n in range(MOST_EXAMPLES + 1)], "intents.1.examples"),
        ("intents.1.terms", ["x" * 81], "intents.1.terms.0"),
        ("intents.1.terms", [str(n) for n in range(MOST_TERMS + 1)], "intents.1.terms"),
        ("fallback.kinds", None, "fallback.kinds"),
        ("budgets.1.kind", "org_profile", "budgets.1.kind"),
        ("budgets.1.cap_chars", 0, "budgets.1.cap_chars"),
        ("budgets.1.cap_chars", 2**31, "budgets.1.cap_chars"),
        ("budgets.1.cap_chars", "800", "budgets.1.cap_chars"),
        ("budgets.1.cap_chars", True, "budgets.1.cap_chars"),
        ("total_cap_chars", 0.5, "total_cap_chars"),
        ("classifier.neighbours", 0, "classifier.neighbours"),
        ("classifier.term_weight", 10**400, "classifier.term_weight"),
        ("classifier.term_weight", "0.3", "classifier.term_weight"),
        ("classifier.minimum_score", ..., "classifier.minimum_score"),
        ("retrieval.rrf_k", 60.5, "retrieval.rrf_k"),
        ("retrieval.rrf_k", [60], "retrieval.rrf_k"),
        ("retrieval.bm25_b", 2, "retrieval.bm25_b"),
        ("retrieval.mmr_enabled", 1, "retrieval.mmr_enabled"),
        ("retrieval", ..., "retrieval"),
        ("intents", [{}], "intents.0.name"),
        ("intents", [[]], "intents.0.non_field_errors"),
        ("intents", [{}] * (MOST_INTENTS + 1), "intents.0.name"),
    ],
)
def test_what_no_policy_can_say_is_refused_at_its_path(path: str, value: Any, field: str) -> None:
    with pytest.raises(ValidationError) as refused:
        read(changed(path, value))
    assert field in field_errors(refused.value.detail)


def test_a_content_is_refused_at_its_path_in_the_request(officer: Api) -> None:
    content = changed("intents.1.kinds", ["run", "run"]) | {"colour": "red"}
    assert list(errors(officer.post(VERSIONS, {"reason": "A.", "content": content}))) == ["content.colour"]
    content = changed("intents.1.kinds", ["run", "run"])
    assert list(errors(officer.post(VERSIONS, {"reason": "A.", "content": content}))) == ["content.intents.1.kinds.1"]


def test_a_number_that_no_double_holds_is_refused_at_its_path(officer: Api) -> None:
    body = json.dumps({"reason": "A.", "content": changed("classifier.term_weight", 424242.5)})
    infinite = officer.client.post(VERSIONS, body.replace("424242.5", "1e999"), content_type="application/json")
    assert list(errors(infinite)) == ["content.classifier.term_weight"]


def test_a_body_that_is_too_large_is_not_read(officer: Api) -> None:
    response = officer.post(VERSIONS, {"reason": "A.", "file": "x" * 1_100_000})
    assert refusal(response) == (413, "api.body_too_large")


def test_half_a_character_is_refused_and_nothing_is_stored(officer: Api) -> None:
    response = officer.client.post(VERSIONS, '{"reason": "\\ud800"}', content_type="application/json")
    assert response.status_code == 400
    assert len(officer.get(VERSIONS).json()["results"]) == 1


# --- Change and discard ---------------------------------------------------------------------------------------------


def test_a_draft_is_given_another_content_and_the_next_revision(officer: Api) -> None:
    draft = officer.post(VERSIONS, {"reason": "A thought."}).json()
    body = {"reason": "Schedules belong to performance.", "revision": 1, "content": wider()}
    saved = officer.put(at(draft), body).json()
    assert (saved["revision"], saved["reason"]) == (2, "Schedules belong to performance.")
    assert "schedule" in officer.get(at(draft)).json()["intents"][0]["kinds"]


def test_a_draft_is_given_a_file(officer: Api) -> None:
    draft = begun(officer)
    saved = officer.put(at(draft), {"reason": "As it was.", "revision": 1, "file": FILE}).json()
    assert saved["content_sha256"] == policy_sha256(baseline_snapshot())


def test_who_read_an_older_revision_is_told_and_nothing_is_lost(officer: Api) -> None:
    draft = begun(officer)
    body = {"reason": "A change.", "revision": 1, "content": wider()}
    assert officer.put(at(draft), body).status_code == 200
    late = {**body, "content": changed("total_cap_chars", 1)}
    assert refusal(officer.put(at(draft), late)) == (409, "intents.draft_changed")
    assert officer.get(at(draft)).json()["total_cap_chars"] == 16384


def test_a_change_sent_twice_with_one_key_is_made_once(officer: Api) -> None:
    draft = begun(officer)
    body = {"reason": "A change.", "revision": 1, "content": changed("total_cap_chars", 5000)}
    first, second = (officer.put(at(draft), body, idempotency_key="change-1") for _ in range(2))
    assert (second.status_code, second.json()) == (200, first.json())


NO_CHANGES: tuple[tuple[Json, str], ...] = (
    ({"reason": "A.", "revision": 1}, "content"),
    ({"reason": "A.", "content": wider()}, "revision"),
    ({"reason": "A.", "content": wider(), "revision": "1"}, "revision"),
    ({"reason": "A.", "content": wider(), "revision": 10**30}, "revision"),
    ({"reason": "", "content": wider(), "revision": 1}, "reason"),
    ({"reason": "A.", "file": "INTENTS = 7", "revision": 1}, "file"),
    ({"reason": "A.", "content": wider(), "revision": 1, "copy_of": "7"}, "copy_of"),
)


def test_a_change_that_can_t_be_read_is_refused_at_its_field(officer: Api) -> None:
    draft = begun(officer)
    for body, field in NO_CHANGES:
        assert field in errors(officer.put(at(draft), body)), body
    assert officer.get(at(draft)).json()["revision"] == 1


def test_a_draft_is_seen_by_who_may_view_policies_and_changed_by_its_author_alone(
    acme: Firm, officer: Api, analyst: Api
) -> None:
    draft = begun(officer)
    other = person(make_member(acme, "oscar", Role.COMPLIANCE_OFFICER))
    assert analyst.get(at(draft)).json()["intents"][0]["kinds"][-1] == "schedule"
    body = {"reason": "Mine now.", "revision": 1, "content": wider()}
    attempts = [other.put(at(draft), body), other.delete(at(draft)), other.step(at(draft, "submit"))]
    assert [refusal(each) for each in attempts] == [(403, "intents.not_the_author")] * 3
    assert officer.get(at(draft)).json()["revision"] == 1


@pytest.mark.slow
def test_a_version_in_review_is_changed_by_nobody(officer: Api) -> None:
    version = submitted(officer)
    body = {"reason": "One more thing.", "revision": 1, "content": wider()}
    attempts = [officer.put(at(version), body), officer.delete(at(version)), officer.step(at(version, "submit"))]
    assert [refusal(each) for each in attempts] == [(409, "intents.not_a_draft")] * 3


def test_a_discarded_draft_stays_in_the_list_as_withdrawn(officer: Api) -> None:
    draft = begun(officer)
    assert officer.delete(at(draft)).status_code == 204
    assert [each["version"] for each in officer.get(VERSIONS, {"status": "withdrawn"}).json()["results"]] == [2]


# --- Who ------------------------------------------------------------------------------------------------------------


def test_a_key_that_acts_for_nobody_writes_nothing_and_is_told_what_to_use(acme: Firm, officer: Api) -> None:
    draft = begun(officer)
    key = Api(make_key(acme, Role.COMPLIANCE_OFFICER)[1])
    attempts = [
        key.post(VERSIONS, {"reason": "A."}),
        key.post(VERSIONS, {"reason": "A.", "content": wider()}),
        key.post(VERSIONS, {"reason": "A.", "file": FILE}),
        key.post(VERSIONS, {"reason": "A.", "copy_of": draft["version_id"]}),
        key.put(at(draft), {"reason": "A.", "revision": 1, "content": wider()}),
        key.delete(at(draft)),
    ]
    assert [refusal(each) for each in attempts] == [(403, "intents.person_needed")] * 6
    assert "Use a key that acts for you (Administration, My keys), or sign in." in attempts[0].json()["detail"]
    assert [each["status"] for each in officer.get(VERSIONS).json()["results"]] == ["draft", "active"]


def test_a_reviewer_drafts_nothing(acme: Firm) -> None:
    reviewer = person(make_member(acme, "rupert", Role.REVIEWER))
    response = reviewer.post(VERSIONS, {"reason": "A."})
    assert (response.status_code, response.json()["data"]["permission"]) == (403, "policy.edit")


def test_a_session_writes_with_its_csrf_token_alone(acme: Firm) -> None:
    make_member(acme, "olivia", Role.COMPLIANCE_OFFICER)
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(User.objects.get_by_natural_key("olivia"))
    browser.cookies["csrftoken"] = "t" * 32
    refused = browser.post(VERSIONS, {"reason": "A."}, content_type="application/json")
    assert (refused.status_code, "CSRF" in refused.json()["detail"]) == (403, True)
    begins = browser.post(
        VERSIONS, {"reason": "A."}, content_type="application/json", headers={"x-csrftoken": "t" * 32}
    )
    assert begins.status_code == 201


@pytest.mark.slow
def test_a_stranger_finds_no_version_and_changes_none(officer: Api) -> None:
    draft, version = begun(officer), submitted(officer)
    bolt = make_firm("bolt")
    make_member(bolt, "mallory", Role.COMPLIANCE_OFFICER)
    stranger = person(make_member(bolt, "mallory", Role.REVIEWER))
    body = {"reason": "Mine.", "revision": 1, "content": wider()}
    attempts = [
        *(stranger.get(at(draft, *step)) for step in ([], ["file"], ["diff"], ["check"])),
        stranger.put(at(draft), body),
        stranger.delete(at(draft)),
        stranger.step(at(draft, "submit")),
        stranger.step(at(version, "approve"), {}),
        *(stranger.step(at(version, step), {"reason": "No."}) for step in ("reject", "send-back", "withdraw")),
        stranger.post(at(version, "comments"), {"text": "Hello."}),
    ]
    assert [refusal(each) for each in attempts] == [(404, "intents.policy_version_not_found")] * len(attempts)
    assert [each["version"] for each in stranger.get(VERSIONS).json()["results"]] == [1]
    assert [each["status"] for each in officer.get(VERSIONS).json()["results"]] == ["in_review", "draft", "active"]


# --- List, compare, check -------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_list_shows_each_version_s_life_newest_first_in_pages(officer: Api, analyst: Api) -> None:
    version = submitted(officer)
    begun(officer)
    first = analyst.get(VERSIONS, {"page_size": 2}).json()
    assert [(each["version"], each["status"]) for each in first["results"]] == [(3, "draft"), (2, "in_review")]
    # Its author may withdraw it, and the analyst nothing.
    assert first["results"][1] == {**version, "next_steps": []}
    assert version["submitted_at"] is not None
    (last,) = analyst.client.get(first["next"], headers={"authorization": f"Bearer {analyst.key}"}).json()["results"]
    assert (last["version"], last["origin"], last["approver"], last["valid_to"]) == (1, "baseline", "", None)
    assert last["content_sha256"] == policy_sha256(baseline_snapshot())


@pytest.mark.parametrize(
    "query", [{"status": "lost"}, {"state": "draft"}, {"page_size": "0"}, {"cursor": "cD1ub25zZW5zZQ=="}]
)
def test_a_list_can_t_be_narrowed_by_what_is_not_there(analyst: Api, query: dict[str, str]) -> None:
    assert list(errors(analyst.get(VERSIONS, query))) == list(query)


@pytest.mark.slow
def test_a_long_list_costs_as_many_queries_as_a_short_one(officer: Api, analyst: Api) -> None:
    def cost() -> int:
        with CaptureQueriesContext(connection) as queries:
            analyst.get(VERSIONS)
        return len(queries)

    begun(officer)
    cost()
    short = cost()
    for _ in range(3):
        begun(officer)
    assert cost() == short
    assert len(analyst.get(VERSIONS).json()["results"]) == 5


def test_a_diff_says_in_words_what_can_be_reached_and_against_what(officer: Api, analyst: Api) -> None:
    draft, copy = begun(officer), officer.post(VERSIONS, {"reason": "A copy."}).json()
    against_active = analyst.get(at(draft, "diff")).json()
    assert against_active["changes"][0] == {
        "kind": "widens",
        "intent": "performance",
        "sentence": "Performance can now reach Schedules.",
    }
    assert (against_active["before"]["version"], against_active["after"]["version"]) == (1, 2)
    assert analyst.get(at(draft, "diff"), {"against": "active"}).json() == against_active
    backwards = analyst.get(at(copy, "diff"), {"against": "2"}).json()
    assert (backwards["changes"][0]["kind"], backwards["before"]["version"]) == ("narrows", 2)
    assert analyst.get(at(copy, "diff"), {"against": "1"}).json()["same"] is True


def test_a_diff_is_against_a_version_and_nothing_else(officer: Api, analyst: Api) -> None:
    draft = begun(officer)
    for against in ["7", "0", "", "baseline", "/etc/passwd", "2026-13-31", "9" * 30, "\u0663"]:
        assert list(errors(analyst.get(at(draft, "diff"), {"against": against}))) == ["against"], against


def test_a_check_counts_where_each_golden_example_goes(officer: Api, analyst: Api) -> None:
    draft = begun(officer)
    check = analyst.get(at(draft, "check")).json()
    golden = check["golden"]
    assert (check["version"], check["problems"], golden["passed"]) == (2, [], True)
    assert (
        golden["examples"] == len(baseline_snapshot().examples) == sum(each["examples"] for each in golden["confusion"])
    )
    assert golden["correct"] + len(golden["misclassified"]) == golden["examples"]
    assert golden["accuracy"] == golden["correct"] / golden["examples"]


def test_a_check_says_what_is_wrong_with_a_draft_in_words(officer: Api, analyst: Api) -> None:
    draft = begun(officer, changed("intents.0.examples", ["One?"]))
    check = analyst.get(at(draft, "check")).json()
    assert check["problems"] == ["Intent 'performance' has 1 review examples; at least 5 are needed."]
    assert check["golden"] is None


def test_a_check_without_its_provider_is_no_check(officer: Api, analyst: Api, settings: LazySettings) -> None:
    draft = begun(officer)
    with ModelServer() as broken:
        broken.fail_with(Fault.ERROR_500, times=20)
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(broken)}
        assert analyst.get(at(draft, "check")).status_code in (502, 503)
