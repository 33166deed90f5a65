"""From one pack to another: what a draft of packs holds, and which documents it would leave without a question."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from apps.corpus.kinds import Kind
from apps.intents.baseline import baseline_snapshot
from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import InvalidPolicyError
from apps.intents.fund_house import FUND_HOUSE, FundHouse
from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.pack_switch import NOBODY, kinds_left, kinds_redefined, switch_packs, unreached_documents
from apps.intents.packs import catalogue
from apps.intents.packs.catalogue import PACKS
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services.successor import usage_problems
from apps.intents.validation import policy_problems, successor_problems
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.corpus.ingesting import ingest
from tests.deciding import version_approve, version_submit
from tests.factories import Firm, as_, make_member
from tests.intents.profile.rules import PAST, TAX
from tests.intents.reviewing import submitted, wider
from tests.visitor import Page, Visitor

ADDRESS = "/admin/policy/drafts/packs/"
BANK = ("bank_lending",)
RUNS = {"run": 3}


def before() -> PolicySnapshot:
    return baseline_snapshot()


# --- the content ---


@pytest.mark.parametrize(("old", "new"), list(permutations(PACKS, 2)), ids="-to-".join)
def test_a_switch_between_any_packs_is_a_policy_that_may_follow_and_names_each_document(old: str, new: str) -> None:
    policy = baseline_snapshot((old,))
    documents = {kind.value: 1 for kind in policy.kinds}
    made = switch_packs(policy, (new,), documents, {})
    assert policy_problems(made, policy) == ()
    assert list(successor_problems(policy, made, frozenset(documents))) == []
    assert {each.budget.kind for each in unreached_documents(made, documents)} == set(policy.kinds)
    mapped = switch_packs(policy, (new,), documents, dict.fromkeys(documents, baseline_snapshot((new,)).kinds[0].value))
    assert policy_problems(mapped, policy) == ()
    assert list(successor_problems(policy, mapped, frozenset(documents))) == []
    assert unreached_documents(mapped, documents) == ()


def test_a_kind_goes_with_one_of_the_packs_to_each_intent_that_reaches_it() -> None:
    made = switch_packs(before(), BANK, RUNS, {"run": "portfolio_report"})
    reached = {rule.name for rule in made.intents if FundHouse.RUN in rule.kinds}
    assert reached == {rule.name for rule in made.intents if Kind("portfolio_report") in rule.kinds} == {"loan_book"}
    assert FundHouse.RUN not in made.fallback.kinds
    assert made.kinds[-1] == FundHouse.RUN
    assert not made.budgets[-1].retired


@pytest.mark.parametrize("goes_with", [{}, {"run": NOBODY}])
def test_a_kind_that_goes_with_none_is_kept_and_retired(goes_with: dict[str, str]) -> None:
    made = switch_packs(before(), BANK, RUNS, goes_with)
    assert (made.budgets[-1].kind, made.budgets[-1].retired) == (FundHouse.RUN, True)
    assert [(each.name, each.documents) for each in unreached_documents(made, RUNS)] == [("Past runs", 3)]


def test_a_kind_without_documents_goes_and_one_that_the_packs_have_stays_theirs() -> None:
    assert kinds_left(before(), BANK, {}) == ()
    assert set(switch_packs(before(), BANK, {}, {}).kinds).isdisjoint(FUND_HOUSE)
    assert kinds_left(before(), ("fund_house", "insurance"), RUNS) == ()


def test_what_no_pack_speaks_of_stays_as_it_was() -> None:
    policy = replace(before(), retrieval=replace(before().retrieval, history_days=7))
    made = switch_packs(policy, BANK, {}, {})
    assert (made.retrieval, made.invariants) == (policy.retrieval, policy.invariants)


@pytest.mark.parametrize(("old", "new"), list(permutations(PACKS, 2)), ids="-to-".join)
def test_a_rule_of_the_profile_stays_and_is_named_where_its_intent_goes(old: str, new: str) -> None:
    policy = baseline_snapshot((old,))
    gone = {rule.name for rule in policy.intents} - {rule.name for rule in baseline_snapshot((new,)).intents}
    rules = tuple(
        replace(PAST, key=f"rule_{number}", intents=(rule.name,)) for number, rule in enumerate(policy.intents)
    )
    everywhere = replace(PAST, intents=("unrecognised",))
    made = switch_packs(replace(policy, profile=(*rules, TAX, everywhere)), (new,), {}, {})
    assert made.profile == (*rules, TAX, everywhere)
    problems = policy_problems(made)
    assert len(problems) == len(gone)
    assert all(any(f"speaks of the intent “{name}”" in each for each in problems) for name in gone)
    assert policy_problems(replace(made, profile=(TAX, everywhere))) == ()


# --- the page ---

pytestmark = pytest.mark.django_db


@pytest.fixture
def olivia(acme: Firm) -> Principal:
    return make_member(acme, "olivia", Role.COMPLIANCE_OFFICER)


@pytest.fixture
def officer(olivia: Principal) -> Visitor:
    return Visitor("olivia")


@pytest.fixture
def filed(acme: Firm) -> None:
    for number in range(2):
        ingest(acme, f"# Run {number}".encode(), filename=f"run{number}.md", kind="run")
    ingest(acme, b"# Who we are", filename="firm.md", kind="org_profile")


def begin(officer: Visitor, packs: str, **fields: str) -> Page:
    return Page(officer.post(f"{ADDRESS}?{packs}", fields))


def chosen(officer: Visitor, *packs: str) -> Page:
    return Page(officer.get(f"{ADDRESS}?{'&'.join(f'pack={pack}' for pack in packs)}"))


def test_each_pack_says_what_it_brings(officer: Visitor) -> None:
    page = Page(officer.get(ADDRESS))
    assert page.status == 200
    for pack in PACKS.values():
        assert pack.name in page.text
    assert "6 intentsLending rules and products, Borrowers and their credit" in page.text
    assert "8 kindsCredit policies, Loan products" in page.text


@pytest.mark.usefixtures("filed")
def test_the_page_counts_by_kind_what_would_be_reached_by_nobody(officer: Visitor) -> None:
    page = chosen(officer, "bank_lending", "insurance")
    assert "no question would reach these documents: Firm profiles: 1 documentPast runs: 2 documents" in page.text
    kept = chosen(officer, "fund_house", "insurance")
    assert "All 3 documents that you may read can be reached" in kept.text


@pytest.mark.usefixtures("filed")
def test_a_draft_begins_with_the_packs_and_the_kinds_that_documents_need(
    officer: Visitor, olivia: Principal, acme: Firm
) -> None:
    sent = begin(
        officer,
        "pack=bank_lending&pack=insurance",
        reason="We became a bank.",
        goes_with_run="portfolio_report",
        goes_with_org_profile=NOBODY,
    )
    assert sent.status == 302
    with as_(olivia):
        draft = PolicyVersion.objects.get(number=2)
        made = version_snapshot(draft)
        assert (draft.reason, policy_in_force().number) == ("We became a bank.", 1)
        assert [rule.name for rule in made.intents if FundHouse.RUN in rule.kinds] == ["loan_book"]
        assert usage_problems(made) == ()
        assert [each.name for each in unreached_documents(made, {"run": 2, "org_profile": 1})] == ["Firm profiles"]
    assert officer.get(sent.location).status_code == 200


@pytest.mark.usefixtures("filed")
def test_nothing_is_begun_before_each_kind_is_decided_and_a_reason_given(officer: Visitor, acme: Firm) -> None:
    page = begin(officer, "pack=bank_lending", reason="", goes_with_run="portfolio_report")
    assert "Choose what becomes of these documents." in page.errors_of("goes_with_org_profile")
    assert page.errors_of("reason")
    assert "no question would reach these documents: Firm profiles: 1 document " in page.text
    assert "Past runs: 2 documents As chosen" not in page.text
    page = begin(officer, "pack=bank_lending", reason="So.", goes_with_run="bakery", goes_with_org_profile="-")
    assert page.errors_of("goes_with_run")
    with open_scope(tenant=acme.id, reason="a test"):
        assert PolicyVersion.objects.count() == 1


def test_a_profile_of_intents_that_go_is_kept_in_the_draft_and_not_submitted(
    acme: Firm, officer: Visitor, olivia: Principal
) -> None:
    version = submitted(olivia, lambda snapshot: replace(wider(snapshot), profile=(PAST, TAX)))
    with as_(make_member(acme, "rupert", Role.REVIEWER)):
        version_approve(version.id)
    told = "Profile rule “past_performance” speaks of the intent “performance”, which this version does not have"
    assert told in chosen(officer, "bank_lending").text
    assert "speaks of the intent" not in chosen(officer, "fund_house", "insurance").text
    sent = begin(officer, "pack=bank_lending", reason="We became a bank.")
    page = Page(officer.get(sent.location))
    assert page.status == 200
    assert told in page.text
    with as_(olivia):
        draft = PolicyVersion.objects.latest("number")
        assert version_snapshot(draft).profile == (PAST, TAX)
        with pytest.raises(InvalidPolicyError, match="speaks of the intent"):
            version_submit(draft.id)
        with pytest.raises(IntegrityError, match="which is not there"), transaction.atomic():
            PolicyVersion.objects.filter(id=draft.id).update(
                status=VersionStatus.IN_REVIEW, submitted_at=timezone.now()
            )


def test_a_kind_of_the_firm_that_a_pack_defines_otherwise_is_named(officer: Visitor) -> None:
    assert "define anew" not in chosen(officer, "fund_house").text
    mine = before()
    changed = replace(mine, budgets=(replace(mine.budgets[0], name="Our firm"), *mine.budgets[1:]))
    assert [each.name for each in kinds_redefined(changed, ("fund_house",))] == ["Our firm"]


def test_packs_that_collide_are_refused_with_what_collides(officer: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    twin = replace(PACKS["fund_house"], key="twin", name="Twin", intents=PACKS["fund_house"].intents[:1])
    monkeypatch.setattr(catalogue, "PACKS", {**PACKS, "twin": twin})
    page = chosen(officer, "fund_house", "twin")
    assert page.status == 422
    assert "Fund house and Twin both have the kind “run”" in page.text


def test_a_pack_that_is_none_is_refused(officer: Visitor) -> None:
    page = chosen(officer, "bakery")
    assert (page.status, "There is no pack “bakery”" in page.text) == (422, True)


@pytest.mark.parametrize("role", [Role.ANALYST, Role.REVIEWER, Role.AUDITOR])
def test_only_who_edits_policies_sees_it(acme: Firm, role: Role) -> None:
    make_member(acme, "mallory", role)
    assert Visitor("mallory").get(ADDRESS).status_code == 403
