"""The preview as people read it: a fragment that moves while it is computed, and says what each may know."""

from __future__ import annotations

import pytest
from django.urls import reverse

from apps.intents.fund_house import FundHouse
from apps.intents.models import PolicyVersion
from apps.quality.impact.runner import impact_run
from apps.quality.models import ImpactState, PolicyImpact
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.factories import Firm, as_, make_firm, make_member
from tests.intents.steps import approved
from tests.quality.impacting import asked, change_impact, changed, computed, draft_of, expects, requested, with_kinds
from tests.retrieval.asking import QUESTION
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db

NARROWER = with_kinds("performance", FundHouse.FUND_PROFILE)


@pytest.fixture
def officer(firm: Firm) -> Principal:
    return make_member(firm, "olivia", Role.COMPLIANCE_OFFICER)


@pytest.fixture
def draft(officer: Principal) -> PolicyVersion:
    return draft_of(officer, NARROWER)


@pytest.fixture
def olivia(draft: PolicyVersion) -> Visitor:
    return Visitor("olivia")


def is_final(page: Page) -> bool:
    return bool(page.tree.xpath("//*[@data-fragment-done]"))


def buttons(page: Page) -> list[str]:
    return [each.text_content().strip() for each in page.tree.xpath("//button[@type='submit']")]


def hrefs(page: Page) -> list[str]:
    return [str(link) for link in page.tree.xpath("//a/@href")]


def test_before_anybody_asked_it_says_so_and_offers_it(olivia: Visitor, draft: PolicyVersion) -> None:
    page = olivia.open("policy_impact", draft.id)
    assert "Nothing has been computed yet" in page.text
    assert (buttons(page), is_final(page)) == (["Compute the impact"], True)


def test_the_button_queues_it_and_leads_back_to_where_it_was_pressed(
    olivia: Visitor, draft: PolicyVersion, officer: Principal
) -> None:
    address = reverse("admin:policy_impact", args=[draft.id])
    for came_from, back in (
        ("http://testserver/admin/somewhere/", "http://testserver/admin/somewhere/"),
        ("https://elsewhere.example/", reverse("admin:policy_impact_page", args=[draft.id])),
        ("", reverse("admin:policy_impact_page", args=[draft.id])),
    ):
        answer = olivia.post(address, headers={"referer": came_from} if came_from else {})
        assert (answer.status_code, answer.headers["Location"]) == (302, back)
    with as_(officer):
        assert PolicyImpact.objects.get().state == ImpactState.QUEUED


def test_while_it_waits_and_runs_it_shows_how_far_it_is(
    olivia: Visitor, draft: PolicyVersion, officer: Principal
) -> None:
    impact = requested(officer, draft)
    page = olivia.open("policy_impact", draft.id)
    assert "Waiting for a worker" in page.text
    assert (buttons(page), is_final(page)) == ([], False)
    change_impact(officer, impact.id, state=ImpactState.RUNNING, done=31, total=160)
    page = olivia.open("policy_impact", draft.id)
    assert "31 of 160 questions" in page.text
    assert page.tree.xpath("//progress/@value") == ["31"]


@pytest.mark.slow
def test_when_done_it_says_it_in_words_first_then_by_question(
    olivia: Visitor, draft: PolicyVersion, officer: Principal
) -> None:
    event = asked(officer, QUESTION)
    expects(officer, QUESTION, document="alpha.md", scope="firm:acme", pages=(1,))
    computed(officer, draft)
    page = olivia.open("policy_impact", draft.id)
    assert "0 of 1 recorded question could reach more kinds of document, 1 fewer" in page.text
    assert "Recall on 1 evaluation question: 1.00 before, 0.00 after" in page.text
    assert "loses Past runs" in page.text
    assert [each.text_content() for each in page.tree.xpath("//details/summary/strong")] == [
        "Can no longer reach Dataset summaries and Past runs"
    ]
    assert "goes: alpha, page 1" in page.text
    assert "What this can't know" in page.text
    assert QUESTION in page.text
    assert reverse("admin:audit_event_change", args=[event.id]) in hrefs(page)
    assert (buttons(page), is_final(page)) == (["Compute the impact again"], True)


def test_a_failure_says_what_failed_and_offers_it_again(
    olivia: Visitor, draft: PolicyVersion, officer: Principal
) -> None:
    impact = requested(officer, draft)
    change_impact(officer, impact.id, attempts=9)
    impact_run(impact_id=impact.id, tenant_id=officer.tenant_id)
    page = olivia.open("policy_impact", draft.id)
    assert "The preview failed. The worker stopped 9 times" in page.text
    assert (buttons(page), is_final(page)) == (["Compute the impact again"], True)


def test_a_draft_that_was_changed_since_is_out_of_date(
    olivia: Visitor, draft: PolicyVersion, officer: Principal
) -> None:
    computed(officer, draft)
    assert "out of date" not in olivia.open("policy_impact", draft.id).text
    changed(officer, draft, with_kinds("performance", FundHouse.SCHEDULE))
    page = olivia.open("policy_impact", draft.id)
    assert "out of date: the draft has changed since. Compute it again" in page.text
    assert buttons(page) == ["Compute the impact again"]


def test_another_version_in_force_puts_it_out_of_date(
    firm: Firm, olivia: Visitor, draft: PolicyVersion, officer: Principal
) -> None:
    computed(officer, draft)
    make_member(firm, "rupert", Role.REVIEWER)
    with open_scope(tenant=firm.id, reason="a test"):
        from apps.tenants.models import User

        people = [User.objects.get_by_natural_key(name) for name in ("olivia", "rupert")]
        other = approved(people[0], people[1], number=9)
        PolicyVersion.objects.filter(id=other.id).update(status="active")
    assert "out of date: another version is now in force" in olivia.open("policy_impact", draft.id).text


def test_the_preview_of_what_is_in_force_is_a_record_and_is_not_offered(
    firm: Firm, olivia: Visitor, officer: Principal
) -> None:
    with as_(officer):
        active = PolicyVersion.objects.get(status="active")
    page = olivia.open("policy_impact", active.id)
    assert buttons(page) == []
    assert olivia.send("policy_impact", active.id).status == 409


@pytest.mark.slow
def test_who_reads_without_a_scope_sees_no_question_and_no_title_of_it(
    firm: Firm, draft: PolicyVersion, officer: Principal
) -> None:
    asked(officer, QUESTION)
    expects(officer, QUESTION, document="alpha.md", scope="fund:alpha")
    expects(officer, "What was the maximum drawdown of the Beta Fund?", document="beta.md", scope="fund:beta")
    computed(officer, draft)
    make_member(firm, "berta", Role.REVIEWER, scopes=["fund:beta"])
    page = Visitor("berta").open("policy_impact", draft.id)
    assert "alpha" not in page.text.lower()
    assert "fourth quarter?" not in page.text
    assert "A question in a scope that you don't hold" in page.text
    assert "disappear in a scope that you don't hold" in page.text
    assert "What was the maximum drawdown of the Beta Fund?" in page.text
    assert "goes: beta, page 1" in page.text


def test_who_may_not_read_the_log_gets_no_links_into_it(firm: Firm, draft: PolicyVersion, officer: Principal) -> None:
    asked(officer, QUESTION)
    computed(officer, draft)
    make_member(firm, "andy", Role.ANALYST)
    page = Visitor("andy").open("policy_impact", draft.id)
    assert "Recorded question" in page.text
    assert not any("/audit/event/" in link for link in hrefs(page))
    assert buttons(page) == []


def test_another_officers_draft_is_not_computed_for_one(firm: Firm, draft: PolicyVersion) -> None:
    make_member(firm, "otto", Role.COMPLIANCE_OFFICER)
    otto = Visitor("otto")
    assert buttons(otto.open("policy_impact", draft.id)) == []
    assert otto.send("policy_impact", draft.id).status == 403


def test_another_tenants_version_is_not_there(draft: PolicyVersion) -> None:
    make_member(make_firm("bolt"), "bella", Role.COMPLIANCE_OFFICER)
    bella = Visitor("bella")
    for page in ("policy_impact", "policy_impact_page"):
        assert bella.open(page, draft.id).status == 404
    assert bella.send("policy_impact", draft.id).status == 404


def test_the_page_of_its_own_frames_the_fragment(olivia: Visitor, draft: PolicyVersion) -> None:
    page = olivia.open("policy_impact_page", draft.id)
    assert page.tree.xpath("//section/@data-fragment") == [reverse("admin:policy_impact", args=[draft.id])]
    assert "a draft of olivia" in page.text
