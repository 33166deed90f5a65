"""What is said of a policy version: of a cell that may change, answered, resolved and opened again; never altered."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.db import IntegrityError, ProgrammingError, connection, transaction
from hypothesis import given
from hypothesis import strategies as st

from apps.audit.models import Event
from apps.audit.registry import Group
from apps.audit.selectors import readings_of
from apps.intents.admin.review.discussion import threads
from apps.intents.cells import Cell, cell_from, cell_stands, cells_of
from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import (
    CommentNotFoundError,
    CommentOfOthersError,
    CommentStandsError,
    NoSuchCellError,
    ReasonMissingError,
)
from apps.intents.fund_house import FundHouse
from apps.intents.models import PolicyVersion, ReviewComment, Turn
from apps.intents.selectors import version_snapshot
from apps.intents.services.discussion import comment_answer, is_open, version_comment
from apps.intents.services.drafts import draft_save
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.factories import Firm, as_, make_member
from tests.intents.reviewing import drafted

pytestmark = pytest.mark.django_db

CELL = Cell("performance", "schedule")


@pytest.fixture
def olivia(acme: Firm) -> Principal:
    return make_member(acme, "olivia", Role.COMPLIANCE_OFFICER)


@pytest.fixture
def rupert(acme: Firm) -> Principal:
    return make_member(acme, "rupert", Role.REVIEWER)


@pytest.fixture
def draft(olivia: Principal) -> PolicyVersion:
    return drafted(olivia)


def without_schedules(snapshot: PolicySnapshot) -> PolicySnapshot:
    first, *rest = snapshot.intents
    kinds = tuple(kind for kind in first.kinds if kind != FundHouse.SCHEDULE)
    return replace(snapshot, intents=(replace(first, kinds=kinds), *rest))


def revised(olivia: Principal, draft: PolicyVersion) -> PolicyVersion:
    with as_(olivia):
        draft.refresh_from_db()
        content = without_schedules(version_snapshot(draft))
        return draft_save(draft.id, content=content, reason=draft.reason, revision=draft.revision)


def shown(person: Principal, version: PolicyVersion) -> Any:
    with as_(person):
        version = PolicyVersion.objects.get(id=version.id)
        (thread,) = threads(version, version_snapshot(version), None)
        return thread


# --- Of a cell --------------------------------------------------------------------------------------------------------


def test_a_comment_on_a_cell_says_of_which_revision_it_is_and_how_the_cell_stood(
    draft: PolicyVersion, rupert: Principal
) -> None:
    with as_(rupert):
        comment = version_comment(draft.id, text="Which schedules?", about=CELL)
    assert (comment.revision, comment.stood) == (draft.revision, "permitted")
    thread = shown(rupert, draft)
    assert (thread.about, thread.changed, thread.earlier) == ("Performance: Schedules", "", False)


def test_it_stays_with_its_cell_when_the_draft_is_revised_and_says_that_the_cell_has_changed(
    draft: PolicyVersion, olivia: Principal, rupert: Principal
) -> None:
    with as_(rupert):
        version_comment(draft.id, text="Which schedules?", about=CELL)
    revised(olivia, draft)
    thread = shown(rupert, draft)
    assert thread.about == "Performance: Schedules"
    assert thread.changed == "permitted then, withheld now"
    assert thread.earlier


def test_a_comment_on_another_cell_is_of_an_earlier_revision_and_its_cell_is_the_same(
    draft: PolicyVersion, olivia: Principal, rupert: Principal
) -> None:
    with as_(rupert):
        version_comment(draft.id, text="Good.", about=Cell("compliance", "org_profile"))
    revised(olivia, draft)
    thread = shown(rupert, draft)
    assert (thread.changed, thread.earlier) == ("", True)


@pytest.mark.parametrize(
    ("about", "words", "stood"),
    [
        (Cell("performance"), "Performance, the whole intent", "dataset_summary,fund_profile,run,schedule"),
        (Cell(kind="schedule"), "Schedules: cap and priority", "1600/9"),
        (Cell("unrecognised", "org_profile"), "Unrecognised: Firm profiles", "permitted"),
    ],
)
def test_a_whole_intent_a_kind_and_the_fallback_can_be_spoken_of(
    draft: PolicyVersion, rupert: Principal, about: Cell, words: str, stood: str
) -> None:
    with as_(rupert):
        assert version_comment(draft.id, text="Why?", about=about).stood == stood
    assert shown(rupert, draft).about == words


@pytest.mark.parametrize("about", [Cell("holidays", "schedule"), Cell("performance", "recipe"), Cell(kind="recipe")])
def test_a_cell_that_there_is_not_is_refused(draft: PolicyVersion, rupert: Principal, about: Cell) -> None:
    with as_(rupert), pytest.raises(NoSuchCellError, match=r"has no cell"):
        version_comment(draft.id, text="Why?", about=about)


def test_a_cell_of_a_removed_intent_can_be_spoken_of(
    draft: PolicyVersion, olivia: Principal, rupert: Principal
) -> None:
    with as_(olivia):
        content = version_snapshot(draft)
        rest = tuple(rule for rule in content.intents if rule.name != "attribution")
        examples = tuple(each for each in content.examples if each.intent != "attribution")
        content = replace(content, intents=rest, examples=examples)
        draft_save(draft.id, content=content, reason=draft.reason, revision=draft.revision)
    with as_(rupert):
        assert version_comment(draft.id, text="Why is it gone?", about=Cell("attribution", "run")).stood == "absent"


# --- Answers ----------------------------------------------------------------------------------------------------------


def test_a_comment_is_open_until_it_is_resolved_and_can_be_opened_again(
    draft: PolicyVersion, olivia: Principal, rupert: Principal
) -> None:
    with as_(rupert):
        comment = version_comment(draft.id, text="Which schedules?", about=CELL)
        assert is_open(comment)
    with as_(olivia):
        comment_answer(comment.id, version_id=draft.id, text="The public ones.")
        assert is_open(comment)
    with as_(rupert):
        comment_answer(comment.id, version_id=draft.id, turn=Turn.RESOLVED)
        assert not is_open(comment)
        comment_answer(comment.id, version_id=draft.id, text="Not yet.", turn=Turn.REOPENED)
        assert is_open(comment)
    assert [answer.turn for answer in shown(rupert, draft).answers] == ["", "resolved", "reopened"]


def test_what_is_resolved_is_not_resolved_again_and_what_is_open_not_opened(
    draft: PolicyVersion, rupert: Principal
) -> None:
    with as_(rupert):
        comment = version_comment(draft.id, text="Why?")
        with pytest.raises(CommentStandsError, match="open already"):
            comment_answer(comment.id, version_id=draft.id, turn=Turn.REOPENED)
        comment_answer(comment.id, version_id=draft.id, turn=Turn.RESOLVED)
        with pytest.raises(CommentStandsError, match="resolved already"):
            comment_answer(comment.id, version_id=draft.id, turn=Turn.RESOLVED)


def test_a_comment_is_resolved_by_its_writer_or_a_reviewer(
    acme: Firm, draft: PolicyVersion, olivia: Principal, rupert: Principal
) -> None:
    with as_(rupert):
        asked = version_comment(draft.id, text="Why?")
    with as_(olivia):
        own = version_comment(draft.id, text="Is this clear?")
        with pytest.raises(CommentOfOthersError):
            comment_answer(asked.id, version_id=draft.id, turn=Turn.RESOLVED)
        comment_answer(own.id, version_id=draft.id, turn=Turn.RESOLVED)
    with as_(make_member(acme, "rita", Role.REVIEWER)):
        comment_answer(asked.id, version_id=draft.id, turn=Turn.RESOLVED)
        assert not is_open(asked)


def test_an_author_who_may_approve_resolves_nothing_that_others_asked_of_them(
    acme: Firm, draft: PolicyVersion, rupert: Principal
) -> None:
    """The control: a reviewer who did not write it does."""
    both = make_member(acme, "olivia", Role.REVIEWER)
    with as_(rupert):
        asked = version_comment(draft.id, text="Why?")
    with as_(both):
        with pytest.raises(CommentOfOthersError, match="did not write the version"):
            comment_answer(asked.id, version_id=draft.id, turn=Turn.RESOLVED)
        with pytest.raises(IntegrityError, match="did not write the version"):
            insert(draft, both, answers=asked, turn="resolved")
    with as_(rupert):
        comment_answer(asked.id, version_id=draft.id, turn=Turn.RESOLVED)


def test_what_is_open_stands_before_what_is_resolved(draft: PolicyVersion, rupert: Principal) -> None:
    with as_(rupert):
        first, _ = version_comment(draft.id, text="Why?"), version_comment(draft.id, text="Which?")
        comment_answer(first.id, version_id=draft.id, turn=Turn.RESOLVED)
        found = threads(draft, version_snapshot(draft), None)
    assert [(thread.comment.text, thread.is_open) for thread in found] == [("Which?", True), ("Why?", False)]


def test_an_answer_without_words_and_turn_or_to_an_answer_is_refused(draft: PolicyVersion, rupert: Principal) -> None:
    with as_(rupert):
        comment = version_comment(draft.id, text="Why?")
        with pytest.raises(ReasonMissingError):
            comment_answer(comment.id, version_id=draft.id, text="  ")
        answer = comment_answer(comment.id, version_id=draft.id, text="Because.")
        with pytest.raises(CommentNotFoundError):
            comment_answer(answer.id, version_id=draft.id, text="I see.")


def test_who_neither_writes_nor_approves_policies_says_nothing(acme: Firm, draft: PolicyVersion) -> None:
    with as_(make_member(acme, "anna", Role.ANALYST)), pytest.raises(PermissionDeniedError):
        version_comment(draft.id, text="Hello.", about=CELL)


def test_the_event_names_the_cell_and_the_turn_and_not_the_words(
    acme: Firm, draft: PolicyVersion, rupert: Principal
) -> None:
    with as_(rupert):
        comment = version_comment(draft.id, text="Is Mr Brown named?", about=CELL)
        comment_answer(comment.id, version_id=draft.id, text="He is not.", turn=Turn.RESOLVED)
    with open_scope(tenant=acme.id, reason="a test"):
        events = list(Event.objects.filter(action="intents.policy.commented").order_by("occurred_at", "id"))
        cores = [readings_of([each], groups=[Group.CORE])[each.id].payload[Group.CORE] for each in events]
    assert (cores[0]["about_intent"], cores[0]["about_kind"]) == ("performance", "schedule")
    assert (cores[1]["turn"], cores[1]["answers"]) == ("resolved", str(comment.id))
    assert "Brown" not in str(cores)


# --- What the database holds by itself --------------------------------------------------------------------------------


def insert(version: PolicyVersion, person: Principal, **values: Any) -> ReviewComment:
    said = {"author_id": person.id, "author_label": person.label, "text": "So be it.", **values}
    with transaction.atomic():
        comment: ReviewComment = ReviewComment.objects.create(tenant_id=version.tenant_id, version=version, **said)
    comment.refresh_from_db()
    return comment


def test_no_statement_resolves_what_somebody_else_asked(
    draft: PolicyVersion, olivia: Principal, rupert: Principal
) -> None:
    with as_(rupert):
        asked = version_comment(draft.id, text="Why?")
    with as_(olivia):
        with pytest.raises(IntegrityError, match="by whoever wrote it, or by a reviewer"):
            insert(draft, olivia, answers=asked, turn="resolved")
        own = insert(draft, olivia)
        insert(draft, olivia, answers=own, turn="resolved")


def test_the_database_writes_the_revision_and_how_the_cell_stood(draft: PolicyVersion, rupert: Principal) -> None:
    with as_(rupert):
        comment = insert(
            draft, rupert, about_intent="performance", about_kind="schedule", revision=99, stood="withheld"
        )
    assert (comment.revision, comment.stood) == (draft.revision, "permitted")


def test_no_statement_changes_or_removes_a_comment(draft: PolicyVersion, rupert: Principal) -> None:
    with as_(rupert):
        comment = insert(draft, rupert)
        for statement in (
            "UPDATE intents_reviewcomment SET text = 'Never.'",
            "UPDATE intents_reviewcomment SET turn = 'resolved'",
            "DELETE FROM intents_reviewcomment",
        ):
            with (
                pytest.raises(ProgrammingError, match="permission denied"),
                transaction.atomic(),
                connection.cursor() as cursor,
            ):
                cursor.execute(statement)
        comment.refresh_from_db()
    assert comment.text == "So be it."


def test_without_a_part_in_the_review_no_statement_speaks(acme: Firm, draft: PolicyVersion) -> None:
    anna = make_member(acme, "anna", Role.ANALYST)
    with as_(anna), pytest.raises(ProgrammingError, match="row-level security"):
        insert(draft, anna)


@pytest.mark.parametrize(
    ("values", "refused"),
    [
        ({"about_intent": "holidays", "about_kind": "schedule"}, "no such cell"),
        ({"turn": "resolved"}, "review_comment_answer_turns"),
        ({"turn": "deleted"}, "review_comment"),
        ({"text": ""}, "review_comment_says_something"),
    ],
)
def test_what_is_no_comment_is_refused_by_the_database(
    draft: PolicyVersion, rupert: Principal, values: dict[str, Any], refused: str
) -> None:
    with as_(rupert), pytest.raises(IntegrityError, match=refused):
        insert(draft, rupert, **values)


def test_an_answer_is_to_a_comment_on_the_same_version_with_no_cell_of_its_own(
    draft: PolicyVersion, olivia: Principal, rupert: Principal
) -> None:
    other = drafted(olivia)
    with as_(rupert):
        comment = insert(draft, rupert)
        answer = insert(draft, rupert, answers=comment)
        for version, values in (
            (other, {"answers": comment}),
            (draft, {"answers": answer}),
            (draft, {"answers": comment, "about_intent": "performance"}),
        ):
            with pytest.raises(IntegrityError, match=r"same version|of_its_cell"):
                insert(version, rupert, **values)


@pytest.mark.parametrize("part", ["cells", "intents", "kinds"])
def test_the_database_and_the_page_tell_alike_how_every_cell_stands(
    acme: Firm, draft: PolicyVersion, part: str
) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        snapshot = version_snapshot(draft)
        cells = [
            cell
            for cell in [*cells_of(snapshot), Cell("holidays", "run"), Cell("performance", "recipe"), Cell(kind="x")]
            if (bool(cell.intent), bool(cell.kind))
            == {"cells": (True, True), "intents": (True, False), "kinds": (False, True)}[part]
        ]
        with connection.cursor() as cursor:
            for cell in cells:
                cursor.execute(
                    "SELECT intents_cell_stands(%s, %s, %s, %s)", [acme.id, draft.id, cell.intent, cell.kind]
                )
                assert cursor.fetchone() == (cell_stands(snapshot, cell),), cell
    assert cells


NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)


@given(intent=st.one_of(st.just(""), NAMES), kind=st.one_of(st.just(""), NAMES))
def test_a_cell_is_read_from_its_own_text(intent: str, kind: str) -> None:
    assert cell_from(str(Cell(intent, kind))) == Cell(intent, kind)
