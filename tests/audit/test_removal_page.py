"""The page of a run of removals: what it says, to whom it offers which decision, and how it shows progress."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from apps.audit.ids import new_id
from apps.erasure.contracts import Target, TargetType
from apps.erasure.models import RemovalRun
from apps.tenants.roles import Role
from tests.audit.removing import (
    again,
    approved,
    asked,
    carried_out,
    documents,
    person,
    proposed,
    stores_of_documents,
)
from tests.deciding import run_approve
from tests.factories import Firm, as_, make_firm
from tests.visitor import Page, Visitor

kept: dict[Target, str] = {}


@pytest.fixture
def acme() -> Firm:
    return make_firm("acme")


@pytest.fixture(autouse=True)
def _stores() -> Iterator[None]:
    kept.clear()
    with stores_of_documents(obstacles=[lambda targets: {each: kept[each] for each in targets if each in kept}]):
        yield


def page(firm: Firm, run: RemovalRun, name: str, role: Role) -> Page:
    person(firm, name, role)
    return Visitor(name).open("removal_run", run.id)


def buttons(shown: Page) -> list[str]:
    return [" ".join(each.text_content().split()) for each in shown.tree.xpath("//*[@id='main']//button[@name='act']")]


@pytest.mark.slow
@pytest.mark.django_db
def test_a_reviewer_reads_what_goes_and_approves_it_knowing_that_it_can_not_be_undone(acme: Firm) -> None:
    run = proposed(acme, [*documents(acme, 2), *asked(acme)])
    shown = page(acme, run, "ralf", Role.REVIEWER)
    assert "2 documents and 1 part of an event" in shown.text
    assert "Proposed bydora-acme," in shown.text
    assert "This can't be undone." in shown.text
    assert buttons(shown) == [
        "Approve, and remove 2 documents and 1 part of an event for good",
        "Reject, and remove nothing",
    ]
    answered = Visitor("ralf").send("removal_run", run.id, act="approve")
    assert answered.status == 302
    assert again(acme, run).state == "approved"
    shown = page(acme, run, "ralf", Role.REVIEWER)
    assert "Approved byralf," in shown.text
    assert buttons(shown) == []


@pytest.mark.slow
@pytest.mark.django_db
def test_a_rejection_needs_a_reason_that_is_one(acme: Firm) -> None:
    run = proposed(acme, documents(acme, 1))
    person(acme, "ralf", Role.REVIEWER)
    assert Visitor("ralf").send("removal_run", run.id, act="reject", reason="because").status == 400
    assert Visitor("ralf").send("removal_run", run.id, act="dance").status == 400
    assert again(acme, run).state == "proposed"
    assert Visitor("ralf").send("removal_run", run.id, act="reject", reason="must_be_kept").status == 302
    assert "Rejected byralf," in (text := page(acme, run, "ralf", Role.REVIEWER).text)
    assert "It must be kept" in text


@pytest.mark.slow
@pytest.mark.django_db
def test_who_proposed_it_may_take_it_back_and_nothing_else(acme: Firm) -> None:
    run = proposed(acme, documents(acme, 1))
    assert buttons(page(acme, run, "dora-acme", Role.DPO)) == ["Take it back, and remove nothing"]
    refused = Visitor("dora-acme").send("removal_run", run.id, act="approve")
    assert refused.status == 403
    assert "You proposed this removal run, so somebody else must approve it." in refused.text
    assert Visitor("dora-acme").send("removal_run", run.id, act="withdraw").status == 302
    assert again(acme, run).rejection_code == "withdrawn"


@pytest.mark.slow
@pytest.mark.django_db
def test_an_auditor_reads_it_and_decides_nothing(acme: Firm) -> None:
    run = proposed(acme, documents(acme, 1))
    assert buttons(page(acme, run, "ada", Role.AUDITOR)) == []
    for act in ("approve", "reject", "withdraw", "retry"):
        assert Visitor("ada").send("removal_run", run.id, act=act, reason="not_due").status == 403
    assert again(acme, run).state == "proposed"


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["removal_run", "removal_run_progress"])
def test_who_may_not_read_the_log_does_not_see_it(acme: Firm, name: str) -> None:
    run = proposed(acme, documents(acme, 1))
    person(acme, "anna", Role.ANALYST)
    assert Visitor("anna").open(name, run.id).status == 403
    person(acme, "ada", Role.AUDITOR)
    assert Visitor("ada").open(name, new_id()).status == 404


@pytest.mark.django_db
def test_somebody_who_decided_at_the_same_time_is_told_so(acme: Firm) -> None:
    run = proposed(acme, documents(acme, 1))
    person(acme, "ralf", Role.REVIEWER)
    with as_(person(acme, "dirk", Role.DPO)):
        run_approve(run.id)
    late = Visitor("ralf").send("removal_run", run.id, act="reject", reason="not_due")
    assert (late.status, "it is approved" in late.text) == (409, True)


@pytest.mark.django_db(transaction=True)
def test_it_shows_how_far_each_store_has_come_and_what_must_stay(acme: Firm) -> None:
    held, free = documents(acme, 2)
    hold = new_id()
    kept[held] = f"hold:{hold}"
    run = approved(acme, [held, free])
    person(acme, "ada", Role.AUDITOR)
    moving = Visitor("ada").open("removal_run_progress", run.id)
    assert "It begins within seconds." in moving.text
    assert "data-fragment-done" not in moving.response.content.decode()
    carried_out(acme, run)
    done = Visitor("ada").open("removal_run_progress", run.id)
    assert "data-fragment-done" in done.response.content.decode()
    assert "Passages6330 Counted zero" in done.text
    assert "Legal hold" in done.text
    assert str(held.id) in done.text


@pytest.mark.django_db(transaction=True)
def test_a_failed_run_says_why_and_is_tried_again_from_here(acme: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.audit.removing import Table

    run = approved(acme, documents(acme, 1))
    clear = Table.clear
    monkeypatch.setattr(Table, "clear", lambda *_, **__: 1 / 0)
    carried_out(acme, run)
    monkeypatch.setattr(Table, "clear", clear)
    shown = page(acme, run, "dora-acme", Role.DPO)
    assert "It failed. Something unexpected happened" in shown.text
    assert buttons(shown) == ["Try it again now"]
    assert Visitor("dora-acme").send("removal_run", run.id, act="retry").status == 302
    assert again(acme, run).state == "approved"


def test_every_type_of_target_has_its_words() -> None:
    from apps.erasure.admin.removals.words import counted

    assert counted(dict.fromkeys(TargetType, 1)) == (
        "1 document, 1 part of an event, 1 person, 1 scope and 1 whole tenant"
    )
