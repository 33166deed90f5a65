"""The second person's pages where nothing waits yet, or what waits came about otherwise."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.urls import reverse

from apps.intents.models import PolicyVersion, VersionStatus
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.deciding import version_approve, version_submit
from tests.factories import Firm, as_, make_member
from tests.intents.reviewing import again, drafted, submitted
from tests.intents.test_admin_review import acts, officer, reviewer, rupert, section, server, smaller
from tests.model_server import ModelServer
from tests.visitor import Visitor

__all__ = ["officer", "reviewer", "rupert", "server"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def acme(acme: Firm, server: ModelServer) -> Firm:
    return acme


@pytest.fixture
def olivia(acme: Firm) -> Principal:
    return make_member(acme, "olivia", Role.COMPLIANCE_OFFICER)


def test_an_empty_list_says_so_and_how_it_fills(officer: Visitor, reviewer: Visitor) -> None:
    page = reviewer.open("policy_reviews")
    assert reverse("admin:policy_reviews") in page.sidebar
    assert "Nothing waits for your decision. A version appears here once its author has submitted it." in page.text
    assert "No approved version waits for its time." in page.text
    own = officer.open("policy_reviews").text
    assert "You have no version in review." in own
    assert "Nothing was sent back to you." in own


def test_a_draft_that_nobody_has_seen_is_not_called_sent_back(olivia: Principal, officer: Visitor) -> None:
    drafted(olivia)
    assert "Nothing was sent back to you." in officer.open("policy_reviews").text


@pytest.mark.slow
def test_a_version_begun_before_the_one_in_force_bears_a_warning(
    olivia: Principal, rupert: Principal, reviewer: Visitor
) -> None:
    overtaken = drafted(olivia, smaller)
    other = submitted(olivia)
    with as_(rupert):
        version_approve(other.id)
    with as_(olivia):
        version_submit(overtaken.id)
    page = reviewer.open("policy_review", overtaken.id)
    warning = section(page, "overtaken")
    assert "Its author started when version 1 was in force; version 3 is in force now." in warning
    assert f"{reverse('admin:policy_compare')}?before=1&after=3" in page.links


@pytest.mark.slow
def test_a_superseded_version_is_compared_with_what_it_replaced(
    olivia: Principal, rupert: Principal, reviewer: Visitor
) -> None:
    first = submitted(olivia)
    with as_(rupert):
        version_approve(first.id)
    second = submitted(olivia, smaller)
    with as_(rupert):
        version_approve(second.id)
    page = reviewer.open("policy_review", first.id)
    assert "This version was in force from" in page.text
    assert "against version 1, which it replaced" in section(page, "changes")
    assert "It was superseded by version 3." in section(page, "story")


def test_the_first_version_has_nothing_to_be_compared_with(acme: Firm, reviewer: Visitor) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        baseline = PolicyVersion.objects.get()
    page = reviewer.open("policy_review", baseline.id)
    assert "There is no version before this one" in page.text
    assert "began this tenant's policy with the shipped baseline" in section(page, "story")


@pytest.mark.slow
def test_an_author_who_may_approve_is_offered_nothing_and_refused_when_typing_it(
    acme: Firm, olivia: Principal, officer: Visitor
) -> None:
    make_member(acme, "olivia", Role.REVIEWER)
    version = submitted(replace(olivia, roles=olivia.roles | {Role.REVIEWER}))
    page = officer.open("policy_review", version.id)
    assert acts(page) == {"withdraw", "comment"}
    for name, field in (("approve", "note"), ("send_back", "reason"), ("reject", "reason")):
        refused = officer.send("policy_review", version.id, **{"act": name, f"{name}-{field}": "Mine."})
        assert refused.status == 403
        assert "You wrote version 2, so somebody else decides on it." in refused.text
    assert again(acme, version).status == VersionStatus.IN_REVIEW
