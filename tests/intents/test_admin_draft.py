"""An officer's drafts in the admin: begun, edited, tested, submitted and thrown away, without a script."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from uuid import UUID

import pytest
from django.conf import LazySettings

from apps.audit.models import Event
from apps.intents.contracts import PolicySnapshot
from apps.intents.fund_house import FundHouse
from apps.intents.models import PolicyVersion, VersionOrigin, VersionStatus
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services import reviews
from apps.intents.services.discussion import version_comment
from apps.intents.services.drafts import draft_discard, draft_save, draft_start
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.corpus.ingesting import short_profile
from tests.deciding import version_send_back, version_submit
from tests.factories import Firm, as_, make_firm, make_member
from tests.intents.drafting import Typed
from tests.model_server import Fault, ModelServer
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db


@pytest.fixture
def server(settings: LazySettings) -> Iterator[ModelServer]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield running


@pytest.fixture
def olivia(acme: Firm) -> Principal:
    return make_member(acme, "olivia", Role.COMPLIANCE_OFFICER)


@pytest.fixture
def officer(olivia: Principal) -> Visitor:
    return Visitor("olivia")


@pytest.fixture
def draft(olivia: Principal) -> PolicyVersion:
    with as_(olivia):
        return draft_start(reason="Schedules belong to performance.")


def wider(snapshot: PolicySnapshot) -> PolicySnapshot:
    first, *rest = snapshot.intents
    return replace(snapshot, intents=(replace(first, kinds=(*first.kinds, FundHouse.SCHEDULE)), *rest))


def change(person: Principal, draft: PolicyVersion) -> None:
    with as_(person):
        version = PolicyVersion.objects.get(id=draft.id)
        content = wider(version_snapshot(version))
        draft_save(draft.id, content=content, reason=draft.reason, revision=version.revision)


def stored(firm: Firm, draft: PolicyVersion) -> PolicySnapshot:
    with open_scope(tenant=firm.id, reason="a test"):
        return version_snapshot(PolicyVersion.objects.get(id=draft.id))


def typed(officer: Visitor, draft: PolicyVersion) -> Typed:
    return Typed.from_page(officer.open("policy_draft", draft.id).tree)


def save(officer: Visitor, draft: PolicyVersion, form: Typed) -> Page:
    return officer.send("policy_draft", draft.id, **form.values)


def value(page: Page, name: str) -> str:
    (found,) = page.tree.xpath(f"//*[@name='{name}']")
    return str(found.value).removeprefix("\n")  # a browser leaves it out, too


# --- The list, and beginning ----------------------------------------------------------------------------------------


def test_the_list_is_in_the_sidebar_and_says_how_to_begin(officer: Visitor) -> None:
    page = officer.open("policy_drafts")
    assert "/admin/policy/drafts/" in page.sidebar
    assert "You have no draft" in page.text
    assert any(link.endswith("/policy/drafts/start/") for link in page.links)


@pytest.mark.slow
@pytest.mark.parametrize("role", [Role.REVIEWER, Role.ANALYST, Role.AUDITOR, Role.TENANT_ADMIN, Role.DPO])
def test_who_may_not_edit_is_refused_everywhere(acme: Firm, draft: PolicyVersion, role: Role) -> None:
    make_member(acme, "bob", role)
    bob = Visitor("bob")
    assert bob.open("policy_drafts").status == 403
    assert bob.open("policy_draft_start").status == 403
    for name in ("policy_draft", "policy_draft_submit", "policy_draft_discard"):
        assert (bob.open(name, draft.id).status, bob.send(name, draft.id).status) == (403, 403)
    for name in ("policy_draft_preview", "policy_draft_check"):
        assert bob.send(name, draft.id).status == 403


def test_a_draft_begins_with_a_reason_as_a_copy_of_the_version_in_force(acme: Firm, officer: Visitor) -> None:
    refused = officer.send("policy_draft_start", reason=" ")
    assert (refused.status, "required" in refused.errors_of("reason")) == (200, True)
    begun = officer.send("policy_draft_start", reason="Funds cost money.")
    with open_scope(tenant=acme.id, reason="a test"):
        version = PolicyVersion.objects.get(status=VersionStatus.DRAFT)
    assert begun.location.endswith(f"/policy/drafts/{version.id}/")
    assert (version.number, version.author_label, version.reason) == (2, "olivia", "Funds cost money.")


@pytest.mark.slow
def test_an_older_version_is_brought_back_as_a_draft_and_the_page_says_what_that_changes(
    acme: Firm, olivia: Principal, officer: Visitor, draft: PolicyVersion
) -> None:
    change(olivia, draft)
    page = officer.open("policy_draft_start", copy=str(draft.id))
    assert "begins as a copy of version 2" in page.text
    assert "Performance can now reach Schedules." in page.text
    officer.post(f"/admin/policy/drafts/start/?copy={draft.id}", {"reason": "As before."})
    with open_scope(tenant=acme.id, reason="a test"):
        copy = PolicyVersion.objects.get(number=3)
        assert (copy.origin, FundHouse.SCHEDULE in version_snapshot(copy).intents[0].kinds) == (
            VersionOrigin.ROLLBACK,
            True,
        )


@pytest.mark.parametrize("copied", ["nonsense", "00000000-0000-4000-8000-000000000000"])
def test_a_copy_of_nothing_is_not_found(officer: Visitor, copied: str) -> None:
    assert officer.open("policy_draft_start", copy=copied).status == 404


@pytest.mark.slow
def test_another_tenant_s_draft_is_not_found(officer: Visitor) -> None:
    bolt = make_firm("bolt")
    with as_(make_member(bolt, "bolter", Role.COMPLIANCE_OFFICER)):
        theirs = draft_start(reason="Ours.")
    assert officer.open("policy_draft", theirs.id).status == 404
    assert officer.send("policy_draft_submit", theirs.id).status == 404
    assert "Ours." not in officer.open("policy_drafts").text


def test_the_list_says_of_each_draft_what_it_changes_and_what_to_do(
    olivia: Principal, officer: Visitor, draft: PolicyVersion
) -> None:
    assert "Next: make your changes" in officer.open("policy_drafts").text
    change(olivia, draft)
    page = officer.open("policy_drafts")
    assert "Performance can now reach Schedules." in page.text
    assert "Version 1 was in force" in page.text
    assert "Ready to submit" in page.text
    assert any(link.endswith(f"{draft.id}/submit/") for link in page.links)


@pytest.mark.slow
def test_the_list_counts_what_is_to_be_mended(officer: Visitor, draft: PolicyVersion) -> None:
    save(officer, draft, typed(officer, draft).without("kind-i1"))
    page = officer.open("policy_drafts")
    assert "fix 2 problems" in page.text
    assert not any(link.endswith("/submit/") for link in page.links)


@pytest.mark.slow
def test_what_was_sent_back_shows_what_the_reviewer_said(
    acme: Firm, olivia: Principal, officer: Visitor, draft: PolicyVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviews, "require_accuracy", lambda version, checked: None)
    change(olivia, draft)
    with as_(olivia):
        version_comment(draft.id, text="My own remark.")
        version_submit(draft.id)
    with as_(make_member(acme, "rupert", Role.REVIEWER)):
        version_send_back(draft.id, reason="Say which schedules.")
    text = officer.open("policy_drafts").text
    assert "Sent back" in text
    assert "rupert said" in text
    assert "Say which schedules." in text
    assert "My own remark." not in text
    assert "Say which schedules." in officer.open("policy_draft", draft.id).text


def test_others_drafts_are_shown_to_copy_and_not_to_edit(acme: Firm, officer: Visitor) -> None:
    with as_(make_member(acme, "oscar", Role.COMPLIANCE_OFFICER)):
        theirs = draft_start(reason="Oscar's idea.")
    page = officer.open("policy_drafts")
    assert "Oscar's idea." in page.text
    assert [link for link in page.links if str(theirs.id) in link] == [f"/admin/policy/drafts/start/?copy={theirs.id}"]


# --- Somebody else's ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_draft_of_somebody_else_is_theirs_to_change(acme: Firm, olivia: Principal, draft: PolicyVersion) -> None:
    make_member(acme, "oscar", Role.COMPLIANCE_OFFICER)
    oscar, before = Visitor("oscar"), stored(acme, draft)
    form = typed(Visitor("olivia"), draft)
    page = oscar.open("policy_draft", draft.id)
    assert "a draft of olivia" in page.text
    assert not page.tree.xpath("//*[@id='main']//form[@id='draft-form']")
    assert f"/admin/policy/drafts/start/?copy={draft.id}" in page.links
    for answer in (
        save(oscar, draft, form.with_(total_cap="9")),
        oscar.send("policy_draft_submit", draft.id),
        oscar.send("policy_draft_discard", draft.id),
        oscar.send("policy_draft_check", draft.id),
    ):
        assert answer.status == 403
        assert "a draft of olivia" in answer.text
    assert stored(acme, draft) == before


# --- Editing --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_saving_an_untouched_draft_changes_nothing_of_it(acme: Firm, officer: Visitor, draft: PolicyVersion) -> None:
    page = save(officer, draft, typed(officer, draft))
    assert (page.status, page.location) == (302, f"/admin/policy/drafts/{draft.id}/")
    with open_scope(tenant=acme.id, reason="a test"):
        in_force = policy_in_force()
    kept = stored(acme, draft)
    assert (kept.intents, kept.fallback, kept.budgets) == (in_force.intents, in_force.fallback, in_force.budgets)
    assert [each.text for each in kept.examples] == [each.text for each in in_force.examples]
    assert (kept.classifier, kept.retrieval) == (in_force.classifier, in_force.retrieval)
    assert "Nothing: it says the same as version 1" in officer.open("policy_draft", draft.id).text


@pytest.mark.slow
def test_everything_that_is_changed_is_saved_recorded_and_told(
    acme: Firm, officer: Visitor, draft: PolicyVersion
) -> None:
    form = typed(officer, draft)
    form = form.and_(kind__i1=["schedule"], example=["What of the schedules?"], example__of=["i1"])
    form = form.with_(
        recording__i2="encrypted_text",
        cap__run="750",
        total_cap="5000",
        position__reference_report="1",
        setting__minimum_score="0.3",
        setting__dense_top_k="40",
        label__fallback="Not known",
        reason="Another reason.",
    )
    assert save(officer, draft, form).status == 302
    kept = stored(acme, draft)
    assert kept.budgets[0].kind == FundHouse.REFERENCE_REPORT
    page = officer.open("policy_draft", draft.id)
    for sentence in (
        "Performance can now reach Schedules.",
        "A review example of Performance was added: “What of the schedules?”",
        "The cap of Past runs goes from 2,800 to 750 characters.",
        "The total cap goes from 16,384 to 5,000 characters.",
        "Reference reports will now come before Firm profiles",
        "needs a score of 0.3; it was 0.35",
        "Search by meaning now returns 40 passages",
        "with their text, encrypted",
    ):
        assert sentence in page.text
    assert page.text.index("More can be reached") < page.text.index("Other changes")
    assert (value(page, "reason"), value(page, "revision")) == ("Another reason.", "2")
    with open_scope(tenant=acme.id, reason="a test"):
        assert Event.objects.filter(action="intents.policy.draft_changed", actor_label="olivia").count() == 1


def test_rows_and_columns_of_the_matrix_are_headed_and_every_box_says_what_it_means(
    officer: Visitor, draft: PolicyVersion
) -> None:
    (table,) = officer.open("policy_draft", draft.id).tree.xpath("//table[contains(@class,'gd-matrix')]")
    assert len(table.xpath("thead//th[@scope='col']")) == 11
    assert [row.text_content().strip() for row in table.xpath("tbody//th[@scope='row']")][-1] == "Unrecognised"
    labels = table.xpath(".//input[@type='checkbox']/@aria-label")
    assert len(set(labels)) == 60
    assert "Performance may reach Fund profiles" in labels


@pytest.mark.slow
def test_an_intent_is_added_filled_in_and_saved(acme: Firm, officer: Visitor, draft: PolicyVersion) -> None:
    page = save(officer, draft, typed(officer, draft).with_(add="intent", total_cap="14000"))
    assert "Nothing is saved yet" in page.text
    assert value(page, "total_cap") == "14000"
    assert stored(acme, draft).total_cap_chars == 16384
    form = Typed.from_page(page.tree).with_(
        label__i6="Costs", name__i6="costs", description__i6="Fees and charges.", kind__i6=["fund_profile"]
    )
    form = form.and_(example=[f"What does fund {n} cost?" for n in range(5)], example__of=["i6"] * 5)
    assert save(officer, draft, form).status == 302
    assert stored(acme, draft).intents[-1].label == "Costs"
    assert "No problems" in officer.open("policy_draft", draft.id).text


@pytest.mark.slow
def test_a_draft_with_problems_is_saved_and_each_stands_beside_its_part(
    acme: Firm, officer: Visitor, draft: PolicyVersion
) -> None:
    form = typed(officer, draft).without("kind-i1").with_(uploader__schedule=["auditor"])
    saved = save(officer, draft, form)
    assert saved.status == 302
    assert not stored(acme, draft).intents[0].kinds
    page = officer.open("policy_draft", draft.id)
    assert "3 problems to fix before it can be submitted" in page.tree.text_content()
    for part, words in (
        ("intent-i1", "may reach no kind"),
        ("budget-schedule", "names roles that"),
        ("intent-fallback", "most restrictive"),
    ):
        (beside,) = page.tree.xpath(f"//*[@id='problems-{part}']")
        assert words in beside.text_content()
        assert page.tree.xpath(f"//*[@id='draft-problems']//a[@href='#{part}'][contains(., '{words}')]")


@pytest.mark.slow
def test_what_can_t_be_stored_comes_back_beside_its_field_with_everything_typed(
    acme: Firm, officer: Visitor, draft: PolicyVersion
) -> None:
    before = stored(acme, draft)
    form = typed(officer, draft).with_(cap__run="many", name__i2="performance", total_cap="14000", reason="")
    page = save(officer, draft, form.and_(kind__i1=["schedule"]))
    assert page.status == 422
    assert stored(acme, draft) == before
    for field, title, words in (
        ("cap-run", "Past runs", "whole number"),
        ("name-i2", "Compliance", "Another intent"),
        ("reason", "Reason", "Say why"),
    ):
        (beside,) = page.tree.xpath(f"//*[@id='{field}-error']")
        assert words in beside.text_content()
        assert page.tree.xpath(f"//*[@id='errors']//a[@href='#{field}'][contains(., '{title}: ')]")
        assert page.tree.xpath(f"//*[@id='{field}'][@aria-describedby]")
    typed_in = (value(page, "cap-run"), value(page, "total_cap"), value(page, "name-i2"))
    assert typed_in == ("many", "14000", "performance")
    assert "schedule" in Typed.from_page(page.tree).values["kind-i1"]


@pytest.mark.slow
def test_what_was_typed_is_shown_as_text_and_runs_nowhere(officer: Visitor, draft: PolicyVersion) -> None:
    evil = "\"'><script>alert(1)</script>"
    form = typed(officer, draft).with_(label__i1=evil, heading__run=evil, description__i1="</textarea>" + evil)
    assert save(officer, draft, form.and_(term__i1=[evil], weight__i1=["decisive"])).status == 302
    for page in (officer.open("policy_draft", draft.id), officer.open("policy_drafts")):
        assert "<script>alert(1)" not in page.response.content.decode()
    page = officer.open("policy_draft", draft.id)
    assert value(page, "label-i1") == evil
    assert str(page.tree.get_element_by_id("description-i1").value).strip() == "</textarea>" + evil


@pytest.mark.slow
def test_a_post_beyond_all_measure_is_refused_and_changes_nothing(
    acme: Firm, officer: Visitor, draft: PolicyVersion
) -> None:
    before, form = stored(acme, draft), typed(officer, draft)
    many = form.and_(example=[f"Question {n}?" for n in range(1500)], example__of=["i1"] * 1500)
    page = save(officer, draft, many)
    assert (page.status, "More than 1000 review examples" in page.text) == (422, True)
    assert save(officer, draft, form.with_(x=["y"] * 10_000)).status == 400
    assert save(officer, draft, Typed({})).status == 422
    assert save(officer, draft, form.with_(setting__neighbours="9" * 4000)).status == 422
    assert save(officer, draft, form.with_(label__i1="a\0b")).status == 422
    assert stored(acme, draft) == before


@pytest.mark.slow
def test_a_draft_that_was_changed_meanwhile_loses_nothing_that_was_typed(
    acme: Firm, olivia: Principal, officer: Visitor, draft: PolicyVersion
) -> None:
    form = typed(officer, draft)
    change(olivia, draft)
    page = save(officer, draft, form.with_(total_cap="5000", reason="Mine."))
    assert page.status == 409
    assert stored(acme, draft).total_cap_chars == 16384
    (message,) = page.tree.xpath("//*[@id='conflict']")
    said = message.text_content()
    assert "Performance can no longer reach Schedules." in said
    assert "The total cap goes from 16,384 to 5,000 characters." in said
    assert "The reason has changed." in said
    assert message.xpath(".//a[@target='_blank']/@href") == [f"/admin/policy/drafts/{draft.id}/"]
    assert (value(page, "total_cap"), value(page, "reason")) == ("5000", "Mine.")
    # Having read the difference, the officer may save over it.
    assert save(officer, draft, Typed.from_page(page.tree)).status == 302
    kept = stored(acme, draft)
    assert (kept.total_cap_chars, FundHouse.SCHEDULE in kept.intents[0].kinds) == (5000, False)


@pytest.mark.slow
def test_a_save_that_is_sent_twice_says_that_both_are_the_same(officer: Visitor, draft: PolicyVersion) -> None:
    form = typed(officer, draft).with_(total_cap="5000")
    assert save(officer, draft, form).status == 302
    assert "says the same as what is stored now" in save(officer, draft, form).text


@pytest.mark.slow
def test_a_draft_that_was_thrown_away_meanwhile_shows_what_was_typed(
    olivia: Principal, officer: Visitor, draft: PolicyVersion
) -> None:
    form = typed(officer, draft).with_(reason="Still here.")
    with as_(olivia):
        draft_discard(draft.id)
    page = save(officer, draft, form)
    assert (page.status, value(page, "reason")) == (409, "Still here.")
    assert "Version 2 is Withdrawn" in page.text
    assert officer.open("policy_draft", draft.id).status == 302


@pytest.mark.slow
def test_what_is_typed_is_told_at_once_and_not_saved(acme: Firm, officer: Visitor, draft: PolicyVersion) -> None:
    before = stored(acme, draft)
    form = typed(officer, draft).without("kind-i1").with_(total_cap="1000")
    page = officer.send("policy_draft_preview", draft.id, **form.values)
    said = page.response.content.decode()
    assert "Performance can no longer reach" in said
    assert "Past runs or Dataset summaries" in said
    assert 'data-for="problems-intent-i1"' in said
    assert "would be left out whole" in said
    assert stored(acme, draft) == before
    unread = officer.send("policy_draft_preview", draft.id, **form.with_(total_cap="x").values)
    assert "Correct them to see the problems and changes" in unread.response.content.decode()


# --- The test of the classifier -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_test_tells_the_accuracy_and_what_goes_wrong(
    server: ModelServer, officer: Visitor, draft: PolicyVersion
) -> None:
    wrong = "How deep was the worst loss from peak to trough last year?"
    form = typed(officer, draft)
    owners = ["i2" if text == wrong else of for text, of in _pairs(form)]
    save(officer, draft, form.with_(example__of=owners))
    page = officer.send("policy_draft_check", draft.id)
    assert "of 145 review examples get their intent" in page.text
    assert "85% is required" in page.text
    rows = {row.xpath("string(th)"): row.text_content() for row in page.tree.xpath("//tbody/tr")}
    assert "Compliance" in rows[wrong]


def _pairs(form: Typed) -> list[tuple[str, str]]:
    return list(zip(form.values["example"], form.values["example-of"], strict=True))


def test_a_provider_that_is_down_is_said_in_words(server: ModelServer, officer: Visitor, draft: PolicyVersion) -> None:
    server.fail_with(Fault.ERROR_500, times=20)
    page = officer.send("policy_draft_check", draft.id)
    assert "Your draft is saved and undamaged" in page.text
    assert "review examples get their intent" not in page.text


@pytest.mark.slow
def test_nothing_to_tell_apart_is_said_in_words(officer: Visitor, draft: PolicyVersion) -> None:
    removed = {f"remove__i{number}": "on" for number in range(2, 6)}
    assert save(officer, draft, typed(officer, draft).with_(**removed)).status == 302
    assert "nothing to tell apart" in officer.send("policy_draft_check", draft.id).text


# --- The ways out ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_submitting_says_who_is_asked_what_changes_and_what_can_t_be_undone(
    acme: Firm, olivia: Principal, officer: Visitor, draft: PolicyVersion
) -> None:
    assert "Nobody else here may approve it" in officer.open("policy_draft_submit", draft.id).text
    make_member(acme, "rupert", Role.REVIEWER)
    make_member(acme, "olivia", Role.REVIEWER)
    make_member(acme, "arthur", Role.AUDITOR)
    change(olivia, draft)
    text = officer.open("policy_draft_submit", draft.id).text
    assert "work list: rupert." in text
    assert "Compared with version 1: Performance can now reach Schedules." in text
    assert "After that this version can't change" in text


@pytest.mark.slow
def test_a_submitted_draft_waits_and_is_no_longer_edited(
    acme: Firm, olivia: Principal, officer: Visitor, draft: PolicyVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviews, "require_accuracy", lambda version, checked: None)
    change(olivia, draft)
    page = officer.send("policy_draft_submit", draft.id)
    assert (page.status, str(draft.id) in page.location) == (302, True)
    with open_scope(tenant=acme.id, reason="a test"):
        assert PolicyVersion.objects.get(id=draft.id).status == VersionStatus.IN_REVIEW
    assert officer.open("policy_draft", draft.id).location == page.location
    assert officer.send("policy_draft_submit", draft.id).status == 409


@pytest.mark.slow
def test_what_says_the_same_is_not_submitted(server: ModelServer, officer: Visitor, draft: PolicyVersion) -> None:
    assert "It changes nothing" in officer.open("policy_draft_submit", draft.id).text
    page = officer.send("policy_draft_submit", draft.id)
    assert "there is nothing to review" in page.text


@pytest.mark.slow
def test_what_has_problems_is_not_submitted(acme: Firm, officer: Visitor, draft: PolicyVersion) -> None:
    save(officer, draft, typed(officer, draft).without("kind-i1"))
    assert "In its current state it would be refused" in officer.open("policy_draft_submit", draft.id).text
    assert "may reach no kind" in officer.send("policy_draft_submit", draft.id).text
    with open_scope(tenant=acme.id, reason="a test"):
        assert PolicyVersion.objects.get(id=draft.id).status == VersionStatus.DRAFT


@pytest.mark.slow
def test_what_recognises_too_little_is_not_submitted(
    server: ModelServer, officer: Visitor, draft: PolicyVersion
) -> None:
    save(officer, draft, typed(officer, draft).with_(setting__minimum_score="9", setting__minimum_golden_accuracy="1"))
    page = officer.send("policy_draft_submit", draft.id)
    assert "which is below its own bar of 100%" in page.text


def test_a_draft_is_discarded_after_being_asked(acme: Firm, officer: Visitor, draft: PolicyVersion) -> None:
    page = officer.open("policy_draft_discard", draft.id)
    assert "Its number is not used again" in page.text
    assert officer.send("policy_draft_discard", draft.id).location == "/admin/policy/drafts/"
    with open_scope(tenant=acme.id, reason="a test"):
        assert PolicyVersion.objects.get(id=draft.id).status == VersionStatus.WITHDRAWN
    assert "You have no draft" in officer.open("policy_drafts").text


@pytest.mark.parametrize("name", ["policy_draft", "policy_draft_submit", "policy_draft_discard"])
def test_a_version_that_is_not_there_is_not_found(officer: Visitor, name: str) -> None:
    assert officer.open(name, UUID(int=1)).status == 404
