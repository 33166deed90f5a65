"""Invariants where people write them: in the editor of a draft, by the API, and in the one file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.conf import LazySettings
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.intents.baseline import baseline_snapshot
from apps.intents.diff import policy_diff
from apps.intents.errors import PolicyFileError
from apps.intents.invariants import Invariant, InvariantMode
from apps.intents.models import PolicyVersion
from apps.intents.policy_file import parse_policy_file, render_policy_file
from apps.intents.rendering import policy_sha256
from apps.intents.selectors import version_snapshot
from apps.intents.services.drafts import draft_save, draft_start
from apps.intents.snapshots.content import policy_content
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.api.client import Api, person
from tests.corpus.ingesting import short_profile
from tests.factories import Firm, as_, make_member
from tests.intents.drafting import Typed
from tests.intents.test_invariants import KYC, opened
from tests.intents.test_policy_file import TEXT_CHARACTERS
from tests.intents.versions_api import VERSIONS, at, begun, wider
from tests.model_server import ModelServer
from tests.visitor import Visitor

BASE = baseline_snapshot()
ROW = {"name": "KYC files", "mode": "only", "roles": [], "intents": ["compliance"], "kinds": ["compliance_profile"]}


@pytest.fixture
def acme(acme: Firm, settings: LazySettings) -> Iterator[Firm]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield acme


@pytest.fixture
def olivia(acme: Firm) -> Principal:
    return make_member(acme, "olivia", Role.COMPLIANCE_OFFICER)


def stored(firm: Firm, draft: PolicyVersion) -> tuple[Invariant, ...]:
    with open_scope(tenant=firm.id, reason="a test"):
        return version_snapshot(PolicyVersion.objects.get(id=draft.id)).invariants


# --- The editor -----------------------------------------------------------------------------------------------------


@pytest.fixture
def officer(olivia: Principal) -> Visitor:
    return Visitor("olivia")


@pytest.fixture
def draft(olivia: Principal) -> PolicyVersion:
    with as_(olivia):
        started = draft_start(reason="A test.")
        return draft_save(
            started.id, content=replace(version_snapshot(started), invariants=(KYC,)), reason="A test.", revision=1
        )


def typed(officer: Visitor, draft: PolicyVersion) -> Typed:
    return Typed.from_page(officer.open("policy_draft", draft.id).tree)


@pytest.mark.django_db
def test_a_saved_form_keeps_the_invariants_that_it_shows(acme: Firm, officer: Visitor, draft: PolicyVersion) -> None:
    officer.send("policy_draft", draft.id, **typed(officer, draft).values)
    assert stored(acme, draft) == (KYC,)


@pytest.mark.django_db
def test_one_is_added_in_the_empty_row_and_one_removed(acme: Firm, officer: Visitor, draft: PolicyVersion) -> None:
    form = typed(officer, draft).with_(
        **{
            "invariant-remove-v1": "on",
            "invariant-name-v2": "No runs for strangers",
            "invariant-mode-v2": "never",
            "invariant-intents-v2": "unrecognised, narrative",
            "invariant-role-v2": ["analyst"],
            "invariant-kind-v2": ["run"],
        }
    )
    officer.send("policy_draft", draft.id, **form.values)
    assert stored(acme, draft) == (
        Invariant(
            name="No runs for strangers",
            mode=InvariantMode.NEVER,
            roles=("analyst",),
            intents=("narrative", "unrecognised"),
            kinds=("run",),
        ),
    )


@pytest.mark.django_db
def test_a_form_without_the_part_removes_no_invariant(acme: Firm, officer: Visitor, draft: PolicyVersion) -> None:
    form = typed(officer, draft)
    officer.send("policy_draft", draft.id, **form.without("invariants", "invariant").values)
    assert stored(acme, draft) == (KYC,)


@pytest.mark.django_db
def test_a_broken_invariant_stands_as_a_problem_beside_the_invariants(officer: Visitor, draft: PolicyVersion) -> None:
    form = typed(officer, draft).and_(**{"kind-i1": ["compliance_profile"]})
    officer.send("policy_draft", draft.id, **form.values)
    page = officer.open("policy_draft", draft.id)
    beside = page.tree.get_element_by_id("problems-part-invariants").text_content()
    assert "“KYC files” is broken: Performance → Compliance profile" in beside


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"invariant-name-v1": ""}, "Enter what the firm calls this invariant."),
        ({"invariant-mode-v1": "sometimes"}, "Choose whether these questions never"),
        ({"invariant-intents-v1": "Compliance!"}, "Write the short names of intents"),
        ({"invariant-name-v1": "x" * 201}, "at most 200 characters"),
    ],
)
def test_what_can_not_be_stored_is_said_and_nothing_is_saved(
    acme: Firm, officer: Visitor, draft: PolicyVersion, change: dict[str, str], said: str
) -> None:
    page = officer.send("policy_draft", draft.id, **typed(officer, draft).with_(**change).values)
    assert said in page.text
    assert stored(acme, draft) == (KYC,)


# --- The API --------------------------------------------------------------------------------------------------------


@pytest.fixture
def client(acme: Firm) -> Api:
    return person(make_member(acme, "oscar", Role.COMPLIANCE_OFFICER))


@pytest.mark.django_db
def test_a_client_sends_invariants_and_reads_them_back(client: Api) -> None:
    version = begun(client, {**wider(), "invariants": [ROW]})
    assert client.get(at(version)).json()["invariants"] == [ROW]


@pytest.mark.django_db
def test_a_version_that_breaks_one_is_not_submitted_by_the_api(client: Api) -> None:
    content = {**wider(), "invariants": [ROW]}
    content["intents"][0]["kinds"].append("compliance_profile")
    version = begun(client, content)
    assert "“KYC files” is broken" in client.get(at(version, "check")).json()["problems"][0]
    refused = client.step(at(version, "submit"))
    assert refused.status_code == 400
    assert refused.json()["code"] == "intents.policy_invalid"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "wrong", [{"mode": "sometimes"}, {"kinds": ["A passport"]}, {"roles": ["king"]}, {"name": ""}, {"scope": "all"}]
)
def test_an_invariant_that_can_not_be_stored_is_refused_at_its_place(client: Api, wrong: dict[str, object]) -> None:
    content = {**wider(), "invariants": [{**ROW, **wrong}]}
    response = client.post(VERSIONS, {"reason": "A test.", "content": content})
    assert response.status_code == 400
    assert "invariants" in str(response.json()["errors"])


@pytest.mark.django_db
def test_a_client_reads_the_proof_of_a_draft_and_of_its_submission(client: Api) -> None:
    version = begun(client)
    drafted = client.get(at(version, "proof")).json()
    assert drafted["kept"] is False
    client.step(at(version, "submit"))
    kept = client.get(at(version, "proof")).json()
    assert kept["kept"] is True
    assert next(each for each in kept["theorems"] if each["theorem"] == "nothing_permitted")["count"] == 1
    assert client.get(f"{at(version, 'proof')}?against=1").json()["kept"] is False


# --- The file, and the diff -----------------------------------------------------------------------------------------

invariants = st.lists(
    st.builds(
        Invariant,
        name=st.text(TEXT_CHARACTERS, min_size=1, max_size=60).filter(str.strip),
        mode=st.sampled_from(InvariantMode),
        roles=st.sets(st.sampled_from(Role.values)).map(lambda each: tuple(sorted(each))),
        intents=st.sets(st.sampled_from(["compliance", "unrecognised"])).map(lambda each: tuple(sorted(each))),
        kinds=st.just(("run", "schedule")),
    ),
    unique_by=lambda each: each.name,
    max_size=4,
).map(tuple)


@settings(max_examples=100, deadline=None)
@given(invariants)
def test_what_the_file_says_is_read_back(said: tuple[Invariant, ...]) -> None:
    policy = replace(BASE, invariants=said)
    read = parse_policy_file(render_policy_file(policy), filename="policy.py")
    assert read.invariants == said
    assert policy_sha256(read) == policy_sha256(policy)


def test_a_mistake_in_the_file_is_named() -> None:
    text = render_policy_file(replace(BASE, invariants=(KYC,))).replace('"mode": "only"', '"mode": "onyl"')
    with pytest.raises(PolicyFileError, match='invariant 1: there is no mode "onyl"'):
        parse_policy_file(text, filename="policy.py")


def test_the_diff_tells_an_invariant_that_is_set_and_one_that_is_dropped() -> None:
    with_it = replace(BASE, invariants=(KYC,))
    words = "Only questions of the intent Compliance may reach Compliance profiles."
    assert policy_diff(BASE, with_it).sentences == (f"The invariant “KYC files” is set: {words}",)
    assert policy_diff(with_it, BASE).sentences == (f"The invariant “KYC files” no longer holds: {words}",)


def test_the_content_of_a_broken_one_is_still_a_content() -> None:
    assert policy_content(replace(opened(), invariants=(KYC,)))["invariants"] == [ROW]
