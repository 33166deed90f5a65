"""Two reviewers by page: the rule in a draft, and what each of the two is shown and offered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import LazySettings

from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.reviewers import TwoFor
from apps.intents.selectors import version_snapshot
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.corpus.ingesting import short_profile
from tests.deciding import version_approve
from tests.factories import Firm, as_, make_member
from tests.intents.drafting import Typed
from tests.intents.reviewing import again, drafted, submitted
from tests.intents.test_admin_review import act, acts, section, seen
from tests.intents.test_two_reviewers import asking_for, other_cap
from tests.model_server import ModelServer
from tests.visitor import Visitor

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def server(settings: LazySettings) -> Iterator[ModelServer]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield running


@pytest.fixture
def olivia(acme: Firm, server: ModelServer) -> Principal:
    return make_member(acme, "olivia", Role.COMPLIANCE_OFFICER)


@pytest.fixture
def asked(acme: Firm, olivia: Principal) -> PolicyVersion:
    """A change that takes two: every one does."""
    rupert = make_member(acme, "rupert", Role.REVIEWER)
    make_member(acme, "rita", Role.REVIEWER)
    ruled = submitted(olivia, asking_for(TwoFor.EVERYTHING))
    with as_(rupert):
        version_approve(ruled.id)
    return submitted(olivia, other_cap)


def test_an_officer_ticks_the_rule_in_a_draft_and_it_stays_where_the_form_has_no_part_for_it(
    acme: Firm, olivia: Principal
) -> None:
    draft, officer = drafted(olivia), Visitor("olivia")
    page = officer.open("policy_draft", draft.id)
    assert "a change by which questions reach more" in section(page, "part-reviewers")
    typed = Typed.from_page(page.tree).with_(two__for=["wider_reach", "invariants"])
    assert officer.send("policy_draft", draft.id, **typed.values).status == 302
    with as_(olivia):
        kept = version_snapshot(again(acme, draft))
    assert kept.two_reviewers_for == (TwoFor.WIDER_REACH, TwoFor.INVARIANTS)
    ticked = officer.open("policy_draft", draft.id).tree.xpath("//input[@name='two-for'][@checked]/@value")
    assert ticked == ["wider_reach", "invariants"]


def test_a_change_that_is_not_listed_is_refused_in_its_part(acme: Firm, olivia: Principal) -> None:
    draft, officer = drafted(olivia), Visitor("olivia")
    typed = Typed.from_page(officer.open("policy_draft", draft.id).tree).with_(two__for=["weekdays"])
    page = officer.send("policy_draft", draft.id, **typed.values)
    assert page.status == 422
    assert "Choose among the changes that are listed." in section(page, "part-reviewers")


def test_the_first_is_told_that_it_takes_two_and_approves_without_a_time(acme: Firm, asked: PolicyVersion) -> None:
    rupert = Visitor("rupert")
    page = rupert.open("policy_review", asked.id)
    assert "This takes two reviewers" in section(page, "two-reviewers")
    assert "Nobody has approved it yet." in section(page, "two-reviewers")
    assert acts(page) == {"approve", "send_back", "reject", "comment"}
    assert "Approve as the first of two reviewers" in section(page, "decision")
    assert act(rupert, asked, "approve", note="Fine.").status == 302
    page = rupert.open("policy_review", asked.id)
    assert "as the first of two reviewers. It stays in review" in page.text
    assert "You have approved it." in section(page, "decision")
    assert acts(page) == {"send_back", "reject", "comment"}
    assert again(acme, asked).status == VersionStatus.IN_REVIEW


def test_the_second_reads_who_approved_it_with_which_note_and_puts_it_in_force(
    acme: Firm, asked: PolicyVersion
) -> None:
    act(Visitor("rupert"), asked, "approve", note="The caps are right.")
    rita = Visitor("rita")
    page = rita.open("policy_review", asked.id)
    assert "rupert approved it" in section(page, "two-reviewers")
    assert "“The caps are right.”" in section(page, "two-reviewers")
    assert {"approve", "approve_later"} <= acts(page)
    assert act(rita, asked, "approve").status == 302
    page = rita.open("policy_review", asked.id)
    assert "rupert approved it, as the first of two: “The caps are right.”" in section(page, "story")
    assert "rita approved it, to take effect at" in section(page, "story")
    assert again(acme, asked).status == VersionStatus.ACTIVE


def test_who_types_a_second_approval_is_told_that_they_approved_it(acme: Firm, asked: PolicyVersion) -> None:
    rupert = Visitor("rupert")
    read = seen(rupert.open("policy_review", asked.id))
    act(rupert, asked, "approve")
    revision = again(acme, asked).revision
    page = rupert.send("policy_review", asked.id, act="approve", seen=read, revision=str(revision))
    assert page.status == 409
    assert "You have approved version 3 already." in page.text
