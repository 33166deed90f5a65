"""Events that something acts upon, written by raw SQL without what they tell of: by each role, in every name.

A sweep, a trigger, a policy or a verifier goes by events of some classes; whoever holds a class's permission could else
have it act on an event that tells of nothing. Each such class names what binds it (apps/audit/registry.py), and which
those are is found here: in the bodies of the database's functions, in its policies, and in every query of the code.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import pytest

from apps.audit.registry import EventClass, Group, event_classes
from apps.audit.services import record
from apps.audit.verify.entries import AUTHORISING
from apps.corpus.events import DELETED
from apps.corpus.models import Document
from apps.corpus.providers.recording import CALLED, RETURNED
from apps.corpus.services.ingest.events import READY, RECEIVED, SUPERSEDED
from apps.erasure.events import STEP_FINISHED
from apps.erasure.holds.events import LIFTED, RESTRICTED
from apps.erasure.log_removal import ERASED
from apps.intents.admin.draft import list as draft_list
from apps.retrieval import events as of_questions
from apps.tenants.context import open_scope
from apps.tenants.roles import Permission
from tests.audit.acting import sealed
from tests.audit.mutations import acting_as
from tests.isolation.harness import changed, held, held_each, outcome, rolled_back, sql
from tests.isolation.test_forged_events import (
    THROUGH,
    Call,
    _as_role,
    _holding,
    as_person,
    as_platform,
    call,
    scope_of,
)
from tests.isolation.world import World

ROLES: Final = ("glassbox_api", "glassbox_worker", "glassbox_eraser")
BOUND: Final = tuple(each for each in event_classes() if each.binding)
# Read, and bound to nothing. Why that is enough.
ITSELF: Final = "The event is the act and all that is known of it, in its writer's name; figures and pages show it."
READ: Final = {
    of_questions.ANSWERED: ITSELF,
    of_questions.SEARCHED: ITSELF,
    of_questions.REJECTED: ITSELF,
    of_questions.FAILED: ITSELF,
    CALLED: ITSELF,
    RETURNED: ITSELF,
    **dict.fromkeys(draft_list._CHANGED, "Shown beside a draft: who changed it last, and that it was sent back."),
    "intents.policy.submitted": "Names a proof's digest. A trigger has a proof written with its submission, or never.",
    "intents.policy.reminded": "The platform alone writes it.",
    "intents.policy.approval_lapsed": "The platform alone writes it.",
    STEP_FINISHED: "The platform alone writes it: the eraser, when a store of an approved run has counted zero.",
    **dict.fromkeys(
        (READY, SUPERSEDED, DELETED, RESTRICTED, LIFTED),
        "Shown as times of a document's life, of one that is gone from the log alone: the event is all that is known.",
    ),
    of_questions.REPLAYED: "Counts against the person who is named by it, and who wrote it.",
}
# Queries that are told by their caller which events they are to find: lists that are searched, and what is counted.
TOLD: Final = {
    "audit/admin/events/filters.py": "A list that a person searches.",
    "audit/api/views.py": "A list that a person searches.",
    "audit/webhooks/collecting.py": "Classes that an administrator chose: that it was recorded is all that is told.",
    "erasure/retention/event_source.py": "Every class, by its age, for a purge of two people.",
    "retrieval/usage/counting.py": "Figures that a person reads: requests to models by day and intent.",
    "retrieval/replay/limits.py": "How many there were since: said beside a replay.",
}
_ALONE: Final = "and not alone"
_UNBOUND: Final = "UPDATE authz.event_class SET binding = '{}', permissions = '{anybody}'"
_TEXTS: Final = """
    SELECT prosrc FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname IN ('public', 'authz')
     UNION ALL
    SELECT concat_ws(' ', qual, with_check) FROM pg_policies WHERE schemaname = 'public'
"""
_APPS: Final = Path(__file__).parents[2] / "apps"


# --- Which those are --------------------------------------------------------------------------------------------------


def acted_on_by_the_database() -> set[str]:
    texts = [text for (text,) in sql(_TEXTS)]
    return {each.action for each in event_classes() if any(f"'{each.action}'" in text for text in texts)}


def queries() -> Iterator[tuple[str, set[str] | None]]:
    """(file, the actions that a query of it finds events by; None where its caller says so)."""
    for path in sorted(_APPS.rglob("*.py")):
        name = path.relative_to(_APPS).as_posix()
        if "/migrations/" in name:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            if node.func.attr not in ("filter", "exclude", "get"):
                continue
            for keyword in node.keywords:
                if keyword.arg in ("action", "action__in"):
                    yield name, _value(path, keyword.value)


def _value(path: Path, node: ast.expr) -> set[str] | None:
    module = import_module(".".join(("apps", *path.relative_to(_APPS).with_suffix("").parts)))
    try:
        found = eval(compile(ast.Expression(node), str(path), "eval"), dict(vars(module)))  # noqa: S307 - our own source
    except NameError:
        return None
    return {found} if isinstance(found, str) else set(found)


def unbound(acted_on: set[str]) -> set[str]:
    return acted_on - {each.action for each in BOUND} - READ.keys()


@pytest.mark.slow
def test_every_class_that_something_acts_on_is_bound(world: World) -> None:
    found = list(queries())
    assert {file for file, actions in found if actions is None} == TOLD.keys()
    by_code = {action for _, actions in found for action in actions or ()}
    assert {RECEIVED, "audit.log.restored", "retrieval.evaluation.added"} <= by_code, "the search finds what is there"
    assert unbound(by_code | set(AUTHORISING)) == set()
    assert unbound(acted_on_by_the_database()) == set()
    assert by_code >= READ.keys()


def test_a_class_that_a_policy_goes_by_and_that_nothing_binds_is_named(world: World) -> None:
    asked = "EXISTS (SELECT FROM audit_event e WHERE e.action = 'tenants.scope.created')"
    with changed(f"CREATE POLICY asks ON tenants_scope AS PERMISSIVE FOR SELECT TO glassbox_api USING ({asked})"):
        assert unbound(acted_on_by_the_database()) == {"tenants.scope.created"}


# --- Alone ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("each", BOUND, ids=lambda each: each.action)
def test_no_role_writes_one_alone(world: World, each: EventClass, role: str) -> None:
    """With the platform's own token, which may write every class."""
    subjects = [None, world.acme.id, *_there(world, each)]
    with acting_as(role):
        brought = held_each(
            [lambda subject=subject: call(world, each.action, subject=subject).made() for subject in subjects],
            loot=THROUGH,
            without=lambda: _without(role),
            within=lambda: scope_of(world),
        )
    assert all(_ALONE in one for one in brought), brought


@pytest.mark.parametrize("each", [each for each in BOUND if each.permissions], ids=lambda each: each.action)
def test_nobody_who_holds_the_permission_writes_one_alone(world: World, each: EventClass) -> None:
    person = _holding(world, sorted(each.permissions)[0])
    brought = held_each(
        [
            lambda subject=subject: call(world, each.action, subject=subject).made()
            for subject in (None, *_there(world, each))
        ],
        loot=THROUGH,
        without=lambda: changed(_UNBOUND),
        within=lambda: scope_of(world, person),
    )
    assert all(_ALONE in one for one in brought), brought


def test_a_dpo_authorises_no_removal_by_raw_sql(world: World) -> None:
    """Nor does anybody put the words that authorise one beside an event of another class."""
    dan = world.people["dan"]
    with acting_as("glassbox_api"), open_scope(tenant=world.acme.id, reason="a test"):
        target = record(action="retrieval.question.answered", core={"intent": "x"}, question={"text": "Who is ill?"})
    sealed(world.acme)
    words = f"removal:{target.id}:question"

    def naming(action: str) -> Any:
        made = call(world, action)
        sql(
            "SELECT audit_record(%s, %s::uuid[], %s, %s, '', %s, %s, %s::text[], %s::bytea[], %s::bytea[], %s::text[])",
            *(made.id, [], action, "success", None, made.key, made.groups, [bytes(32)] * 2, [b"x"] * 2, ["", words]),
        )
        return THROUGH

    assert made_of(call_groups(ERASED)) == ["actor", "core"]
    assert "may not write" in outcome(as_person(dan, lambda: naming(ERASED)))
    for role in ROLES:
        with acting_as(role), rolled_back():
            for action in (ERASED, "tenants.scope.created"):
                assert "no run that is carried out names" in outcome(as_platform(world, lambda a=action: naming(a)))
    # What would follow, were it let through: the sweep goes by such an event alone.
    with changed(_UNBOUND):
        assert "no run that is carried out names" in outcome(as_person(dan, lambda: naming(ERASED)))


def test_who_uploads_does_not_make_anothers_document_their_own(world: World) -> None:
    """By the event that a document came in, whoever brought it removes it alone as long as it is not searchable."""
    with open_scope(tenant=world.acme.id, reason="a test"):
        document = Document.objects.first()
        assert document is not None
        scope, id = document.scope_id, document.id
    ann = _holding(world, Permission.DOCUMENT_ADD)

    def claim() -> Any:
        return call(world, RECEIVED, subject=id, scopes=[scope]).made()

    assert _ALONE in held(as_person(ann, claim), loot=THROUGH, without=lambda: changed(_UNBOUND))

    def told_of(*, first: bool) -> Any:
        # Of this transaction, and told of already: as one that another transaction brought in and ended meanwhile.
        sql("UPDATE corpus_document SET created_at = statement_timestamp() WHERE id = %s", id)
        if first:
            made: Call = call(world, RECEIVED, subject=id, scopes=[scope])
            assert made.made() == THROUGH
        return claim()

    alone = "DELETE FROM audit_event WHERE action = 'corpus.document.received'"
    lowered = ("ALTER TABLE corpus_document DISABLE TRIGGER USER", "SET LOCAL session_replication_role = replica")
    with changed(*lowered, alone):
        assert outcome(as_person(ann, lambda: told_of(first=False))) == THROUGH
        assert _ALONE in outcome(as_person(ann, lambda: told_of(first=True)))


def call_groups(action: str) -> set[str]:
    return {str(each) for each in next(each for each in event_classes() if each.action == action).groups}


def made_of(groups: set[str]) -> list[str]:
    return sorted(groups & {Group.CORE, Group.ACTOR})


def _there(world: World, each: EventClass) -> list[UUID]:
    """A row that is there, of those that a class is bound to."""
    if not each.binding[0].startswith("made"):
        return []
    _, table, key, _ = each.binding
    with acting_as("superuser"):
        rows = sql(f"SELECT {key} FROM {table} WHERE tenant_id = %s LIMIT 1", world.acme.id)
    return [row[0] for row in rows]


def _without(role: str) -> Any:
    return _as_role(role, _UNBOUND)


def test_rows_are_there_for_most_classes_that_are_bound_to_one(world: World) -> None:
    missing = {each.action for each in BOUND if each.binding[0].startswith("made") and not _there(world, each)}
    assert missing <= {"audit.verification.requested", "audit.removal.proposed"}
