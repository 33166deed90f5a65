"""The proof of a submission: kept with the version, named by the log, shown to whoever decides, and never altered."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command
from django.db import IntegrityError, ProgrammingError, transaction
from django.test import Client
from django.utils import timezone
from lxml import html

from apps.audit.models import Event
from apps.audit.selectors import payloads_of
from apps.intents.access.held import held_at
from apps.intents.errors import ProofMissingError
from apps.intents.invariants import InvariantMode
from apps.intents.models import PolicyProof, PolicyVersion, VersionStatus
from apps.intents.proof.rendering import proof_sha256
from apps.intents.selectors import policy_in_force
from apps.intents.services.proofs import kept_proof, proof_hand_out
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.models import User
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.corpus.ingesting import short_profile
from tests.deciding import version_approve, version_send_back, version_submit
from tests.factories import Firm, as_, make_key, make_member
from tests.intents.reviewing import drafted, submitted, wider
from tests.intents.test_invariants import KYC
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db


@pytest.fixture
def acme(acme: Firm, settings: LazySettings) -> Iterator[Firm]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield acme


@pytest.fixture
def officer(acme: Firm) -> Principal:
    return make_member(acme, "olivia", Role.COMPLIANCE_OFFICER)


@pytest.fixture
def reviewer(acme: Firm) -> Principal:
    return make_member(acme, "rupert", Role.REVIEWER, scopes=["fund:alpha"])


def core(firm: Firm, action: str) -> dict[str, object]:
    with open_scope(tenant=firm.id, reason="a test"):
        event = Event.objects.filter(action=action).order_by("-occurred_at", "-id")[0]
        return dict(payloads_of([event])[event.id]["core"])


def test_a_submission_keeps_its_proof_and_the_log_names_its_digest(acme: Firm, officer: Principal) -> None:
    version = submitted(officer)
    with as_(officer):
        kept = kept_proof(version)
    assert kept is not None
    assert kept.problem == ""
    assert kept.sha256 == hashlib.sha256(kept.text.encode()).hexdigest()
    assert core(acme, "intents.policy.submitted")["proof_sha256"] == kept.sha256
    refuted = {each.theorem: each.shown for each in kept.stated if not each.holds}
    assert refuted["nothing_permitted"] == ("Performance → Schedules",)
    assert refuted["nothing_gained"] == ("Performance → Schedules (Compliance officer, 3 scopes)",)


def test_the_approval_names_the_same_digest(acme: Firm, officer: Principal, reviewer: Principal) -> None:
    version = submitted(officer)
    with as_(reviewer):
        version_approve(version.id)
    submission, approval = (core(acme, f"intents.policy.{step}") for step in ("submitted", "approved"))
    assert approval["proof_sha256"] == submission["proof_sha256"]


def test_each_submission_has_a_proof_of_its_own(acme: Firm, officer: Principal, reviewer: Principal) -> None:
    version = submitted(officer)
    with as_(reviewer):
        version_send_back(version.id, reason="Once more.")
    with as_(officer):
        version_submit(version.id)
        assert PolicyProof.objects.filter(version=version).count() == 2
        kept = kept_proof(version)
    assert kept is not None
    assert kept.problem == ""


# --- Attacks --------------------------------------------------------------------------------------------------------


def test_the_application_changes_and_removes_no_proof(officer: Principal) -> None:
    version = submitted(officer)
    with as_(officer):
        with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
            PolicyProof.objects.filter(version=version).update(text="{}", sha256=proof_sha256("{}"))
        with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
            PolicyProof.objects.filter(version=version)._raw_delete("default")


def test_nobody_writes_a_proof_beside_the_submission(officer: Principal, reviewer: Principal) -> None:
    version = drafted(officer)
    with as_(officer), pytest.raises(IntegrityError, match="with the submission"), transaction.atomic():
        PolicyProof.objects.create(
            tenant_id=version.tenant_id, version=version, revision=version.revision, text="{}", sha256="0" * 64
        )


def test_what_is_put_in_review_by_a_statement_has_no_proof_and_is_not_approved(
    officer: Principal, reviewer: Principal
) -> None:
    version = drafted(officer)
    with as_(officer):
        PolicyVersion.objects.filter(id=version.id).update(status=VersionStatus.IN_REVIEW)
    with as_(reviewer), pytest.raises(ProofMissingError, match="its author submits it again"):
        version_approve(version.id)


# --- Who may ask where ----------------------------------------------------------------------------------------------


def test_who_may_ask_where_is_told_by_role_with_the_scopes_below_a_grant(
    acme: Firm, officer: Principal, reviewer: Principal
) -> None:
    make_member(acme, "dora", Role.DPO)
    make_key(acme, Role.ANALYST, scopes=["fund:beta"])
    with as_(officer):
        held = held_at(timezone.now())
    assert held == {
        "analyst": {str(acme.scopes["fund:beta"].id)},
        "compliance_officer": {str(scope.id) for scope in acme.scopes.values()},
        "reviewer": {str(acme.scopes["fund:alpha"].id)},
    }


def test_the_scopes_of_a_person_s_memberships_add_up(acme: Firm, officer: Principal) -> None:
    make_member(acme, "anna", Role.ANALYST, scopes=["fund:alpha"])
    make_member(acme, "anna", Role.AUDITOR, scopes=["fund:beta"])
    with as_(officer):
        assert held_at(timezone.now())["analyst"] == {str(acme.scopes[f"fund:{each}"].id) for each in ("alpha", "beta")}


def test_before_the_tenant_nobody_held_anything(acme: Firm, officer: Principal) -> None:
    with as_(officer):
        assert held_at(timezone.now() - timezone.timedelta(days=900)) == {}


# --- Pages, the command ---------------------------------------------------------------------------------------------


def test_the_reviewer_reads_its_first_statement_above_the_changes_and_all_of_it_below_them(
    client: Client, officer: Principal, reviewer: Principal
) -> None:
    version = submitted(officer)
    client.force_login(User.objects.get_by_natural_key("rupert"))
    page = client.get(f"/admin/policy/versions/{version.id}/review/").content.decode()
    assert "Performance → Schedules" in page
    assert page.index('id="proof-first"') < page.index('id="changes"') < page.index('id="proof"')


def test_a_proof_against_a_version_that_is_no_longer_in_force_says_so(
    client: Client, officer: Principal, reviewer: Principal
) -> None:
    waiting, other = submitted(officer), submitted(officer, lambda policy: replace(wider(policy), total_cap_chars=9000))
    client.force_login(User.objects.get_by_natural_key("rupert"))
    address = f"/admin/policy/versions/{waiting.id}/review/"
    assert "has come into force since this was proven" not in client.get(address).content.decode()
    with as_(reviewer):
        version_approve(other.id)
    assert "Version 3 has come into force since this was proven" in client.get(address).content.decode()


def test_the_file_is_handed_out_to_the_byte(client: Client, officer: Principal) -> None:
    version = submitted(officer)
    client.force_login(User.objects.get_by_natural_key("olivia"))
    file = client.get(f"/admin/policy/versions/{version.id}/proof/file/")
    with as_(officer):
        kept = kept_proof(version)
    assert kept is not None
    assert file.content.decode() == kept.text
    assert client.get(f"/admin/policy/versions/{version.id}/proof/").status_code == 200


def test_an_analyst_does_not_get_the_file_which_says_where_roles_are_held(
    client: Client, acme: Firm, officer: Principal
) -> None:
    version = submitted(officer)
    make_member(acme, "anna", Role.ANALYST)
    client.force_login(User.objects.get_by_natural_key("anna"))
    assert client.get(f"/admin/policy/versions/{version.id}/proof/file/").status_code == 403
    assert client.get(f"/admin/policy/versions/{version.id}/proof/").status_code == 200


def command(*arguments: str) -> str:
    out = StringIO()
    call_command("policy", "prove", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_proves_versions_in_words_and_as_the_file(acme: Firm, officer: Principal) -> None:
    drafted(officer)
    words = command("active", "2", "--tenant", "acme")
    assert "REFUTED  No intent permits a kind that it did not permit before, but: Performance → Schedules." in words
    assert "holds    Every intent still permits all kinds that it permitted before." in words
    body = json.loads(command("active", "2", "--tenant", "acme", "--json"))
    assert [body[side]["version"] for side in ("before", "after")] == [1, 2]


# --- Two dates ------------------------------------------------------------------------------------------------------


@pytest.fixture
def two(officer: Principal, reviewer: Principal) -> tuple[PolicyVersion, PolicyVersion]:
    """Two versions that were in force one after the other."""
    version = submitted(officer)
    with as_(reviewer):
        after = version_approve(version.id)
        return PolicyVersion.objects.get(number=1), after


def recorded_proof(firm: Firm, text: str) -> dict[str, object]:
    found = core(firm, "intents.policy.proven")
    assert found["proof_sha256"] == proof_sha256(text)
    return found


def test_the_api_proves_two_dates_and_the_log_names_the_digest(
    acme: Firm, two: tuple[PolicyVersion, PolicyVersion]
) -> None:
    first, second = two
    auditor = Api(make_key(acme, Role.AUDITOR)[1])
    dates = {"against": first.valid_from.isoformat(), "on": second.valid_from.isoformat()}
    answer = auditor.get(f"/api/v1/policy/versions/{second.id}/proof/", dates).json()
    body = json.loads(answer["file"])
    assert not answer["kept"]
    assert [body[side]["version"] for side in ("before", "after")] == [1, 2]
    assert [body[side]["at"] for side in ("before", "after")] == list(dates.values())
    said = recorded_proof(acme, answer["file"])
    assert (said["since"], said["until"], said["number"]) == (*dates.values(), 2)
    assert said["content_sha256"] == body["after"]["content_sha256"]


@pytest.mark.parametrize(
    ("question", "field", "said"),
    [
        ({"against": "yesterday"}, "against", "Enter active"),
        ({"against": "2026-13-45"}, "against", "Enter active"),
        ({"against": "2999-01-01"}, "against", "not in the future"),
        ({"against": "1", "on": "2999-01-01"}, "on", "not in the future"),
        ({"against": "1", "on": "1"}, "on", "Enter a date or an instant"),
    ],
)
def test_a_date_that_is_none_is_told_in_its_place(
    acme: Firm, two: tuple[PolicyVersion, PolicyVersion], question: dict[str, str], field: str, said: str
) -> None:
    found = Api(make_key(acme, Role.AUDITOR)[1]).get(f"/api/v1/policy/versions/{two[1].id}/proof/", question)
    assert found.status_code == 400
    assert said in str(found.json())
    assert field in str(found.json())


def test_a_version_is_not_proven_of_a_day_on_which_it_was_not_in_force(
    acme: Firm, two: tuple[PolicyVersion, PolicyVersion]
) -> None:
    at = two[0].valid_from.isoformat()
    found = Api(make_key(acme, Role.AUDITOR)[1]).get(f"/api/v1/policy/versions/{two[1].id}/proof/", {"on": at})
    assert found.status_code == 400
    assert "Version 2 was not in force then" in str(found.json())


def test_the_difference_of_a_version_from_a_date_is_that_from_the_version_of_that_date(
    acme: Firm, two: tuple[PolicyVersion, PolicyVersion]
) -> None:
    address, analyst = f"/api/v1/policy/versions/{two[1].id}/diff/", Api(make_key(acme, Role.ANALYST)[1])
    by_date, by_number = (
        analyst.get(address, {"against": each}).json() for each in (two[0].valid_from.isoformat(), "1")
    )
    assert by_date == by_number


def test_the_comparison_leads_to_its_proof_whose_file_is_the_one_that_the_page_names(
    client: Client, acme: Firm, two: tuple[PolicyVersion, PolicyVersion]
) -> None:
    make_member(acme, "ada", Role.AUDITOR)
    client.force_login(User.objects.get_by_natural_key("ada"))
    dates = {"before": two[0].valid_from.isoformat(), "after": "2"}
    page = client.get("/admin/policy/compare/", dates).content.decode()
    assert "Prove what this change lets through" in page
    proof = client.get("/admin/policy/compare/proof/", dates)
    digest = core(acme, "intents.policy.proven")["proof_sha256"]
    words = proof.content.decode()
    assert "Performance → Schedules" in words
    assert str(digest) in words
    address = html.fromstring(words).xpath("//a[text()='Download the proof']/@href")[0]
    file = client.get(address).content.decode()
    assert proof_sha256(file) == digest
    assert recorded_proof(acme, file)["format"] == "file"


@pytest.mark.parametrize("query", ["", "before=1&after=x", "before=1&after=2999-01-01", "before=2026-13-45&after=1"])
def test_a_proof_of_nothing_is_none(
    client: Client, acme: Firm, two: tuple[PolicyVersion, PolicyVersion], query: str
) -> None:
    make_member(acme, "ada", Role.AUDITOR)
    client.force_login(User.objects.get_by_natural_key("ada"))
    for address in ("/admin/policy/compare/proof/", "/admin/policy/compare/proof/file/"):
        assert client.get(f"{address}?{query}").status_code == 422


def test_who_does_not_read_the_log_is_shown_no_proof_of_a_comparison(
    client: Client, acme: Firm, two: tuple[PolicyVersion, PolicyVersion]
) -> None:
    make_member(acme, "anna", Role.ANALYST)
    client.force_login(User.objects.get_by_natural_key("anna"))
    query = "before=1&after=2"
    assert "Prove what" not in client.get(f"/admin/policy/compare/?{query}").content.decode()
    for address in ("/admin/policy/compare/proof/", "/admin/policy/compare/proof/file/"):
        assert client.get(f"{address}?{query}").status_code == 403
    with as_(make_member(acme, "ann", Role.ANALYST)), pytest.raises(PermissionDeniedError):
        proof_hand_out(policy_in_force(), policy_in_force(), form="file")


def test_the_command_s_proof_is_recorded_with_its_digest(acme: Firm, officer: Principal) -> None:
    drafted(officer)
    recorded_proof(acme, command("active", "2", "--tenant", "acme", "--json"))


def test_without_a_tenant_only_policies_are_compared() -> None:
    assert "no --tenant was named" in command("baseline", "baseline")
    with pytest.raises(CommandError, match="add --tenant"):
        command("1", "2")


def test_the_review_begins_with_the_invariants_that_are_dropped(
    client: Client, officer: Principal, reviewer: Principal
) -> None:
    never = {"mode": InvariantMode.NEVER, "intents": ("attribution",), "kinds": ("schedule",)}
    kept, other = KYC, replace(KYC, name="Schedules", **never)
    first = submitted(officer, lambda policy: replace(wider(policy), invariants=(kept, other)))
    with as_(reviewer):
        version_approve(first.id)
    version = submitted(officer, lambda policy: replace(policy, invariants=(replace(other, intents=("narrative",)),)))
    client.force_login(User.objects.get_by_natural_key("rupert"))
    page = client.get(f"/admin/policy/versions/{version.id}/review/").content.decode()
    dropped = page[page.index('id="invariants-dropped"') : page.index('id="proof-first"')]
    assert "Only questions of the intent Compliance may reach Compliance profiles. Now: nothing." in dropped
    assert "Now: No questions of the intent Narrative and published reports may reach Schedules." in dropped


def test_a_review_of_a_version_that_keeps_them_says_nothing_of_it(
    client: Client, officer: Principal, reviewer: Principal
) -> None:
    version = submitted(officer)
    client.force_login(User.objects.get_by_natural_key("rupert"))
    assert "invariants-dropped" not in client.get(f"/admin/policy/versions/{version.id}/review/").content.decode()
