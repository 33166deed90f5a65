"""What the floors above put into a package: of two people who worked on one version, each gets their own words."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta

import pytest
from django.utils import timezone

from apps.audit.services import record
from apps.corpus.models import IngestJob
from apps.intents.models import PolicyVersion, VersionStatus
from apps.privacy.my_data.contracts import Format
from apps.privacy.my_data.services import my_data_export
from apps.tenants.context import open_scope
from apps.tenants.models import User
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.corpus.ingesting import ingest
from tests.factories import Firm, as_, make_firm, make_member
from tests.intents.steps import acting, in_review, step

pytestmark = pytest.mark.django_db


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """alice wrote a version, because of attribution; bob rejected it, because of a heron."""

    firm: Firm
    alice: Principal
    bob: Principal
    version: PolicyVersion


@pytest.fixture
def desk() -> Desk:
    firm = make_firm("acme")
    alice = make_member(firm, "alice", Role.COMPLIANCE_OFFICER)
    bob = make_member(firm, "bob", Role.REVIEWER)
    people = {name: User.objects.get_by_natural_key(name) for name in ("alice", "bob")}
    with open_scope(tenant=firm.id, reason="a test"):
        version = in_review(people["alice"])
        with acting(people["bob"], Role.REVIEWER):
            step(
                version,
                status=VersionStatus.REJECTED,
                approver=people["bob"],
                approver_label="bob",
                decision_reason="Because of a heron.",
                decided_at=timezone.now(),
            )
            record(
                action="intents.policy.rejected",
                core={"number": 2, "reason": "Because of a heron.", "author": "alice"},
                subject_type="policy_version",
                subject_id=version.id,
            )
    return Desk(firm=firm, alice=alice, bob=bob, version=version)


def taken(principal: Principal) -> str:
    with as_(principal):
        parts = my_data_export(Format.JSON)
    return b"".join(parts).decode()


def entries(text: str, key: str) -> list[dict[str, object]]:
    return next(list(each["entries"]) for each in json.loads(text)["categories"] if each["key"] == key)


def test_the_author_gets_their_reason_and_not_the_reviewers(desk: Desk) -> None:
    text = taken(desk.alice)
    (version,) = entries(text, "policy_versions")
    assert (version["your_part"], version["your_reason"]) == ("you wrote it", "A wider attribution.")
    assert version["your_name_then"] == "alice"
    assert "heron" not in text
    assert "bob" not in text


def test_the_reviewer_gets_their_decision_and_not_the_authors_reason(desk: Desk) -> None:
    text = taken(desk.bob)
    (version,) = entries(text, "policy_versions")
    assert (version["your_part"], version["your_decision"]) == ("you decided on it", "Because of a heron.")
    assert "wider attribution" not in text
    assert "alice" not in text
    (event,) = [each for each in entries(text, "events") if each["action"] == "intents.policy.rejected"]
    assert event["details"] == {"number": 2, "author": "another person"}


@pytest.mark.slow
def test_who_withdraws_a_version_keeps_their_words_to_themselves(desk: Desk) -> None:
    """Here alice, after bob had decided: the version says why in the place where his reason was."""
    with open_scope(tenant=desk.firm.id, reason="a test"):
        other = in_review(User.objects.get_by_natural_key("alice"), number=3)
        with acting(User.objects.get_by_natural_key("bob"), Role.REVIEWER):
            step(
                other,
                status=VersionStatus.APPROVED,
                approver=User.objects.get_by_natural_key("bob"),
                approver_label="bob",
                effective_from=timezone.now() + timedelta(days=1),
            )
        with acting(User.objects.get_by_natural_key("alice")):
            step(other, status=VersionStatus.WITHDRAWN, decision_reason="An osprey.", decided_at=timezone.now())
            record(
                action="intents.policy.withdrawn",
                core={"number": 3, "reason": "An osprey.", "author": "alice"},
                subject_type="policy_version",
                subject_id=other.id,
            )
    assert "osprey" not in taken(desk.bob)
    events = entries(taken(desk.alice), "events")
    (withdrawn,) = [each for each in events if each["action"] == "intents.policy.withdrawn"]
    assert withdrawn["details"] == {"number": 3, "reason": "An osprey.", "author": "you"}


@pytest.mark.slow
def test_documents_that_a_person_brought_are_told_and_not_quoted(desk: Desk) -> None:
    anna = make_member(desk.firm, "anna", Role.ANALYST)
    ingest(desk.firm, b"# Of a kestrel\n\nIt flew.\n", filename="kestrel.md", principal=anna)
    ingest(desk.firm, b"# Of a starling\n\nIt fell.\n", filename="starling.md")
    with open_scope(tenant=desk.firm.id, reason="a test"):
        assert IngestJob.objects.count() == 2
    text = taken(anna)
    (document,) = entries(text, "documents")
    assert document["your_name_then"] == "anna"
    assert "kestrel" not in text
    assert "starling" not in text
    assert entries(taken(desk.alice), "documents") == []
